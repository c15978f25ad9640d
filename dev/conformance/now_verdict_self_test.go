package conformance

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFixtureDifferences changes one thing of a report at a time: each is a difference.
func TestFixtureDifferences(t *testing.T) {
	read := func(text string, v any) {
		if err := strict([]byte(text), v); err != nil {
			t.Fatal(err)
		}
	}
	c := &nowCase{Group: "dry_run", Name: "self", Op: "dryrun"}
	c.in.YAML = "name: w\ndescription: d\nnodes:\n  - {id: a, prompt: p, model: big}\n  - {id: l, loop: {prompt: q, until: END, max_iterations: 3}, depends_on: [a]}\n  - {id: z, bash: z, depends_on: [l]}\n"
	read(`{"outcome": "failed", "missing": ["z"], "unused": ["x"], "trace": [
		{"node": "a", "type": "prompt", "state": "stubbed", "text": "p", "output": "r", "provider": "claude", "model": "big", "effort": "low"},
		{"node": "l", "type": "loop", "state": "stubbed", "text": "q", "output": "END", "iterations": 1},
		{"node": "z", "type": "bash", "state": "failed", "fault": "missing-stub", "text": "z"}]}`, &c.dry)
	const report = `{"faults": [], "tests": [{"passed": true, "status": "failed", "stubs": {"missing": ["z"], "unused": ["x"]}, "steps": [
		{"step": "a", "node": "a", "kind": "prompt", "status": "completed", "output": "r", "texts": ["p"], "agent": "claude", "model": "big", "options": {"effort": "low"}},
		{"step": "l", "node": "l", "kind": "loop", "status": "completed", "output": "END"},
		{"step": "l#1", "node": "l", "kind": "prompt", "status": "completed", "output": "END", "texts": ["q"], "agent": "claude"},
		{"step": "z", "node": "z", "kind": "bash", "status": "failed", "reason": "missing_stub", "texts": ["z"]}]}]}`
	judge := func(report string) []difference {
		f := &fixture{c: c, program: compileNow(&c.in, false).Workflow}
		if err := json.Unmarshal([]byte(report), &f.report); err != nil {
			t.Fatal(err)
		}
		return f.judge()
	}
	if diffs := judge(report); len(diffs) > 0 {
		t.Errorf("an equal report differs: %v", diffs)
	}
	for _, change := range []struct{ old, new, what string }{
		{`"status": "failed", "stubs"`, `"status": "completed", "stubs"`, "outcome"},
		{`"missing": ["z"]`, `"missing": []`, "missing"},
		{`"unused": ["x"]`, `"unused": ["x", "y"]`, "unused"},
		{`"output": "r"`, `"output": "s"`, "node a"},
		{`"texts": ["p"]`, `"texts": ["pp"]`, "text of a"},
		{`"model": "big"`, `"model": "small"`, "settings of a"},
		{`{"effort": "low"}`, `{}`, "settings of a"},
		{`"agent": "claude", "model"`, `"agent": "codex", "model"`, "settings of a"},
		{`"step": "l#1"`, `"step": "l#2"`, "iterations of l"},
		{`"texts": ["q"]`, `"texts": [""]`, "text of l"},
		{`"reason": "missing_stub"`, `"reason": "exit"`, "fault of z"},
		{`"step": "z", "node": "z", "kind": "bash", "status": "failed"`, `"step": "z", "node": "z", "kind": "bash", "status": "completed"`, "node z"},
		{`"passed": true`, `"passed": false, "failures": [{"message": "missing stubs"}]`, "verdict"},
		{`"passed": true`, "\"passed\": false, \"failures\": [{\"message\": \"resolved text of node `z`\"}]", "text of z"},
		{`"faults": []`, `"faults": [{"message": "m"}]`, "fixture"},
	} {
		changed := strings.Replace(report, change.old, change.new, 1)
		diffs := judge(changed)
		if changed == report || len(diffs) != 1 || diffs[0].what != change.what {
			t.Errorf("%s instead of %s: %v, want a difference of %s", change.new, change.old, diffs, change.what)
		}
	}
}
