package gen_test

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// loop adds a loop around a prompt.
func (b *builder) loop(id, text, signal string, most int, after ...string) (*ir.Node, *ir.Loop) {
	n := b.node(id, "loop", after...)
	prompt := b.ask("prompt", text)
	loop := &ir.Loop{Max: most, Signal: signal, Body: &ir.Sequence{Nodes: []*ir.Node{{ID: id, IDSpan: n.IDSpan, Action: prompt, Output: types.Text}}}}
	n.Action = loop
	return n, loop
}

// body is the prompt of a loop.
func body(l *ir.Loop) *ir.Prompt { return l.Body.All()[0].Action.(*ir.Prompt) }

// ask writes a prompt that is a part of the last node.
func (b *builder) ask(key, text string) *ir.Prompt {
	t := b.block(key, text)
	a := &ir.Prompt{Agent: ir.Agent{Name: "claude"}}
	b.late = append(b.late, func() { a.Text = b.parse(t, refPattern) })
	return a
}

// test writes the script that tests a loop, which is the last node.
func (b *builder) test(l *ir.Loop, script string) {
	t := b.block("until_bash", script)
	l.Until = &ir.Bash{}
	b.late = append(b.late, func() { b.script(l.Until, t) })
}

// gate writes a message to a person in the last node.
func (b *builder) gate(message string) *ir.Gate {
	t := b.block("message", message)
	g := &ir.Gate{}
	b.late = append(b.late, func() { g.Message = b.parse(t, refPattern) })
	return g
}

func (b *builder) approval(id, message string, after ...string) (*ir.Node, *ir.Approval) {
	n := b.node(id, "approval", after...)
	a := &ir.Approval{MaxRejections: 1}
	n.Action = a
	gate := b.gate(message)
	b.late = append(b.late, func() { a.Gate = *gate })
	return n, a
}

// environment are variables for scripts as front ends set them.
func environment() []ir.EnvVar {
	return []ir.EnvVar{
		{Name: "ARGUMENTS", Value: &expr.Input{Name: "arguments", Typ: types.Text}},
		{Name: "LOOP_USER_INPUT", Value: &expr.Var{Var: expr.LoopUserInput}},
		{Name: "LOOP_PREV_OUTPUT", Value: &expr.Var{Var: expr.LoopPrevOutput}},
		{Name: "REJECTION_REASON", Value: &expr.Var{Var: expr.RejectionReason}},
		{Name: "BASE_BRANCH", Value: &expr.Var{Var: expr.BaseBranch}},
	}
}

// loops has every kind of loop, and an id that is the name of a part.
func loops() *ir.Program {
	b := newBuilder("loops")
	b.flow.Env = environment()
	b.bash("plan", "echo plan for $WORKFLOW_ID with $BASE_BRANCH")
	b.bash("iterate-fix", "echo \"$LOOP_PREV_OUTPUT\"")
	b.loop("fix", "Fix $plan.output.\nBefore: $LOOP_PREV_OUTPUT|$LOOP_USER_INPUT|$REJECTION_REASON\n", "DONE", 3, "plan")
	_, tested := b.loop("tested", "Again: $LOOP_PREV_OUTPUT", "`DONE`", 5, "plan")
	b.test(tested, "test $plan.output = \"$LOOP_PREV_OUTPUT\" &&\nmake test")
	_, only := b.loop("only-tested", "Again", "", 2)
	b.test(only, "true")
	fresh, loop := b.loop("fresh", "Start anew: $ARGUMENTS $?!fix.output", "OK.", 4, "fix", "tested")
	fresh.Trigger = ir.AllDone
	fresh.Timeout = time.Hour
	fresh.Retry = &ir.Retry{Max: 2, Delay: 5 * time.Second, All: true}
	loop.FreshSession, loop.Strict = true, true
	loop.Body.All()[0].IdleTimeout = time.Minute
	body(loop).Agent = ir.Agent{Name: "codex", Model: "small", Options: []ir.Option{{Name: "effort", JSON: `"low"`}}}
	_, talk := b.loop("talk", "Draft it. $LOOP_USER_INPUT", "DONE", 6, "fix")
	talk.Gate = b.gate("Shall it go on?\n")
	_, named := b.loop("talk-of", "Draft it.", "DONE", 6, "fix")
	named.Gate = b.gate("Is $fix.output right?")
	never, endless := b.loop("endless", "Go on", "", 1)
	b.when(never, "$ARGUMENTS == 'endless'", func(ref func(string) expr.Expr) expr.Expr { return eq(ref("$ARGUMENTS"), "endless") })
	endless.Gate = &ir.Gate{Message: template.Literal(source.PlainText(""))}
	return b.program()
}

// approvals has every kind of approval, and an id that is the name of a part.
func approvals() *ir.Program {
	b := newBuilder("approvals")
	b.flow.Env = environment()
	b.approval("first", "Begin with $ARGUMENTS?")
	b.bash("build", "echo built")
	b.bash("rework-release", "echo $first.output", "first")
	release, a := b.approval("release", "Release $build.output?\nIt is $REJECTION_REASON.\n", "build")
	a.CaptureResponse = true
	a.MaxRejections = 3
	a.Rework = b.ask("rework", "They said: $REJECTION_REASON.\nMend $build.output$LOOP_USER_INPUT\n")
	a.Rework.Agent.FreshSession = true
	release.Timeout = 36 * time.Hour
	release.IdleTimeout = 2 * time.Minute
	b.prompt("tell", "Tell all: $release.output", "release")
	return b.program()
}

// sessions has prompts that go on with the conversations of others.
func sessions() *ir.Program {
	b := newBuilder("sessions")
	b.prompt("a", "one")
	b.loop("b", "two", "DONE", 2, "a")
	c := b.prompt("c", "three", "b")
	c.Action.(*ir.Prompt).Continues = []string{"b", "a"}
	d := b.prompt("d", "four", "c")
	d.Action.(*ir.Prompt).Agent.FreshSession = true
	e := b.prompt("e", "five", "d")
	e.Action.(*ir.Prompt).Continues = []string{"d"}
	e.Action.(*ir.Prompt).Persist = true
	return b.program()
}

// notPlain are loops that no front end makes.
func notPlain() map[string]*ir.Program {
	out := map[string]*ir.Program{}
	for i, change := range []func(l *ir.Loop){
		func(l *ir.Loop) { l.Body = &ir.DAG{Nodes: l.Body.All()} },
		func(l *ir.Loop) { l.Body = nil },
		func(l *ir.Loop) { l.Body = &ir.Sequence{Nodes: append(l.Body.All(), l.Body.All()...)} },
		func(l *ir.Loop) { l.Body.All()[0].Action = &ir.Bash{} },
		func(l *ir.Loop) { l.Body.All()[0].Timeout = time.Second },
		func(l *ir.Loop) { body(l).Continues = []string{"a"} },
	} {
		b := newBuilder("odd")
		_, l := b.loop("a", "x", "DONE", 1)
		p := b.program()
		change(l)
		out[fmt.Sprint(i)] = p
	}
	return out
}
