package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// What the saving of a state returns goes into the prompts behind it, also when
// the run was killed in between and what would be returned now is another text.
func TestGraphMemory(t *testing.T) {
	gives := map[string]string{"test@2": "exit 1", "test": "fine", "review@5": "P1: mend it", "review@8": "LGTM"}
	asked := func(rule flow.MemoryRule) map[string]string {
		w := newWorld(reviewed(), gives)
		w.Graph = &flow.GraphOptions{Memory: rule}
		perform := w.Perform
		w.Perform = func(a sim.Attempt) sim.Performance {
			p := perform(a)
			if s, ok := a.Payload.(graphstate.State); ok {
				p.Result.Text = fmt.Sprintf("after %d", s.Iteration)
			}
			return p
		}
		o, _ := w.run(t) // with a crash at every point
		if o.End.Status != flow.Completed {
			t.Fatalf("%+v", o.End)
		}
		return w.asked
	}
	for rule, shown := range map[flow.MemoryRule]bool{flow.MemoryAll: true, flow.MemoryNone: false} {
		texts := asked(rule)
		if len(texts) < 3 {
			t.Fatalf("%q", texts)
		}
		for key, text := range texts {
			_, visit, _ := strings.Cut(key, "@")
			n := 0
			fmt.Sscan(visit, &n)
			want := shown && n > 1
			if got := strings.HasSuffix(text, fmt.Sprintf("\n\n## Memory from previous iterations\n\nafter %d", n-1)); got != want {
				t.Errorf("%s, %q: %q", key, rule, text)
			}
		}
	}
	for _, tt := range []struct {
		o     *flow.GraphOptions
		agent string
		want  bool
	}{
		{nil, "self", true}, {nil, "codex", false}, {&flow.GraphOptions{}, "self", true}, {&flow.GraphOptions{Memory: flow.MemoryAll}, "codex", true},
		{&flow.GraphOptions{Memory: flow.MemoryNone}, "self", false},
	} {
		if got := tt.o.Remembers(tt.agent); got != tt.want {
			t.Errorf("%+v of %s: %v", tt.o, tt.agent, got)
		}
	}
}

// A state may stand at the start or at the end, and bring a memory.
func TestGraphGoesOnFromItsStartAndEnd(t *testing.T) {
	from := func(text string) (*gworld, graphOutputs, flow.RunState) {
		w := newWorld(reviewed(), map[string]string{"test": "fine", "review": "LGTM"})
		w.Graph = &flow.GraphOptions{From: json.RawMessage(text), Memory: flow.MemoryAll}
		o, out := w.run(t)
		return w, out, o.End
	}
	w, out, end := from(`{"next":"START","variables":{"count":5},"memory":"an old tale"}`)
	if end.Status != flow.Completed || len(out.Executed) == 0 || out.Memory.Count < 5 {
		t.Errorf("%+v %+v", end, out)
	}
	first := out.Executed[0] + "@1"
	if !strings.HasSuffix(w.asked[first], "\n\nan old tale") {
		t.Errorf("%q", w.asked)
	}
	w, out, end = from(`{"next":"","iteration":7,"executed":["test"],"outputs":{"review":"clean"}}`)
	if end.Status != flow.Completed || strings.Join(out.Executed, " ") != "test" || w.lastSaved().Iteration != 7 || w.lastSaved().Status != kernel.StateCompleted {
		t.Errorf("%+v %+v", end, out)
	}
}
