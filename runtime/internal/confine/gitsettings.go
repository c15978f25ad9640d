package confine

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// gitSettings are the files and folders that git's settings name: git executes them, or reads further
// settings there. Settings that a step can change are guarded, so theirs are too. See git-config(1).
type gitSettings struct {
	top, home string
	named     []string
}

// namedByGit returns what the settings for a work tree name; it may be missing.
func (r *Run) namedByGit(t *tree) []string {
	home := r.homeFolder()
	g := &gitSettings{top: t.top, home: home}
	user := cmp.Or(process.Variable(r.Environ(), "XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	files := []string{"/etc/gitconfig", filepath.Join(user, "git", "config"), filepath.Join(home, ".gitconfig")}
	if t.own != "" {
		files = append(files, filepath.Join(t.common, "config"), filepath.Join(t.own, "config.worktree"))
	}
	for _, file := range files {
		g.readFile(file, 0)
	}
	return g.named
}

// mostIncludes is how deep git follows files that include others.
const mostIncludes = 10

func (g *gitSettings) readFile(file string, depth int) {
	text, err := wholefile.Source.Read(file)
	if err != nil || depth > mostIncludes {
		return // git reads nothing either
	}
	for _, s := range parseGitSettings(string(text)) {
		switch {
		case s.value == "":
		case (s.section == "include" || s.section == "includeif") && s.name == "path":
			path := g.resolvePath(s.value, filepath.Dir(file))
			g.named = append(g.named, path)
			g.readFile(path, depth+1)
		case s.section == "core" && s.name == "hookspath":
			g.named = append(g.named, g.resolvePath(s.value, g.top))
		case slices.Contains([]string{"url", "pushurl", "fetch", "push", "merge"}, s.name): // repositories and references
		default:
			for _, word := range strings.FieldsFunc(s.value, func(c rune) bool { return strings.ContainsRune(" \t\n\"'`!;|&()<>$=", c) }) {
				if !strings.Contains(word, "/") {
					continue // found by PATH, if it is a program
				}
				path := g.resolvePath(word, g.top)
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					g.named = append(g.named, path)
				}
			}
		}
	}
}

func (g *gitSettings) resolvePath(path, folder string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(g.home, rest)
	}
	return absolutePath(folder, filepath.Clean(path))
}

// A gitSetting is a setting; section and name are in lower case.
type gitSetting struct{ section, name, value string }

// parseGitSettings reads what git reads, and passes over what git refuses.
func parseGitSettings(text string) (list []gitSetting) {
	section := ""
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for text != "" {
		text = strings.TrimLeft(text, " \t\n\ufeff")
		switch {
		case text == "":
		case strings.ContainsRune("#;", rune(text[0])):
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, text = parseGitSection(text[1:])
		default:
			end := strings.IndexAny(text, "=\n")
			if end < 0 || text[end] == '\n' { // a name alone means true
				_, text, _ = strings.Cut(text, "\n")
				continue
			}
			s := gitSetting{section: section, name: strings.ToLower(strings.TrimSpace(text[:end]))}
			s.value, text = parseGitValue(text[end+1:])
			list = append(list, s)
		}
	}
	return list
}

// parseGitSection returns the name of a section without that of its part, and what follows.
func parseGitSection(text string) (section, rest string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			section, rest = text[:i], text[i+1:]
			if end := strings.IndexAny(section, " \t\"."); end >= 0 {
				section = section[:end]
			}
			return strings.ToLower(section), rest
		}
	}
	return "", ""
}

// parseGitValue returns a value without quotes and comments, and what follows its line.
func parseGitValue(text string) (value, rest string) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case c == '"':
			quoted = !quoted
		case c == '\n':
			return strings.TrimSpace(b.String()), text[i+1:]
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(text[i:], "\n")
			return strings.TrimSpace(b.String()), rest
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String()), ""
}

// holdsGitSecrets reports whether a path is that of settings of git that seem to have a key: those would
// reach every step.
func holdsGitSecrets(path string) bool {
	if name := filepath.Base(path); name != ".gitconfig" && name != "config" {
		return false
	}
	text, err := wholefile.Source.Read(path)
	return err == nil && gitSecret().Match(text)
}

// gitSecret finds a header of requests, or a URL with a user's name or a key in it.
var gitSecret = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)extraheader|https?://[^\s/"]*@|(?:password|token|secret)\s*=`)
})
