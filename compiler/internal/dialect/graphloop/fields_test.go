package graphloop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
)

// one is a workflow whose first node is n with the given keys.
func one(keys string) string {
	return nodes("  n:\n    "+strings.ReplaceAll(strings.TrimSpace(keys), "\n", "\n    ")+"\n") + straight +
		"state: {variables: {x: 0, l: [], t: ''}}\n"
}

const howToEnd = `\n\nEnd your answer with one line that says how it went. That line is one of: `

// Every key of every type of node reaches the program.
func TestNodes(t *testing.T) {
	for _, test := range []struct{ keys, want string }{
		{"type: task\nagent: self\nprompt: Do it\noutputs: [done]", `n prompt self "Do it" -> done within 10m0s`},
		{"type: task\nagent: codex\nprompt: Do it\noutputs: [yes, no]", `n prompt codex "Do it` + howToEnd + `[OUTPUT:yes] [OUTPUT:no]" -> yes no! within 10m0s`},
		{"type: task\nagent: self\nprompt: 'Say [OUTPUT:a] or [OUTPUT:b]'\noutputs: [a, b]", `n prompt self "Say [OUTPUT:a] or [OUTPUT:b]" -> a b within 10m0s`},
		{"type: task\nagent: self\nprompt: 'Say [OUTPUT:a]'\noutputs: [a, b]", `n prompt self "Say [OUTPUT:a]` + howToEnd + `[OUTPUT:a] [OUTPUT:b]" -> a b within 10m0s`},
		{"type: task\nagent: gemini\nmodel: pro\nprompt: Do it\ncontext_files:\n  - src/a.ts\n  - docs/b.md\noutputs: [done]", `n prompt gemini/pro "Do it" files src/a.ts,docs/b.md -> done within 10m0s`},
		{"type: task\nagent: self\nprompt: 5\noutputs: [on, off, true]\ntimeout_minutes: 15", `n prompt self "5` + howToEnd + `[OUTPUT:on] [OUTPUT:off] [OUTPUT:true]" -> on off true within 15m0s`},
		{"type: task\nagent: bash\ncommand: make\ncwd: web\noutputs: [pass, fail]\ntimeout_minutes: 5", `n bash "make" in web -> pass fail! within 5m0s`},
		{"type: task\nagent: bash\ncommand: make\noutputs: [success, failure]\nretry_on_failure: true", `n bash "make" -> success failure! within 10m0s retry 3 after 1s all true`},
		{"type: task\nagent: bash\ncommand: make\noutputs: [ok, timeout]\nretry_on_failure: yes\nmax_retries: 1", `n bash "make" -> ok timeout! within 10m0s retry 1 after 1s all true`},
		{"type: task\nagent: bash\ncommand: make\noutputs: [ok]\nretry_on_failure: true\nmax_retries: 0", `n bash "make" -> ok within 10m0s`},
		{"type: task\nagent: bash\ncommand: make\noutputs: [ok]\nretry_on_failure: false", `n bash "make" -> ok within 10m0s`},
		{"type: task\nagent: bash\ncommand: make\noutputs: [ok]\non_output:\n  ok:\n    append: {l: output}\n    set: {x: 3, t: output}", `n bash "make" -> ok within 10m0s on ok: x=3 t=said l+=said`},
		{"type: decision\ncondition: \"state.x >= 8\"\noutputs: [pass, fail]\non_output: {pass: {set: {t: output}}}", `n decision (state.x>=8) -> pass fail! on pass: t=said`},
		{"type: human\nprompt: Well?\noutputs: [yes, no, defer]", `n human "Well?" default "" -> yes no! defer within 24h0m0s`},
		{"type: human\nprompt: Well?\noutputs: [yes, no, defer]\ntimeout_minutes: 60\ndefault_output: no", `n human "Well?" default "no" -> yes no! defer within 1h0m0s`},
		{"type: checkpoint\noutputs: [done]", `n checkpoint -> done`},
	} {
		_, g := good(t, one(test.keys))
		if got := dump(g.Nodes[0]); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.keys, got, test.want)
		}
	}
}

