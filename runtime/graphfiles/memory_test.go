package graphfiles_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
)

const memoryHead = "# Memory of full-feature-1\n\n## Initial Context\n\nBuild it.\n\n## Learnings\n\n## Decisions Made\n\n## Gotchas\n"

func said(iteration int, node, text string) graphstate.State {
	return graphstate.State{Iteration: iteration, Ended: []graphstate.Ended{{Node: node, Iteration: iteration, Label: "done", Text: text, Agent: true}}}
}

func TestMemory(t *testing.T) {
	d := newDesk(t)
	if got := d.saved(said(1, "review", "all good")); got != "" || d.read("memory.md") != memoryHead {
		t.Errorf("%q %q", got, d.read("memory.md"))
	}
	text := "I LEARNED a lot.\nnothing\n  - my notebook is full\nchose A\nwhy: because\na gotcha\nremember me"
	want := memoryHead + "\n## Iteration 2\n\nI LEARNED a lot.\n- my notebook is full\nchose A\nwhy: because\na gotcha\n"
	for range 2 { // an action may be performed twice
		if got := d.saved(said(2, "review", text)); got != strings.TrimSpace(want) || d.read("memory.md") != want {
			t.Errorf("%q\n%s", got, d.read("memory.md"))
		}
	}
	// Other agents have none; what people write counts.
	d.write("memory.md", want+"\nBy hand.\n")
	if got := d.saved(said(3, "a", "I learned that, too")); got != strings.TrimSpace(want)+"\n\nBy hand." {
		t.Errorf("%q", got)
	}
	d.run.Graph = &flow.GraphOptions{Memory: flow.MemoryAll}
	if got := d.saved(said(4, "a", "I learned that, too")); !strings.HasSuffix(got, "By hand.\n\n## Iteration 4\n\nI learned that, too") {
		t.Errorf("%q", got)
	}
	d.run.Graph = &flow.GraphOptions{Memory: flow.MemoryNone}
	if got := d.saved(said(5, "review", "I learned")); got != "" || strings.Contains(d.read("memory.md"), "Iteration 5") {
		t.Errorf("%q", got)
	}
}

// What goes into prompts has an end.
func TestMemoryIsCut(t *testing.T) {
	d := newDesk(t)
	d.write("memory.md", strings.Repeat("an old line\n", 20_000)+"the last line\n")
	got := d.saved(said(1, "review", ""))
	if len(got) > 64<<10 || !strings.HasPrefix(got, "an old line\n") || !strings.HasSuffix(got, "the last line") {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
}
