package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Guards returns the guarded paths that exist.
func (p *Policy) Guards() (list []string) {
	l := lookup{p.WorkTree, map[string]*folder{}}
	defer l.close()
	add := func(paths ...string) {
		for _, path := range paths {
			if !p.Grants(path) {
				list = append(list, path)
			}
		}
	}
	for _, path := range p.GuardedFiles {
		if l.has(path) {
			add(path)
		}
	}
	for _, pattern := range p.Guarded {
		path, below := pattern, !filepath.IsAbs(pattern)
		if below && p.WorkTree == "" {
			continue
		}
		if end := strings.IndexAny(pattern, special); end >= 0 {
			if l.folder(filepath.Dir(pattern[:end+1])) == nil {
				continue
			}
			if below {
				path = filepath.Join(EscapePattern(p.WorkTree), pattern)
			}
			found, _ := filepath.Glob(path) // the patterns are well-formed
			add(found...)
		} else if l.has(pattern) {
			if below {
				path = filepath.Join(p.WorkTree, pattern)
			}
			add(path)
		}
	}
	return list
}

// Existing returns the paths that exist.
func Existing(paths []string) []string {
	l := lookup{open: map[string]*folder{}}
	defer l.close()
	return slices.DeleteFunc(paths, func(path string) bool { return !l.has(path) })
}

// A lookup looks for paths. It walks to each folder once: most guarded paths are in few folders, which
// are often missing, and each step looks for all of them.
type lookup struct {
	top  string             // where relative paths begin
	open map[string]*folder // nil for one that is missing
}

// has reports whether something is at a path, also a link that leads nowhere.
func (l *lookup) has(path string) bool {
	f := l.folder(filepath.Dir(path))
	return f != nil && f.has(filepath.Base(path))
}

// folder returns the folder at a path, or nil if none is there.
func (l *lookup) folder(path string) *folder {
	f, known := l.open[path]
	if known {
		return f
	}
	switch {
	case path == ".":
		f = wholeSystem.folder(l.top)
	case filepath.IsAbs(path):
		f = wholeSystem.folder(path)
	default:
		if parent := l.folder(filepath.Dir(path)); parent != nil {
			f = parent.folder(filepath.Base(path))
		}
	}
	l.open[path] = f
	return f
}

func (l *lookup) close() {
	for _, f := range l.open {
		if f != nil {
			f.close()
		}
	}
}

// special are the characters with a meaning in patterns.
const special = `\*?[`

// EscapePattern makes a pattern that matches a path only.
func EscapePattern(path string) string {
	if !strings.ContainsAny(path, special) {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
