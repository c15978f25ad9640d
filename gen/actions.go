package gen

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// contextInput is the input that prompts get appended.
const contextInput = "context"

// prepare writes the bodies of a node's functions, so that the flow knows what
// to call them with.
func (g nodeWriter) prepare(n *node) {
	g.placeItem(n)
	for _, inner := range n.inner {
		if inner.around == n {
			g.prepare(inner)
		}
	}
	if n.When != nil {
		f := g.functionAt(n.When.Span(), jen.False())
		f.conditions().predicate(n.When)
		n.whenCode = functionCode{f.uses, f.block.code, f.notes, f.sure}
	}
	f := g.functionAt(n.IDSpan, jen.Lit(""))
	f.answers = n.answers
	if n.Review != nil {
		f.actions().reviewed(n)
	} else {
		f.actions().perform(n)
	}
	n.runCode, n.parts = functionCode{uses: f.uses, body: f.block.code, notes: slices.Clip(f.notes)}, f.parts
	_, include := n.Action.(*ir.Include)
	n.idle = include && len(n.runCode.body) == 1
	if kind := exported(n.Action.Kind(), ""); n.blocked != "" && strings.HasSuffix(n.exported, kind) {
		n.runCode.notes = append(n.runCode.notes, "Its names end with "+kind+" because "+n.blocked+" has another meaning.")
	}
	n.inline = n.around == nil && len(g.nodes) <= chunkSize && f.actions().wraps(n)
}

// wraps reports whether the function of a node is nothing but a loop over items, or its
// branches: the flow reads better with it in place. Code with directives keeps the function.
func (f actionWriter) wraps(n *node) bool {
	switch a := n.Action.(type) {
	case *ir.ForEach, *ir.Fork, *ir.Block:
	case *ir.Call:
		if a.Fan == nil {
			return false
		}
	default:
		return false
	}
	return n.Review == nil && n.Doc == "" && len(f.notes) == 0 && len(f.block.code) == 1
}

// nodeFuncs writes what belongs to a node: the types of its output, its condition,
// its functions.
func (g nodeWriter) nodeFuncs(f *jen.File, n *node) {
	g.shapeDecls(f, n)
	if n.When != nil {
		doc := g.placed("decides whether "+n.doc+" runs", n.When.Span())
		if noted := noted(doc+".", n.whenCode.notes); noted != doc+"." {
			doc = noted + " The condition"
		}
		g.function(f, n.when, doc+":"+conditionDoc(n.WhenText), n.whenCode.uses.params(), n.whenCode.body, results(jen.Bool(), n.whenCode.sure)...)
	}
	params := append([]jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}, n.runCode.uses.params()...)
	if !n.idle && !n.inline {
		g.function(f, n.run, noted(g.placed(deed(n), n.IDSpan)+sentence(n.Doc), n.runCode.notes), params, n.runCode.body, jen.String(), jen.Error())
	}
	for _, p := range n.parts {
		p.declare(f)
	}
	for _, declare := range n.more {
		declare(f)
	}
	for _, inner := range n.inner {
		if inner.around == n {
			g.nodeFuncs(f, inner)
		}
	}
}

// results are the types of what a function returns: a sure one returns no error.
func results(value jen.Code, sure bool) []jen.Code {
	if sure {
		return []jen.Code{value}
	}
	return []jen.Code{value, jen.Error()}
}

// sentence ends a sentence, and has a description follow it as another.
func sentence(description string) string {
	if description = strings.TrimSpace(description); description == "" {
		return "."
	}
	return ": " + strings.TrimSuffix(description, ".") + "."
}

// function writes a function.
func (g *style) function(f *jen.File, name, doc string, params, body []jen.Code, results ...jen.Code) {
	g.doc(f, name+" "+doc)
	f.Func().Id(name).Add(signature(params, results...)).Block(body...)
}

// deed says what the function of a node does.
func deed(n *node) string {
	if n.Review != nil {
		return "makes the output of " + n.doc + " until a person accepts it"
	}
	return act(n)
}

// act says what the function that performs a node's action does.
func act(n *node) string {
	if a, ok := n.Action.(*ir.Approval); ok && len(a.Decisions) > 0 {
		return fmt.Sprintf("asks for the decision of %s", n.doc)
	}
	a, ok := n.Action.(*ir.Call)
	switch {
	case !ok:
		return fmt.Sprintf(verbs[n.Action.Kind()], n.doc)
	case a.Fan == nil:
		return fmt.Sprintf("runs workflow `%s` for %s", cleanLine(a.Callee.Workflow.Name), n.doc)
	}
	return fmt.Sprintf("runs workflow `%s` for each item of %s", cleanLine(a.Callee.Workflow.Name), n.doc)
}

