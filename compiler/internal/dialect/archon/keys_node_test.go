package archon_test

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/ir"
)

func retry(n *ir.Node) any { return fmt.Sprint(n.Retry.Max, n.Retry.Delay, n.Retry.All) }

// nodeRows are the keys of all nodes.
var nodeRows = []keyRow{
	{"id", "bash: x", first(func(n *ir.Node) any { return n.ID }), "a"},
	{"description", "bash: x, description: about", first(func(n *ir.Node) any { return n.Doc }), "about"},
	{"depends_on", "bash: x, depends_on: [z, z]", first(func(n *ir.Node) any { return len(n.Needs) }), "1"},
	{"depends_on", "bash: x, depends_on: []", first(func(n *ir.Node) any { return len(n.Needs) }), "0"},
	{"when", "bash: x, depends_on: [z], when: \"$z.output == 'y'\"", first(func(n *ir.Node) any { return fmt.Sprint(n.When != nil, n.WhenText) }), "true$z.output == 'y'"},
	{"trigger_rule", "bash: x, trigger_rule: all_success", first(func(n *ir.Node) any { return n.Rule }), "all_success"},
	{"trigger_rule", "bash: x, trigger_rule: one_success", first(func(n *ir.Node) any { return n.Rule }), "one_success"},
	{"trigger_rule", "bash: x, trigger_rule: none_failed_min_one_success", first(func(n *ir.Node) any { return n.Rule }), "none_failed_min_one_success"},
	{"trigger_rule", "bash: x, trigger_rule: all_done", first(func(n *ir.Node) any { return n.Rule }), "all_done"},
	{"retry retry.max_attempts", "bash: x, retry: {max_attempts: 2}", first(retry), "2 3s false"},
	{"retry.delay_ms retry.on_error", "bash: x, retry: {max_attempts: 5, delay_ms: 1500.5, on_error: all}", first(retry), "5 1.5005s true"},
	{"retry.on_error", "script: x(), runtime: bun, retry: {max_attempts: 1, on_error: transient}", first(retry), "1 3s false"},
	{"retry", "prompt: x", first(retry), "2 3s false"},
	{"retry", "prompt: x, retry: {max_attempts: 1}", first(retry), "1 3s false"},
	{"retry timeout", aLoop + "}, retry: {max_attempts: 1}, timeout: 9000", first(func(n *ir.Node) any {
		return fmt.Sprint(n.Retry.Max, n.Timeout, n.Action.(*ir.Loop).Body.All()[0].Timeout, n.Action.(*ir.Loop).Body.All()[0].Retry)
	}), "1 9s 0s <nil>"},
	{"retry", "approval: {message: m}, retry: {max_attempts: 1}", warned(), "warning no-effect retry"},
	{"retry", "cancel: x, retry: {max_attempts: 1}", warned(), "warning no-effect retry"},
	{"timeout", "bash: x, timeout: 0.5", first(func(n *ir.Node) any { return n.Timeout }), "500µs"},
	{"timeout", "bash: x, timeout: 1e-9", first(func(n *ir.Node) any { return n.Timeout }), "1ns"},
	{"timeout", "bash: x, timeout: 1e300", first(func(n *ir.Node) any { return n.Timeout > 290*365*24*time.Hour }), "true"},
	{"timeout", "bash: x", first(func(n *ir.Node) any { return n.Timeout }), "0s"},
	{"timeout", "prompt: x, timeout: 5000", first(func(n *ir.Node) any { return n.Timeout }), "5s"},
	{"timeout", "approval: {message: m}, timeout: 5000", first(func(n *ir.Node) any { return n.Timeout }), "5s"},
	{"timeout", "cancel: x, timeout: 5000", warned(), "warning no-effect timeout"},
	{"timeout", "prompt: x, timeout: -5", warned(), "warning no-effect -5"},
	{"idle_timeout", "prompt: x, idle_timeout: 0x10", first(func(n *ir.Node) any { return n.IdleTimeout }), "16ms"},
	{"idle_timeout", aLoop + "}, idle_timeout: 500", action(func(l *ir.Loop) any { return l.Body.All()[0].IdleTimeout }), "500ms"},
	{"idle_timeout", "bash: x, idle_timeout: 5", warned(), "warning no-effect idle_timeout"},
	{"always_run", "bash: x, always_run: true", first(func(n *ir.Node) any { return n.AlwaysRun }), "true"},
	{"always_run", aLoop + "}, always_run: true", first(func(n *ir.Node) any { return n.AlwaysRun }), "true"},
	{"always_run", "approval: {message: m}, always_run: true", warned(), "warning no-effect always_run"},
	{"always_run", aLoop + "interactive: true, gate_message: g}, always_run: true", warned(), "warning no-effect always_run"},
	{"always_run", "approval: {message: m}, always_run: false", first(func(n *ir.Node) any { return n.AlwaysRun }), "false"},
	{"output_type", "bash: x, output_type: plan", first(func(n *ir.Node) any { return n.Artifact }), "plan"},

	{"loop_group loop_group.nodes loop_group.until loop_group.max_iterations", aGroup + "until: D}", action(func(l *ir.Loop) any {
		return fmt.Sprintln(l.Signal, l.Max, len(l.Last), l.Last[0].ID, l.Last[0].Local(), l.FreshSession, l.Gate == nil)
	}), "D 2 1 a.k k false true\n"},
	{"loop_group", "loop_group: {}", warned(), "error missing-key loop_group, error missing-key loop_group, error missing-key loop_group"},
	{"loop_group.nodes", "loop_group: {until: D, max_iterations: 2, nodes: []}", warned(), "error empty-value []"},
	{"loop_group.until_bash", aGroup + "until_bash: test -f x}", action(func(l *ir.Loop) any { return l.Until.Script }), "test -f x"},
	{"loop_group.until_bash", aGroup + "until_bash: ' '}", warned(), "error empty-value ' '"},
	{"loop_group.until", aGroup + "until_field: x}", warned(), "error missing-key loop_group, warning misplaced-key until_field"},
	{"loop_group.fresh_context", aGroup + "until: D, fresh_context: true}", action(func(l *ir.Loop) any { return l.FreshSession }), "true"},
	{"loop_group.interactive loop_group.gate_message", aGroup + "until: D, interactive: true, gate_message: More?}", action(func(l *ir.Loop) any { return constant(l.Gate.Message) }), "More?"},
	{"loop_group.gate_message", aGroup + "until: D, interactive: true}", warned(), "error missing-key interactive"},
	{"loop_group.signal_completes", aGroup + "until: D, signal_completes: true}", warned(), "warning no-effect signal_completes"},
	{"loop_group.signal_completes", aGroup + "until: D, interactive: true, gate_message: m, signal_completes: true}", action(func(l *ir.Loop) any { return l.Pass == ir.PassCompleted }), "true"},
	{"retry", aGroup + "until: D}, retry: {max_attempts: 1}", warned(), "error misplaced-node retry"},
	{"idle_timeout", aGroup + "until: D}, idle_timeout: 1000", warned(), "warning no-effect idle_timeout"},
	{"model", aGroup + "until: D}, provider: codex, model: m", warned(), ""},
	{"include", "include: x", warned(), "error unknown-workflow x"},
	{"workflow", "workflow: kid", called(), "kid"},
	{"workflow", "workflow: none", warned(), "warning unknown-workflow none"},
	{"input", "workflow: kid, input: $ARGUMENTS", called(), "kid arguments"},
	{"input", "bash: x, input: x", warned(), "warning no-effect input"},
	{"wait wait.duration_ms", "wait: {duration_ms: 5}", action(func(w *ir.Wait) any { return w.For }), "5ms"},
	{"wait.until", "wait: {until: 2027-01-31T09:00:00Z}", action(func(w *ir.Wait) any { text, _ := w.Until.Constant(); return text }), "2027-01-31T09:00:00Z"},
	{"wait.event wait.deadline_ms", "wait: {event: ' done ', deadline_ms: 1000}", action(func(w *ir.Wait) any { return w.Event + w.Deadline.String() }), "done1s"},
	{"wait.attention", "wait: {attention: look}", action(func(w *ir.Wait) any { text, _ := w.Attention.Constant(); return text }), "look"},
	{"fan_out", "workflow: kid, fan_out: {items: '[1]'}", called(), "kid arguments of 5"},
	{"fan_out", "workflow: kid, fan_out: {items: '[1]', max_parallel: 2, join: all_success}", called(), "kid arguments of 2, all"},
	{"fan_out", "workflow: kid, fan_out: {items: '[1]', as: item}", called(), "kid arguments item of 5"},
	{"fan_out", "bash: x, fan_out: {items: '[1]'}", warned(), "error unsuitable-key fan_out"},
	{"isolation", "workflow: kid, isolation: worktree", called(), "kid in a worktree"},
	{"isolation", "workflow: kid, isolation: inherit", called(), "kid"},
	{"isolation", "bash: x, isolation: inherit", warned(), "error unsuitable-key isolation"},
	{"with", "bash: x, with: {}", warned(), "warning no-effect with"},
	{"with", "script: hello, runtime: bun, with: {x: 5}", warned(), "warning unused-value x"},
	{"with with.from with.if_skipped", "script: console.log(process.env.INPUTS_X), runtime: bun, depends_on: [z], with: {x: {from: $z.output, if_skipped: 5}}",
		action(func(s *ir.Script) any { return s.Env[0].Name + fmt.Sprintf("%T", s.Env[0].Value) }), "INPUTS_X*expr.Fallback"},
	{"on_timeout", "bash: x, on_timeout: skip", first(func(n *ir.Node) any { return n.SkipOnTimeout }), "true"},
	{"on_timeout", "bash: x, on_timeout: fail", first(func(n *ir.Node) any { return n.SkipOnTimeout }), "false"},
	{"on_timeout", "prompt: x, on_timeout: skip", warned(), "warning no-effect on_timeout"},
	{"mutates_checkout", "bash: x, mutates_checkout: false", first(func(n *ir.Node) any { return n.ReadOnly }), "true"},
	{"mutates_checkout", "bash: x, mutates_checkout: true", first(func(n *ir.Node) any { return n.ReadOnly }), "false"},
}

