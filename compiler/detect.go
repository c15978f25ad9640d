package compiler

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/lango"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// frontends are the dialects that can be compiled, in the order in which
// they are asked whether a file is theirs.
func frontends() []dialect.Frontend {
	return []dialect.Frontend{archon.Frontend{}, graphloop.Frontend{}, lango.Frontend{}, xprompt.Frontend{}}
}

// Dialects returns the names of all dialects.
func Dialects() []string {
	var names []string
	for _, f := range frontends() {
		names = append(names, f.Name())
	}
	return names
}

// NoDialect is the dialect that wfc.yaml gives files that are not workflows. Compile
// reports no findings for them; see Result.Excluded.
const NoDialect = "none"

// frontend decides the dialect of the file and returns its front end. If there is
// none, it reports why and returns nil.
func (c *compilation) frontend() dialect.Frontend {
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
		r.Dialect, r.Why = c.detect()
	}
	if r.Dialect == "" {
		c.notWorkflow()
		return nil
	}
	for _, f := range c.frontends {
		if f.Name() == r.Dialect {
			return f
		}
	}
	c.bag.Add(finding.UnknownDialect(at, r.Dialect, Dialects()))
	r.Dialect = ""
	return nil
}

// detect finds the dialect by the folder of the file, or else by the document's
// shape: first as written, then with one misspelt key, so that a faulty workflow is
// not skipped.
func (c *compilation) detect() (name, why string) {
	if workspace.IsArchonWorkflow(c.path()) {
		return archon.Name, "it is in a folder `.archon/workflows`"
	}
	if folders, _ := workspace.ArchonFolders(c.path()); workspace.IsArchonPart(folders) {
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
	c.bag.Add(finding.NotWorkflow(source.Span{File: c.file}, c.result.Why))
}
