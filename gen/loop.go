package gen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A loop is a function of its node that says how to repeat, with a function for
// what an iteration does and one for the script that tests whether the loop is
// complete. The kernel calls both with the iteration, in which they find what
// the one before left.

func (f actionWriter) writeLoop(n *node, a *ir.Loop) {
	d := fields{}
	d.setField("Max", jen.Lit(a.Max))
	d.setField("Goal", jen.Lit(describeGoal(a)))
	if _, nested := a.Body.(*ir.DAG); nested {
		d.setField("Body", f.asLoopWriter().iterationOf(n))
	} else {
		d.setField("Body", f.iterationFunc(n, a))
	}
	said := "Said"
	if a.Strict {
		said = "SaidAsArchon"
	}
	word := jen.Qual(signalPath, "Word").Call(jen.Lit(a.Signal))
	switch {
	case a.Field != "" && a.Signal != "":
		f.g.addMarked(f.block, n.IDSpan, jen.Id(doneID).Op(":=").Add(word))
		d.setField("Done", f.fieldHolds(a, jen.Id(doneID).Dot(said)))
	case a.Field != "":
		d.setField("Done", f.fieldHolds(a, nil))
	case a.Signal != "" && n.Schema != "": // a JSON document has no word to remove
		d.setField("Done", word.Dot(said))
	case a.Signal != "":
		f.g.addMarked(f.block, n.IDSpan, jen.Id(doneID).Op(":=").Add(word))
		d.setField("Done", jen.Id(doneID).Dot(said))
		d.setField("Clean", jen.Id(doneID).Dot("Clean"))
	}
	if a.Until != nil {
		d.setField("Until", f.untilFunc(n, a.Until))
	}
	d.setField("Gate", f.gateCode(a.Gate))
	if a.Gate != nil {
		d.setLit("AcceptFirst", a.Pass == ir.PassApproved)
		d.setLit("SkipGate", a.Pass == ir.PassCompleted)
	}
	d.setField("Timeout", timeoutCode(n.Node))
	d.setField("Retry", retryCode(n.Retry))
	f.asLoopWriter().returnRun(n, jen.Qual(stepsPath, "Loop"), d)
}

// describeGoal describes what ends a loop, for comments.
func describeGoal(a *ir.Loop) string {
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
	name := f.newLocal("complete")
	f.block.addCode(jen.Id(name).Op(":=").Add(holds))
	text := jen.Id("text")
	return jen.Func().Params(text.Clone().String()).Bool().Add(oneLine(jen.Return(jen.Id(name).Call(text).Op("||").Add(said.Call(text)))))
}

// gateMessage is the message of a gate without one. To the kernel, an empty
// message means that there is no gate, so the gate would be passed unasked.
const gateMessage = "Go on?"

// gateCode is the code of the message of a loop's gate.
func (f actionWriter) gateCode(a *ir.Gate) *jen.Statement {
	if a == nil {
		return nil
	}
	code := f.asTextWriter().templateText(messageID, a.Message)
	if text, constant := a.Message.Constant(); constant {
		if text == "" {
			return jen.Lit(gateMessage)
		}
		if strings.Contains(text, "$") {
			f.addNote("Messages of gates have no placeholders.")
		}
		return f.holdText(messageID, code)
	}
	code.long = true
	message := f.holdText(messageID, code)
	f.checkEvaluator()
	f.block.addCode(jen.If(message.Clone().Op("==").Lit("")).Block(message.Clone().Op("=").Lit(gateMessage)))
	return message
}

// iterationFunc writes the function of a loop's body and returns what calls it.
func (f actionWriter) iterationFunc(n *node, a *ir.Loop) *jen.Statement {
	body, prompt := bodyOf(a)
	at := beginOf(prompt.Text, n.IDSpan)
	part := f.newPart(n.iterate, fmt.Sprintf("asks the agent in an iteration of node `%s`", n.ID), at, flowResult(), flowResult().Values()).inIteration()
	turn := *prompt
	turn.Agent.FreshSession = turn.Agent.FreshSession || a.FreshSession
	var session *jen.Statement
	if !turn.Agent.FreshSession {
		session = jen.Id(iterationID).Dot("Session")
	}
	d := part.asActionWriter().promptFields(&turn, n.schemaCode(), session, body.IdleTimeout)
	f.g.addMarked(part.block, at, jen.Return(part.asActionWriter().performAction("Prompt", d)))
	return f.handPart(part)
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

// untilFunc writes the function of the script that tests whether a loop is complete
// and returns what calls it.
func (f actionWriter) untilFunc(n *node, a *ir.Bash) *jen.Statement {
	at := beginOf(a.Original, n.IDSpan)
	part := f.newPart(n.until, fmt.Sprintf("tests whether the loop of node `%s` is complete", n.ID), at, jen.Bool(), jen.False()).inIteration()
	if f.body == n {
		part.inBody(n, f.holdsLast)
	}
	d := part.asActionWriter().bashFields(a)
	part.checkEvaluator()
	call := jen.Qual(stepsPath, "Test").Call(jen.Id("c"), jen.Qual(flowPath, "Bash").Add(d.asLines()))
	f.g.addMarked(part.block, at, jen.Return(call))
	return f.handPart(part)
}
