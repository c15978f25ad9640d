package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Bindings: values that a command or script node passes under `with:` to the file that
// it runs, which reads them as `$INPUTS.name` (commands) or from INPUTS_NAME (scripts).

// A binding is one name under `with:`. Its value is known once the surface of its
// string is resolved, which is before the surfaces that read it.
type binding struct {
	name  string
	at    value
	value expr.Expr
	read  bool
}

// bindingDecl holds the keys of a binding with a fallback.
type bindingDecl struct{ from, fallback *value }

var bindingLevel = level{Where: "in a value of `with:`", Name: "the value", Prefix: "with.", Open: true}

var bindingFields = []field[bindingDecl]{
	{Name: "from", Shape: decode.String, Required: true,
		Doc:  "Output to pass: `$node.output` or `$node.output.field`.",
		Read: func(d *decoder, v value, b *bindingDecl) { b.from = decode.Keep(v, d.Text) }},
	{Name: "if_skipped", Shape: decode.Any,
		Doc:  "Value if that node was skipped; otherwise the reader fails.",
		Read: func(_ *decoder, v value, b *bindingDecl) { b.fallback = &v }},
}

// readBindings decodes the values that a node passes, in the order of the file. The
// result is nil if there is no mapping.
func (d *decoder) readBindings(n *nodeDecl) []*binding {
	if n.with == nil || !d.IsMapping(*n.with) {
		return nil
	}
	list := []*binding{}
	variables := map[string]*yamlsrc.Node{}
	for i := range n.with.Node.Pairs {
		p := &n.with.Node.Pairs[i]
		b := &binding{name: p.Key.Value, at: n.with.Member(p)}
		variable := inputVariable(b.name)
		switch first := variables[variable]; {
		case !isInputName(b.name):
			d.Bag.Add(finding.InputName(p.Key.Span, b.name))
			continue
		case first != nil:
			d.Bag.Add(finding.SameVariable(p.Key.Span, b.name, first.Value, variable, first.Span))
			continue
		}
		variables[variable] = p.Key
		d.readBinding(n.node, b)
		list = append(list, b)
	}
	return list
}

// readBinding decodes one value: a constant, a string with references, or an output
// with a fallback.
func (d *decoder) readBinding(n *ir.Node, b *binding) {
	b.value = &expr.Bad{At: b.at.Place()}
	switch {
	case b.at.Node.Kind == yamlsrc.Mapping:
		d.readFallback(n, b)
	case d.IsText(b.at.Node):
		text := b.at.Node.Text()
		s := d.addSurface(bindingSurface, n, text)
		s.setTemplate = func(t *template.Template) { b.value = joinTemplate(t, text.Whole()) }
		s.done = func(r *resolver) {
			if from := r.wholeArgument(text.Value); from != nil && from.isObject() {
				r.bag.Add(finding.BindingValue(b.at.Place(), b.at.Path, "the input is an object"))
			}
		}
	default:
		b.value = jsonLiteral(b.at.Node)
	}
}

func (d *decoder) readFallback(n *ir.Node, b *binding) {
	var decl bindingDecl
	decode.Fields(d, bindingLevel, b.at, bindingFields, &decl)
	misspelt := false
	for _, p := range b.at.Node.Pairs {
		switch {
		case decode.Find(bindingFields, p.Key.Value) != nil:
		case decode.NearMiss(b.at.Node, p.Key.Value, decode.Names(bindingFields)) != "":
			d.UnknownKey(b.at, p.Key, bindingLevel, decode.Names(bindingFields))
			misspelt = misspelt || decode.NearMiss(b.at.Node, p.Key.Value, decode.Names(bindingFields)) == "from"
		default:
			d.Bag.Add(finding.BindingValue(p.Key.Span, b.at.Path, "a mapping has only `from` and `if_skipped`"))
			return
		}
	}
	if decl.from == nil {
		if !misspelt && b.at.Node.Pair("from") == nil {
			d.Bag.Add(finding.BindingValue(b.at.Place(), b.at.Path, "a mapping must have `from`"))
		}
		return
	}
	text := decl.from.Node.Text().TrimFunc(isSpace)
	ref, ok := scanRef(text.Value+" ", 0)
	if !strings.HasPrefix(text.Value, "$") || !ok || ref.end != len(text.Value) || ref.node == inputsScope || ref.previous {
		d.Bag.Add(finding.BindingValue(decl.from.Place(), b.at.Path, "`from` must be one reference to an output"))
		return
	}
	d.addSurface(bindingSurface, n, text).setTemplate = func(t *template.Template) {
		b.value = joinTemplate(t, text.Whole())
		if out, ok := b.value.(*expr.Output); ok && decl.fallback == nil {
			out.Needed = true
		}
		switch b.value.(type) {
		case *expr.Output, *expr.Field:
			if decl.fallback != nil {
				b.value = &expr.Fallback{At: b.at.Place(), X: b.value, Else: jsonLiteral(decl.fallback.Node)}
			}
		}
	}
}

