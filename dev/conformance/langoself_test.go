package conformance

import "testing"

// The classes of lango take nothing but what their rules explain.
func TestLangoClasses(t *testing.T) {
	const three = "name: w\nsteps:\n  - {id: a, prompt: x}\n  - {id: b, prompt: x}\n  - {id: c, prompt: \"{{ a.result }}\", depends_on: [a]}\n"
	recordedAs := func(run, a, b, c string) string {
		return jsonText(map[string]any{"db": map[string]any{
			"run": map[string]any{"status": run, "workflow_name": "w"},
			"steps": []any{
				map[string]any{"step_id": "a", "status": a}, map[string]any{"step_id": "b", "status": b}, map[string]any{"step_id": "c", "status": c},
			},
		}, "resume": map[string]any{"status": run, "step_results": map[string]string{"a": "1"}}})
	}
	failing := recordedAs("failed", "completed", "failed", "pending")
	skipped := difference{what: "step c", want: "pending", got: "skipped"}
	for _, tt := range []struct {
		class, op, expect string
		diffs             []difference
		want              bool
		// after is how long a takes; b takes 20 ms.
		after int
	}{
		{"later steps are skipped", "session", failing, []difference{skipped}, true, 0},
		{"later steps are skipped", "session", recordedAs("completed", "completed", "completed", "pending"), []difference{skipped}, false, 0},
		{"later steps are skipped", "session", failing, []difference{{what: "step c", want: "completed", got: "skipped"}}, false, 0},
		{"later steps are skipped", "session", failing, []difference{skipped, {what: "result of a", want: "1", got: "2"}}, false, 0},
		{"one row a step", "session", failing, []difference{skipped, {what: "rows of a", want: "2", got: "1"}}, true, 0},
		{"one row a step", "session", failing, []difference{{what: "rows of a", want: "1", got: "2"}}, false, 0},
		{"one row a step", "session", failing, []difference{skipped}, false, 0},
		{"cancelled steps", "session", recordedAs("cancelled", "completed", "running", "pending"), []difference{{what: "step b", want: "running", got: "cancelled"}}, true, 0},
		{"cancelled steps", "session", failing, []difference{{what: "step b", want: "failed", got: "cancelled"}}, false, 0},
		{"no barrier between layers", "session", failing, []difference{{what: "step c", want: "pending", got: "completed"}, {what: "prompt of c", want: "none", got: `"1"`}}, true, 0},
		{"no barrier between layers", "session", failing, []difference{{what: "step c", want: "pending", got: "completed"}}, false, 30},
		{"no barrier between layers", "session", recordedAs("failed", "failed", "completed", "pending"), []difference{{what: "step c", want: "pending", got: "completed"}}, false, 0},
		{"no barrier between layers", "session", failing, []difference{{what: "prompt of c", want: `"1"`, got: "none"}}, false, 0},
		{"no barrier between layers", "session", failing, []difference{{what: "sent", want: `[]`, got: `[["slack","[w/c] r"]]`}}, true, 0},
		{"no barrier between layers", "session", failing, []difference{{what: "sent", want: `[]`, got: `[["slack","[w/b] r"]]`}}, false, 0},
		{"no barrier between layers", "session", failing, []difference{{what: "sent", want: `[["slack","[w/a] r"]]`, got: `[]`}}, false, 0},
		{"actions of Go templates", "session", failing, []difference{{what: "prompt of c", want: `"{{ a.result }}"`, got: `"1"`}}, true, 0},
		{"actions of Go templates", "session", failing, []difference{{what: "prompt of b", want: `"x"`, got: `"1"`}}, false, 0},
		{"references that are checked", "session", failing, []difference{{what: "run", want: "failed", got: "refused: unknown-node"}}, true, 0},
		{"references that are checked", "session", failing, []difference{{what: "run", want: "failed", got: "refused: unknown-node, wrong-value"}}, false, 0},
		{"references that are checked", "session", failing, []difference{{what: "run", want: "failed", got: "refused: template-syntax"}}, false, 0},
		{"agents by configuration", "definition", "{}", []difference{{what: "file", want: `step "a" has unknown agent "x"`, got: "accepted"}}, true, 0},
		{"agents by configuration", "definition", "{}", []difference{{what: "file", want: `step "a" depends on unknown step "x"`, got: "accepted"}}, false, 0},
		{"targets once", "definition", "{}", []difference{{what: "targets", want: `[["a","b","a"]]`, got: `[["a","b"]]`}}, true, 0},
		{"targets once", "definition", "{}", []difference{{what: "targets", want: `[["a","b"]]`, got: `[["a"]]`}}, false, 0},
		{"runs that go on", "session", failing, []difference{{what: "resumed run", want: "failed", got: "completed"}, {what: "resumed results", want: `{"a":"1"}`, got: `{"a":"1","b":"2"}`}}, true, 0},
		{"runs that go on", "session", failing, []difference{{what: "resumed results", want: `{"a":"1"}`, got: `{"a":"2"}`}}, false, 0},
		{"runs that go on", "session", recordedAs("completed", "completed", "completed", "completed"), []difference{{what: "resumed run", want: "completed", got: "failed"}}, false, 0},
	} {
		c := &recorded{Group: "g", Name: "n", Op: tt.op, Input: []byte(jsonText(map[string]any{"yaml": three, "agent": map[string]any{"a": map[string]any{"delay_ms": tt.after}, "b": map[string]any{"delay_ms": 20}}})), Expect: []byte(tt.expect), dialect: "lango"}
		if got := classes[tt.class](c, tt.diffs); got != tt.want {
			t.Errorf("class %s takes %v of %s: %v", tt.class, tt.diffs, tt.expect, got)
		}
		if c.dialect = "archon"; classes[tt.class](c, tt.diffs) {
			t.Errorf("class %s takes cases of archon", tt.class)
		}
	}
}
