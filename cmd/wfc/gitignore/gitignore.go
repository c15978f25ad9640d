// Package gitignore knows which files of a folder git ignores.
//
// It reads .gitignore in every folder, from the root of the repository down, and
// .git/info/exclude. Patterns are those of gitignore(5): comments, `!` to take
// files back, a trailing slash for folders, a slash elsewhere for patterns that
// begin at their own folder, `*`, `?`, `[a-z]`, `[!a-z]`, `**` and backslashes. All files
// in an ignored folder are ignored, as in git. The user's own excludes
// (core.excludesFile) do not count, so that a check finds the same files on every
// machine. The package does not read the index, so ignored files that are tracked count
// as ignored.
package gitignore

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// A Folder knows the patterns that count in one folder: its own and those of the
// folders above it.
type Folder struct {
	dir   string
	above *Folder
	rules []rule
}

// A rule is one line of a file of patterns.
type rule struct {
	// pattern matches paths relative to the folder.
	pattern string
	// back takes back what earlier rules ignore; folders says that only folders
	// match.
	back, folders bool
}

// Open returns the patterns for a folder of the given absolute path, with those of the
// folders above it in the same repository. If those ignore the folder itself, they do not
// count: a user who names a folder wants its files.
func Open(dir string) *Folder {
	root := repositoryRoot(dir)
	if root == "" {
		return readFolder(dir, nil)
	}
	var above []string
	for at := dir; at != root; {
		at = filepath.Dir(at)
		above = append(above, at)
	}
	outer := &Folder{dir: root, rules: rulesOf(filepath.Join(root, ".git", "info", "exclude"))}
	for i := len(above) - 1; i >= 0; i-- {
		outer = readFolder(above[i], outer)
		next := dir
		if i > 0 {
			next = above[i-1]
		}
		if outer.Ignores(filepath.Base(next), true) || outer.ignoresPath(filepath.Join(next, anyName), false) {
			outer = nil
		}
	}
	return readFolder(dir, outer)
}

// anyName is the name of a file that no pattern is about but those for all files
// of its folder.
const anyName = "\x01"

// repositoryRoot returns the nearest folder, from dir upwards, that is the root of a
// repository, or "".
func repositoryRoot(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Enter returns the patterns for a folder directly inside f.
func (f *Folder) Enter(name string) *Folder { return readFolder(filepath.Join(f.dir, name), f) }

// Ignores reports whether git ignores the file or folder of a name directly inside
// f. It takes for granted that f itself is not ignored.
func (f *Folder) Ignores(name string, isDir bool) bool {
	return f.ignoresPath(filepath.Join(f.dir, name), isDir)
}

// ignoresPath decides by the last pattern that matches, of the nearest folder that has
// one.
func (f *Folder) ignoresPath(path string, isDir bool) bool {
	for at := f; at != nil; at = at.above {
		rel, err := filepath.Rel(at.dir, path)
		if err != nil {
			return false
		}
		rel = filepath.ToSlash(rel)
		for i := len(at.rules) - 1; i >= 0; i-- {
			if r := at.rules[i]; (isDir || !r.folders) && glob.Match(r.pattern, rel) {
				return !r.back
			}
		}
	}
	return false
}

// readFolder returns a folder with the patterns of its .gitignore, or above itself if it has
// none.
func readFolder(dir string, above *Folder) *Folder {
	return &Folder{dir: dir, above: above, rules: rulesOf(filepath.Join(dir, ".gitignore"))}
}

// maxFile is the size of the largest file of patterns that is read.
const maxFile = 1 << 20

// rulesOf returns the rules of a file. One that cannot be read has none.
func rulesOf(path string) []rule {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	content, err := wholefile.Source.Read(path)
	if err != nil {
		return nil
	}
	var rules []rule
	for line := range strings.Lines(strings.TrimPrefix(string(content), "\ufeff")) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// parseRule reads a line; ok is false when it holds no pattern.
func parseRule(line string) (r rule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, "\\ ") {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	line, r.back = strings.CutPrefix(line, "!")
	line, r.folders = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if !anchored {
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*" // all that is in the folder, not the folder itself
	}
	r.pattern = strings.ReplaceAll(line, "[!", "[^")
	return r, line != "" && glob.Valid(r.pattern)
}