// verbs say what the function of a node does, by its kind.
var verbs = map[string]string{
	"bash":     "runs the bash script of %s",
	"script":   "runs the script of %s",
	"prompt":   "asks the agent of %s",
	"cancel":   "cancels the run for %s",
	"loop":     "runs the loop of %s",
	"approval": "asks for the approval of %s",
	"wait":     "waits at %s",
	"include":  "runs the nodes of %s for each item",
	"for":      "runs %s for each item",
	"while":    "repeats %s while its condition holds",
	"repeat":   "repeats %s until its condition holds",
	"parallel": "runs the branches of %s",
}

// asks reports whether the node, or the loop that it is, asks an agent for its output.
func (n *node) asks() bool {
	switch n.Action.(type) {
	case *ir.Prompt, *ir.Loop:
		return true
	}
	return false
}

// hasSchema reports whether the node, or one inside it, asks an agent for an answer
// of a form.
func (n *node) hasSchema() bool {
	return n.asks() && n.Schema != "" || slices.ContainsFunc(n.inner, (*node).hasSchema)
}

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
	f.do(n, "Script", d)
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
		d.set("Text", call(flowPath, "WithBackground", f.hold(promptID, code), in.read()))
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

// hold puts a long text into a variable; a short one is used where it stands. Of one
// that may fail the error is to be looked at.
func (f *function) hold(name string, t textCode) *jen.Statement {
	if t.held || !t.long && (t.constant || !f.g.opt.LineDirectives) {
		return t.code
	}
	f.g.mark(f.block, t.first, jen.Id(name).Op(":=").Add(t.code))
	return jen.Id(name)
}

// do emits the action and the return of its output.
func (f actionWriter) do(n *node, payload string, d fields) {
	f.give(n, f.action(payload, d))
}

// give emits the return of the output that an action gives.
func (f actionWriter) give(n *node, done *jen.Statement) {
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
	return f.does(jen.Qual(flowPath, payload).Add(lines(d.code)))
}

// does is the call that performs a payload.
func (f actionWriter) does(payload *jen.Statement) *jen.Statement {
	if f.unchecked {
		f.unchecked = false
		return jen.Id(f.evaluates).Dot("Perform").Call(jen.Id("c"), payload)
	}
	return jen.Id("c").Dot("Do").Call(payload)
}

// parsers are the methods that make outputs of what actions give.
var parsers = [...]string{ir.Printed: "FromStdout", ir.Replied: "FromReply", ir.Strict: "FromJSON"}

// rejectionVariable is the code of the variable that a rejection gives a value
// to, nil for others.
func rejectionVariable(v expr.Variable) *jen.Statement {
	if v == expr.RejectionReason {
		return jen.Id(reasonID)
	}
	return nil
}

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
	at := place(a.Text, n.IDSpan)
	part := f.part(n.rework, fmt.Sprintf("asks the agent after node `%s` was rejected", n.ID), at, flowResult(), flowResult().Values()).afterRejection()
	d := part.actions().turn(a, nil, part.actions().continued(a), n.IdleTimeout)
	f.g.mark(part.block, at, jen.Return(part.actions().action("Prompt", d)))
	return f.calls(part)
}

// A loop is a function of its node that says how to repeat, with a function for
// what an iteration does and one for the script that tests whether the loop is
// complete. The kernel calls both with the iteration, in which they find what
// the one before left.

// iterationVariable is the code of the variables that an iteration gives a
// value to, nil for others.
func iterationVariable(v expr.Variable) *jen.Statement {
	switch v {
	case expr.LoopUserInput:
		return jen.Id(iterationID).Dot("Answer")
	case expr.LoopPrevOutput:
		return jen.Id(iterationID).Dot("Previous")
	}
	return nil
}

func (f actionWriter) loop(n *node, a *ir.Loop) {
	d := fields{}
	d.set("Max", jen.Lit(a.Max))
	d.set("Goal", jen.Lit(goal(a)))
	if _, nested := a.Body.(*ir.DAG); nested {
		d.set("Body", f.loops().iterationOf(n))
	} else {
		d.set("Body", f.iteration(n, a))
	}
	said := "Said"
	if a.Strict {
		said = "SaidAsArchon"
	}
	word := jen.Qual(signalPath, "Word").Call(jen.Lit(a.Signal))
	switch {
	case a.Field != "" && a.Signal != "":
		f.g.mark(f.block, n.IDSpan, jen.Id(doneID).Op(":=").Add(word))
		d.set("Done", f.fieldHolds(a, jen.Id(doneID).Dot(said)))
	case a.Field != "":
		d.set("Done", f.fieldHolds(a, nil))
	case a.Signal != "" && n.Schema != "": // a JSON document has no word to remove
		d.set("Done", word.Dot(said))
	case a.Signal != "":
		f.g.mark(f.block, n.IDSpan, jen.Id(doneID).Op(":=").Add(word))
		d.set("Done", jen.Id(doneID).Dot(said))
		d.set("Clean", jen.Id(doneID).Dot("Clean"))
	}
	if a.Until != nil {
		d.set("Until", f.until(n, a.Until))
	}
	d.set("Gate", f.gate(a.Gate))
	if a.Gate != nil {
		d.lit("AcceptFirst", a.Pass == ir.PassApproved)
		d.lit("SkipGate", a.Pass == ir.PassCompleted)
	}
	d.set("Timeout", timeout(n.Node))
	d.set("Retry", retry(n.Retry))
	f.loops().runs(n, jen.Qual(stepsPath, "Loop"), d)
}

