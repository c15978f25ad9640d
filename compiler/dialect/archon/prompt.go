package archon

import (
	"github.com/wfc-lang/wfc/compiler/expr"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/template"
	"github.com/wfc-lang/wfc/compiler/types"
)

// buildPrompt makes the action of prompt and command nodes.
func (d *decoder) buildPrompt(n *nodeDecl, p *ir.Prompt, kind surfaceKind, text source.Text) {
	p.Agent = d.agent(&n.agent)
	n.node.Action = p
	if schema := n.agent.schema; schema != nil {
		n.node.Output, n.node.Schema = types.FromSchema(schema.node, d.bag)
		n.node.SchemaSpan = schema.place()
	}
	d.addPrompt(kind, n.node, p, text)
}

// buildCommand makes the action of a command node of its command file.
func (d *decoder) buildCommand(n *nodeDecl, at value, name string) bool {
	text, ok := d.library.command(at, name)
	if !ok {
		// The node's own options are checked all the same.
		d.agent(&n.agent)
		return false
	}
	d.buildPrompt(n, &ir.Prompt{Command: name}, commandSurface, text)
	return true
}

// addPrompt notes a prompt's text. To the prompts of command and prompt nodes
// the engine appends the run's context when they do not mention it.
func (d *decoder) addPrompt(kind surfaceKind, n *ir.Node, p *ir.Prompt, text source.Text) {
	p.Text = template.Literal(text)
	d.addSurface(kind, n, text).setTemplate = func(t *template.Template) {
		p.Text = t
		p.AppendContext = (kind == promptSurface || kind == commandSurface) && !mentionsContext(t)
	}
}

// mentionsContext reports whether a prompt has the run's context in it.
func mentionsContext(t *template.Template) bool {
	for _, h := range t.Holes() {
		if in, ok := h.Expr.(*expr.Input); ok && in.Name == contextInput {
			return true
		}
	}
	return false
}
