package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Version is the version of a program.
type Version struct {
	Major, Minor, Patch int
	// Pre is what follows a hyphen, such as "alpha.3", or "".
	Pre string
}

func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != "" {
		text += "-" + v.Pre
	}
	return text
}

// Compare is negative when v is older than w, zero when it is the same, and
// positive otherwise. A version that leads up to another is older than it;
// those that lead up to the same one count as equal.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch), release(v)-release(w))
}

func release(v Version) int {
	if v.Pre != "" {
		return 0
	}
	return 1
}

// ParseVersion returns the first version in a text: two or three numbers set
// apart by dots, after a v or not, that no letter, digit or dot stands before.
func ParseVersion(text string) (Version, bool) {
	before := byte(' ')
	for i := 0; i < len(text); i++ {
		c := text[i]
		if digit(c) && !digit(before) && before != '.' && (!letter(before) || isV(text, i)) {
			if v, ok := versionAt(text[i:]); ok {
				return v, true
			}
		}
		before = c
	}
	return Version{}, false
}

// isV reports whether a v that is no part of a word stands before the place.
func isV(text string, i int) bool {
	return text[i-1]|0x20 == 'v' && (i == 1 || !letter(text[i-2]) && !digit(text[i-2]))
}

func versionAt(text string) (v Version, ok bool) {
	numbers, n := [3]int{}, 0
	for n < len(numbers) {
		end := 0
		for end < len(text) && digit(text[end]) {
			end++
		}
		number, err := strconv.Atoi(text[:end])
		if err != nil {
			break
		}
		numbers[n] = number
		n, text = n+1, text[end:]
		if n == len(numbers) || len(text) < 2 || text[0] != '.' || !digit(text[1]) {
			break
		}
		text = text[1:]
	}
	v = Version{Major: numbers[0], Minor: numbers[1], Patch: numbers[2]}
	if rest, isPre := strings.CutPrefix(text, "-"); isPre {
		end := strings.IndexFunc(rest, func(r rune) bool {
			return r > 127 || !letter(byte(r)) && !digit(byte(r)) && r != '.' && r != '-'
		})
		if end < 0 {
			end = len(rest)
		}
		v.Pre = strings.TrimRight(rest[:end], ".-")
	}
	return v, n >= 2
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

const (
	// askLimit is how long a program may take to say its version. One that takes
	// longer has none that is known.
	askLimit = 20 * time.Second
	askGrace = time.Second
)

// Version asks the program for its version with --version after its arguments,
// and returns the first line that it says too. An error says that it could not be asked or that what
// it said is no version; the text is returned all the same.
func (p *Program) Version(ctx context.Context, environ []string, dir string) (v Version, said string, err error) {
	ctx, stop := context.WithTimeout(ctx, askLimit)
	defer stop()
	end, err := p.Ask(ctx, environ, dir, "--version")
	if err != nil {
		return Version{}, "", err
	}
	said, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(end.Stdout), "\uFFFD")), "\n")
	said = strings.TrimSpace(said)
	if end.ExitCode != 0 {
		return Version{}, said, fmt.Errorf("`%s --version` failed [exit %d]: %s", p.Name, end.ExitCode, lastLine(end.Stderr))
	}
	v, ok := ParseVersion(said)
	if !ok {
		return Version{}, said, errors.New("`" + p.Name + " --version` names no version: " + shorten(said))
	}
	return v, said, nil
}

func lastLine(text string) string {
	if text == "" {
		return "no diagnostic output"
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// Versions remember the versions of programs, so that a program is not
// asked for every turn; one whose file has changed is asked again. They are
// safe for concurrent use. The zero value knows none.
type Versions struct {
	mu    sync.Mutex
	known map[string]remembered
}

type remembered struct {
	stamp   string
	version Version
}

// Least returns the version of a program, the zero Version when it does not say
// one. It is an error, a fatal *flow.Failure, when that is older than the least
// one that works with wfc. What becomes of a program that cannot say its version
// is seen when it is run.
func (k *Versions) Least(ctx context.Context, p *Program, environ []string, dir string, least Version) (Version, error) {
	v, err := k.version(ctx, p, environ, dir)
	if err != nil {
		return Version{}, err
	}
	return v, p.Newer(v, least)
}

// Newer returns an error when a version of the program is known and older than
// the least one.
func (p *Program) Newer(v, least Version) error {
	if v == (Version{}) || v.Compare(least) >= 0 {
		return nil
	}
	hint := "update it"
	if p.Install != "" {
		hint += " with `" + p.Install + "`"
	}
	return failure("`%s` is version %v, and wfc needs %v or newer; %s", p.Path, v, least, hint)
}

func (k *Versions) version(ctx context.Context, p *Program, environ []string, dir string) (Version, error) {
	stamp := ""
	if info, err := os.Stat(p.Path); err == nil {
		stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	key := strings.Join(append([]string{p.Path}, p.Args...), "\x00")
	if v, ok := k.recall(key, stamp); ok {
		return v, nil
	}
	v, _, err := p.Version(ctx, environ, dir)
	if ctx.Err() != nil {
		return Version{}, ctx.Err()
	}
	if err != nil {
		return Version{}, nil // it may work all the same
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]remembered{}
	}
	k.known[key] = remembered{stamp, v}
	return v, nil
}

func (k *Versions) recall(key, stamp string) (Version, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.known[key]
	return r.version, ok && r.stamp == stamp && stamp != ""
}
