package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// The limits of a pack.
const (
	MostFiles = 2000
	MostBytes = 64 << 20 // of all files together
	longest   = 240      // of a path, which Windows limits to 260 with the project's folder
)

// A Kind is the kind of an entry of a commit.
type Kind int

// The kinds.
const (
	Regular Kind = iota
	Executable
	Link
	Submodule
)

// An Entry is an entry of a commit, with its path from the pack's folder, with slashes.
type Entry struct {
	Path string
	Kind Kind
}

// A Selection divides the entries of a pack.
type Selection struct {
	// Files become part of the project. Settings are read for what the pack asks for.
	Files, Settings []Entry
	// Left are the paths that stay behind.
	Left []string
}

// A refusedError says why a pack cannot be added.
type refusedError struct{ problems []string }

// mostProblems are how many problems an error lists.
const mostProblems = 20

func (e *refusedError) Error() string {
	shown := e.problems[:min(len(e.problems), mostProblems)]
	text := "the pack is refused, and nothing was written:\n  " + strings.Join(shown, "\n  ")
	if more := len(e.problems) - len(shown); more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return text
}

// dotFolders are the hidden folders that hold parts of workflows.
var dotFolders = []string{".archon", ".shared", ".macros", ".xprompts"}

// Select decides which entries of a commit become files of the project. Hidden files and
// folders stay behind, unless workflows have parts in them, and so do settings of wfc and Archon:
// those of the project apply to its packs. The error lists everything that no project should get.
func Select(entries []Entry) (Selection, error) {
	var s Selection
	var problems []string
	refuse := func(e Entry, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("`%s` %s", plain.Line(e.Path), fmt.Sprintf(format, args...)))
	}
	kept := map[string]bool{}
	for _, e := range entries {
		if wrong := unsafeReason(e.Path); wrong != "" {
			refuse(e, "%s", wrong)
			continue
		}
		if isSettings(e.Path) && e.Kind < Link {
			s.Settings = append(s.Settings, e)
		}
		switch {
		case isSettings(e.Path), isHidden(e.Path):
			s.Left = append(s.Left, e.Path)
		case e.Kind == Link:
			refuse(e, "is a symbolic link; a pack has regular files only, so that it cannot reach other files")
		case e.Kind == Submodule:
			refuse(e, "is a submodule; wfc fetches no other repositories")
		case kept[e.Path]:
			refuse(e, "exists twice")
		default:
			kept[e.Path] = true
			if wrong := unportableReason(e.Path); wrong != "" {
				refuse(e, "%s", wrong)
			}
			s.Files = append(s.Files, e)
		}
	}
	problems = append(problems, collisions(s.Files)...)
	switch {
	case len(s.Files) > MostFiles:
		problems = append(problems, fmt.Sprintf("it has %d files, more than %d; name the folder of the pack in the repository", len(s.Files), MostFiles))
	case len(s.Files) == 0 && problems == nil:
		problems = []string{"it has no files; name the folder of the pack in the repository"}
	}
	if problems != nil {
		return s, &refusedError{problems}
	}
	return s, nil
}

// unsafeReason says why a path leads out of the pack or into the data of git; "" if it does not.
func unsafeReason(name string) string {
	if name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, `\`) || strings.Contains(name, ":") {
		return "is not a path inside the pack"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch visible := strings.ToLower(strings.TrimRight(withoutIgnorable(part), ". ")); {
		case part == "" || part == "." || part == "..":
			return "is not a path inside the pack"
		case visible == ".git" || visible == "git~1":
			return "is data of git, which would change the repository of the project"
		}
	}
	return ""
}

// withoutIgnorable returns a name without the characters that file systems of macOS ignore.
func withoutIgnorable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
}

// devices are the names that Windows takes for devices, with any ending.
var devices = strings.Fields("con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 conin$ conout$")

// unportableReason says why a file cannot have a path on every system; "" if it can.
func unportableReason(name string) string {
	if len(name) > longest {
		return fmt.Sprintf("is longer than %d bytes", longest)
	}
	if !utf8.ValidString(name) {
		return "is not UTF-8"
	}
	for part := range strings.SplitSeq(name, "/") {
		stem, _, _ := strings.Cut(strings.ToLower(part), ".")
		switch {
		case slices.Contains(devices, strings.TrimRight(stem, " ")):
			return "is the name of a device on Windows"
		case strings.TrimRight(part, ". ") != part:
			return "ends with a point or a space, which Windows drops"
		case strings.ContainsFunc(part, func(r rune) bool {
			return strings.ContainsRune(`<>"|?*`, r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.C, r)
		}):
			return "contains a character that some systems refuse or change"
		}
	}
	return ""
}

// isHidden reports whether a path is hidden and holds no part of workflows.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && (!slices.Contains(dotFolders, part) || part == path.Base(name)) {
			return true
		}
	}
	return false
}

// isSettings reports whether a file has settings of wfc, its lock, or settings of Archon.
func isSettings(name string) bool {
	switch lower := strings.ToLower(name); path.Base(lower) {
	case workspace.ConfigName, workspace.LockName, "wfc.yml", ".wfc.yaml", ".wfc.yml":
		return true
	case "config.yaml", "config.yml":
		return path.Base(path.Dir(lower)) == ".archon"
	}
	return false
}

// collisions lists the paths that are the same on systems that ignore the case of letters, and
// files in the place of folders.
func collisions(files []Entry) (problems []string) {
	spelled := map[string]string{} // the first spelling of files and folders
	isFile := map[string]bool{}
	reported := map[string]bool{}
	for _, e := range files {
		for i := 0; i <= len(e.Path); i++ {
			if i < len(e.Path) && e.Path[i] != '/' {
				continue
			}
			name, whole := e.Path[:i], i == len(e.Path)
			folded := strings.ToLower(strings.ToUpper(name))
			first, known := spelled[folded]
			if !known {
				spelled[folded], isFile[folded] = name, whole
			}
			if known && (first != name || whole || isFile[folded]) && !reported[folded] {
				reported[folded] = true
				problems = append(problems, fmt.Sprintf("`%s` and `%s` are one file on systems that ignore the case of letters", plain.Line(first), plain.Line(name)))
			}
		}
	}
	return problems
}
