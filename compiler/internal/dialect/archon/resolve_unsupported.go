package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
)

// unsupportedVariables are variables of newer versions of the format that wfc does not
// have: they would stay as text, or be empty in scripts.
var unsupportedVariables = []string{"ADOPTED_RUN_DIR", "ARCHON_NODE_EXECUTION"}

// unsupported reports the variable or the reference at the `$` at offset if only newer
// versions of the format have it and wfc does not support it. It returns the offset behind
// it, or the same offset.
func (c *scanner) unsupported(at int) (end int) {
	if !c.newer || c.s.kind == messageSurface || c.code.Contains(at) || c.s.kind.isShell() && c.inComment(at) {
		return at
	}
	start := at + 1
	if strings.HasPrefix(c.text[start:], "{") && c.s.kind.isShell() {
		start++
	}
	end = identEnd(c.text, start, false)
	if name := c.text[start:end]; slices.Contains(unsupportedVariables, name) && !strings.Contains(c.text, name+"=") {
		c.bag.Add(finding.UnsupportedKey(c.s.text.Span(at, end), "$"+name, afterNine, ""))
		return end
	}
	const execution = ".execution."
	stop := identEnd(c.text, at+1, true)
	if c.nodes[c.text[at+1:stop]] == nil || !strings.HasPrefix(c.text[stop:], execution) {
		return at
	}
	end = identEnd(c.text, stop+len(execution), false)
	if end > stop+len(execution) {
		c.bag.Add(finding.UnsupportedKey(c.s.text.Span(at, end), c.text[at:end], afterNine, ""))
		return end
	}
	return at
}

// unsupportedEnvironment reports such variables where a script in Python or JavaScript
// reads them from its environment.
func (c *scanner) unsupportedEnvironment() {
	if !c.newer || c.s.kind != scriptSurface {
		return
	}
	for _, name := range unsupportedVariables {
		if at := strings.Index(c.text, name); at > 0 && c.text[at-1] != '$' {
			c.bag.Add(finding.UnsupportedKey(c.s.text.Span(at, at+len(name)), "$"+name, afterNine, ""))
		}
	}
}
