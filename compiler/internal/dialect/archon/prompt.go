package archon

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// buildPrompt makes the action of prompt and command nodes.
func (d *decoder) buildPrompt(n *nodeDecl, p *ir.Prompt, kind surfaceKind, text source.Text) {
	p.Agent = d.buildAgent(&n.agent)
	p.Persist = d.isPersistent(&n.agent)
	// A kept conversation does not start again: it is fresh only in that it is not
	// another node's.
	p.Agent.FreshSession = n.agent.fresh && !p.Persist
	d.resumeSession(n)
	n.node.Action = p
	if n.node.Retry == nil {
		n.node.Retry = new(ir.DefaultRetry)
	}
	d.setSchema(n)
	d.addOptions(n, p)
	s := d.addPrompt(kind, n.node, p, text)
	s.bindings = bindingsByName(n.passed)
	s.done = func(r *resolver) { r.unusedInCommand(n) }
	d.reportFaults(n, p.Kind(), n.agent.faults...)
}

// isPersistent reports whether a node's conversation is kept for the next run: the
// node's setting, or else the workflow's setting for nodes that do not ask for a
// fresh one.
func (d *decoder) isPersistent(own *agentDecl) bool {
	if d.group != nil || d.repeated {
		return false
	}
	if own.persist != nil {
		return *own.persist
	}
	return d.defaults.agent.persist != nil && !own.fresh
}

func (r *reader) setSchema(n *nodeDecl) {
	if schema := n.agent.schema; schema != nil {
		var bag diag.Bag
		n.node.Output, n.node.Schema = types.FromSchema(schema.Node, &bag)
		for _, x := range bag.Sorted() {
			if r.rules.Holds(formats.CompiledSchemas) && x.Code == codes.BadSchema {
				x.Severity = diag.Error
			}
			r.Bag.Add(x)
		}
		n.node.SchemaSpan = schema.Place()
	}
}

// reportFaults reports faults that keep a node from running. The original engine finds
// them when the node starts. So does the compiled workflow if a user runs it
// despite the warnings; faults that are errors break the node.
func (r *reader) reportFaults(n *nodeDecl, kind string, faults ...*diag.Diagnostic) {
	r.Bag.Add(faults...)
	switch {
	case diag.HasErrors(faults):
		n.markBroken()
	case len(faults) > 0:
		n.failWhenRun(kind, faults[0])
	}
}

// failWhenRun has a node fail when it runs, because of a fault.
func (n *nodeDecl) failWhenRun(kind string, fault *diag.Diagnostic) {
	n.node.Action = &ir.Fail{Step: kind, Message: fault.Message + ir.WhenCompiled}
}

// buildCommand makes the action of a command node of its command file.
func (d *decoder) buildCommand(n *nodeDecl, at value, name string) {
	text, fault := d.library.loadCommand(at, name)
	if fault != nil {
		if d.inBlock() {
			fault.Severity = diag.Error // the original engine reads it when it includes the file
		}
		// The node's own options are still checked.
		d.buildAgent(&n.agent)
		d.setSchema(n)
		d.reportFaults(n, (*ir.Prompt)(nil).Kind(), append(slices.Clip(n.agent.faults), fault)...)
		return
	}
	d.buildPrompt(n, &ir.Prompt{Command: name}, commandSurface, text)
}

// addPrompt notes a prompt's text. To the prompts of command and prompt nodes
// the engine appends the run's context when they do not mention it.
func (d *decoder) addPrompt(kind surfaceKind, n *ir.Node, p *ir.Prompt, text source.Text) *surface {
	p.Text = template.Literal(text)
	s := d.addSurface(kind, n, text)
	s.setTemplate = func(t *template.Template) {
		p.Text = t
		p.AppendContext = (kind == promptSurface || kind == commandSurface) && !mentionsContext(t) && !d.ownsContext()
	}
	return s
}

// addOptions notes the options of a prompt's agent in which the newer rules insert
// values: the system prompt, and those of helper agents. References in other strings of
// helper agents are a fault.
func (d *decoder) addOptions(n *nodeDecl, p *ir.Prompt) {
	for _, o := range n.agent.options {
		if !d.rules.Holds(formats.HelperPrompts) {
			return
		}
		i := slices.IndexFunc(p.Agent.Options, func(kept ir.Option) bool { return kept.Name == o.key.name })
		switch {
		case o.key.name == "agents":
			d.addHelpers(n, o.at, func() *ir.Option {
				if i < 0 {
					return &ir.Option{} // the agent does not take the option
				}
				return &p.Agent.Options[i]
			})
		case o.key.name == "systemPrompt" && i >= 0:
			d.addSurface(optionSurface, n.node, o.at.Node.Text()).setTemplate = func(t *template.Template) {
				if len(t.Holes()) > 0 {
					p.Agent.Options[i].Text = t
				}
			}
		}
	}
}

// addHelpers notes the prompts of helper agents, which are strings inside an option.
func (d *decoder) addHelpers(n *nodeDecl, v value, option func() *ir.Option) {
	for _, helper := range v.Node.Pairs {
		if last := v.Node.Pair(helper.Key.Value); last == nil || last.Value != helper.Value {
			continue // another helper has the same name
		}
		for _, p := range helper.Value.Pairs {
			if p.Key.Value != "prompt" || !d.IsText(p.Value) {
				d.refuseReferences(p.Value)
				continue
			}
			d.addSurface(optionSurface, n.node, p.Value.Text()).setTemplate = func(t *template.Template) {
				o := option()
				start, end := jsonMember(o.JSON, helper.Key.Value, p.Key.Value)
				if len(t.Holes()) > 0 && end > 0 {
					o.Inner = append(o.Inner, ir.InnerText{Start: start, End: end, Text: t})
				}
			}
		}
	}
}

// jsonMember returns the place of a member of a member of an object in compact JSON; end is
// 0 if there is none. If a name occurs twice, the last one counts.
func jsonMember(text, outer, inner string) (start, end int) {
	tokens := json.NewDecoder(strings.NewReader(text))
	object := func(visit func(name string)) {
		if open, _ := tokens.Token(); open != json.Delim('{') {
			return
		}
		for tokens.More() {
			name, err := tokens.Token()
			if err != nil {
				return
			}
			visit(fmt.Sprint(name))
		}
		_, _ = tokens.Token()
	}
	skip := func() { _ = tokens.Decode(new(json.RawMessage)) }
	object(func(name string) {
		if name != outer || text[int(tokens.InputOffset())+1] != '{' {
			skip()
			return
		}
		start, end = 0, 0
		object(func(name string) {
			at := int(tokens.InputOffset()) + 1 // behind the colon
			if skip(); name == inner {
				start, end = at, int(tokens.InputOffset())
			}
		})
	})
	return start, end
}

// refuseReferences reports references in the strings of a value that gets none.
func (r *reader) refuseReferences(n *yamlsrc.Node) {
	for _, p := range n.Pairs {
		r.refuseReferences(p.Value)
	}
	for _, item := range n.Items {
		r.refuseReferences(item)
	}
	if n.Kind != yamlsrc.Scalar {
		return
	}
	text := n.Text()
	for at, end := nextReference(text.Value, 0); at >= 0; at, end = nextReference(text.Value, end) {
		r.Bag.Add(finding.UnsupportedKey(text.Span(at, end), text.Value[at:end], "0.9", "write the value into the prompt of the node instead"))
	}
}

// ownsContext reports whether the file declares an input with the name of the run's
// context. Then the name means that input.
func (a *agents) ownsContext() bool {
	return slices.ContainsFunc(a.defaults.inputs, func(in *ir.Input) bool { return in.Name == contextInput })
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
