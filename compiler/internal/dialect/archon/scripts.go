package archon

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// scriptEndings are the endings of script files with the runtime of each.
var scriptEndings = []struct{ ending, runtime string }{
	{".ts", "bun"},
	{".js", "bun"},
	{".py", "uv"},
}

// isInline reports whether the value of `script` is a program; otherwise it is
// the name of a script file. The engine distinguishes them by these characters
// alone, so `x=1` is a name.
func isInline(text string) bool { return strings.ContainsAny(text, "\n;(){}&|<>$`\"' ") }

// script returns the file of a named script for a runtime, or the fault at
// v if there is none.
func (l *library) script(v value, name, runtime string) (*source.File, *diag.Diagnostic) {
	var known []string
	var other string
	for _, dir := range l.shelves("scripts", l.env.Settings.Scripts) {
		right, wrong := l.scriptFiles(dir, name, runtime)
		if len(right) > 1 {
			return nil, finding.AmbiguousScript(v.Place(), name, right)
		}
		if len(right) == 1 {
			return l.read(v, filepath.Join(dir, filepath.FromSlash(right[0])))
		}
		if other == "" && wrong != "" {
			other = l.shown(filepath.Join(dir, wrong))
		}
		for _, entry := range l.list(dir) {
			if stem, rt := scriptStem(entry); rt == runtime {
				known = append(known, stem)
			}
		}
	}
	if other != "" {
		_, right := scriptStem(other)
		return nil, finding.ScriptRuntime(v.Place(), name, runtime, other, right)
	}
	ending := ".ts"
	if runtime == "uv" {
		ending = ".py"
	}
	return nil, finding.ScriptNotFound(v.Place(), name, l.newFile("scripts", name+ending), finding.Nearest(name, known))
}

// scriptName is the name of a script in programs: that of its file. A script of a package
// has its path in the project, or `~/` and its path in the home folder, because it may
// import modules from folders around it.
func (l *library) scriptName(f *source.File) string {
	if l.packaged == "" {
		return baseName(f.Name)
	}
	file := f.Name
	if !filepath.IsAbs(file) {
		file = filepath.Join(l.env.Root, file)
	}
	for _, top := range []struct{ dir, prefix string }{{l.env.Home, "~/"}, {l.env.Root, ""}} {
		rel := workspace.Shown(top.dir, file)
		if top.dir != "" && strings.HasPrefix(rel, workspace.ArchonFolder[1:]) {
			return top.prefix + rel
		}
	}
	return baseName(f.Name)
}

// scriptFiles returns the files of a folder that are the named script for the
// runtime, and one that is it for another.
func (l *library) scriptFiles(dir, name, runtime string) (right []string, wrong string) {
	sub, base := "", name
	if cut := strings.LastIndexByte(name, '/'); cut >= 0 {
		sub, base = name[:cut+1], name[cut+1:]
	}
	if base == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, ""
	}
	folder := filepath.Join(dir, filepath.FromSlash(sub))
	for _, e := range scriptEndings {
		file := base
		if !strings.HasSuffix(base, e.ending) {
			file += e.ending
		}
		switch {
		case !l.has(folder, file):
		case e.runtime == runtime:
			right = append(right, sub+file)
		default:
			wrong = filepath.FromSlash(sub + file)
		}
	}
	return right, wrong
}

// scriptStem splits a file name into a script's name and its runtime, which is
// "" if the file is not a script.
func scriptStem(file string) (stem, runtime string) {
	for _, e := range scriptEndings {
		if stem, ok := strings.CutSuffix(file, e.ending); ok {
			return stem, e.runtime
		}
	}
	return file, ""
}
