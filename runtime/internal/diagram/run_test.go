package diagram

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/pictures"
	"github.com/wfc-lang/wfc/runtime/flow"
)

var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// step is a step that took some milliseconds, or has not ended.
func step(key string, status flow.Status, ms int) flow.Record {
	r := flow.Record{Key: key, Status: status, Started: begun}
	switch status {
	case flow.Running, flow.Waiting:
	case flow.Skipped:
		r.Reason = "when_condition"
	default:
		r.Finished = begun.Add(time.Duration(ms) * time.Millisecond)
	}
	return r
}

// asked is a question to a person.
func asked(key string, status flow.Status) flow.Record {
	r := step(key, status, 1000)
	r.Kind = "question"
	return r
}

func pathOf(status flow.Status, steps ...flow.Record) *Run {
	return &Run{ID: "demo-1", Status: status, Steps: steps, Now: begun.Add(time.Minute), Cause: func(r flow.Record) string {
		if r.Failure != nil {
			return r.Failure.Message
		}
		return r.Reason
	}}
}

// read returns the states of the nodes and the edges that the run followed, from JSON.
func read(t *testing.T, w *Workflow) (states map[string]string, taken map[string]int) {
	t.Helper()
	var d document
	if err := json.Unmarshal([]byte(draw(t, "json", w)), &d); err != nil {
		t.Fatal(err)
	}
	states, taken = map[string]string{}, map[string]int{}
	for _, n := range d.Nodes {
		if s := n.State; s != nil {
			states[n.ID] = (&State{Status: flow.Status(s.Status), Cause: s.Cause, Count: s.Count, Took: time.Duration(s.DurationMS) * time.Millisecond}).briefDescription()
		}
	}
	for _, e := range d.Edges {
		if e.Taken > 0 {
			taken[e.From+" "+e.To] = e.Taken
		}
	}
	return states, taken
}

