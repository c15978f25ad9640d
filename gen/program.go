package gen

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// The text of a script, and the values that it gets.

// program returns the text of a program and the values that it gets, or nil. Statements make
// both of them at run time. The text comes last, after all that may fail.
func (f *function) program(t *template.Template, list []ir.Binding, script string, original *template.Template) (text func() *jen.Statement, bindings *jen.Statement) {
	f.noteProgram(t, list, script, original)
	if t != nil {
		code := f.hold("script", f.written("script", t))
		if f.evaluates != "" {
			bindings = jen.Id(f.evaluates).Dot("Bindings").Call()
		}
		return func() *jen.Statement { return code }, bindings
	}
	if rows := f.bindings(list, script); len(rows) > 0 {
		bindings = jen.Index().Qual(flowPath, "Binding").Add(lines(rows))
	}
	return func() *jen.Statement { return f.hold("script", f.g.scriptText(script, original)) }, bindings
}

// renamed says why a binding has a numbered name, "" if it has none.
func renamed(name, script string) string {
	end := strings.LastIndexByte(name, '_')
	if _, err := strconv.Atoi(name[end+1:]); end < 1 || err != nil || !strings.Contains(script, name[:end]) {
		return ""
	}
	return name + " because the script has the word " + name[:end]
}

// bindings are the values that a program gets. The program does not start when one
// fails.
func (f *function) bindings(list []ir.Binding, script string) []jen.Code {
	var out []jen.Code
	f.shareOutputs(bound(list))
	short := f.short(list)
	for _, b := range list {
		d := fields{}
		d.set("Name", jen.Lit(b.Name))
		d.set("Value", f.bindingText(b, short))
		d.marks(b.Integer, b.Literal, b.Words, b.Echoed)
		row := d.line()
		if why := renamed(b.Name, script); why != "" {
			f.note("The binding is " + why + ".")
		}
		out = append(out, f.g.row(row, b.Span))
	}
	return out
}

// marks sets how a binding's value is to be handed over.
func (d *fields) marks(integer, literal, words, echoed bool) {
	d.lit("Integer", integer)
	d.lit("Literal", literal)
	d.lit("Words", words)
	d.lit("Echoed", echoed)
}

// bindingText is the code of a binding's value; a short one needs no variable.
func (f *function) bindingText(b ir.Binding, short bool) *jen.Statement {
	if !isDynamic(b.Value) {
		return text(f.operand(b.Value))
	}
	v := f.shown(b.Value)
	at := b.Span
	if !at.IsValid() {
		at = b.Value.Span()
	}
	where := f.g.placeOf(at.Text(), at)
	if short {
		return f.textAt(v, where)
	}
	return f.named(b.Name, v, where, at)
}

// short reports whether each of the values is read by an expression that its row can hold,
// and reading them needs no variable. So they are read in their order, and the first error
// is the same.
func (f *function) short(list []ir.Binding) bool {
	if f.once == nil {
		return false
	}
	const longest = 24
	probe := f.g.newFunction(f.zero)
	probe.home, probe.owned, probe.once = f.home, f.owned, f.once
	for _, b := range list {
		if !isDynamic(b.Value) {
			continue
		}
		e := stringOf(b.Value)
		v := probe.shown(b.Value)
		_, of := e.(*expr.Attr)
		if fallible := v.fails || v.form == anyForm; fallible && (of || !plainRead(e) || len(b.Value.Span().Text()) > longest) {
			return false
		}
		probe.textAt(v, "")
	}
	return probe.evaluates == "" || len(probe.block.code) == 1 // its declaration
}

// plainRead reports whether an expression only selects of a step's output, a variable or an
// input.
func plainRead(e expr.Expr) bool {
	for {
		switch x := e.(type) {
		case *expr.Attr:
			e = x.X
		case *expr.StepValue, *expr.Local, *expr.Input, *expr.Literal:
			return true
		default:
			return false
		}
	}
}

