//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// contract is a workflow with inputs, a result, and a verdict of its author.
const contract = `name: contract
description: Says whether what it looks at is green.
inputs:
  topic: {required: true}
  style: {default: strict}
  rounds: {default: 3}
  deep: {default: false}
returns: verify
outcome_field: green
evidence_policy: {required: true}
deprecated: {message: Use the workflow check instead}
nodes:
  - id: diff
    bash: echo "$INPUTS.topic/$INPUTS_STYLE/$INPUTS_ROUNDS"
  - id: plan
    when: $INPUTS.deep == true && $INPUTS.rounds > 1
    depends_on: [diff]
    bash: echo planned
  - id: review
    command: review
    depends_on: [diff, plan]
    trigger_rule: all_done
    with:
      diff: $diff.output
      style: very $INPUTS.style
      plan: {from: $plan.output, if_skipped: no plan}
  - id: slow
    bash: test ! -e slow || sleep 30
    timeout: 300
    on_timeout: skip
  - id: verify
    depends_on: [review, slow]
    trigger_rule: all_done
    bash: echo x >>tries; printf %s "$ARTIFACTS_DIR" >artifacts; if test -e proof; then cp proof "$ARTIFACTS_DIR/evidence.json"; fi; cat verdict
    output_format: {type: object, properties: {green: {type: boolean}}, required: [green]}
`

var contractFiles = testkit.Memory{"/project/.archon/commands/review.md": "$INPUTS.style: $INPUTS.diff, $INPUTS.plan"}

// scriptOfContract is a workflow whose script has bindings, and prints one document.
const scriptOfContract = `name: scripted
description: Runs a script with bindings.
nodes:
  - {id: a, bash: printf 'a"b'}
  - id: b
    script: print(INPUTS_TEXT)
    runtime: bun
    depends_on: [a]
    with: {text: $a.output, max: 5}
    output_format: {type: object, properties: {n: {type: integer}}, required: [n]}
  - {id: c, bash: 'echo "[$b.output.n]"', depends_on: [b]}
`

// printingBun prints its bindings and a document.
const printingBun = "#!/bin/bash\necho \"$INPUTS_TEXT $INPUTS_MAX\" >bound\necho '{\"n\":\n 4}'\n"

// A verdict is how a run ended in the author's eyes, and what its result is.
type verdict struct {
	Status  string `json:"status"`
	Outcome string `json:"outcome"`
	Summary string `json:"summary"`
}

// verdict returns that of the last document.
func (p *site) verdict() (v verdict) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.stdout), &v); err != nil {
		p.t.Fatal(err)
	}
	return v
}

// TestContracts runs what the newer versions of the dialect archon have to offer to a
// caller.
func TestContracts(t *testing.T) {
	s := newSuite(t)
	s.add(t, contract, contractFiles)
	s.add(t, scriptOfContract, nil)
	s.build(t)
	fresh := func(t *testing.T, verdict string) *site {
		p := s.site(t, contract, map[string]any{"review": []any{"good"}})
		p.file("verdict", verdict)
		p.file("proof", "{}")
		return p
	}
	t.Run("achieved", func(t *testing.T) {
		p := fresh(t, `{"green": true}`)
		r := p.run(0, "--input", `topic=a"$(touch pwned)`, "--rounds", "4")
		p.want(r, "diff", `a"$(touch pwned)/strict/4`)
		p.want(r, "verify", `{"green":true}`)
		if v := p.verdict(); v != (verdict{"completed", "succeeded", `{"green":true}`}) {
			t.Errorf("the run ended as %+v", v)
		}
		if !strings.Contains(p.stderr, "Use the workflow check instead") {
			t.Errorf("wfc does not say what to use instead: %s", p.stderr)
		}
		if p.content("pwned") != "" {
			t.Error("the input was run")
		}
	})
	t.Run("not achieved", func(t *testing.T) {
		p := fresh(t, `{"green": false}`)
		r := p.run(6, "--input", "topic=t", "--input", "deep=true")
		p.want(r, "plan", "planned")
		if v := p.verdict(); v != (verdict{"completed", "failed", `{"green":false}`}) {
			t.Errorf("the run ended as %+v", v)
		}
		p.call(0, "status", r.RunID, "--json")
		if v := p.verdict(); v.Outcome != "failed" {
			t.Errorf("its status is %s", p.stdout)
		}
	})
	t.Run("evidence comes later", func(t *testing.T) {
		p := s.site(t, contract, map[string]any{"review": []any{"good"}})
		p.file("verdict", `{"green": true}`)
		r := p.run(1, "--input", "topic=t")
		if v := p.verdict(); v.Status != "failed" || !strings.Contains(p.stdout, "evidence.json") {
			t.Errorf("the run ended as %s", p.stdout)
		}
		again := append([]string{"resume", r.RunID}, p.agents...)
		p.json(1, again...)
		if err := os.WriteFile(filepath.Join(p.content("artifacts"), "evidence.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.json(0, again...)
		if v := p.verdict(); v.Status != "completed" || v.Outcome != "succeeded" {
			t.Errorf("the resumed run ended as %+v", v)
		}
		if tries := p.content("tries"); tries != "x\n" {
			t.Errorf("verify ran %d times", len(tries)/2)
		}
	})
	t.Run("a verdict with words", func(t *testing.T) {
		p := fresh(t, "Yes:\n```json\n{\"green\": true}\n```\n")
		p.fails(p.run(1, "--input", "topic=t"), "verify", "exactly one JSON document")
		if tries := p.content("tries"); tries != "x\n" {
			t.Errorf("verify ran %d times", len(tries)/2)
		}
	})
	t.Run("too slow", func(t *testing.T) {
		p := fresh(t, `{"green": true}`)
		p.file("slow", "")
		r := p.run(0, "--input", "topic=t")
		if status, _, failure := r.node("slow"); status != "skipped" || failure != "" {
			t.Errorf("slow is %s: %s", status, failure)
		}
	})
	t.Run("wrong inputs", func(t *testing.T) {
		for _, c := range []struct{ args, want string }{
			{"", "topic"},
			{"--input topic=t --input colour=red", "colour"},
			{"--input topic=t --input rounds=many", "rounds"},
			{"--input topic=t --input deep=2", "deep"},
		} {
			p := fresh(t, `{"green": true}`)
			p.call(2, append(append([]string{"run"}, p.agents...), strings.Fields(c.args)...)...)
			if !strings.Contains(p.stderr, c.want) || p.content("tries") != "" {
				t.Errorf("%s: %s", c.args, p.stderr)
			}
		}
	})
	t.Run("a script", func(t *testing.T) {
		p := s.site(t, scriptOfContract, nil)
		p.bun(printingBun)
		r := p.run(0)
		p.want(r, "b", `{"n":4}`)
		p.want(r, "c", "[4]")
		if got := p.content("bound"); got != "a\"b 5\n" {
			t.Errorf("the script was bound to %q", got)
		}
	})
}