func same[V comparable](t *testing.T, got, want map[string]V) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// dependencies is a workflow with a loop over a group, a parallel in a loop, and a run of it.
func dependencies() *Workflow {
	failed := step("broken", flow.Failed, 5)
	failed.Failure = &flow.Failure{Message: "exit code 3"}
	return &Workflow{Name: "demo", Nodes: []flow.NodeInfo{
		{Key: "list", Kind: "bash"},
		{Key: "fix", Kind: "loop", After: []string{"list"}, Inside: []flow.NodeInfo{
			{Key: "write", Kind: "bash"}, {Key: "test", Kind: "bash", After: []string{"write"}}, {Key: "never", Kind: "bash", After: []string{"write"}, When: "$write.output == 'x'"},
		}},
		{Key: "each", Kind: "for", Loop: "one", After: []string{"list"}, Inside: []flow.NodeInfo{{Key: "each", Kind: "parallel", Inside: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash"}}}}},
		{Key: "poll", Kind: "repeat", Loop: "ok", After: []string{"list"}, Inside: []flow.NodeInfo{{Key: "poll", Kind: "bash"}}},
		{Key: "broken", Kind: "bash", After: []string{"list"}},
		{Key: "gate", Kind: "approval", After: []string{"fix"}},
		{Key: "after", Kind: "bash", After: []string{"broken"}},
		{Key: "clean", Kind: "bash", After: []string{"broken", "after"}, Rule: "all_done"},
		{Key: "later", Kind: "bash", After: []string{"gate"}},
	}, Run: pathOf(flow.Paused,
		step("list", flow.Completed, 1), step("fix", flow.Completed, 40), failed, step("after", flow.Skipped, 0), step("clean", flow.Completed, 2),
		step("each", flow.Running, 0), asked("gate#1", flow.Completed), asked("gate#2", flow.Waiting), asked("fix#1.test#1", flow.Completed),
		step("fix#1.write", flow.Completed, 5), step("fix#1.test", flow.Failed, 6), step("fix#1.never", flow.Skipped, 0),
		step("fix#2.write", flow.Completed, 7), step("fix#2.test", flow.Completed, 8), step("fix#2.never", flow.Skipped, 0), step("fix#2/until", flow.Completed, 1),
		step("each[0]/a", flow.Completed, 3), step("each[0]/b", flow.Completed, 4), step("each[1]/a", flow.Running, 0),
		step("poll#1", flow.Completed, 3), step("poll#2", flow.Completed, 4),
	)}
}

func TestPathOfDependencies(t *testing.T) {
	states, taken := read(t, dependencies())
	same(t, states, map[string]string{
		"list": "completed, 1ms", "fix": "completed 2×, 40ms", "fix.write": "completed 2×, 12ms", "fix.test": "completed 2×, 14ms",
		"fix.never": "skipped 2×: when_condition", "each": "running 2×, 1m0s", "each/a": "running 2×, 1m0s", "each/b": "completed, 4ms", "poll": "completed 2×, 7ms",
		"broken": "failed, 5ms: exit code 3", "gate": "waiting", "after": "skipped: when_condition", "clean": "completed, 2ms",
	})
	same(t, taken, map[string]int{
		"list fix": 1, "list each": 1, "list poll": 1, "list broken": 1, "fix.write fix.test": 1, "fix gate": 1, "broken clean": 1,
	})
}

// stateRun is a run of the feature graph that goes back once, and is at work.
func stateRun(status flow.Status, more ...flow.Record) *Workflow {
	nodes, g := feature()
	steps := []flow.Record{
		step("research", flow.Completed, 9), step("work", flow.Completed, 5),
		step("research@1/state", flow.Completed, 0), step("a@2", flow.Completed, 3), step("b@3", flow.Completed, 4), step("meet@4", flow.Completed, 5),
		step("save@5/state", flow.Completed, 0), step("work@6", flow.Completed, 6), step("work@6/state/at", flow.Completed, 0),
		step("good?@7/state", flow.Completed, 0), step("work@8", flow.Completed, 7), step("work@9", flow.Completed, 1), step("good?@10/state", flow.Completed, 0),
	}
	return &Workflow{Name: "demo", Nodes: nodes, Graph: g, Run: pathOf(status, append(steps, more...)...)}
}

func TestPathOfStates(t *testing.T) {
	states, taken := read(t, stateRun(flow.Paused, asked("approval@11#1", flow.Waiting)))
	same(t, states, map[string]string{
		"research": "completed, 9ms", "a": "completed, 3ms", "b": "completed, 4ms", "meet": "completed, 5ms", "save": "running", "work": "completed 3×, 14ms", "good?": "running 2×", "approval": "waiting",
	})
	same(t, taken, map[string]int{
		"START research": 1, "a meet": 1, "b meet": 1, "meet save": 1, "save work": 1, "work good?": 2, "good? work": 1, "work work": 1, "good? approval": 1,
	})
	_, taken = read(t, stateRun(flow.Completed, asked("approval@11#1", flow.Completed)))
	if taken["approval END"] != 1 {
		t.Errorf("the run did not reach END: %v", taken)
	}
}

// Every format shows the states of nodes and the edges that the run took.
func TestPathInEveryFormat(t *testing.T) {
	for format, want := range map[string][]string{
		"text":    {"run demo-1: paused", "failed, 5ms: exit code 3", "not reached", "write  bash", "completed 2×, 12ms"},
		"mermaid": {":::failed", ":::idle", "linkStyle ", "classDef skipped fill:", "failed, 5ms: exit code 3"},
		"dot":     {`fillcolor="#ffd3cf"`, `penwidth=3`, `failed, 5ms: exit code 3`},
		"svg":     {`data-node="broken" class="w-node w-s-failed"`, `data-node="later" class="w-node w-s-idle"`, `class="w-edge w-taken"`, `class="w-edge w-idle"`, "the run took it", ">not reached<", "demo, run demo-1: paused"},
		"html":    {`data-node="broken" class="w-node w-s-failed"`, "<h1>demo, run demo-1: paused</h1>"},
		"json":    {`"status": "failed"`, `"taken": 1`, `"id": "demo-1"`},
	} {
		got := draw(t, format, dependencies())
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("%s lacks %q:\n%s", format, s, got)
			}
		}
		if format == "svg" {
			for _, fault := range pictures.Faults(got) {
				t.Error(fault)
			}
		}
	}
	got := draw(t, "text", stateRun(flow.Paused))
	for _, want := range []string{"  → good? ✓2×", "  ↩ work ✓ ", "  → meet ✓ "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// Conditions and trigger rules are in every format: at the edges, also those inside groups,
// and at nodes to which no edge leads.
func TestConditionsInEveryFormat(t *testing.T) {
	w := &Workflow{Name: "w", Nodes: []flow.NodeInfo{
		{Key: "first", Kind: "bash", When: "$INPUT == 'first'"},
		{Key: "group", Kind: "loop", After: []string{"first"}, Inside: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash", After: []string{"a"}, When: "$a.output == 'inside'", Rule: "one_success"}}},
		{Key: "last", Kind: "bash", After: []string{"first", "group"}, Rule: "all_done", When: "$first.output == 'last'"},
	}}
	for _, format := range Formats() {
		got := draw(t, format, w)
		for _, want := range []string{"'first'", "'inside'", "one_success", "all_done", "'last'"} {
			if !strings.Contains(strings.NewReplacer("&#39;", "'", "#39;", "'").Replace(got), want) {
				t.Errorf("%s lacks %s:\n%s", format, want, got)
			}
		}
	}
	// A long condition is shortened in pictures; its title has all of it.
	long := strings.Repeat("$first.output == 'x' && ", 8) + "true"
	w.Nodes[2].When = long
	got := draw(t, "svg", w)
	if !strings.Contains(got, "<title>all_done "+escapeXML(long)+"</title>") || !strings.Contains(got, "…</text>") {
		t.Errorf("a long condition:\n%s", got)
	}
}

// The legend has the shapes and lines of the picture and no others.
func TestLegend(t *testing.T) {
	legend := func(w *Workflow) string {
		_, key, _ := strings.Cut(draw(t, "svg", w), `<g class="w-key">`)
		var words []string
		for _, part := range strings.Split(key, `<text class="w-legend"`)[1:] {
			_, part, _ = strings.Cut(part, ">")
			text, _, _ := strings.Cut(part, "<")
			words = append(words, text)
		}
		return strings.Join(words, "; ")
	}
	nodes, g := feature()
	for name, c := range map[string]struct {
		w    *Workflow
		want string
	}{
		"one":          {&Workflow{Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}}}, "bash"},
		"kinds":        {&Workflow{Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "script", Order: []string{"a"}}}}, "bash, script; only orders"},
		"no kinds":     {&Workflow{Nodes: []flow.NodeInfo{{Key: "a"}, {Key: "b", After: []string{"a"}}}}, ""},
		"dependencies": {&Workflow{Nodes: triage()}, "prompt; bash; cancel; runs after; only orders; trigger rule, condition"},
		"states":       {&Workflow{Nodes: nodes, Graph: g}, "prompt; bash; decision; human; join; checkpoint; nodes of a loop, a parallel or an include; leads to; leads back; condition"},
		"bundle":       {&Workflow{Nodes: fan(9)}, "prompt; bash, script; nodes that have the same edges; runs after; trigger rule"},
	} {
		if got := legend(c.w); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