const aLoop = "loop: {prompt: ' p D ', until: D, max_iterations: 3, "

const aGroup = "loop_group: {nodes: [{id: k, prompt: p}], max_iterations: 2, "

func promptOf(l *ir.Loop) *ir.Prompt { return l.Body.All()[0].Action.(*ir.Prompt) }

// typeRows are the keys that select the work of a node.
var typeRows = []keyRow{
	{"bash", "bash: ' echo hi '", action(func(b *ir.Bash) any { return b.Script }), "echo hi"},
	{"cancel", "cancel: ' stop '", action(func(c *ir.Cancel) any { return constant(c.Reason) }), "stop"},
	{"prompt", "prompt: '  hi \u00a0'", action(func(p *ir.Prompt) any { return constant(p.Text) }), "hi"},
	{"prompt", "prompt: x", action(func(p *ir.Prompt) any { return fmt.Sprint(p.Agent.Name, p.Agent.Model, p.Command, p.AppendContext) }), "claudetrue"},
	{"prompt", "prompt: about $CONTEXT", action(func(p *ir.Prompt) any { return p.AppendContext }), "false"},
	{"prompt", "bash: x, prompt: ' '", warned(), "warning no-effect prompt"},
	{"command", "command: ' greet '", action(func(p *ir.Prompt) any { return p.Command + "|" + constant(p.Text) }), "greet|hello\n"},
	{"script runtime deps timeout", "script: print(1), runtime: uv, deps: [requests, b], timeout: 5000", first(func(n *ir.Node) any {
		s := n.Action.(*ir.Script)
		return fmt.Sprint(s.Runtime, s.Source, s.Name, s.Deps, n.Timeout)
	}), "uvprint(1)[requests b] 5s"},
	{"script runtime", "script: hello, runtime: bun", action(func(s *ir.Script) any { return fmt.Sprint(s.Runtime, s.Source, s.Name) }), "bunconsole.log('$ARGUMENTS')hello.ts"},
	{"runtime", "bash: x, runtime: bun", warned(), "warning no-effect runtime"},
	{"deps", "bash: x, deps: [a]", warned(), "warning no-effect deps"},

	{"loop loop.prompt loop.until loop.max_iterations", aLoop + "}", action(func(l *ir.Loop) any {
		return fmt.Sprint(constant(promptOf(l).Text)+l.Signal+" ", l.Max, l.FreshSession, l.Until == nil, l.Gate == nil, promptOf(l).AppendContext, l.Strict)
	}), " p D D 3 false true true false false"},
	{"loop.until", "loop: {prompt: p, until: ' ', until_bash: x, max_iterations: 3}", warned(), "warning loop-signal ' '"},
	{"loop.until", "loop: {prompt: p, until: D, max_iterations: 3}", action(func(l *ir.Loop) any { return l.Signal }), "D"},
	{"loop.fresh_context", aLoop + "fresh_context: true}", action(func(l *ir.Loop) any { return l.FreshSession }), "true"},
	{"loop.until_bash", aLoop + "until_bash: 'test -f x'}", action(func(l *ir.Loop) any { return l.Until.Script }), "test -f x"},
	{"loop.interactive loop.gate_message", aLoop + "interactive: true, gate_message: 'ok $ARGUMENTS'}", action(func(l *ir.Loop) any { return constant(l.Gate.Message) }), "ok $ARGUMENTS"},
	{"loop.gate_message", aLoop + "gate_message: ok}", warned(), "warning no-effect gate_message"},
	{"loop.until_field", aLoop + "until_field: x}", warned(), "error bool-field x"},
	{"loop.until_field", "loop: {prompt: p, until_field: x, max_iterations: 3}, output_format: {type: object, properties: {x: {type: boolean}}, required: [x]}", action(func(l *ir.Loop) any { return l.Field }), "x"},
	{"loop.command", aLoop + "command: x}", warned(), "error node-action command"},
	{"loop.command", "loop: {command: greet, until_bash: ls, max_iterations: 3}", action(func(l *ir.Loop) any { return l.Body.All()[0].Action.(*ir.Prompt).Command }), "greet"},
	{"loop.signal_completes", aLoop + "signal_completes: true}", warned(), "warning no-effect signal_completes"},
	{"loop.signal_completes", aLoop + "interactive: true, gate_message: m, signal_completes: true}", action(func(l *ir.Loop) any { return l.Pass == ir.PassCompleted }), "true"},
	{"loop.signal_completes", aLoop + "signal_completes: false}", first(func(n *ir.Node) any { return n.Action.Kind() }), "loop"},

	{"approval approval.message", "approval: {message: 'ok?'}", action(func(a *ir.Approval) any {
		return fmt.Sprint(constant(a.Gate.Message), a.Capture, a.Rework == nil, a.MaxRejections)
	}), "ok?false true 1"},
	{"approval.capture_response", "approval: {message: m, capture_response: true}", action(func(a *ir.Approval) any { return a.Capture }), "true"},
	{"approval.on_reject on_reject.prompt", "approval: {message: m, on_reject: {prompt: mend}}", action(func(a *ir.Approval) any {
		return fmt.Sprint(constant(a.Rework.Text), a.MaxRejections, a.Rework.Agent.FreshSession)
	}), "mend3 true"},
	{"on_reject.max_attempts", "approval: {message: m, on_reject: {prompt: mend, max_attempts: 10}}", action(func(a *ir.Approval) any { return a.MaxRejections }), "10"},
	{"on_reject.max_attempts", "approval: {message: m, on_reject: {prompt: mend, max_attempts: 1}}", warned(), "warning no-effect 1"},
	{"approval.decisions decisions.id decisions.label", "approval: {message: m, decisions: [{id: approve, label: Yes}, {id: later}]}", action(func(a *ir.Approval) any { return a.Decisions }), "[approve later]"},
}
