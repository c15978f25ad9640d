package archon_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
)

// The newer rules insert values into the prompts of helper agents, and nowhere else in
// them.
func TestReferencesInHelpers(t *testing.T) {
	for _, test := range []struct {
		version, helpers string
		want             []string // the strings that only the run knows, or the findings
	}{
		{"0.9", "{h: {description: d, prompt: Read $a.output.}}", []string{`"Read $a.output."`}},
		{"0.9", "{h: {prompt: Read., description: d}}", nil},
		{"0.9", "{h: {prompt: $ARGUMENTS, description: prompt}, prompt: {description: h, prompt: $a.output}}", []string{`"$ARGUMENTS"`, `"$a.output"`}},
		{"0.9", "{h: {description: d, prompt: $none.output}}", []string{"error unknown-node-reference $none.output", `"$none.output"`}},
		{"0.9", "{h: {description: $a.output, prompt: x}}", []string{"error unsupported-key $a.output"}},
		{"0.9", "{h: {description: d, prompt: x, tools: [$INPUTS.x]}}", []string{"error unsupported-key $INPUTS.x"}},
		{"", "{h: {description: d, prompt: Read $a.output.}}", nil},
	} {
		t.Run(test.version+test.helpers, func(t *testing.T) {
			env := project(nil)
			env.Settings.ArchonVersion = test.version
			p, list := lint(t, env, nodes("  - {id: a, bash: x}\n  - {id: b, prompt: x, depends_on: [a], agents: "+test.helpers+"}\n"))
			got := findings(list)
			if prompt, ok := p.Workflow.Body.All()[1].Action.(*ir.Prompt); ok {
				for _, o := range prompt.Agent.Options {
					for _, inner := range o.Inner {
						got = append(got, o.JSON[inner.Start:inner.End])
					}
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
