package archon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/types"
)

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

// The environment of bash scripts.
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

// A default decides the type of its input. A number that no integer of 64 bits can hold is
// a float, so that a run can have it.
func TestTypesOfDefaults(t *testing.T) {
	for text, want := range map[string]types.Type{
		"x": types.Text, "5": types.Int, "1.50": types.Float, "true": types.Bool, "[1]": types.Any,
		"9223372036854775807": types.Int, "9223372036854775808": types.Float, "12345678901234567890": types.Float, "'5'": types.Text,
	} {
		p, list := lint(t, project(nil), "inputs: {x: {default: "+text+"}}\n"+nodes("  - {id: a, prompt: $INPUTS.x}\n"))
		if len(list) > 0 {
			t.Errorf("%s: findings %q", text, findings(list))
		}
		in := p.Workflow.Inputs[2]
		if in.Type != want || in.Default.(*expr.Literal).Typ != want {
			t.Errorf("the default %s makes a %s", text, in.Type)
		}
	}
}

// By the newer rules, a loop has no blank signal and no blank test.
func TestBlankEndsOfLoops(t *testing.T) {
	for keys, want := range map[string][2]string{
		`until: " "`:                      {"warning loop-signal", "error empty-value"},
		`until: " ", until_bash: "true"`:  {"warning loop-signal", "error empty-value"},
		`until: D, until_bash: " "`:       {"", "error empty-value"},
		`until: D, until_bash: make test`: {"", ""},
	} {
		for i, version := range []string{"", "0.9"} {
			env := project(nil)
			env.Settings.Archon.Version = version
			_, list := lint(t, env, nodes("  - {id: a, loop: {prompt: Say D., max_iterations: 2, "+keys+"}}\n"))
			got := ""
			for _, d := range list {
				got = d.Severity.String() + " " + d.Code.Slug
			}
			if got != want[i] || len(list) > 1 {
				t.Errorf("%s, version %q: %s, want %s", keys, version, got, want[i])
			}
		}
	}
}

// The environment variables of inputs are as little code as the inputs themselves, unless
// the author or the type decides their values.
func TestVariablesOfInputsAsCode(t *testing.T) {
	const declared = "inputs: {topic: {required: true}, text: {default: a}, list: {default: []}, n: {default: 3}, on: {default: false}}\n"
	block := func(with string) string {
		return "  - {id: o, bash: echo}\n  - {id: i, include: kid, depends_on: [o], with: {" + with + "}}\n"
	}
	for _, test := range []struct {
		name, nodes string
		// kid is the body of the node in an included file, or "".
		kid  string
		want string
	}{
		{"bash", `  - {id: a, bash: 'eval "$INPUTS_TOPIC"'}` + "\n", "", "value-as-code"},
		{"bash, with a default", `  - {id: a, bash: 'bash -c "$INPUTS_TEXT"'}` + "\n", "", "value-as-code"},
		{"bash, a list", `  - {id: a, bash: 'eval "$INPUTS_LIST"'}` + "\n", "", "value-as-code"},
		{"bash, a number", `  - {id: a, bash: 'eval "$INPUTS_N"'}` + "\n", "", ""},
		{"bash, a bool", `  - {id: a, bash: 'eval "$INPUTS_ON"'}` + "\n", "", ""},
		{"bash, quoted", `  - {id: a, bash: 'cat "$INPUTS_TOPIC"'}` + "\n", "", ""},
		{"bash, split", `  - {id: a, bash: 'cat $INPUTS_TOPIC'}` + "\n", "", "shell-unquoted-variable"},
		{"bash, a split number", `  - {id: a, bash: 'head -n $INPUTS_N x'}` + "\n", "", ""},
		{"until_bash", `  - {id: a, loop: {prompt: p, until_bash: 'eval "$INPUTS_TOPIC"', max_iterations: 2}}` + "\n", "", "value-as-code"},
		{"JavaScript", "  - {id: a, script: 'eval(process.env.INPUTS_TOPIC)', runtime: bun}\n", "", "value-as-code"},
		{"Python", "  - {id: a, script: 'import os; exec(os.environ[\"INPUTS_TOPIC\"])', runtime: uv}\n", "", "value-as-code"},
		{"a file", "  - {id: a, script: named, runtime: bun}\n", "", "value-as-code"},
		{"a value of with", "  - {id: o, bash: echo}\n  - {id: a, depends_on: [o], script: 'eval(process.env.INPUTS_MINE)', runtime: bun, with: {mine: $o.output}}\n", "", "value-as-code"},
		{"a constant of with", "  - {id: a, script: 'eval(process.env.INPUTS_TOPIC)', runtime: bun, with: {topic: 1+1}}\n", "", ""},
		{"a value of a block", block("x: $o.output"), `bash: 'eval "$INPUTS_X"'`, "value-as-code"},
		{"a constant of a block", block("x: make test"), `bash: 'eval "$INPUTS_X"'`, ""},
		{"a default of a block", block(""), `bash: 'eval "$INPUTS_X"'`, ""},
		{"an input of the run in a block", block(""), `bash: 'eval "$INPUTS_TOPIC"'`, "value-as-code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := testkit.Memory{".archon/scripts/named.js": "eval(process.env.INPUTS_TOPIC)"}
			if test.kid != "" {
				files[".archon/workflows/kid.yaml"] = "name: kid\ndescription: Kid\ninputs: {x: {default: make}}\nnodes:\n  - {id: k, " + test.kid + "}\n"
			}
			_, list := lint(t, project(files), declared+nodes(test.nodes))
			var got []string
			for _, f := range findings(list) {
				if strings.Contains(f, "shell-") || strings.Contains(f, "script-") || strings.Contains(f, "value-") {
					got = append(got, f)
				}
			}
			if all := strings.Join(got, "; "); (all != "") != (test.want != "") || !strings.Contains(all, test.want) {
				t.Errorf("findings %q, want one of %s", findings(list), test.want)
			}
		})
	}
}

// In files with the older rules, nothing sets such variables.
func TestVariablesOfInputsInOlderFiles(t *testing.T) {
	if _, list := lint(t, project(nil), nodes("  - {id: a, bash: 'eval \"$INPUTS_TOPIC\"'}\n")); len(list) != 0 {
		t.Errorf("findings %q", findings(list))
	}
}
