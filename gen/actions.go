package gen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
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

// nodeFuncs writes what belongs to a node: the types of its output, its condition,
// its functions.
func (g *generator) nodeFuncs(f *jen.File, n *node) {
	g.shapeDecls(f, n)
	if n.When != nil {
		g.function(f, n.when, "decides whether "+n.doc+" runs: "+n.WhenText, n.whenUses.params(), n.whenBody, jen.Bool(), jen.Error())
	}
	params := append([]jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}, n.runUses.params()...)
	g.function(f, n.run, fmt.Sprintf(verbs[n.Action.Kind()], n.doc)+sentence(n.Doc), params, n.runBody, jen.String(), jen.Error())
	for _, p := range n.parts {
		p.declare(f)
	}
}

// sentence ends a sentence, and has a description follow it as another.
func sentence(description string) string {
	if description = strings.TrimSpace(description); description == "" {
		return "."
	}
	return ": " + strings.TrimSuffix(description, ".") + "."
}

// function writes a function.
func (g *generator) function(f *jen.File, name, doc string, params, body []jen.Code, results ...jen.Code) {
	g.top(f)
	f.Comment(comment(name + " " + doc))
	head := f.Func().Id(name).Add(signature(params, results...))
	if predicate := len(results) == 2 && fmt.Sprintf("%#v", results[0]) == "bool"; predicate && len(body) == 1 && g.opt.Lines == Comments {
		head.Add(oneLine(jen.Add(body[0])))
		return
	}
	head.Block(body...)
}

// verbs say what the function of a node does, by its kind.
var verbs = map[string]string{
	"bash":     "runs the script of %s",
	"script":   "runs the program of %s",
	"prompt":   "asks the agent of %s",
	"cancel":   "cancels the run for %s",
	"loop":     "runs the loop of %s",
	"approval": "asks for the approval of %s",
	"for":      "runs %s for each item",
	"while":    "repeats %s while its condition holds",
	"repeat":   "repeats %s until its condition holds",
	"parallel": "runs the branches of %s",
}

// hasSchema reports whether the node, or one inside it, asks an agent for an answer
// of a form.
func (n *node) hasSchema() bool {
	_, prompt := n.Action.(*ir.Prompt)
	return prompt && n.Schema != "" || slices.ContainsFunc(n.inner, (*node).hasSchema)
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

// turn returns the fields of a prompt's action. schema is the code of the schema of
// the reply, and session the session that the turn goes on
// with; both may be missing.
func (f *function) turn(a *ir.Prompt, schema, session *jen.Statement, idle time.Duration) fields {
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
		d.set("Text", jen.Qual(flowPath, "WithContext").Call(f.hold("prompt", code), in.read()))
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
	if schema != nil {
		d.set("Schema", schema)
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

// hold puts a long text into a variable; a short one is used where it stands. Of one
// that may fail the error is to be looked at.
func (f *function) hold(name string, t textCode) *jen.Statement {
	if !t.long && (t.constant || f.g.opt.Lines == Comments) {
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
	done := f.action(n.IDSpan, payload, d)
	take := jen.Qual(flowPath, "Text")
	if n.spec != "" {
		method := parsers[n.Parsing]
		if n.Review != nil && n.Parsing == ir.Replied {
			method = "Proposed"
		}
		take = jen.Id(n.spec).Dot(method)
	}
	f.g.mark(f.block, n.IDSpan, jen.Return(take.Call(done)))
}

// action is the call that performs an action.
func (f *function) action(at source.Span, payload string, d fields) *jen.Statement {
	literal := jen.Qual(flowPath, payload).Add(lines(f.g.open(at), d.code))
	if f.unchecked {
		f.unchecked = false
		return jen.Id(f.evaluates).Dot("Perform").Call(jen.Id("c"), literal)
	}
	return jen.Id("c").Dot("Do").Call(literal)
}

// parsers are the methods that make outputs of what actions give.
var parsers = [...]string{ir.Printed: "Printed", ir.Replied: "Replied"}