// bound are the values of bindings.
func bound(list []ir.Binding) []expr.Expr {
	values := make([]expr.Expr, len(list))
	for i, b := range list {
		values[i] = b.Value
	}
	return values
}

// readsOnce finds the steps that the function of a node reads in one place only; values are
// all that it evaluates.
func (f *function) readsOnce(n *node, values ...expr.Expr) {
	if len(n.Unread) > 0 {
		return
	}
	f.once = map[string]bool{}
	for _, e := range values {
		expr.Walk(e, func(e expr.Expr) bool {
			if step, ok := e.(*expr.StepValue); ok {
				_, again := f.once[step.Node]
				f.once[step.Node] = !again
			}
			return true
		})
	}
	for _, e := range values {
		if isDynamic(e) && !plainRead(stringOf(e)) {
			clear(f.once)
		}
	}
}

// named is textAt for the binding of a name: an expression of the evaluator has a
// variable, so that the binding is a line.
func (f *function) named(name string, v computed, at string, span source.Span) *jen.Statement {
	code := f.textAt(v, at)
	if v.form != anyForm && !v.fails {
		return code
	}
	name = unexported(exported(strings.TrimPrefix(name, "wfc_"), "Value"))
	value := jen.Id(f.local(name, name+"Text"))
	f.g.mark(f.block, span, jen.Add(value).Op(":=").Add(code))
	return value
}

// noteProgram notes how a program gets its values, where its code does not show it.
// original is the program as written; t makes it if it has statements.
func (f *function) noteProgram(t *template.Template, list []ir.Binding, script string, original *template.Template) {
	var echoed, literal bool
	looped := "" // a variable of a loop, without its ending
	for _, b := range list {
		echoed, literal = echoed || b.Echoed, literal || b.Literal
	}
	if t != nil {
		template.WalkParts(t.Parts, func(p template.Part) bool {
			switch p := p.(type) {
			case *template.Text:
				script += p.Value
			case *template.Bound:
				echoed, literal, script = echoed || p.Echoed, literal || p.Literal, script+p.Before+p.After
			case *template.For:
				template.WalkParts(p.Body, func(p template.Part) bool {
					b, ok := p.(*template.Bound)
					if name, indexed := "", false; ok && looped == "" {
						if name, indexed = strings.CutSuffix(b.Name, "_i"); indexed {
							looped = name
						}
					}
					return true
				})
			}
			return true
		})
	}
	if strings.Contains(script, `//\\/\\\\}`) {
		f.explain("EchoEscapes lets echo interpret backslashes, so scripts double those in values.")
	}
	if echoed {
		f.explain("Echoed protects a value at the start of an argument of `echo`, which could look like an option.")
	}
	if looped != "" {
		f.note("Each iteration of a loop has variables of its own: Bind makes " + looped + "_i, " + looped + "_i_2, …")
	}
	if literal {
		f.explain("A Literal value becomes the value that its text spells, such as 7 or [1, 2], as in gai, the original engine; any other text becomes a string.")
	}
	for _, b := range list {
		if v, ok := b.Value.(*expr.Var); ok && !f.g.explainsVariables {
			f.g.explainsVariables = true
			f.note("Archon replaces " + cleanLine(v.At.Text()) + " in the text of a script, so here it is a binding. The environment variable of c.ScriptEnv is for programs that the script starts.")
		}
		if hole := "{" + b.Name + "}"; strings.Contains(script, hole) && !strings.Contains(script, "$"+hole) {
			f.explain("A string of the script with a reference has become an f-string that reads a variable, here " + b.Name + ".")
		}
	}
	f.noteReferences(original)
	for _, h := range original.Holes() {
		text := original.Source.Value
		line := text[strings.LastIndexByte(text[:h.Start], '\n')+1 : h.Start]
		if strings.Contains(line, "#") && strings.Contains(script, line+text[h.Start:h.End]) {
			f.note("In a comment of the script, " + cleanLine(text[h.Start:h.End]) + " stays as it is.")
		}
	}
}