func TestParallels(t *testing.T) {
	const branches = "  a: {type: task, agent: self, prompt: p, outputs: [done]}\n  b: {type: checkpoint, outputs: [done]}\n"
	_, g := good(t, nodes("  fan: {type: parallel, branches: [b, a], outputs: [all_done]}\n"+branches+
		"  early: {type: join, wait_for: [a], outputs: [x]}\n"+
		"  meet: {type: join, wait_for: [a, b], agent: gemini, prompt: Compare, outputs: [ready, unclear], on_output: {ready: {set: {best: output}}}}\n")+
		"edges:\n  - {from: START, to: fan}\n  - {from: fan, to: meet}\n  - {from: a, to: meet}\n  - {from: meet, to: END}\n  - {from: early, to: END}\nstate: {variables: {best: ''}}\n")
	var got []string
	for _, n := range g.Nodes {
		got = append(got, dump(n)+fmt.Sprintf(" %d edges", len(n.Out)))
	}
	want := []string{
		`fan parallel b,a until meet -> all_done 1 edges`,
		`a prompt self "p" -> done within 10m0s 0 edges`,
		`b checkpoint -> done 0 edges`,
		`early join a -> x 1 edges`,
		`meet join a,b gemini "Compare` + howToEnd + `[OUTPUT:ready] [OUTPUT:unclear]" -> ready unclear within 10m0s on ready: best=said 1 edges`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	p := g.Nodes[0].Action.(*ir.Parallel)
	if p.BranchesSpan.Text() != "branches" || p.BranchSpans[0].Text() != "b" || g.Broken {
		t.Errorf("places %q %q, broken %t", p.BranchesSpan.Text(), p.BranchSpans[0].Text(), g.Broken)
	}
	if j := g.Nodes[4].Action.(*ir.Join); j.WaitsSpan.Text() != "wait_for" || j.WaitSpans[1].Text() != "b" {
		t.Errorf("places %q %q", j.WaitsSpan.Text(), j.WaitSpans[1].Text())
	}
}

func TestTop(t *testing.T) {
	w, g := good(t, `workflow: some flow
description: What it does
version: 1.0
nodes:
  n: {type: task, agent: self, prompt: p, outputs: [done, skip]}
  m: {type: checkpoint, outputs: [done]}
edges:
  - {from: START, to: m, condition: "state.iteration > 2"}
  - {from: START, to: n}
  - {from: n, to: m, condition: "any(done, skip)"}
  - {from: n, to: END}
  - from: m
    to: END
limits: {max_iterations: 10, max_time_minutes: 60, max_cost_dollars: 5.00, max_parallel_branches: 5}
interrupts:
  - {before: n, prompt: "Cost (reference state.estimated_cost)?", required: true, condition: "state.estimated_cost > 1"}
  - {after: n, prompt: Go on?, required: no}
  - {before: n, prompt: Go on?, required: false}
  - {before: m, prompt: Go on?}
completion:
  - n.done
  - "state.iteration < 5"
`)
	if w.Name != "some flow" || w.Description != "What it does" || g.Version != "1.0" {
		t.Errorf("%q %q %q", w.Name, w.Description, g.Version)
	}
	l := g.Limits
	if l.Iterations != 10 || l.Time != time.Hour || l.CostUSD != 5 || l.Parallel != 5 || l.CostSpan.Text() != "5.00" {
		t.Errorf("limits %+v", l)
	}
	var got []string
	for _, e := range g.Start {
		got = append(got, "START "+ids(e.To)+" "+show(e.Guard))
	}
	for _, i := range g.Interrupts {
		skip := ""
		if i.Skip != nil {
			skip = " skip " + show(i.Skip.Guard)
		}
		got = append(got, fmt.Sprintf("%s after %t required %t when %s: %s%s", ids(i.Node), i.After, i.Required, show(i.When), dumpText(i.Message), skip))
	}
	for _, goal := range g.Goals {
		got = append(got, goal.Text+": "+show(goal.Cond))
	}
	want := []string{
		"START m (run.iteration>2)", "START n always",
		`n after false required true when (run.estimated_cost>1): "Cost {run.estimated_cost}?"`,
		`n after true required false when always: "Go on?"`,
		`n after false required false when always: "Go on?" skip always`,
		`m after false required true when always: "Go on?"`,
		"n.done: (n?=='done')", "state.iteration < 5: (run.iteration<5)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if g.EdgesSpan.Text() != "edges" || g.Nodes[0].Out[0].GuardSpan.Text() != `"any(done, skip)"` {
		t.Error("places of edges")
	}
}

// Each fault of a key is reported once, at its place.
func TestFaultsOfNodes(t *testing.T) {
	for _, test := range []struct {
		keys string
		want []string
	}{
		{"type: tsk\nagent: self\nprompt: p\noutputs: [done]", []string{"error unknown-value tsk"}},
		{"agent: self\nprompt: p\noutputs: [done]", []string{"error missing-key n"}},
		{"type: [task]\noutputs: [done]", []string{"error wrong-value [task]"}},
		{"type: task\nprompt: p\noutputs: [done]", []string{"error missing-key n"}},
		{"type: task\nagent: self\noutputs: [done]", []string{"error missing-key n"}},
		{"type: task\nagent: self\nprompt: ' '\noutputs: [done]", []string{"error empty-value ' '"}},
		{"type: task\nagent: self\nprompt:\noutputs: [done]", []string{"error wrong-value prompt"}},
		{"type: task\nagent: bash\noutputs: [done]", []string{"error missing-key n"}},
		{"type: task\nagent: bash\ncommand: make\nprompt: p\noutputs: [done]", []string{"warning no-effect prompt"}},
		{"type: task\nagent: bash\ncommand: make\ncontext_files: [a]\nmodel: m\noutputs: [done]", []string{"warning no-effect context_files", "warning no-effect model"}},
		{"type: task\nagent: self\nprompt: p\ncommand: make\ncwd: web\noutputs: [done]", []string{"warning no-effect command", "warning no-effect cwd"}},
		{"type: task\nagent: claude\nprompt: p\noutputs: [done]", []string{"error unknown-agent claude"}},
		{"type: task\nagent: self\nmodel: '@fast'\nprompt: p\noutputs: [done]", []string{"error unknown-model-alias '@fast'"}},
		{"type: task\nagent: self\nprompt: p", []string{"error missing-key n"}},
		{"type: task\nagent: self\nprompt: p\noutputs: []", []string{"error empty-value n"}},
		{"type: task\nagent: self\nprompt: p\noutputs: done", []string{"error wrong-value done"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done, done, 2x, 'a b', [c]]", []string{"error duplicate-name done", "error invalid-name 'a b'", "error invalid-name 2x", "error wrong-value [c]"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\ntimeout_minutes: 0", []string{"error out-of-range 0"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\ntimeout_minutes: 1.5", []string{"error out-of-range 1.5"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\ntimeout_minutes: soon", []string{"error wrong-value soon"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\nretry_on_failure: maybe", []string{"error wrong-value maybe"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\nmax_retries: 3", []string{"warning no-effect max_retries"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\nretry_on_failure: true\nmax_retries: -1", []string{"error out-of-range -1"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\ncontext_files: a.ts", []string{"error wrong-value a.ts"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\nbranches: [a]\npromt: q\nwhatever: 1", []string{"warning misplaced-key branches", "warning unknown-key promt", "warning unknown-key whatever"}},
		{"type: task\nagent: self\nprompt: p\noutputs: [done]\nx-notes: fine", nil},
		{"type: decision\noutputs: [a, b]", []string{"error missing-key n"}},
		{"type: decision\ncondition: \"state.x > 1\"\noutputs: [a]", []string{"error output-count [a]"}},
		{"type: decision\ncondition: \"state.x > 1\"\noutputs: [fail, pass]", []string{"warning swapped-outputs [fail, pass]"}},
		{"type: parallel\noutputs: [done]", []string{"error missing-key n"}},
		{"type: parallel\nbranches: []\noutputs: [done]", []string{"error empty-value []"}},
		{"type: parallel\nbranches: [m]\noutputs: [a, b]", []string{"error output-count [a, b]", "error unknown-node m"}},
		{"type: parallel\nbranches: [n]\noutputs: [a]", []string{"error bad-branch n"}},
		{"type: join\noutputs: [a]", []string{"error missing-key n"}},
		{"type: join\nwait_for: [m]\noutputs: [a, b]", []string{"error output-count [a, b]", "error unknown-node m"}},
		{"type: join\nwait_for: [n]\nagent: bash\nprompt: p\noutputs: [a]", []string{"error unknown-agent bash"}},
		{"type: join\nwait_for: [n]\nagent: self\noutputs: [a]", []string{"error missing-key n"}},
		{"type: join\nwait_for: [n]\nprompt: p\noutputs: [a]", []string{"warning no-effect prompt"}},
		{"type: human\noutputs: [a]", []string{"error missing-key n"}},
		{"type: human\nprompt: p\noutputs: [yes, no]\ndefault_output: later", []string{"error unknown-value later"}},
		{"type: checkpoint\noutputs: [a, b]", []string{"error output-count [a, b]"}},
		{"type: checkpoint\noutputs: [a]\non_output: {b: {set: {x: 1}}, a: {st: {x: 2}, set: {iteration: 1, 'x-y': 2}}}", []string{"error invalid-name 'x-y'", "error reserved-name iteration", "error unknown-output b", "warning unknown-key st"}},
		{"type: checkpoint\noutputs: [a]\non_output: [a]", []string{"error wrong-value [a]"}},
		{"type: checkpoint\noutputs: [a]\non_output: {a: {set: [x]}}", []string{"error wrong-value [x]"}},
		{"type: task\ntemplate: oracle\nprompt: p", []string{"error unknown-template oracle"}},
	} {
		_, list := compile(t, project(nil), one(test.keys))
		got := findings(list)
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s\n got %q\nwant %q", test.keys, got, test.want)
		}
	}
}

// Faults at the top of the file.
func TestFaultsOfFiles(t *testing.T) {
	const n = "nodes: {n: {type: checkpoint, outputs: [done]}}\n"
	const edges = "edges: [{from: START, to: n}, {from: n, to: END}]\n"
	for _, test := range []struct {
		yaml string
		want []string
	}{
		{n + edges, []string{"error missing-key nodes"}},
		{"workflow: w\n" + n, []string{"error missing-key workflow"}},
		{"workflow: w\n" + edges, []string{"error missing-key workflow"}},
		{"workflow: w\nnodes: {}\n" + edges, []string{"error empty-value {}"}},
		{"workflow: w\nnodes: [n]\n" + edges, []string{"error wrong-value [n]"}},
		{"workflow: w\nnodes: {n: 5}\n" + edges, []string{"error wrong-value 5"}},
		{"workflow: ''\n" + n + edges, []string{"error empty-value ''"}},
		{"workflow: w\nversion: 2\nmax_iterations: 4\nworkfow: x\n" + n + edges, []string{"error wrong-key workfow", "warning misplaced-key max_iterations", "warning unknown-version 2"}},
		{"workflow: w\nworkflow: v\n" + n + edges, []string{"error duplicate-key workflow"}},
		{"workflow: w\nnodes: {n: {type: checkpoint, outputs: [done]}, END: {type: checkpoint, outputs: [done]}, 1a: {type: checkpoint, outputs: [done]}}\n" + edges, []string{"error invalid-name 1a", "error reserved-name END"}},
		{"workflow: w\n" + n + "edges: {from: START, to: n}\n", []string{"error wrong-value {from: START, to: n}"}},
		{"workflow: w\n" + n + "edges: [n, {from: START}, {from: n, to: N}, {from: END, to: n}, {from: n, to: START}, {from: START, to: n, when: x}]\n", []string{
			"error misplaced-edge END", "error misplaced-edge START", "error missing-key {from: START}", "error unknown-node N", "error wrong-key when", "error wrong-value n"}},
		{"workflow: w\n" + n + "edges: [{from: START, to: n}, {from: n, to: END, condition: \"done\"}, {from: n, to: END, condition: \" 'done'\"}, {from: n, to: END}]\n", []string{"error duplicate-name {from: n, to: END, condition: \" 'done'\"}"}},
		{"workflow: w\n" + n + edges + "limits: {max_iterations: -1, max_time_minutes: 1.5, max_cost_dollars: many, max_parallel_branches: 0, max_iteration: 3}\n", []string{
			"error out-of-range -1", "error out-of-range 1.5", "error wrong-key max_iteration", "error wrong-value many"}},
		{"workflow: w\n" + n + edges + "interrupts: [{prompt: p}, {before: n}, {before: n, after: n, prompt: p}, {before: m, prompt: p}, {after: END, prompt: p, required: 2}]\n", []string{
			"error interrupt-shape {before: n, after: n, prompt: p}", "error interrupt-shape {before: n}", "error interrupt-shape {prompt: p}",
			"error unknown-node END", "error unknown-node m", "error wrong-value 2"}},
		{"workflow: w\n" + n + edges + "completion: [n.done, n.don, m.done, \"'n.done'\", n, [x], state.x]\n", []string{
			"error unknown-output don", "error unknown-output m", "error unknown-output n", "error unknown-state state.x", "error wrong-value [x]"}},
		{"workflow: w\n" + n + edges + "completion: n.done\n", []string{"error wrong-value n.done"}},
		{"workflow: w\n" + n + edges + "state: {variables: {iteration: 1, a-b: 2, ok: .inf, x: 1}, y: 3}\ncompletion: [\"state.ok == 1 || state.y > 2\"]\n", []string{
			"error invalid-name a-b", "error out-of-range .inf", "error reserved-name iteration", "error wrong-key y"}},
		{"workflow: w\n" + n + edges + "state: [x]\n", []string{"error wrong-value [x]"}},
		{"workflow: w\n" + n + edges + "---\na: b\n", []string{"error several-documents"}},
	} {
		_, list := compile(t, project(nil), test.yaml)
		got := findings(list)
		slices.Sort(got)
		for i := range got {
			if strings.HasPrefix(got[i], "error several-documents") {
				got[i] = "error several-documents"
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s\n got %q\nwant %q", test.yaml, got, test.want)
		}
	}
}

// A fault has no followers: edges to, from or through a broken node are marked, and
// not reported.
func TestBrokenParts(t *testing.T) {
	for _, test := range []struct {
		name, nodes, edges string
		broken             string // nodes, then whether edges are missing
	}{
		{"an unknown type", "  n: {type: tsk, outputs: [done]}\n", straight, "n false"},
		{"unknown outputs", "  n: {type: checkpoint}\n", "edges:\n  - {from: START, to: n}\n  - {from: n, to: END, condition: \"whatever\"}\n", "n false"},
		{"a missing prompt", "  n: {type: task, agent: self, outputs: [done]}\n", straight, " false"},
		{"a missing template", "  n: {template: x}\n", straight, "n false"},
		{"a missing template of a node with outputs", "  n: {template: x, outputs: [done]}\n", straight, "n false"},
		{"an edge to nowhere", "  n: {type: checkpoint, outputs: [done]}\n", "edges:\n  - {from: START, to: n}\n  - {from: n, to: m}\n", "n true"},
		{"a bad condition", "  n: {type: checkpoint, outputs: [done]}\n", "edges:\n  - {from: START, to: n}\n  - {from: n, to: END, condition: \"don\"}\n", " false"},
	} {
		p, list := compile(t, project(nil), nodes(test.nodes)+test.edges)
		if p == nil || !diag.HasErrors(list) || len(list) != 1 {
			t.Fatalf("%s: %q", test.name, findings(list))
		}
		g := p.Workflow.Body.(*ir.Graph)
		var broken []string
		for _, n := range g.Nodes {
			if n.Broken {
				broken = append(broken, n.ID)
			}
		}
		if got := fmt.Sprint(strings.Join(broken, ","), " ", g.Broken); got != test.broken {
			t.Errorf("%s: broken are %s, want %s", test.name, got, test.broken)
		}
	}
}
