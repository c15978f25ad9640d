package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
)

// reference gives meaning to a reference of a condition: `$node.output`,
// `$node.output.field`, or the shorthand `$node.field`.
func (p *whenParser) reference(t whenToken) expr.Expr {
	ref, ok := p.splitReference(t)
	if !ok {
		return &expr.Bad{At: p.span(t)}
	}
	return p.resolve(ref)
}

func (p *whenParser) splitReference(t whenToken) (nodeRef, bool) {
	body := t.text[1:]
	if strings.ContainsAny(body, "{}[]") {
		p.bag.Add(p.bracketed(t, body))
		return nodeRef{}, false
	}
	names := strings.Split(body, ".")
	id := names[0]
	if id == inputsScope && len(names) > 1 {
		return p.inputReference(t, names[1:])
	}
	previous := id == previousScope && len(names) > 2
	if previous {
		names = names[1:]
		id = names[0]
	}
	if len(names) == 1 {
		p.bag.Add(p.bareName(t, id))
		return nodeRef{}, false
	}
	if !referable(id) {
		p.bag.Add(finding.ConditionOperand(p.span(t), "`"+t.text+"` is not a reference").
			WithHelp("write an id after `$`: letters, digits, `_` and `-`, not starting with a digit or `-`"))
		return nodeRef{}, false
	}
	path, short := names[1:], names[1] != "output"
	if !short {
		path = path[1:]
	}
	ref := nodeRef{start: t.start, end: t.end, node: id, short: short, previous: previous}
	switch {
	case previous && short:
		p.bag.Add(finding.ConditionPath(p.span(t), "missing `.output` after the node").
			WithHelp("write `$" + previousScope + "." + id + ".output." + strings.Join(path, ".") + "`"))
		return nodeRef{}, false
	case len(path) == 0:
		return ref, true
	case path[len(path)-1] == "":
		p.bag.Add(finding.ConditionPath(p.span(t), "missing field name after the last `.`"))
		return nodeRef{}, false
	case len(path) > 1:
		p.bag.Add(finding.ConditionPath(p.span(t), "`"+t.text+"` reads inside a field: conditions reach only top-level fields").
			WithHelp("declare the value as a top-level field in the node's `output_format`, or print it in a bash node"))
		return nodeRef{}, false
	case identEnd(path[0], 0, false) != len(path[0]):
		p.bag.Add(finding.ConditionPath(p.span(t), "`"+path[0]+"` cannot be referenced: use only letters, digits and `_`").
			WithHelp("rename the field in the node that produces it"))
		return nodeRef{}, false
	}
	ref.field = path[0]
	return ref, true
}

// inputReference gives meaning to `$INPUTS.name`.
func (p *whenParser) inputReference(t whenToken, names []string) (nodeRef, bool) {
	ref := nodeRef{start: t.start, end: t.end, input: true, field: names[0]}
	switch {
	case len(names) > 1:
		p.bag.Add(finding.ConditionPath(p.span(t), "`"+t.text+"` reads inside an input: conditions compare whole inputs"))
		return nodeRef{}, false
	case !isInputName(names[0]):
		p.bag.Add(finding.ConditionPath(p.span(t), "missing input name after `$"+inputsScope+".`"))
		return nodeRef{}, false
	}
	return ref, true
}

// bracketed reports a reference with braces or brackets.
func (p *whenParser) bracketed(t whenToken, body string) *diag.Diagnostic {
	d := finding.ConditionOperand(p.span(t), "`"+t.text+"` is not a reference")
	inner, braced := strings.CutPrefix(body, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if braced && closed && !strings.ContainsAny(inner, "{}[]") {
		return d.WithFix("write `$"+inner+"`", p.span(t), "$"+inner, true)
	}
	return d.WithHelp("compare a top-level field: `$node.output.field`")
}

// bareName reports a `$name` that has no path.
func (p *whenParser) bareName(t whenToken, name string) *diag.Diagnostic {
	if v, end := (&resolver{scope: newScope(true)}).scanAnyVariable(t.text, 0, false); v != nil && end == len(t.text) {
		return finding.ConditionOperand(p.span(t), "variable `"+t.text+"` cannot be compared in a condition").
			WithHelp("test it in a bash node that prints a word, and compare that node's output")
	}
	d := finding.ConditionOperand(p.span(t), "`"+t.text+"` is not an output")
	if referable(name) {
		d.WithFix("write `"+t.text+".output`", p.text.Span(t.end, t.end), ".output", false)
	}
	return d
}