// goal is what a loop waits for, for people.
func goal(a *ir.Loop) string {
	var ends []string
	if a.Field != "" {
		ends = append(ends, fmt.Sprintf("`%s` in its output", cleanLine(a.Field)))
	}
	if a.Signal != "" {
		ends = append(ends, fmt.Sprintf("its signal `%s`", cleanLine(a.Signal)))
	}
	if a.Until != nil {
		ends = append(ends, "a test that holds")
	}
	if ends == nil {
		return "an end: it has neither a signal nor a test"
	}
	return strings.Join(ends, " or ")
}

// fieldHolds is the code of the function that tells whether an iteration completes a loop
// by a field of its output, or by its signal.
func (f actionWriter) fieldHolds(a *ir.Loop, said *jen.Statement) *jen.Statement {
	holds := jen.Qual(valuePath, "FieldIsTrue").Call(jen.Lit(a.Field))
	if a.Signal == "" {
		return holds
	}
	name := f.local("complete")
	f.block.add(jen.Id(name).Op(":=").Add(holds))
	holds = jen.Id(name)
	text := jen.Id("text")
	return jen.Func().Params(text.Clone().String()).Bool().Add(oneLine(jen.Return(holds.Call(text).Op("||").Add(said.Call(text)))))
}

// gateMessage is the message of a gate without one. To the kernel, an empty
// message means that there is no gate, so the gate would be passed unasked.
const gateMessage = "Go on?"

// gate is the code of the message of a loop's gate.
func (f actionWriter) gate(a *ir.Gate) *jen.Statement {
	if a == nil {
		return nil
	}
	code := f.texts().template(messageID, a.Message)
	if text, constant := a.Message.Constant(); constant {
		if text == "" {
			return jen.Lit(gateMessage)
		}
		if strings.Contains(text, "$") {
			f.note("Messages of gates have no placeholders.")
		}
		return f.hold(messageID, code)
	}
	code.long = true
	message := f.hold(messageID, code)
	f.check()
	f.block.add(jen.If(message.Clone().Op("==").Lit("")).Block(message.Clone().Op("=").Lit(gateMessage)))
	return message
}

// iteration writes the function of a loop's body and returns what calls it.
func (f actionWriter) iteration(n *node, a *ir.Loop) *jen.Statement {
	body, prompt := bodyOf(a)
	at := place(prompt.Text, n.IDSpan)
	part := f.part(n.iterate, fmt.Sprintf("asks the agent in an iteration of node `%s`", n.ID), at, flowResult(), flowResult().Values()).inIteration()
	turn := *prompt
	turn.Agent.FreshSession = turn.Agent.FreshSession || a.FreshSession
	var session *jen.Statement
	if !turn.Agent.FreshSession {
		session = jen.Id(iterationID).Dot("Session")
	}
	d := part.actions().turn(&turn, n.schemaCode(), session, body.IdleTimeout)
	f.g.mark(part.block, at, jen.Return(part.actions().action("Prompt", d)))
	return f.calls(part)
}

// bodyOf returns the one prompt that a loop repeats.
func bodyOf(a *ir.Loop) (*ir.Node, *ir.Prompt) {
	seq, ok := a.Body.(*ir.Sequence)
	if !ok || len(seq.Nodes) != 1 {
		panic(fmt.Sprintf("a loop around a body of type %T that is not one node reached the generator", a.Body))
	}
	n := seq.Nodes[0]
	p, ok := n.Action.(*ir.Prompt)
	if !ok || n.When != nil || n.Retry != nil || n.Timeout > 0 || n.AlwaysRun || len(p.Continues) > 0 || p.Resumes != "" {
		panic(fmt.Sprintf("a loop around something else than a plain prompt reached the generator: node %s", n.ID))
	}
	return n, p
}

// until writes the function of the script that tests whether a loop is complete
// and returns what calls it.
func (f actionWriter) until(n *node, a *ir.Bash) *jen.Statement {
	at := place(a.Original, n.IDSpan)
	part := f.part(n.until, fmt.Sprintf("tests whether the loop of node `%s` is complete", n.ID), at, jen.Bool(), jen.False()).inIteration()
	if f.body == n {
		part.inBody(n, f.holdsLast)
	}
	d := part.actions().bash(a)
	part.check()
	call := jen.Qual(stepsPath, "Test").Call(jen.Id("c"), jen.Qual(flowPath, "Bash").Add(d.lines()))
	f.g.mark(part.block, at, jen.Return(call))
	return f.calls(part)
}
