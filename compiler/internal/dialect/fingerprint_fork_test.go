package dialect_test

import (
	"strings"
	"testing"
)

const forks = `name: w
description: d
nodes:
  - id: plan
    prompt: Plan.
  - id: draft
    prompt: Draft.
    depends_on: [plan]
    output_format: {type: object, properties: {ref: {const: archon_artifact}, any: {}}, required: [any]}
  - id: review
    depends_on: [draft]
    context: {resume: plan}
    prompt: Review.
    agents: {critic: {description: d, prompt: Judge $plan.output.}}
  - id: test
    depends_on: [draft]
    when: $draft.output.any == 'x'
    bash: make
  - id: publish
    depends_on: [review, test]
    trigger_rule: none_failed_min_one_success
    bash: make
`

// Sessions by name, prompts of helpers, references to artifacts and the newer rules count in
// the fingerprint.
func TestFingerprintSeesForks(t *testing.T) {
	first := program(t, "w.yaml", forks, nil).Fingerprint()
	seen := map[string]string{first: "nothing"}
	for _, edit := range [][2]string{
		{"{resume: plan}", "{resume: draft}"},
		{"{resume: plan}", "fresh"},
		{"Judge $plan.output.", "Judge $draft.output."},
		{"Judge $plan.output.", "Judge plan.output."},
		{"archon_artifact", "another"},
		{"any == 'x'", "any == 'y'"},
	} {
		got := program(t, "w.yaml", strings.Replace(forks, edit[0], edit[1], 1), nil).Fingerprint()
		if other, known := seen[got]; known {
			t.Errorf("%s -> %s has the fingerprint of %s", edit[0], edit[1], other)
		}
		seen[got] = edit[0]
	}
	for name, change := range map[string]func() string{
		"rule": func() string {
			p := program(t, "w.yaml", forks, nil)
			p.Workflow.Body.All()[4].SkipCountsAsFailure = false
			return p.Fingerprint()
		},
		"artifacts": func() string {
			p := program(t, "w.yaml", forks, nil)
			p.Workflow.Body.All()[1].CheckArtifactRefs = false
			return p.Fingerprint()
		},
	} {
		if got := change(); seen[got] != "" {
			t.Errorf("%s has the fingerprint of %s", name, seen[got])
		}
	}
}
