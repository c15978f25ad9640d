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

// bashFields returns the fields of a script's action.
func (f actionWriter) bashFields(a *ir.Bash) fields {
	d, env := fields{}, fields{}
	script, bindings := f.asScriptWriter().programText(a.Template, a.Bindings, a.Script, a.Original)
	f.asScriptWriter().setEnv(&env, a.Env...)
	d.setField("Script", script())
	d.code = append(d.code, env.code...)
	d.setLit("EchoEscapes", a.EchoEscapes)
	d.setLit("Dir", a.Dir)
	d.setField("Bindings", bindings)
	return d
}

func (f actionWriter) writeScript(n *node, a *ir.Script) {
	d, env := fields{}, fields{}
	script, bindings := f.asScriptWriter().programText(a.Template, a.Bindings, a.Source, a.Original)
	f.asScriptWriter().setEnv(&env, a.Env...)
	d.setField("Runtime", jen.Lit(a.Runtime))
	d.setField("Source", script())
	d.setLit("Name", a.Name)
	d.setTexts("Deps", a.Deps)
	d.code = append(d.code, env.code...)
	d.setLit("SaveStdout", n.SaveStdout)
	d.setField("Bindings", bindings)
	f.returnAction(n, "Script", d)
}

// longPrompt is the width from which on a prompt isn't written as an argument of a call.
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

// promptFields returns the fields of a prompt's action. schema is the code of the reply's
// schema, and session the session that the turn continues; both may be missing.
func (f actionWriter) promptFields(a *ir.Prompt, schema, session *jen.Statement, idle time.Duration) fields {
	d := fields{}
	f.noteOrigin(a)
	code := f.asTextWriter().templateText(promptID, a.Text)
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
		d.setField("Text", callFunc(flowPath, "WithBackground", f.holdText(promptID, code), in.readCode()))
	} else {
		d.setField("Text", f.holdText(promptID, code))
	}
	d.setLit("Agent", a.Agent.Name)
	d.setLit("Model", a.Agent.Model)
	d.setLit("MayBeEmpty", a.MayBeEmpty)
	d.setLit("FreshSession", a.Agent.FreshSession)
	d.setField("Session", session)
	d.setLit("Fork", a.Resumes != "")
	d.setLit("Persist", a.Persist)
	d.setTexts("Files", a.Files)
	if f.requires {
		d.setField("Requires", jen.Id(f.evaluates).Dot("RequiredFiles").Call())
	}
	f.asScriptWriter().setAuthorVariables(&d)
	d.setList("Options", jen.Qual(flowPath, "Option"), f.asTextWriter().optionCodes(a.Agent.Options))
	d.setField("Schema", schema)
	d.setDuration("IdleTimeout", idle)
	return d
}

// continuedSession is the code of the session that a prompt continues, nil for a prompt that
// starts a new one.
func (f actionWriter) continuedSession(a *ir.Prompt) *jen.Statement {
	f.noteSession(a)
	if a.Resumes != "" {
		n := f.g.byID[a.Resumes]
		return f.tryCall("session "+n.ID, n.task+"Session", f.taskVariable(n).Dot("Session").Call(), a.ResumesSpan)
	}
	if len(a.Continues)+len(a.ContinuesPrevious) == 0 {
		return nil
	}
	var tasks []jen.Code
	for _, id := range a.Continues {
		tasks = append(tasks, f.taskVariable(f.g.byID[id]))
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
		f.addNote("It continues a copy of the session of `" + p.Resumes + "`.")
	case len(p.Continues) > 0:
		f.addNote("It continues the latest session of its agent: that of `" + strings.Join(p.Continues, "`, else that of `") + "`.")
	case len(p.ContinuesPrevious) > 0:
		f.addNote("It continues the session with which the previous iteration ended.")
	}
}

func (f actionWriter) writeCancel(n *node, a *ir.Cancel) {
	code := f.asTextWriter().templateText(reasonID, a.Reason)
	if !code.held {
		f.g.addMarked(f.block, code.first, jen.Id(reasonID).Op(":=").Add(code.code))
	}
	f.checkEvaluator()
	f.g.addMarked(f.block, n.IDSpan, jen.Id("c").Dot("CancelRun").Call(jen.Id(reasonID)))
	f.block.addCode(jen.Return(jen.Id(reasonID), jen.Nil()))
}

