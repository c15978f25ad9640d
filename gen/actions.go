package gen

import (
	"fmt"
	"slices"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

// contextInput is the input that prompts get appended.
const contextInput = "context"

// prepare writes the bodies of a node's functions, so that the flow knows what
// to call them with.
func (g *generator) prepare(n *node) {
	if n.When != nil {
		f := g.newFunction(jen.False())
		f.predicate(n.When)
		n.whenUses, n.whenBody = f.uses, f.block.code
	}
	f := g.newFunction(jen.Lit(""))
	if n.Review != nil {
		f.reviewed(n)
	} else {
		f.perform(n)
	}
	n.runUses, n.runBody, n.parts = f.uses, f.block.code, f.parts
}

// nodeFuncs writes the functions of a node.
func (g *generator) nodeFuncs(f *jen.File, n *node) {
	if n.When != nil {
		g.top(f)
		f.Comment(comment(fmt.Sprintf("%s decides whether %s runs: %s", n.when, n.doc, n.WhenText)))
		f.Func().Id(n.when).Params(n.whenUses.params()...).Params(jen.Bool(), jen.Error()).Block(n.whenBody...)
	}
	g.schemas(f, n)
	g.specs(f, n)
	g.top(f)
	f.Comment(comment(fmt.Sprintf("%s %s %s.", n.run, verbs[n.Action.Kind()], n.doc)))
	params := append([]jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}, n.runUses.params()...)
	f.Func().Id(n.run).Params(params...).Params(jen.String(), jen.Error()).Block(n.runBody...)
	for _, p := range n.parts {
		p.declare(f)
	}
}

var verbs = map[string]string{
	"bash":     "runs the script of",
	"script":   "runs the program of",
	"prompt":   "asks the agent of",
	"cancel":   "cancels the run for",
	"loop":     "runs the loop of",
	"approval": "asks for the approval of",
	"for":      "goes through the items of",
	"while":    "does the rounds of",
	"repeat":   "does the rounds of",
	"parallel": "runs the children of",
}

// hasSchema reports whether the node, or one inside it, asks an agent for an answer
// of a form.
func (n *node) hasSchema() bool {
	_, prompt := n.Action.(*ir.Prompt)
	return prompt && n.Schema != "" || slices.ContainsFunc(n.inner, (*node).hasSchema)
}

// schemas writes the constants with the forms of answers that a node, and those
// inside it, ask for.
func (g *generator) schemas(f *jen.File, n *node) {
	for _, inner := range n.inner {
		g.schemas(f, inner)
	}
	if _, prompt := n.Action.(*ir.Prompt); !prompt || n.Schema == "" {
		return
	}
	what := "the output of " + n.doc
	if n.Parsing == ir.Replied {
		what = "what the agent of " + n.doc + " answers"
	}
	g.top(f)
	f.Comment(comment(n.schema + " is the JSON Schema of " + what + "."))
	f.Const().Id(n.schema).Op("=").Add(g.quote(n.Schema))
}

// bash returns the fields of a script's action.
func (f *function) bash(a *ir.Bash) fields {
	d := fields{}
	f.program(&d, "Script", a.Template, a.Bindings, func() textCode { return f.g.scriptText(a.Script, a.Original) })
	f.env(&d)
	if a.Echo {
		d.set("Echo", jen.True())
	}
	if a.Dir != "" {
		d.set("Dir", jen.Lit(a.Dir))
	}
	return d
}

func (f *function) script(n *node, a *ir.Script) {
	d := fields{}
	d.set("Runtime", jen.Lit(a.Runtime))
	f.program(&d, "Source", a.Template, a.Bindings, func() textCode { return f.g.scriptText(a.Source, a.Original) })
	if a.Name != "" {
		d.set("Name", jen.Lit(a.Name))
	}
	d.texts("Deps", a.Deps)
	f.env(&d)
	f.do(n, "Script", d)
}

