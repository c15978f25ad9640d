package archon

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/markdown"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// loadCommand returns the text of a command file without its front matter, or the fault
// at v if there is no such file.
func (l *library) loadCommand(v value, name string) (source.Text, *diag.Diagnostic) {
	if !isCommandName(name) {
		return source.Text{}, finding.CommandName(v.Place(), name)
	}
	shelves := l.searchFolders("commands", l.env.Settings.Commands)
	for _, dir := range shelves {
		for _, file := range commandFiles(name) {
			if l.hasFile(dir, file) {
				return l.commandText(v, name, filepath.Join(dir, file))
			}
		}
	}
	var known []string
	for _, dir := range shelves {
		for _, entry := range l.listFolder(dir) {
			if stem, ok := strings.CutSuffix(entry, ".md"); ok {
				known = append(known, stem)
			}
		}
	}
	near := nearestCommand(name, known)
	x := finding.CommandNotFound(v.Place(), name, l.newFile("commands", name+".md"), near)
	if l.packaged != "" {
		return source.Text{}, x.WithHelp("copy a shared command there: a packaged workflow has only the commands in its own folder")
	}
	stem, bundled := strings.TrimSuffix(name, ".md"), ""
	if !slices.Contains(bundledCommands, stem) {
		bundled = nearestCommand(stem, bundledCommands)
	}
	if near == "" && (bundled != "" || isBundled(stem)) {
		x = finding.BundledCommand(v.Place(), name, bundled, l.newFile("commands", stem+".md"))
	}
	return source.Text{}, x
}

// nearestCommand returns the known command that a name probably means, or "". The prefix of the
// commands that the original engine has is easily forgotten, or written in front of one's own.
func nearestCommand(name string, known []string) string {
	const prefix = "archon-"
	for _, other := range known {
		if other != name && strings.TrimPrefix(other, prefix) == strings.TrimPrefix(name, prefix) {
			return other
		}
	}
	return plain.Nearest(name, known)
}

// commandFiles are the names that the file of a command may have.
func commandFiles(name string) []string {
	if strings.HasSuffix(name, ".md") {
		return []string{name + ".md", name}
	}
	return []string{name + ".md"}
}

// isCommandName reports whether a text can name a command.
func isCommandName(name string) bool {
	return !strings.ContainsAny(name, `/\`) && !strings.Contains(name, "..") && !strings.HasPrefix(name, ".")
}

func (l *library) commandText(v value, name, path string) (source.Text, *diag.Diagnostic) {
	f, fault := l.readFile(v, path)
	if fault != nil {
		return source.Text{}, fault
	}
	text := source.FileText(f, markdown.FrontMatterEnd(string(f.Content)), len(f.Content))
	if trimSpace(text.Value) == "" {
		return source.Text{}, finding.BlankCommand(v.Place(), name, f.Name)
	}
	return text, nil
}

// bundledCommands are the commands that the original engine brings with it, in
// `.archon/commands/defaults` of its repository. It finds them without any file in
// the project; wfc has none of them.
var bundledCommands = []string{
	"archon-assist", "archon-auto-fix-review", "archon-code-review-agent", "archon-comment-quality-agent", "archon-confirm-plan",
	"archon-create-plan", "archon-create-pr", "archon-docs-impact-agent", "archon-error-handling-agent", "archon-finalize-pr",
	"archon-fix-issue", "archon-implement", "archon-implement-issue", "archon-implement-review-fixes", "archon-implement-tasks",
	"archon-investigate-issue", "archon-issue-completion-report", "archon-parse-user-request", "archon-plan-setup", "archon-post-review-to-pr",
	"archon-pr-review-scope", "archon-ralph-generate", "archon-ralph-prd", "archon-resolve-merge-conflicts", "archon-self-fix-all",
	"archon-simplify-changes", "archon-sync-pr-with-main", "archon-synthesize-review", "archon-test-coverage-agent", "archon-validate",
	"archon-validate-pr-code-review-feature", "archon-validate-pr-code-review-main", "archon-validate-pr-e2e-feature",
	"archon-validate-pr-e2e-main", "archon-validate-pr-report", "archon-web-research", "archon-workflow-summary",
}

// isBundled reports whether the original engine brings a command of the name with
// it, or is likely to in some version.
func isBundled(name string) bool {
	return strings.HasPrefix(name, "archon-") || slices.Contains(bundledCommands, name)
}

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

// loadScript returns the file of a named script for a runtime, or the fault at
// v if there is none.
func (l *library) loadScript(v value, name, runtime string) (*source.File, *diag.Diagnostic) {
	var known []string
	var other string
	for _, dir := range l.searchFolders("scripts", l.env.Settings.Scripts) {
		right, wrong := l.scriptFiles(dir, name, runtime)
		if len(right) > 1 {
			return nil, finding.AmbiguousScript(v.Place(), name, right)
		}
		if len(right) == 1 {
			return l.readFile(v, filepath.Join(dir, filepath.FromSlash(right[0])))
		}
		if other == "" && wrong != "" {
			other = l.displayPath(filepath.Join(dir, wrong))
		}
		for _, entry := range l.listFolder(dir) {
			if stem, rt := scriptStem(entry); rt == runtime {
				known = append(known, stem)
			}
		}
	}
	if other != "" {
		_, right := scriptStem(other)
		return nil, codes.ScriptRuntime.New(v.Place(), fmt.Sprintf("script `%s` is `%s`, which runs with `%s`, not with `%s`", name, other, right, runtime)).
			WithHelp(fmt.Sprintf("set `runtime: %s`", right))
	}
	ending := ".ts"
	if runtime == "uv" {
		ending = ".py"
	}
	return nil, finding.ScriptNotFound(v.Place(), name, l.newFile("scripts", name+ending), plain.Nearest(name, known))
}

// scriptName is the name of a script in programs: that of its file. A script of a package or a
// pack has its path in the project, or `~/` and its path in the home folder, because it may
// import modules from folders around it.
func (l *library) scriptName(f *source.File) string {
	file := f.Name
	if !filepath.IsAbs(file) {
		file = filepath.Join(l.env.Root, file)
	}
	if pack := workspace.PackFolder(l.env.Dir); pack != "" && workspace.IsBelow(pack, file) {
		return workspace.Shown(workspace.PackProject(pack), file)
	}
	if l.packaged == "" {
		return baseName(f.Name)
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
		case !l.hasFile(folder, file):
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
