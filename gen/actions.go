package gen

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// bash returns the fields of a script's action.
func (f actionWriter) bash(a *ir.Bash) fields {
	d, env := fields{}, fields{}
	script, bindings := f.scripts().program(a.Template, a.Bindings, a.Script, a.Original)
	f.scripts().env(&env, a.Env...)
	d.set("Script", script())
	d.code = append(d.code, env.code...)
	d.lit("EchoEscapes", a.Echo)
	d.lit("Dir", a.Dir)
	d.set("Bindings", bindings)
	return d
}

func (f actionWriter) script(n *node, a *ir.Script) {
	d, env := fields{}, fields{}
	script, bindings := f.scripts().program(a.Template, a.Bindings, a.Source, a.Original)
	f.scripts().env(&env, a.Env...)
	d.set("Runtime", jen.Lit(a.Runtime))
	d.set("Source", script())
	d.lit("Name", a.Name)
	d.texts("Deps", a.Deps)
	d.code = append(d.code, env.code...)
	d.lit("SaveStdout", n.Captures)
	d.set("Bindings", bindings)
	f.returnAction(n, "Script", d)
}

// longPrompt is the width from which on a prompt is no argument of a call.
const longPrompt = 40

// plainWidth is the width of code on one line.
func plainWidth(code *jen.Statement) int {
	width := 0
	for _, r := range fmt.Sprintf("%#v", code) {
		if unicode.IsPrint(r) {
			width++
		}
	}
	return width
}

// turn returns the fields of a prompt's action. schema is the code of the schema of
// the reply, and session the session that the turn goes on
// with; both may be missing.
func (f actionWriter) turn(a *ir.Prompt, schema, session *jen.Statement, idle time.Duration) fields {
	d := fields{}
	f.noteOrigin(a)
	code := f.texts().template(promptID, a.Text)
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
		code.long = code.long || !code.constant && plainWidth(code.code) > longPrompt
		d.set("Text", call(flowPath, "WithBackground", f.hold(promptID, code), in.readCode()))
	} else {
		d.set("Text", f.hold(promptID, code))
	}
	d.lit("Agent", a.Agent.Name)
	d.lit("Model", a.Agent.Model)
	d.lit("MayBeEmpty", a.MayBeEmpty)
	d.lit("FreshSession", a.Agent.FreshSession)
	d.set("Session", session)
	d.lit("Fork", a.Resumes != "")
	d.lit("Persist", a.Persist)
	d.texts("Files", a.Files)
	if f.requires {
		d.set("Requires", jen.Id(f.evaluates).Dot("RequiredFiles").Call())
	}
	f.scripts().variables(&d)
	d.list("Options", jen.Qual(flowPath, "Option"), f.texts().options(a.Agent.Options))
	d.set("Schema", schema)
	d.duration("IdleTimeout", idle)
	return d
}

// continued is the code of the session that a prompt goes on with, nil for one
// that begins anew.
func (f actionWriter) continued(a *ir.Prompt) *jen.Statement {
	f.noteSession(a)
	if a.Resumes != "" {
		n := f.g.byID[a.Resumes]
		return f.try("session "+n.ID, n.task+"Session", f.task(n).Dot("Session").Call(), a.ResumesSpan)
	}
	if len(a.Continues)+len(a.ContinuesPrevious) == 0 {
		return nil
	}
	var tasks []jen.Code
	for _, id := range a.Continues {
		tasks = append(tasks, f.task(f.g.byID[id]))
	}
	for _, id := range a.ContinuesPrevious {
		tasks = append(tasks, f.lastTask(f.g.byID[id]))
	}
	return jen.Qual(flowPath, "Session").Call(tasks...)
}

// noteSession notes whose session a prompt continues.
func (f actionWriter) noteSession(p *ir.Prompt) {
	switch {
	case p.Resumes != "":
		f.note("It continues a copy of the session of `" + p.Resumes + "`.")
	case len(p.Continues) > 0:
		f.note("It continues the latest session of its agent: that of `" + strings.Join(p.Continues, "`, else that of `") + "`.")
	case len(p.ContinuesPrevious) > 0:
		f.note("It continues the session with which the previous iteration ended.")
	}
}

func (f actionWriter) cancel(n *node, a *ir.Cancel) {
	code := f.texts().template(reasonID, a.Reason)
	if !code.held {
		f.g.mark(f.block, code.first, jen.Id(reasonID).Op(":=").Add(code.code))
	}
	f.check()
	f.g.mark(f.block, n.IDSpan, jen.Id("c").Dot("CancelRun").Call(jen.Id(reasonID)))
	f.block.add(jen.Return(jen.Id(reasonID), jen.Nil()))
}

