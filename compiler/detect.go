package compiler

import (
	"bytes"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/lango"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// allFrontends returns the front ends in the order in which detection tries them.
func allFrontends() []dialect.Frontend {
	return []dialect.Frontend{archon.Frontend{}, graphloop.Frontend{}, lango.Frontend{}, xprompt.Frontend{}}
}

// frontendNamed returns the front end of a dialect, or nil.
func frontendNamed(fronts []dialect.Frontend, name string) dialect.Frontend {
	for _, f := range fronts {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

// Dialects returns the names of all dialects.
func Dialects() []string {
	return plain.Texts(allFrontends(), func(f dialect.Frontend) string { return f.Name() })
}

// NoDialect is the dialect that wfc.yaml gives files that are not workflows. Compile
// reports no findings for them; see Result.Excluded.
const NoDialect = "none"

// chooseFrontend decides the dialect of the file and returns its front end. If there is
// none, it reports why and returns nil.
func (c *compilation) chooseFrontend() dialect.Frontend {
	r := c.result
	at := source.Span{File: c.file}
	switch {
	case c.opt.Dialect != "":
		r.Dialect, r.Why = c.opt.Dialect, "the command line says so"
	case c.directives.dialect != "":
		r.Dialect, r.Why, at = c.directives.dialect, "a comment in the file says so", c.directives.dialectSpan
	case c.opt.ConfigDialect == NoDialect:
		r.NotWorkflow, r.Excluded, r.Why = true, true, "the configuration says so"
		c.bag = diag.Bag{}
		return nil
	case c.opt.ConfigDialect != "":
		r.Dialect, r.Why = c.opt.ConfigDialect, "the configuration says so"
	default:
		r.Dialect, r.Why = c.detectDialect()
	}
	if r.Dialect == "" {
		c.notWorkflow()
		return nil
	}
	if f := frontendNamed(c.frontends, r.Dialect); f != nil {
		return f
	}
	c.bag.Add(finding.UnknownDialect(at, r.Dialect, Dialects()))
	r.Dialect = ""
	return nil
}

// detectDialect finds the dialect by the folder of the file, or else by the document's
// shape: first as written, then with one misspelt key, so that a faulty workflow is
// not skipped.
func (c *compilation) detectDialect() (name, why string) {
	if pack, workflow := workspace.ArchonPack(c.absPath(), func(dir string) []string { return c.newEnv().Files.List(dir) }); pack != "" && !workflow {
		c.result.Why = "it is in no folder of a workflow of its pack"
		return "", c.result.Why
	}
	if workspace.IsArchonWorkflow(c.absPath()) {
		return archon.Name, "it is in a folder `.archon/workflows`"
	}
	if folders, _ := workspace.ArchonFolders(c.absPath()); workspace.IsArchonPart(folders) {
		c.result.Why = "it belongs to a packaged workflow"
		return "", c.result.Why
	}
	if c.doc == nil || c.doc.Root == nil {
		return "", ""
	}
	if key, what := detect.Other(c.doc.Root); key != "" {
		c.result.Why = "`" + key + ":` marks " + what
		return "", c.result.Why
	}
	for _, near := range []bool{false, true} {
		for _, f := range c.frontends {
			if ok, why := f.Detect(detect.Look{Root: c.doc.Root, Near: near}); ok {
				return f.Name(), why
			}
		}
	}
	return "", ""
}

// notWorkflow reports that the file is not a workflow. For a file that is not even
// YAML, it keeps the YAML errors if the lines resemble those of a workflow.
func (c *compilation) notWorkflow() {
	if c.bag.HasErrors() && looksLikeWorkflow(c.file.Content) {
		return
	}
	c.result.NotWorkflow = true
	if c.bag.HasErrors() {
		return
	}
	c.bag = diag.Bag{}
	at, help := source.Span{File: c.file}, ""
	if c.doc != nil && c.doc.Root.IsNull() {
		c.bag.Add(finding.EmptyFile(at))
		return
	}
	if c.result.Why == "" && c.doc != nil {
		if miss := detect.Nearly(c.doc.Root); miss != nil {
			at, c.result.Why, help = miss.At.Place(), miss.Why, miss.Help
		}
	}
	c.bag.Add(finding.NotWorkflow(at, c.result.Why, help, Dialects()))
}

// looksLikeWorkflow reports whether the lines of a file that is not YAML resemble
// those of a workflow: a top-level key that holds nodes or steps, and either
// entries with the keys of some dialect or no top-level keys but a workflow's.
func looksLikeWorkflow(content []byte) bool {
	keys := linesOf(content)
	holds := func(in []string, wanted ...string) bool {
		return slices.ContainsFunc(wanted, func(key string) bool { return slices.Contains(in, key) })
	}
	switch {
	case !holds(keys.top, "nodes", "steps"),
		slices.ContainsFunc(keys.top, detect.IsOther),
		holds(keys.inner, "uses", "run", "image", "task", "displayName", "label", "role", "address", "hostname"):
		return false
	case !slices.ContainsFunc(keys.top, func(key string) bool { return !slices.Contains(workflowKeys, key) }) &&
		!slices.ContainsFunc(keys.inner, detect.IsOtherEntry):
		return true
	case holds(keys.top, "nodes"):
		return holds(keys.inner, "id") && holds(keys.inner, "prompt", "command", "bash", "script", "loop", "approval", "depends_on") ||
			holds(keys.inner, "type") && holds(keys.inner, "outputs")
	}
	return holds(keys.inner, "id") && holds(keys.inner, "agent", "prompt") ||
		holds(keys.inner, "name") && holds(keys.inner, "prompt", "bash", "python", "parallel")
}

// workflowKeys are top-level keys that workflows of some dialect often have.
var workflowKeys = []string{
	"name", "description", "nodes", "steps", "workflow", "edges", "state", "limits", "completion", "interrupts", "input", "schedule",
	"deliver_to", "provider", "model", "interactive", "worktree", "tags",
}

// lineKeys are keys that lines of a file begin with.
type lineKeys struct{ top, inner []string }

// linesOf returns the keys of lines: those at the margin, and those that are
// indented or begin an item of a list, also in braces.
func linesOf(content []byte) lineKeys {
	var keys lineKeys
	for line := range bytes.Lines(content) {
		text := bytes.TrimLeft(line, " \t-{")
		inner := len(text) < len(line)
		for _, part := range bytes.Split(text, []byte(",")) {
			name, _, ok := bytes.Cut(bytes.TrimLeft(part, " {"), []byte(":"))
			if !ok || !isName(name) {
				break
			}
			if !inner {
				keys.top = append(keys.top, string(name))
				break
			}
			keys.inner = append(keys.inner, string(name))
		}
	}
	return keys
}

// isName reports whether a text can be the key of a setting.
func isName(text []byte) bool {
	for _, c := range text {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(text) > 0
}
