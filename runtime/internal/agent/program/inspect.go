package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Locate finds the program of a choice and notes in s where it is. It returns nil
// if there is none.
func Locate(c settings.Agent, q *engine.Inspection, s *engine.AgentState) *Program {
	p, err := Find(c, q.Environ, q.WorkDir)
	if err != nil {
		s.Installed, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		s.Hint = cmp.Or(Of(c).Install, s.Hint)
		return nil
	}
	s.Program, s.Installed = p.Path, engine.Yes
	p.checkRoot(c, q, s)
	return p
}

// Describe notes in s the version that a program prints. Not every program has
// one.
func (p *Program) Describe(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	if _, said, err := p.Version(ctx, q.Environ, p.Folder(q)); err == nil {
		s.Version = said
	}
}

// Look notes in s where the program of a choice is, and its version. It returns
// nil if no program could answer. least is the oldest version that works with
// wfc; the zero Version means any.
func Look(ctx context.Context, c settings.Agent, q *engine.Inspection, s *engine.AgentState, least Version) (*Program, Version) {
	p := Locate(c, q, s)
	if p == nil {
		return nil, Version{}
	}
	v, said, err := p.Version(ctx, q.Environ, p.Folder(q))
	s.Version = said
	if v != (Version{}) {
		s.Version = v.String()
	}
	if ctx.Err() != nil {
		return nil, Version{} // the caller reports its own limit
	}
	if err != nil {
		s.Problem = err.Error()
		return p, Version{}
	}
	if err := p.Newer(v, least); err != nil {
		s.Usable, s.Problem, s.Hint = engine.No, err.Error(), p.Install
		return nil, v
	}
	return p, v
}

// Conclude notes in s whether the agent is signed in, and whether it is usable if
// nothing else decided that. hint says how to sign in.
func Conclude(s *engine.AgentState, signedIn engine.Verdict, hint string) {
	s.SignedIn = signedIn
	switch {
	case s.Usable != "" || s.Problem != "":
	case signedIn == engine.No:
		s.Usable, s.Problem, s.Hint = engine.No, "it is not signed in", hint
	case signedIn == engine.Yes:
		s.Usable = engine.Yes
	}
}

// HasCredential reports whether a variable that may hold the agent's key is set.
func HasCredential(s *engine.AgentState) bool {
	return slices.ContainsFunc(s.Credentials, func(c engine.Credential) bool { return c.Set })
}

// Folder returns the folder in which an inspection asks the program: the root of its volume,
// where no file of a project can change what the program does. Arguments of the settings may
// name files, and need the project's folder.
func (p *Program) Folder(q *engine.Inspection) string {
	if p.ownArgs {
		return q.WorkDir
	}
	return filepath.VolumeName(p.Path) + string(filepath.Separator)
}

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
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch), releaseRank(v)-releaseRank(w))
}

func releaseRank(v Version) int {
	if v.Pre != "" {
		return 0
	}
	return 1
}

// versionPattern finds two or three numbers separated by dots, after a v or not. No
// letter, digit or dot may precede them.
var versionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^a-zA-Z0-9_.]|(?:^|[^a-zA-Z0-9_])[vV])(\d+)\.(\d+)(?:\.(\d+))?(?:-([a-zA-Z0-9_.-]*))?`)
})

// ParseVersion returns the first version in a string, such as "1.2.3" in
// "claude v1.2.3 (stable)".
func ParseVersion(text string) (Version, bool) {
	m := versionPattern().FindStringSubmatch(text)
	if m == nil {
		return Version{}, false
	}
	var v Version
	for i, number := range []*int{&v.Major, &v.Minor, &v.Patch} {
		var err error
		if *number, err = strconv.Atoi(cmp.Or(m[i+1], "0")); err != nil {
			return Version{}, false
		}
	}
	v.Pre = strings.TrimRight(m[4], ".-")
	return v, true
}

const (
	// askLimit is how long a program may take to say its version. One that takes
	// longer has none that is known.
	askLimit = 20 * time.Second
	askGrace = time.Second
)

// Version runs the program with --version after its arguments, and returns the version
// and the first line of the output. The error says that the program could not run or that
// the line has no version; the line is returned in both cases.
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
		return Version{}, said, errors.New("`" + p.Name + " --version` names no version: " + plain.Clip(said, 41))
	}
	return v, said, nil
}

func lastLine(text string) string {
	if text == "" {
		return "it printed nothing on standard error"
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

// Least returns the version of a program, or the zero Version if it is unknown. The
// error is a fatal *flow.Failure if the version is older than the least one that
// works with wfc. A program of an unknown version may still work.
func (k *Versions) Least(ctx context.Context, p *Program, environ []string, dir string, least Version) (Version, error) {
	v, err := k.cachedVersion(ctx, p, environ, dir)
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
	return fatalFailure("`%s` is version %v, and wfc needs %v or newer; %s", p.Path, v, least, hint)
}

func (k *Versions) cachedVersion(ctx context.Context, p *Program, environ []string, dir string) (Version, error) {
	stamp := ""
	if info, err := os.Stat(p.Path); err == nil {
		stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	key := strings.Join(append([]string{p.Path}, p.Args...), "\x00")
	if v, ok := k.recallVersion(key, stamp); ok {
		return v, nil
	}
	v, _, err := p.Version(ctx, environ, dir)
	if ctx.Err() != nil {
		return Version{}, ctx.Err()
	}
	if err != nil {
		return Version{}, nil // it may still work
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]remembered{}
	}
	k.known[key] = remembered{stamp, v}
	return v, nil
}

func (k *Versions) recallVersion(key, stamp string) (Version, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.known[key]
	return r.version, ok && r.stamp == stamp && stamp != ""
}