// fail fails the node at its turn.
func (f actionWriter) fail(n *node, a *ir.Fail) {
	d := fields{}
	d.set("Reason", jen.Lit("resource"))
	d.set("Class", jen.Qual(flowPath, "ClassFatal"))
	d.set("Message", jen.Lit(a.Message))
	f.g.mark(f.block, n.IDSpan, jen.Return(f.zero, jen.Op("&").Qual(flowPath, "Failure").Add(d.line())))
}

// returnAction emits the action and the return of its output.
func (f actionWriter) returnAction(n *node, payload string, d fields) {
	f.returnOutput(n, f.action(payload, d))
}

// returnOutput emits the return of the output that an action gives.
func (f actionWriter) returnOutput(n *node, done *jen.Statement) {
	take := jen.Qual(flowPath, "TextOf")
	if n.spec != "" {
		method := parsers[n.Parsing]
		if n.Review != nil && n.Parsing == ir.Replied {
			method = "FromReviewedReply"
		}
		take = jen.Id(n.spec).Dot(method)
	}
	f.g.mark(f.block, n.IDSpan, jen.Return(take.Call(done)))
}

// action is the call that performs an action.
func (f actionWriter) action(payload string, d fields) *jen.Statement {
	return f.performPayload(jen.Qual(flowPath, payload).Add(lines(d.code)))
}

// performPayload is the call that performs a payload.
func (f actionWriter) performPayload(payload *jen.Statement) *jen.Statement {
	if f.unchecked {
		f.unchecked = false
		return jen.Id(f.evaluates).Dot("Perform").Call(jen.Id("c"), payload)
	}
	return jen.Id("c").Dot("Do").Call(payload)
}

// parsers are the methods that make outputs of what actions give.
var parsers = [...]string{ir.Printed: "FromStdout", ir.Replied: "FromReply", ir.Strict: "FromJSON"}

// approval writes a function that says what to ask, with a function for what
// happens after a rejection.
func (f actionWriter) approval(n *node, a *ir.Approval) {
	d := fields{}
	d.set("Message", f.hold(messageID, f.texts().template(messageID, a.Gate.Message)))
	f.check()
	d.set("Timeout", timeout(n.Node))
	if len(a.Decisions) > 0 {
		enum := n.Output.(*types.Struct).Field("decision").Type.(*types.Enum)
		of := jen.Id(f.g.types.enum(enum, "", "").name)
		var choices []jen.Code
		for _, text := range a.Decisions {
			choices = append(choices, f.g.enumValue(enum, text))
		}
		d.set("Choices", jen.Index().Add(of).Values(choices...))
		f.loops().runs(n, jen.Qual(stepsPath, "Decision").Types(of), d)
		return
	}
	d.lit("Capture", a.CaptureResponse)
	if a.Rework != nil {
		d.set("Rework", f.rework(n, a.Rework))
		d.set("MaxRejections", jen.Lit(a.MaxRejections))
	}
	f.loops().runs(n, jen.Qual(stepsPath, "Approval"), d)
}

// wait writes a function that says for what to wait.
func (f actionWriter) wait(n *node, a *ir.Wait) {
	d := fields{}
	d.duration("For", a.For)
	for _, text := range []struct {
		field, name string
		of          *template.Template
	}{{"Until", untilID, a.Until}, {"Attention", attentionID, a.Attention}} {
		if text.of != nil {
			d.set(text.field, f.hold(text.name, f.texts().template(text.name, text.of)))
			f.check()
		}
	}
	d.lit("Event", a.Event)
	d.duration("EventTimeout", a.Deadline)
	f.loops().runs(n, jen.Qual(stepsPath, "Wait"), d)
}

// rework writes the function of what follows a rejection and returns what calls
// it.
func (f actionWriter) rework(n *node, a *ir.Prompt) *jen.Statement {
	at := beginOf(a.Text, n.IDSpan)
	part := f.part(n.rework, fmt.Sprintf("asks the agent after node `%s` was rejected", n.ID), at, flowResult(), flowResult().Values()).afterRejection()
	d := part.actions().turn(a, nil, part.actions().continued(a), n.IdleTimeout)
	f.g.mark(part.block, at, jen.Return(part.actions().action("Prompt", d)))
	return f.calls(part)
}

// runs emits the return of what a type of package steps does for the node.
func (f loopWriter) runs(n *node, of *jen.Statement, d fields) {
	literal := of.Add(d.lines())
	f.g.mark(f.block, n.IDSpan, jen.Return(literal.Dot("Run").Call(jen.Id("c"))))
}