// writeFailure fails the node at its turn.
func (f actionWriter) writeFailure(n *node, a *ir.Fail) {
	d := fields{}
	d.setField("Reason", jen.Lit("resource"))
	d.setField("Class", jen.Qual(flowPath, "ClassFatal"))
	d.setField("Message", jen.Lit(a.Message))
	f.g.addMarked(f.block, n.IDSpan, jen.Return(f.zero, jen.Op("&").Qual(flowPath, "Failure").Add(d.asRow())))
}

// returnAction emits the action and the return of its output.
func (f actionWriter) returnAction(n *node, payload string, d fields) {
	f.returnOutput(n, f.performAction(payload, d))
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
	f.g.addMarked(f.block, n.IDSpan, jen.Return(take.Call(done)))
}

// performAction is the call that performs an action.
func (f actionWriter) performAction(payload string, d fields) *jen.Statement {
	return f.performPayload(jen.Qual(flowPath, payload).Add(itemLines(d.code)))
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

// writeApproval writes a function that says what to ask, with a function for what
// happens after a rejection.
func (f actionWriter) writeApproval(n *node, a *ir.Approval) {
	d := fields{}
	d.setField("Message", f.holdText(messageID, f.asTextWriter().templateText(messageID, a.Gate.Message)))
	f.checkEvaluator()
	d.setField("Timeout", timeoutCode(n.Node))
	if len(a.Decisions) > 0 {
		enum := n.Output.(*types.Struct).Field("decision").Type.(*types.Enum)
		of := jen.Id(f.g.types.enumFor(enum, "", "").name)
		choices := codesOf(a.Decisions, func(text string) *jen.Statement { return f.g.enumValue(enum, text) })
		d.setField("Choices", jen.Index().Add(of).Values(choices...))
		f.asLoopWriter().returnRun(n, jen.Qual(stepsPath, "Decision").Types(of), d)
		return
	}
	d.setLit("Capture", a.Capture)
	if a.Rework != nil {
		d.setField("Rework", f.reworkFunc(n, a.Rework))
		d.setField("MaxRejections", jen.Lit(a.MaxRejections))
	}
	f.asLoopWriter().returnRun(n, jen.Qual(stepsPath, "Approval"), d)
}

// writeWait writes a function that says for what to wait.
func (f actionWriter) writeWait(n *node, a *ir.Wait) {
	d := fields{}
	d.setDuration("For", a.For)
	for _, text := range []struct {
		field, name string
		of          *template.Template
	}{{"Until", untilID, a.Until}, {"Attention", attentionID, a.Attention}} {
		if text.of != nil {
			d.setField(text.field, f.holdText(text.name, f.asTextWriter().templateText(text.name, text.of)))
			f.checkEvaluator()
		}
	}
	d.setLit("Event", a.Event)
	d.setDuration("EventTimeout", a.Deadline)
	f.asLoopWriter().returnRun(n, jen.Qual(stepsPath, "Wait"), d)
}

// reworkFunc writes the function of what follows a rejection and returns what calls
// it.
func (f actionWriter) reworkFunc(n *node, a *ir.Prompt) *jen.Statement {
	at := beginOf(a.Text, n.IDSpan)
	part := f.newPart(n.rework, fmt.Sprintf("asks the agent after node `%s` was rejected", n.ID), at, flowResult(), flowResult().Values()).afterRejection()
	d := part.asActionWriter().promptFields(a, nil, part.asActionWriter().continuedSession(a), n.IdleTimeout)
	f.g.addMarked(part.block, at, jen.Return(part.asActionWriter().performAction("Prompt", d)))
	return f.handPart(part)
}

// returnRun emits the return of what a type of package steps does for the node.
func (f loopWriter) returnRun(n *node, of *jen.Statement, d fields) {
	literal := of.Add(d.asLines())
	f.g.addMarked(f.block, n.IDSpan, jen.Return(literal.Dot("Run").Call(jen.Id("c"))))
}
