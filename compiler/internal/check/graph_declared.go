package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/reply"
)

// marker is how a text names the output that it represents.
const marker = "[OUTPUT:"

// declaredOutputs reports outputs that a command cannot end with, outputs that a prompt
// does not mention, and prompts that ask for outputs that the node does not have.
func (c *graphs) declaredOutputs() {
	for _, n := range c.graph.Nodes {
		if n.Broken {
			continue
		}
		switch a := n.Action.(type) {
		case *ir.Bash:
			c.reportInexpressible(n, a)
		case *ir.Prompt:
			c.reportMarkers(n, a.Text)
			c.reportUnmentioned(n, a.Text)
		case *ir.Join:
			if a.Prompt != nil {
				c.reportMarkers(n, a.Prompt.Text)
				c.reportUnmentioned(n, a.Prompt.Text)
			}
		}
	}
}

// reportInexpressible reports the outputs of a command that neither exit codes nor a
// marker in its text, nor its time limit, can yield.
func (c *graphs) reportInexpressible(n *ir.Node, b *ir.Bash) {
	if strings.Contains(b.Original.Source.Value, marker) {
		return
	}
	yields := []string{"timeout"}
	for _, exit := range []int{0, 1} {
		if label, err := reply.ScriptLabel("", exit, n.LabelNames()); err == nil {
			yields = append(yields, label)
		}
	}
	for _, l := range n.Labels {
		if !slices.Contains(yields, l.Name) {
			c.bag.Add(codes.InexpressibleOutput.New(l.Span, fmt.Sprintf("no exit code of `%s` selects the output `%s`", n.ID, l.Name)).
				WithHelp(fmt.Sprintf("print `[OUTPUT:%s]` in the command", l.Name)))
		}
	}
}

// reportMarkers reports markers in a prompt that name no output of the node. A general
// marker in an explanation, such as [OUTPUT:name], is not reported: a marker counts
// only if its name resembles the node's own outputs.
func (c *graphs) reportMarkers(n *ir.Node, t *template.Template) {
	if t == nil {
		return
	}
	known, text := n.LabelNames(), t.Source.Value
	for at := 0; ; {
		i := strings.Index(text[at:], marker)
		if i < 0 {
			return
		}
		start := at + i + len(marker)
		end := strings.IndexByte(text[start:], ']')
		if end < 0 {
			return
		}
		name := strings.TrimSpace(text[start : start+end])
		if !slices.Contains(known, name) && isOutputName(name) && !slices.Contains([]string{"name", "output", "label", "result"}, strings.ToLower(name)) {
			c.bag.Add(finding.UndeclaredMarker(t.Source.Span(start, start+end), n.ID, name, known))
		}
		at = start + end
	}
}

// usual are the outputs that agents tend to choose on their own.
var usual = []string{
	"p0", "p1", "p2", "clean", "done", "completed", "success", "pass", "fail", "failed", "failure", "error", "blocked", "timeout",
}

// reportUnmentioned reports outputs that a prompt does not mention.
func (c *graphs) reportUnmentioned(n *ir.Node, t *template.Template) {
	if t == nil || len(n.Labels) < 2 {
		return
	}
	words := strings.FieldsFunc(strings.ToLower(t.Source.Value), func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, l := range n.Labels {
		if name := strings.ToLower(l.Name); !slices.Contains(usual, name) && !slices.Contains(words, name) {
			c.bag.Add(codes.UntoldOutput.New(l.Span, fmt.Sprintf("the prompt of `%s` never mentions its output `%s`", n.ID, l.Name)).
				WithHelp(fmt.Sprintf("say in the prompt when to end with `[OUTPUT:%s]`", l.Name)))
		}
	}
}

// isOutputName reports whether a text could be the name of an output.
func isOutputName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// isNull reports whether an expression is the constant null.
func isNull(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.Typ == types.Null
}
