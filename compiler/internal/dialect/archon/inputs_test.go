package archon_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

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
		`until: " "`:                      {"warning blank-signal", "error empty-value"},
		`until: " ", until_bash: "true"`:  {"warning blank-signal", "error empty-value"},
		`until: D, until_bash: " "`:       {"", "error empty-value"},
		`until: D, until_bash: make test`: {"", ""},
	} {
		for i, version := range []string{"", "0.9"} {
			env := project(nil)
			env.Settings.ArchonVersion = version
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