// turn returns the fields of a prompt's action. schema is the constant that
// holds the schema of the reply, and session the session that the turn goes on
// with; both may be missing.
func (f *function) turn(a *ir.Prompt, schema string, session *jen.Statement, idle time.Duration) fields {
	d := fields{}
	code := f.template(a.Text)
	if f.tail != nil {
		code.code.Op("+").Add(f.tail)
		code.constant = false
	}
	if f.remade != nil {
		code.code = f.remade.Clone().Call(code.code)
		code.constant = false
	}
	if in := f.g.inputs[contextInput]; a.AppendContext && in != nil {
		f.uses.inputs = true
		code.long = true
		d.set("Text", f.hold("prompt", code))
		f.block.add(jen.If(in.read().Op("!=").Lit("")).Block(
			jen.Id("prompt").Op("+=").Lit("\n\n---\n\n").Op("+").Add(in.read())))
	} else {
		d.set("Text", f.hold("prompt", code))
	}
	if a.Agent.Name != "" {
		d.set("Agent", jen.Lit(a.Agent.Name))
	}
	if a.Agent.Model != "" {
		d.set("Model", jen.Lit(a.Agent.Model))
	}
	if a.MayBeEmpty {
		d.set("MayBeEmpty", jen.True())
	}
	if a.Agent.FreshSession {
		d.set("FreshSession", jen.True())
	}
	if session != nil {
		d.set("Session", session)
	}
	if a.Persist {
		d.set("Persist", jen.True())
	}
	d.texts("Files", a.Files)
	d.list("Options", jen.Qual(flowPath, "Option"), f.g.options(a.Agent.Options))
	if schema != "" {
		d.set("Schema", jen.Index().Byte().Call(jen.Id(schema)))
	}
	if idle > 0 {
		d.set("IdleTimeout", duration(idle))
	}
	return d
}

// continued is the code of the session that a prompt goes on with, nil for one
// that begins anew.
func (f *function) continued(a *ir.Prompt) *jen.Statement {
	if len(a.Continues) == 0 {
		return nil
	}
	var tasks []jen.Code
	for _, id := range a.Continues {
		tasks = append(tasks, f.task(f.g.byID[id]))
	}
	return jen.Qual(flowPath, "Session").Call(tasks...)
}

func (f *function) cancel(n *node, a *ir.Cancel) {
	code := f.template(a.Reason)
	f.g.add(f.block, code.first, jen.Id("reason").Op(":=").Add(code.code))
	f.check()
	f.g.add(f.block, n.IDSpan, jen.Id("c").Dot("CancelRun").Call(jen.Id("reason")))
	f.block.add(jen.Return(jen.Id("reason"), jen.Nil()))
}

// fail fails the node at its turn.
func (f *function) fail(n *node, a *ir.Fail) {
	d := fields{}
	d.set("Reason", jen.Lit("resource"))
	d.set("Class", jen.Qual(flowPath, "ClassFatal"))
	d.set("Message", jen.Lit(a.Message))
	f.g.add(f.block, n.IDSpan, jen.Return(jen.Lit(""), jen.Op("&").Qual(flowPath, "Failure").Add(d.line())))
}

// hold puts a long text into a variable; a short one is used where it stands. One
// that may fail is held, and the error looked at.
func (f *function) hold(name string, t textCode) *jen.Statement {
	if t.fails {
		defer f.check()
	}
	if !t.fails && !t.long && (t.constant || f.g.opt.Lines == Comments) {
		return t.code
	}
	stmt := jen.Id(name).Op(":=").Add(t.code)
	if f.g.opt.Lines == Directives {
		f.g.add(f.block, t.first, stmt)
	} else {
		f.g.add(f.block, t.last, stmt)
	}
	return jen.Id(name)
}

// do emits the action and the return of its output.
func (f *function) do(n *node, payload string, d fields) {
	action := jen.Qual(flowPath, payload).Add(lines(f.g.open(n.IDSpan), d.code))
	f.g.mark(f.block, n.IDSpan, jen.List(jen.Id("done"), jen.Err()).Op(":=").Id("c").Dot("Do").Call(action))
	if n.spec == "" {
		f.block.add(jen.Return(jen.Id("done").Dot("Text"), jen.Err()))
		return
	}
	f.block.add(jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
	parser := parsers[n.Parsing]
	if n.Review != nil && n.Parsing == ir.Replied {
		parser = "Proposed"
	}
	f.block.add(jen.Return(jen.Id(n.spec).Dot(parser).Call(jen.Id("done").Dot("Text"))))
}

// parsers are the methods that make outputs of what actions give.
var parsers = [...]string{ir.Printed: "Printed", ir.Replied: "Replied"}
