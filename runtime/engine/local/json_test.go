package local_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// names returns the names of a JSON value at all depths.
func names(v any) (list []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			list = append(append(list, name), names(inner)...)
		}
	case []any:
		for _, inner := range v {
			list = append(list, names(inner)...)
		}
	}
	return list
}

// The JSON of the values that services show has one style, and the names of the documents
// that --json prints.
func TestJSONHasOneStyle(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	def := gated(0, "gate", "other")
	e := w.engine(t, nil)
	result := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options()))
	if err := e.Answer(ctx, result.ID, approve("gate#1", "fine")); err != nil {
		t.Fatal(err)
	}
	status, err := e.Status(ctx, result.ID)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := e.ListRuns(ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	style := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for name, v := range map[string]any{"status": status, "list": listed, "result": result, "question": status.Questions[0], "answer": status.Answers[0]} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(text, &decoded); err != nil {
			t.Fatal(err)
		}
		for _, n := range names(decoded) {
			if !style.MatchString(n) {
				t.Errorf("%s has the name %q", name, n)
			}
		}
		if name == "status" {
			got := slices.Sorted(maps.Keys(decoded.(map[string]any)))
			want := []string{"answers", "artifacts_dir", "created", "docs_dir", "fingerprint", "holder", "inputs", "log_file", "nodes", "questions", "run_id", "started", "status", "updated", "work_dir", "workflow"}
			if !slices.Equal(got, want) {
				t.Errorf("the status has the names %q, want %q", got, want)
			}
			question := decoded.(map[string]any)["questions"].([]any)[0].(map[string]any)
			if question["id"] != "other#1" || question["node"] != "other" || question["message"] != "pass other?" {
				t.Errorf("question %v", question)
			}
		}
	}
}
