package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/template"
)

// constant is a template's text.
func constant(t *template.Template) string {
	text, _ := t.Constant()
	return text
}

// option is the JSON of an option, or "".
func option(options []ir.Option, name string) string {
	for _, o := range options {
		if o.Name == name {
			return o.JSON
		}
	}
	return ""
}

// Every key that the format has at the top of the file, with what becomes of
// it in the program.
func TestWorkflowRows(t *testing.T) {
	show := func(name string) func(*ir.Workflow) string {
		return func(w *ir.Workflow) string { return option(w.Options, name) }
	}
	inherited := func(name string) func(*ir.Workflow) string {
		return func(w *ir.Workflow) string {
			agent := w.Body.All()[0].Action.(*ir.Prompt).Agent
			return show(name)(w) + " " + option(agent.Options, name)
		}
	}
	tests := []struct {
		yaml string
		read func(*ir.Workflow) string
		want string
	}{
		{"", func(w *ir.Workflow) string { return w.Name + "|" + w.Description }, "w|d"},
		{"provider: codex", func(w *ir.Workflow) string {
			return show("provider")(w) + w.Body.All()[0].Action.(*ir.Prompt).Agent.Name
		}, `"codex"codex`},
		{"model: m1", func(w *ir.Workflow) string {
			return show("model")(w) + w.Body.All()[0].Action.(*ir.Prompt).Agent.Model
		}, `"m1"m1`},
		{"model: large", func(w *ir.Workflow) string { return w.Body.All()[0].Action.(*ir.Prompt).Agent.Model }, "opus"},
		{"interactive: true", show("interactive"), "true"},
		{"mutates_checkout: false", func(w *ir.Workflow) string { return fmt.Sprint(w.Exclusive) }, "false"},
		{"mutates_checkout: true", func(w *ir.Workflow) string { return fmt.Sprint(w.Exclusive) }, "true"},
		{"", func(w *ir.Workflow) string { return fmt.Sprint(w.Exclusive) }, "true"},
		{"tags: [a, ' a ', '', b, A]", func(w *ir.Workflow) string { return strings.Join(w.Tags, ",") }, "a,b,A"},
		{"worktree: {enabled: false}", show("worktree"), `{"enabled":false}`},
		{"worktree: {enabled: false}", func(w *ir.Workflow) string { return fmt.Sprint(*w.Worktree) }, "false"},
		{"worktree: {enabled: true}", func(w *ir.Workflow) string { return fmt.Sprint(*w.Worktree) }, "true"},
		{"", func(w *ir.Workflow) string { return fmt.Sprint(w.Worktree == nil) }, "true"},
		{"effort: high", inherited("effort"), `"high" "high"`},
		{"thinking: adaptive", inherited("thinking"), `{"type":"adaptive"} {"type":"adaptive"}`},
		{"sandbox: {enabled: true, own: [1]}", inherited("sandbox"), `{"enabled":true,"own":[1]} {"enabled":true,"own":[1]}`},
		{"fallbackModel: m2", inherited("fallbackModel"), `"m2" "m2"`},
		{"betas: [b]", inherited("betas"), `["b"] ["b"]`},
		{"provider: codex\nmodelReasoningEffort: xhigh", inherited("modelReasoningEffort"), `"xhigh" "xhigh"`},
		{"provider: codex\nwebSearchMode: live", inherited("webSearchMode"), `"live" "live"`},
		{"persist_sessions: true", func(w *ir.Workflow) string {
			return fmt.Sprint(w.Body.All()[0].Action.(*ir.Prompt).Persist)
		}, "true"},
		{"persist_sessions: false", show("persist_sessions"), ""},
		{"requires: [github]", show("requires"), `["github"]`},
		{"steps: []", show("steps"), ""},
	}
	for _, test := range tests {
		t.Run(test.yaml, func(t *testing.T) {
			p, list := lint(t, project(nil), test.yaml+"\n"+nodes("  - id: a\n    prompt: x\n"))
			if len(list) > 0 {
				t.Fatalf("findings: %q", findings(list))
			}
			if got := test.read(p.Workflow); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Every key that the format has on all nodes and on nodes of a type, with what
// becomes of it in the program.
func TestNodeRows(t *testing.T) {
	type reader = func(*ir.Node) string
	show := func(f func(*ir.Node) any) reader { return func(n *ir.Node) string { return fmt.Sprint(f(n)) } }
	prompt := func(f func(*ir.Prompt) any) reader {
		return func(n *ir.Node) string { return fmt.Sprint(f(n.Action.(*ir.Prompt))) }
	}
	passed := func(name string) reader {
		return func(n *ir.Node) string { return option(n.Action.(*ir.Prompt).Agent.Options, name) }
	}
	loop := func(f func(*ir.Loop) any) reader {
		return func(n *ir.Node) string { return fmt.Sprint(f(n.Action.(*ir.Loop))) }
	}
	approval := func(f func(*ir.Approval) any) reader {
		return func(n *ir.Node) string { return fmt.Sprint(f(n.Action.(*ir.Approval))) }
	}
	const aLoop = "loop: {prompt: ' p ', until: D, max_iterations: 3, "
	tests := []struct {
		yaml string
		read reader
		want string
	}{
		{"bash: ' x '", show(func(n *ir.Node) any { return n.ID }), "a"},
		{"bash: x, description: about", show(func(n *ir.Node) any { return n.Doc }), "about"},
		{"bash: x, depends_on: [z, z]", show(func(n *ir.Node) any { return len(n.Needs) }), "1"},
		{"bash: x, depends_on: []", show(func(n *ir.Node) any { return len(n.Needs) }), "0"},
		{"bash: x, depends_on: [z], when: \"$z.output == 'y'\"", show(func(n *ir.Node) any { return fmt.Sprint(n.When != nil, n.WhenText) }), "true$z.output == 'y'"},
		{"bash: x, trigger_rule: all_success", show(func(n *ir.Node) any { return n.Trigger }), "all_success"},
		{"bash: x, trigger_rule: one_success", show(func(n *ir.Node) any { return n.Trigger }), "one_success"},
		{"bash: x, trigger_rule: none_failed_min_one_success", show(func(n *ir.Node) any { return n.Trigger }), "none_failed_min_one_success"},
		{"bash: x, trigger_rule: all_done", show(func(n *ir.Node) any { return n.Trigger }), "all_done"},
		{"bash: x, retry: {max_attempts: 2}", show(func(n *ir.Node) any { return fmt.Sprint(n.Retry.Max, n.Retry.Delay, n.Retry.All) }), "2 3s false"},
		{"bash: x, retry: {max_attempts: 5, delay_ms: 1500.5, on_error: all}", show(func(n *ir.Node) any { return fmt.Sprint(n.Retry.Max, n.Retry.Delay, n.Retry.All) }), "5 1.5005s true"},
		{aLoop + "}, retry: {max_attempts: 1}, timeout: 9000", show(func(n *ir.Node) any { return fmt.Sprint(n.Retry.Max, n.Timeout) }), "1 9s"},
		{"bash: x, timeout: 0.5", show(func(n *ir.Node) any { return n.Timeout }), "500µs"},
		{"bash: x, timeout: 1e-9", show(func(n *ir.Node) any { return n.Timeout }), "1ns"},
		{"bash: x, timeout: 1e300", show(func(n *ir.Node) any { return n.Timeout > 290*365*24*time.Hour }), "true"},
		{"bash: x", show(func(n *ir.Node) any { return n.Timeout }), "0s"},
		{"prompt: x, timeout: 5000", show(func(n *ir.Node) any { return n.Timeout }), "5s"},
		{"approval: {message: m}, timeout: 5000", show(func(n *ir.Node) any { return n.Timeout }), "5s"},
		{"prompt: x, idle_timeout: 0x10", show(func(n *ir.Node) any { return n.IdleTimeout }), "16ms"},
		{"bash: x, always_run: true", show(func(n *ir.Node) any { return n.AlwaysRun }), "true"},
		{"bash: x, output_type: plan", show(func(n *ir.Node) any { return n.Artifact }), "plan"},

		{"bash: ' echo hi '", func(n *ir.Node) string { return n.Action.(*ir.Bash).Script }, "echo hi"},
		{"cancel: ' stop '", func(n *ir.Node) string { return constant(n.Action.(*ir.Cancel).Reason) }, "stop"},
		{"prompt: '  hi \u00a0'", prompt(func(p *ir.Prompt) any { return constant(p.Text) }), "hi"},
		{"prompt: x", prompt(func(p *ir.Prompt) any { return fmt.Sprint(p.Agent.Name, p.Agent.Model, p.Command, p.AppendContext) }), "claudetrue"},
		{"prompt: about $CONTEXT", prompt(func(p *ir.Prompt) any { return p.AppendContext }), "false"},
		{"command: ' greet '", prompt(func(p *ir.Prompt) any { return p.Command + "|" + constant(p.Text) }), "greet|hello\n"},
		{"script: print(1), runtime: uv, deps: [requests, b], timeout: 5000", func(n *ir.Node) string {
			s := n.Action.(*ir.Script)
			return fmt.Sprint(s.Runtime, s.Source, s.Name, s.Deps, n.Timeout)
		}, "uvprint(1)[requests b] 5s"},
		{"script: hello, runtime: bun", func(n *ir.Node) string {
			s := n.Action.(*ir.Script)
			return fmt.Sprint(s.Runtime, s.Source, s.Name)
		}, "bunconsole.log('$ARGUMENTS')hello.ts"},

		{aLoop + "}", loop(func(l *ir.Loop) any {
			inner := l.Body.All()[0].Action.(*ir.Prompt)
			return fmt.Sprint(constant(inner.Text)+" "+l.Signal+" ", l.Max, l.FreshSession, l.Until == nil, l.Gate == nil, inner.AppendContext, l.Strict)
		}), " p  D 3 false true true false false"},
		{aLoop + "fresh_context: true}", loop(func(l *ir.Loop) any { return l.FreshSession }), "true"},
		{aLoop + "until_bash: 'test -f x'}", loop(func(l *ir.Loop) any { return l.Until.Script }), "test -f x"},
		{aLoop + "interactive: true, gate_message: 'ok $ARGUMENTS'}", loop(func(l *ir.Loop) any { return constant(l.Gate.Message) }), "ok $ARGUMENTS"},

		{"approval: {message: 'ok?'}", approval(func(a *ir.Approval) any {
			return fmt.Sprint(constant(a.Gate.Message), a.CaptureResponse, a.Rework == nil, a.MaxRejections)
		}), "ok?false true 1"},
		{"approval: {message: m, capture_response: true}", approval(func(a *ir.Approval) any { return a.CaptureResponse }), "true"},
		{"approval: {message: m, on_reject: {prompt: mend}}", approval(func(a *ir.Approval) any {
			return fmt.Sprint(constant(a.Rework.Text), a.MaxRejections, a.Rework.Agent.FreshSession)
		}), "mend3 true"},
		{"approval: {message: m, on_reject: {prompt: mend, max_attempts: 10}}", approval(func(a *ir.Approval) any { return a.MaxRejections }), "10"},

		{"prompt: x, provider: ' codex ', model: m", prompt(func(p *ir.Prompt) any { return p.Agent.Name + p.Agent.Model }), "codexm"},
		{"prompt: x, model: small", prompt(func(p *ir.Prompt) any { return p.Agent.Model }), "haiku"},
		{"prompt: x, provider: codex, model: small", prompt(func(p *ir.Prompt) any { return p.Agent.Model }), "small"},
		{"prompt: x, context: fresh", prompt(func(p *ir.Prompt) any { return p.Agent.FreshSession }), "true"},
		{"prompt: x, context: shared", prompt(func(p *ir.Prompt) any { return p.Agent.FreshSession }), "false"},
		{"prompt: x, output_format: {type: object, properties: {b: {type: string}, a: {type: integer}}, required: [b]}", show(func(n *ir.Node) any {
			return n.Output.String() + n.Schema
		}), `object{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b"]}`},
		{"prompt: x, allowed_tools: []", passed("allowed_tools"), "[]"},
		{"prompt: x, denied_tools: [Bash]", passed("denied_tools"), `["Bash"]`},
		{"prompt: x, hooks: {Stop: [{matcher: m, response: {a: <b>}, timeout: 0.5}]}", passed("hooks"), `{"Stop":[{"matcher":"m","response":{"a":"<b>"},"timeout":0.5}]}`},
		{"prompt: x, mcp: servers.json", passed("mcp"), `{"s":{"command":"c"}}`},
		{"prompt: x, skills: [mending]", passed("skills"), `["mending"]`},
		{"prompt: x, agents: {brief-gen: {description: d, prompt: p, model: m, tools: [Read], disallowedTools: [Bash], skills: [s], maxTurns: 3}}", passed("agents"),
			`{"brief-gen":{"description":"d","prompt":"p","model":"m","tools":["Read"],"disallowedTools":["Bash"],"skills":["s"],"maxTurns":3}}`},
		{"prompt: x, effort: max", passed("effort"), `"max"`},
		{"prompt: x, thinking: enabled", passed("thinking"), `{"type":"enabled"}`},
		{"prompt: x, thinking: {type: enabled, budgetTokens: 1000}", passed("thinking"), `{"type":"enabled","budgetTokens":1000}`},
		{"prompt: x, maxBudgetUsd: 0.25", passed("maxBudgetUsd"), "0.25"},
		{"prompt: x, systemPrompt: be brief", passed("systemPrompt"), `"be brief"`},
		{"prompt: x, fallbackModel: m", passed("fallbackModel"), `"m"`},
		{"prompt: x, betas: [b]", passed("betas"), `["b"]`},
		{"prompt: x, sandbox: {enabled: true, network: {allowedDomains: [a.b]}, ignoreViolations: {x: [y]}, ripgrep: {command: rg, args: []}}", passed("sandbox"),
			`{"enabled":true,"network":{"allowedDomains":["a.b"]},"ignoreViolations":{"x":["y"]},"ripgrep":{"command":"rg","args":[]}}`},
		{"prompt: x, persist_session: true", prompt(func(p *ir.Prompt) any { return p.Persist }), "true"},
		{"prompt: x, provider: pi, pi: {enableExtensions: true, extensionFlags: {a: b, c: false}}", passed("pi"), `{"enableExtensions":true,"extensionFlags":{"a":"b","c":false}}`},
	}
	env := project(folder{
		".archon/commands/greet.md":        "---\ndescription: d\n---\nhello\n",
		".archon/scripts/hello.ts":         "console.log('$ARGUMENTS')",
		"servers.json":                     "{\"s\": {\"command\": \"c\"}}\n",
		".claude/skills/mending/SKILL.md":  "x",
		"home/.claude/skills/far/SKILL.md": "x",
	})
	for _, test := range tests {
		t.Run(test.yaml, func(t *testing.T) {
			p, list := lint(t, env, nodes("  - {id: a, "+test.yaml+"}\n  - {id: z, bash: echo}\n"))
			if len(list) > 0 {
				t.Fatalf("findings: %q", findings(list))
			}
			if got := test.read(p.Workflow.Body.All()[0]); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A node's own settings go before the workflow's.
func TestAgentInheritance(t *testing.T) {
	p, list := lint(t, project(nil), "provider: claude\nmodel: m\neffort: low\nbetas: [b]\npersist_sessions: true\n"+nodes(`
  - {id: own, prompt: x, effort: high, persist_session: false}
  - {id: other, prompt: x, provider: codex}
  - {id: loop, loop: {prompt: x, until: D, max_iterations: 2}}
`))
	if len(list) > 0 {
		t.Fatalf("findings: %q", findings(list))
	}
	describe := func(a ir.Agent) string {
		var parts []string
		for _, o := range a.Options {
			parts = append(parts, o.Name+"="+o.JSON)
		}
		slices.Sort(parts)
		return a.Name + " " + a.Model + " " + strings.Join(parts, " ")
	}
	all := p.Workflow.Body.All()
	got := []string{
		describe(all[0].Action.(*ir.Prompt).Agent),
		describe(all[1].Action.(*ir.Prompt).Agent),
		describe(all[2].Action.(*ir.Loop).Body.All()[0].Action.(*ir.Prompt).Agent),
	}
	want := []string{
		`claude m betas=["b"] effort="high"`,
		`codex  betas=["b"]`,
		`claude m betas=["b"] effort="low"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestInputs(t *testing.T) {
	p, _ := lint(t, project(nil), nodes("  - {id: a, bash: x}\n"))
	var got []string
	for _, in := range p.Workflow.Inputs {
		got = append(got, fmt.Sprint(in.Name, " ", in.Type, " ", in.Rest, " ", in.Default != nil))
	}
	want := []string{"arguments text true true", "context text false true"}
	if !slices.Equal(got, want) {
		t.Errorf("inputs %q, want %q", got, want)
	}
}

// What bash scripts find in their environment.
func TestEnvironment(t *testing.T) {
	p, _ := lint(t, project(nil), nodes("  - {id: a, bash: x}\n"))
	var got []string
	for _, v := range p.Workflow.Env {
		got = append(got, v.Name)
	}
	want := "ARTIFACTS_DIR LOG_DIR BASE_BRANCH USER_MESSAGE ARGUMENTS LOOP_USER_INPUT LOOP_PREV_OUTPUT REJECTION_REASON CONTEXT EXTERNAL_CONTEXT ISSUE_CONTEXT"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
