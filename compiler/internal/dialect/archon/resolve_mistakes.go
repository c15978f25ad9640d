package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// checkMistake checks a `$` that starts neither a variable nor a reference, and warns if
// it probably should. The text stays as it is.
func (c *scanner) checkMistake(at int) {
	if c.code.Contains(at) || at+1 >= len(c.text) {
		return
	}
	if c.text[at+1] == '{' {
		c.checkBraced(at)
		return
	}
	if c.halfPrevious(at) || c.warnUnnamable(at) || c.warnMisspelt(at) || c.s.kind == whenSurface {
		return
	}
	switch {
	case c.s.kind == messageSurface:
		if v, end := c.scanAnyVariable(c.text, at, false); v != nil && c.wordTail(end) == "" {
			c.bag.Add(finding.VariableInMessage(c.s.text.Span(at, end), v.name))
		}
	case c.s.kind.isProse():
		c.unknownVariable(at)
	}
}

// checkBraced checks `${…}`, which the engine does not replace.
func (c *scanner) checkBraced(at int) {
	end := strings.IndexByte(c.text[at:], '}')
	if end < 0 || c.s.kind == scriptSurface {
		return
	}
	inner := c.text[at+2 : at+end]
	span := c.s.text.Span(at, at+end+1)
	plain := "$" + inner
	if c.s.kind.isShell() {
		// Only these of the replaced names are not in the environment as well.
		unset := inner == "WORKFLOW_ID" && !c.rules.Holds(formats.RunFolders) || inner == "DOCS_DIR"
		if unset && !strings.Contains(c.text, inner+"=") {
			c.bag.Add(finding.BracedReference(span, inner, true))
		}
		return
	}
	if v, stop := c.scanVariable(plain, 0, c.s.kind); v != nil && stop == len(plain) {
		c.bag.Add(finding.BracedReference(span, inner, false))
		return
	}
	if ref, ok := scanRef(plain, 0); ok && ref.end == len(plain) && c.nodes[ref.node] != nil {
		c.bag.Add(finding.BracedReference(span, inner, false))
	}
}

// warnUnnamable warns about a reference to a node whose id cannot be referenced.
func (c *scanner) warnUnnamable(at int) bool {
	for _, id := range c.unnamed {
		if strings.HasPrefix(c.text[at+1:], id+outputSuffix) {
			end := at + 1 + len(id) + len(outputSuffix)
			c.bag.Add(finding.UnnamableNode(c.s.text.Span(at, end), id, c.nodes[id].IDSpan))
			return true
		}
	}
	return false
}

// halfPrevious warns about `$LOOP_PREV.node` without `.output`.
func (c *scanner) halfPrevious(at int) bool {
	ref := nodeRef{start: at, previous: true}
	if !c.rules.Holds(formats.PreviousOutputs) || c.siblings == nil || !strings.HasPrefix(c.text[at:], "$"+previousScope+".") {
		return false
	}
	end := identEnd(c.text, ref.nameAt(), true)
	if c.siblings[c.text[ref.nameAt():end]] == nil {
		return false
	}
	c.bag.Add(finding.MisspeltReference(c.s.text.Span(at, end), c.text[at:end], c.text[at:end]+outputSuffix))
	return true
}

// warnMisspelt warns about `$node.name` where node exists and name is close to
// `output` or a field of it. In programs `$node` is also a variable's name, so
// there only a spelling of `output` or a declared field counts.
func (c *scanner) warnMisspelt(at int) bool {
	m := dottedForm().FindStringSubmatch(c.text[at:])
	if m == nil || c.nodes[m[1]] == nil {
		return false
	}
	id, name, end := m[1], m[2], at+len(m[0])
	span := c.s.text.Span(at, end)
	if plain.Nearest(name, []string{"output"}) != "" {
		c.bag.Add(finding.MisspeltReference(span, c.text[at:end], "$"+id+outputSuffix))
		return true
	}
	fields := declaredFields(c.nodes[id])
	if fields != nil && fields.Field(name) != nil {
		c.bag.Add(finding.MisspeltReference(span, c.text[at:end], "$"+id+outputSuffix+"."+name))
		return true
	}
	return false
}

