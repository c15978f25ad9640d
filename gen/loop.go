package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A loop is a function of its node that says how to repeat, with a function for
// what an iteration does and one for the script that tests whether the loop is
// complete. The kernel calls both with the iteration, in which they find what
// the one before left.

// iterationVariable is the code of the variables that an iteration gives a
// value to, nil for others.
func iterationVariable(v expr.Variable) *jen.Statement {
	switch v {
	case expr.LoopUserInput:
		return jen.Id("i").Dot("Answer")
	case expr.LoopPrevOutput:
		return jen.Id("i").Dot("Previous")
	}
	return nil
}

func (f *function) loop(n *node, a *ir.Loop) {
	d := fields{}
	d.set("Max", jen.Lit(a.Max))
	d.set("Goal", jen.Lit(goal(a)))
	d.alone("Body", f.iteration(n, a))
	if a.Signal != "" {
		rule := "Word"
		if a.Strict {
			rule = "Strict"
		}
		d.set("Done", jen.Qual(signalPath, rule).Call(jen.Lit(a.Signal)))
		d.set("Clean", jen.Qual(signalPath, "Clean").Call(jen.Lit(a.Signal)))
	}
	if a.Until != nil {
		d.alone("Until", f.until(n, a.Until))
	}
	if a.Gate != nil {
		d.set("Gate", f.gate(a.Gate))
	}
	if n.Timeout > 0 {
		d.set("Timeout", duration(n.Timeout))
	}
	if n.Retry != nil {
		d.set("Retry", retry(n.Retry))
	}
	call := jen.Qual(stepsPath, "Loop").Add(lines(f.g.open(n.IDSpan), d.code)).Dot("Run").Call(jen.Id("c"))
	f.g.mark(f.block, n.IDSpan, jen.Return(call))
}

// goal is what a loop waits for, for people.
func goal(a *ir.Loop) string {
	signal := fmt.Sprintf("its signal `%s`", cleanLine(a.Signal))
	switch {
	case a.Signal != "" && a.Until != nil:
		return signal + " or a test that holds"
	case a.Signal != "":
		return signal
	case a.Until != nil:
		return "a test that holds"
	}
	return "an end: it has neither a signal nor a test"
}

// gateMessage stands for the message of a gate that has none: the kernel takes
// an empty one for no gate, and nobody may pass one because of that.
const gateMessage = "Go on?"

// gate is the code of the message of a loop's gate.
func (f *function) gate(a *ir.Gate) *jen.Statement {
	code := f.template(a.Message)
	if text, constant := a.Message.Constant(); constant {
		if text == "" {
			return jen.Lit(gateMessage)
		}
		return f.hold("gate", code)
	}
	code.long = true
	gate := f.hold("gate", code)
	f.check()
	f.block.add(jen.If(gate.Clone().Op("==").Lit("")).Block(gate.Clone().Op("=").Lit(gateMessage)))
	return gate
}

// iteration writes the function of a loop's body and returns what calls it.
func (f *function) iteration(n *node, a *ir.Loop) *jen.Statement {
	body, prompt := bodyOf(a)
	part := f.part(n.iterate, fmt.Sprintf("asks the agent in an iteration of node `%s`.", n.ID), flowResult(), flowResult().Values()).inIteration()
	turn := *prompt
	turn.Agent.FreshSession = turn.Agent.FreshSession || a.FreshSession
	var session *jen.Statement
	if !turn.Agent.FreshSession {
		session = jen.Id("i").Dot("Session")
	}
	at := place(prompt.Text, n.IDSpan)
	d := part.turn(&turn, nil, session, body.IdleTimeout)
	f.g.mark(part.block, at, jen.Return(part.action(at, "Prompt", d)))
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
	if !ok || n.When != nil || n.Schema != "" || n.Retry != nil || n.Timeout > 0 || n.AlwaysRun || len(p.Continues) > 0 {
		panic(fmt.Sprintf("a loop around something else than a plain prompt reached the generator: node %s", n.ID))
	}
	return n, p
}

// until writes the function of the script that tests whether a loop is complete
// and returns what calls it.
func (f *function) until(n *node, a *ir.Bash) *jen.Statement {
	part := f.part(n.until, fmt.Sprintf("tests whether the loop of node `%s` is complete.", n.ID), jen.Bool(), jen.False()).inIteration()
	at := place(a.Original, n.IDSpan)
	d := part.bash(a)
	part.check()
	call := jen.Qual(stepsPath, "Test").Call(jen.Id("c"), jen.Qual(flowPath, "Bash").Add(lines(f.g.open(at), d.code)))
	f.g.mark(part.block, at, jen.Return(call))
	return f.calls(part)
}
