package compiler

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/dialect/lango"
	"github.com/wfc-lang/wfc/compiler/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/source"
)

// frontends are the dialects that can be compiled, in the order in which
// they are asked whether a file is theirs.
func frontends() []dialect.Frontend {
	return []dialect.Frontend{archon.Frontend{}, graphloop.Frontend{}, lango.Frontend{}, xprompt.Frontend{}}
}

// Dialects are the names of all dialects.
func Dialects() []string {
	var names []string
	for _, f := range frontends() {
		names = append(names, f.Name())
	}
	return names
}

// Agents are the names of the agents that workflows may name without a
// configuration that defines them.
func Agents() []string { return archon.Agents() }

// AgentOptions are the names of the options of agents.
func AgentOptions() []string { return archon.OptionNames() }

// TierModel returns the model that a tier, such as "small", stands for with an
// agent when no configuration says otherwise, or "".
func TierModel(agent, tier string) string { return archon.TierModel(agent, tier) }

// frontend decides which dialect the file is written in and returns its front
// end. When there is none it reports why and returns nil.
func (c *compilation) frontend() dialect.Frontend {
	r := c.result
	at := source.Span{File: c.file}
	switch {
	case c.opt.Dialect != "":
		r.Dialect, r.Why = c.opt.Dialect, "the command line says so"
	case c.directives.dialect != "":
		r.Dialect, r.Why, at = c.directives.dialect, "a comment in the file says so", c.directives.dialectSpan
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
	c.bag.Add(diag.UnknownDialect(at, r.Dialect, Dialects()))
	r.Dialect = ""
	return nil
}

// detect tells the dialect by the document's shape, or else by the folder that
// the file lies in.
func (c *compilation) detect() (name, why string) {
	if c.doc != nil && c.doc.Root != nil {
		for _, f := range c.frontends {
			if ok, why := f.Detect(c.doc); ok {
				return f.Name(), why
			}
		}
	}
	if strings.Contains(filepath.ToSlash(c.path()), archonFolder) {
		return "archon", "it lies in a folder `.archon/workflows`"
	}
	return "", ""
}

// notWorkflow reports that the file is no workflow. Of a file that is not even
// YAML nobody can say so: its YAML errors stay when some line of it looks like
// the start of a workflow's nodes.
func (c *compilation) notWorkflow() {
	if c.bag.HasErrors() && looksLikeWorkflow(c.file.Content) {
		return
	}
	c.result.NotWorkflow = true
	if c.bag.HasErrors() {
		return
	}
	c.bag = diag.Bag{}
	c.bag.Add(diag.NotWorkflow(source.Span{File: c.file}))
}

// looksLikeWorkflow reports whether a line of a broken file starts with a key
// that holds a workflow's steps.
func looksLikeWorkflow(content []byte) bool {
	for line := range bytes.Lines(content) {
		if bytes.HasPrefix(line, []byte("nodes:")) || bytes.HasPrefix(line, []byte("steps:")) {
			return true
		}
	}
	return false
}