// joinTemplate is the value of a string: that of its only reference, or else the text of its
// parts.
func joinTemplate(t *template.Template, at source.Span) expr.Expr {
	var parts []expr.Expr
	for _, p := range t.Parts {
		switch p := p.(type) {
		case *template.Text:
			parts = appendPart(parts, &expr.Literal{At: at, Text: p.Value, Typ: types.Text})
		case *template.Hole:
			parts = appendPart(parts, p.Expr)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if whole := onlyReference(parts); whole != nil {
		return whole
	}
	return &expr.Joined{At: at, Parts: parts}
}

// appendPart adds a part of a text, to the constant before it if both are one.
func appendPart(parts []expr.Expr, part expr.Expr) []expr.Expr {
	next, constant := part.(*expr.Literal)
	if len(parts) == 0 || !constant {
		return append(parts, part)
	}
	if last, ok := parts[len(parts)-1].(*expr.Literal); ok {
		last.Text += next.Text
		return parts
	}
	return append(parts, &expr.Literal{At: next.At, Text: next.Text, Typ: types.Text})
}

// onlyReference returns the reference of a string that has only spaces around it.
func onlyReference(parts []expr.Expr) expr.Expr {
	var found expr.Expr
	for _, p := range parts {
		lit, constant := p.(*expr.Literal)
		switch {
		case constant && trimSpace(lit.Text) == "":
		case constant || found != nil:
			return nil
		default:
			found = p
		}
	}
	switch found.(type) {
	case *expr.Output, *expr.Field, *expr.Input, *expr.Local:
		return found
	}
	return nil
}

// bindingsByName maps the bindings of a node by their names; nil if it has no `with:`.
func bindingsByName(list []*binding) map[string]*binding {
	if list == nil {
		return nil
	}
	byName := make(map[string]*binding, len(list))
	for _, b := range list {
		byName[b.name] = b
	}
	return byName
}

// variablesOf are the environment variables of a script's bindings.
func variablesOf(list []*binding) []ir.EnvVar {
	var env []ir.EnvVar
	for _, b := range list {
		env = append(env, ir.EnvVar{Name: inputVariable(b.name), Value: b.value})
	}
	return env
}

// unusedInCommand reports bindings that the command file of a node does not read. The node
// still evaluates them.
func (r *resolver) unusedInCommand(n *nodeDecl) {
	for _, b := range n.passed {
		if b.read {
			continue
		}
		r.bag.Add(finding.UnusedBinding(b.at.Key.Span, b.at.Path, "the command file"))
		if _, constant := b.value.(*expr.Literal); !constant {
			n.node.Unread = append(n.node.Unread, b.value)
		}
	}
}

// unusedInScript reports bindings that a script does not read from its environment. A
// script that computes the names of variables may read all.
func (r *resolver) unusedInScript(list []*binding, text string) {
	names, all := readsVariables(text)
	for _, b := range list {
		if !all && !b.read && !slices.Contains(names, inputVariable(b.name)) {
			r.bag.Add(finding.UnusedBinding(b.at.Key.Span, b.at.Path, "the script"))
		}
	}
}

// readsVariables returns the variables of inputs that a script names. all says that it
// computes such a name.
func readsVariables(text string) (names []string, all bool) {
	names = readVariable().FindAllString(text, -1)
	return names, slices.Contains(names, inputsScope+"_")
}

var readVariable = lazyregexp.New(inputsScope + `_[A-Za-z0-9_]*`)
