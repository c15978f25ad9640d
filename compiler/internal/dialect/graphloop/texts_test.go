package graphloop_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

func graphOf(p *ir.Program) *ir.Graph { return p.Workflow.Body.(*ir.Graph) }

// withText is a workflow with one node of a type whose text is a block scalar.
func withText(node, key, text string) string {
	return "state: {variables: {x: 0, s: '', l: []}}\n" + nodes("  n:\n    "+node+"\n    outputs: [done]\n    "+key+": |-\n      "+
		strings.ReplaceAll(text, "\n", "\n      ")+"\n") + straight
}

func TestTexts(t *testing.T) {
	const prompt, human = "type: task\n    agent: self", "type: human"
	for _, test := range []struct{ node, key, text, want string }{
		{prompt, "prompt", "Use (reference state.x)!", "Use {state.x}!"},
		{prompt, "prompt", "(reference state.x)(reference state.s)", "{state.x}{state.s}"},
		{prompt, "prompt", "( reference\n  state.x )", "{state.x}"},
		{prompt, "prompt", "(Reference state.l)", "{state.l}"},
		{prompt, "prompt", "((reference state.x))", "({state.x})"},
		{prompt, "prompt", "(reference state.iteration) (reference state.estimated_cost)", "{run.iteration} {run.estimated_cost}"},
		{prompt, "prompt", "reference state.x, (reference), (reference state.), (reference state.x", "reference state.x, (reference), (reference state.), (reference state.x"},
		{prompt, "prompt", "(referencestate.x) (reference state.x y)", "(referencestate.x) (reference state.x y)"},
		{prompt, "prompt", "Write `(reference state.NAME)` or `(user provides via state.NAME)`", "Write `(reference state.NAME)` or `(user provides via state.NAME)`"},
		{prompt, "prompt", "The value `(reference state.x)`", "The value `{state.x}`"},
		{prompt, "prompt", "```\n(reference state.oops)\n```", "```\n(reference state.oops)\n```"},
		{human, "prompt", "Is (reference state.s) right?", "Is {state.s} right?"},
	} {
		_, g := good(t, withText(test.node, test.key, test.text))
		got := ""
		switch a := g.Nodes[0].Action.(type) {
		case *ir.Prompt:
			got = dumpText(a.Text)
		case *ir.Human:
			got = dumpText(a.Message)
		}
		if want := quoted(test.want); got != want {
			t.Errorf("%s: %s, want %s", test.text, got, want)
		}
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"` }

// In commands values are variables of the script.
func TestCommands(t *testing.T) {
	for _, test := range []struct{ command, want string }{
		{"deploy.sh dev (reference state.s)", `"deploy.sh dev \"${state_s}\"" state_s=state.s`},
		{`echo "at (reference state.s)" '(reference state.l)'`, `"echo \"at ${state_s}\" ''\"${state_l}\"''" state_s=state.s state_l=state.l`},
		{"echo $(( (reference state.x) + 1 ))", `"echo $(( ${state_x} + 1 ))" state_x=state.x`},
		{"ls # (reference state.oops)", `"ls # (reference state.oops)"`},
		{"state_s=1; echo (reference state.s)", `"state_s=1; echo \"${state_s_2}\"" state_s_2=state.s`},
	} {
		p, list := compile(t, project(nil), withText("type: task\n    agent: bash", "command", test.command))
		if diag.HasErrors(list) {
			t.Errorf("%s: %q", test.command, findings(list))
			continue
		}
		if got := dump(graphOf(p).Nodes[0]); !strings.HasPrefix(got, "n bash "+test.want+" ->") {
			t.Errorf("%s\n got %s\nwant %s", test.command, got, test.want)
		}
	}
}

func TestFaultsOfTexts(t *testing.T) {
	const prompt, bash = "type: task\n    agent: self", "type: task\n    agent: bash"
	for _, test := range []struct {
		node, key, text string
		want            []string
	}{
		{prompt, "prompt", "(reference state.y) and (reference state.xx)", []string{"error unknown-state state.xx", "error unknown-state state.y"}},
		{prompt, "prompt", "(user provides via state.iteration)", []string{"error reserved-name state.iteration"}},
		{prompt, "prompt", "(reference l) (user provides via l) (reference manual) `(reference l)`", []string{"warning literal-reference l", "warning literal-reference l"}},
		{prompt, "prompt", "(user provides via state.l)", []string{"error assigned-type state.l"}},
		{bash, "command", "echo (reference state.y)", []string{"error unknown-state state.y"}},
		{bash, "command", "bash -c 'echo (reference state.s)'", []string{"error"}},
		{bash, "command", "eval (reference state.s)", []string{"error"}},
		{bash, "command", "if true; then", []string{"error"}},
	} {
		_, list := compile(t, project(nil), withText(test.node, test.key, test.text))
		got := findings(list)
		slices.Sort(got)
		if len(test.want) == 1 && test.want[0] == "error" {
			if len(list) != 1 || list[0].Code.ID < "WFC500" || list[0].Code.ID > "WFC529" {
				t.Errorf("%s: %q", test.text, got)
			}
		} else if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
}

const roleFile = `templates:
  reviewer:
    agent: codex
    model: large
    description: Looks for mistakes
    prompt_prefix: |
      You are strict about (reference state.x).
    outputs: [P0, clean]
    timeout_minutes: 20
  short: {agent: self, prompt_prefix: Be brief., outputs: [done]}
`

// A template provides the settings that the node lacks.
func TestTemplates(t *testing.T) {
	env := project(testkit.Memory{".graph-loop/templates/team-roles.yaml": roleFile})
	yaml := "state: {variables: {x: 0}}\n" + nodes(`  n: {template: reviewer, prompt: "Review (reference state.x)", outputs: [P0, P1]}
  m: {type: task, template: short, agent: gemini, prompt: Go}
`) + "edges: [{from: START, to: n}, {from: n, to: m}, {from: m, to: END}]\n"
	p, list := compile(t, env, yaml)
	if len(list) > 0 {
		t.Fatalf("%q", findings(list))
	}
	want := []string{
		`n prompt codex/large "You are strict about {state.x}.\nReview {state.x}` + howToEnd + `[OUTPUT:P0] [OUTPUT:P1]" -> P0 P1 within 20m0s`,
		`m prompt gemini "Be brief.\n\nGo" -> done within 10m0s`,
	}
	for i, n := range graphOf(p).Nodes {
		if got := dump(n); got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
	if len(p.Resources) != 1 || p.Resources[0].Name != ".graph-loop/templates/team-roles.yaml" {
		t.Error("the file of templates is not part of the program")
	}
	_, list = compile(t, env, strings.Replace(yaml, "template: short", "template: shirt", 1))
	if got := findings(list); !slices.Equal(got, []string{"error unknown-template shirt"}) || len(list[0].Fixes) != 1 {
		t.Errorf("%q", got)
	}
}

// A fault in a template is shown in its own file.
func TestFaultsOfTemplates(t *testing.T) {
	yaml := nodes("  n: {template: reviewer, prompt: Review it}\n") + straight
	for _, test := range []struct{ file, want string }{
		{"templates: {reviewer: {agent: codecs, outputs: [done]}}", "roles.yaml error unknown-agent codecs"},
		{"templates: {reviewer: {agent: codex, outputs: [done], timeout_minutes: 0}}", "roles.yaml error out-of-range 0"},
		{"templates: {reviewer: {agent: codex, outputs: [done], description: d, anything: 1}}", ""},
		{"templates: {reviewer: {agent: bash, command: make, prompt_prefix: p, outputs: [done]}}", "w.yaml warning no-effect prompt"},
		{"templates: {reviewer: {outputs: [done]}}", "w.yaml error missing-key n"},
		{"templates: {reviewer: [agent]}", "w.yaml error unknown-template reviewer"},
		{"templates: [", "roles.yaml error yaml-syntax; w.yaml error unknown-template reviewer"},
		{"", "w.yaml error unknown-template reviewer"},
	} {
		_, list := compile(t, project(testkit.Memory{".graph-loop/templates/roles.yaml": test.file}), yaml)
		var got []string
		for i, s := range findings(list) {
			got = append(got, strings.TrimSpace(filepath.Base(list[i].Span.File.Name)+" "+s))
		}
		if s := strings.Join(got, "; "); s != test.want && !(strings.HasPrefix(test.want, "roles.yaml error yaml-syntax") && len(got) == 2) {
			t.Errorf("%s: %s, want %s", test.file, s, test.want)
		}
	}
}

// Names that wfc.yaml defines are valid, too.
func TestConfiguredAgents(t *testing.T) {
	env := project(nil)
	env.Settings.Agents = append(env.Settings.Agents, configuredAgent("reviewer"))
	env.Settings.Models = append(env.Settings.Models, configuredModel("@deep", "reviewer", "big"), configuredModel("small", "", "tiny"))
	for _, test := range []struct{ agent, model, want, finding string }{
		{"reviewer", "", "reviewer", ""},
		{"reviewer", "'@deep'", "reviewer/big", ""},
		{"self", "'@deep'", "reviewer/big", "warning foreign-model self"},
		{"self", "small", "self/tiny", ""},
		{"self", "opus", "self/opus", ""},
		{"self", "'@depe'", "self/@depe", "error unknown-model-alias '@depe'"},
		{"reviwer", "", "", "error unknown-agent reviwer"},
	} {
		keys := "type: task\nagent: " + test.agent + "\nprompt: p\noutputs: [done]\n"
		if test.model != "" {
			keys += "model: " + test.model
		}
		p, list := compile(t, env, one(keys))
		if got := strings.Join(findings(list), "; "); got != test.finding {
			t.Errorf("%s %s: %s", test.agent, test.model, got)
		}
		if got := dump(graphOf(p).Nodes[0]); test.want != "" && !strings.HasPrefix(got, "n prompt "+test.want+" ") {
			t.Errorf("%s %s: %s", test.agent, test.model, got)
		}
	}
}