var dottedForm = lazyregexp.New(`^\$([A-Za-z_][A-Za-z0-9_-]*)\.([A-Za-z_][A-Za-z0-9_]*)`)

// unknownVariable warns about a name in a prompt that is close to a variable's.
func (c *scanner) unknownVariable(at int) {
	end := identEnd(c.text, at+1, false)
	name := c.text[at+1 : end]
	if len(name) < 4 {
		return
	}
	if near := plain.Nearest(name, c.variableNames()); near != "" {
		c.bag.Add(finding.UnknownVariable(c.s.text.Span(at, end), name, near))
	}
}

// laterVariables are variables of newer versions of the format. By older rules they would
// stay as text, or be empty in scripts, and so would those that wfc does not have.
var laterVariables = []struct {
	name, since, instead string
	rule                 formats.Rule
	built                bool
}{
	{"ADOPTED_RUN_DIR", "0.10", "declare an input for the folder under `inputs`, and pass the artifacts folder of the earlier run to it", formats.AdoptedRun, false},
	{"ARCHON_NODE_EXECUTION", "0.11", "use `$WORKFLOW_ID` for the id of the run, or pass what the script needs under `with`", formats.NodeExecution, false},
	{"TYPED_ARTIFACTS_FILE", "0.11", "set `archon: {version: \"0.11\"}` in wfc.yaml", formats.ArtifactList, true},
}

// reportVariable reports a variable at a place if it is one that wfc does not have, or not by
// the rules of the file.
func (c *scanner) reportVariable(name string, at source.Span) bool {
	for _, v := range laterVariables {
		switch holds := c.rules.Holds(v.rule); {
		case v.name != name || holds && v.built:
			continue
		case holds:
			c.bag.Add(finding.UnsupportedKey(at, "$"+name, v.since, v.instead))
		default:
			c.bag.Add(finding.LaterVariable(at, name, v.since, v.instead))
		}
		return true
	}
	return false
}

// reportUnsupported reports the variable or the reference at the `$` at offset if only newer
// versions of the format have it and wfc does not support it. It returns the offset behind
// it, or the same offset.
func (c *scanner) reportUnsupported(at int) (end int) {
	if c.s.kind == messageSurface || c.code.Contains(at) || c.s.kind.isShell() && c.inComment(at) {
		return at
	}
	start := at + 1
	if strings.HasPrefix(c.text[start:], "{") && c.s.kind.isShell() {
		start++
	}
	end = identEnd(c.text, start, false)
	if name := c.text[start:end]; !strings.Contains(c.text, name+"=") && c.reportVariable(name, c.s.text.Span(at, end)) {
		return end
	}
	const execution = ".execution."
	stop := identEnd(c.text, at+1, true)
	if !c.rules.Holds(formats.NodeExecution) || c.nodes[c.text[at+1:stop]] == nil || !strings.HasPrefix(c.text[stop:], execution) {
		return at
	}
	end = identEnd(c.text, stop+len(execution), false)
	if end > stop+len(execution) {
		c.bag.Add(finding.UnsupportedKey(c.s.text.Span(at, end), c.text[at:end], "0.11", "print the value in a script node, and read its output"))
		return end
	}
	return at
}

// unsupportedEnvironment reports such variables where a script in Python or JavaScript
// reads them from its environment.
func (c *scanner) unsupportedEnvironment() {
	if c.s.kind != scriptSurface {
		return
	}
	for _, v := range laterVariables {
		if at := strings.Index(c.text, v.name); at > 0 && c.text[at-1] != '$' {
			c.reportVariable(v.name, c.s.text.Span(at, at+len(v.name)))
		}
	}
}
