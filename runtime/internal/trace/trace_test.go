package trace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

var begin = time.Date(2026, 5, 31, 9, 0, 0, 0, time.UTC)

func second(n float64) time.Time { return begin.Add(time.Duration(n * float64(time.Second))) }

// release is a run in a store: a step fails once, an agent answers, a person approves after an
// hour, and a child run publishes.
func release(t *testing.T) store.Store {
	t.Helper()
	s := memory.New()
	run := store.Run{RunInfo: flow.RunInfo{ID: "ship-000001", Workflow: "ship"}, Status: flow.Running, Created: begin, Started: begin}
	child := store.Run{
		RunInfo: flow.RunInfo{ID: "ship-000001--publish", Workflow: "publish"}, Status: flow.Completed, Created: second(3700), Started: second(3700), Finished: second(3709),
		Settings: json.RawMessage(`{"parent": {"run": "ship-000001", "step": "publish"}}`),
	}
	question := &flow.Question{Key: "gate#1", Message: "Ship?"}
	steps := []flow.Record{
		{Key: "build", Kind: "bash", Status: flow.Completed, Attempt: 2, Started: second(0), Finished: second(10), Meta: flow.Meta{Attempts: 2}},
		{Key: "ask", Kind: "prompt", Status: flow.Completed, Attempt: 1, Started: second(10), Finished: second(40), Text: "fine", Prompt: "How is it?",
			Meta: flow.Meta{CostUSD: 3, InputTokens: 900, OutputTokens: 90, Turns: 3, Model: "m1", Replayed: flow.Usage{CostUSD: 1, InputTokens: 300, OutputTokens: 30, Turns: 1}}},
		{Key: "gate", Kind: "approval", Status: flow.Completed, Started: second(40), Finished: second(3690)},
		{Key: "publish", Kind: "workflow", Status: flow.Completed, Attempt: 1, Started: second(3690), Finished: second(3710), Meta: flow.Meta{CostUSD: 0.5}},
		{Key: "later", Kind: "bash", Status: flow.Pending},
		{Key: "gate#1", Kind: "question", Status: flow.Waiting, Question: question, Started: second(40)},
	}
	if err := s.CreateRun(t.Context(), run, steps); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateRun(t.Context(), child, []flow.Record{{Key: "push", Kind: "bash", Status: flow.Completed, Attempt: 1, Started: second(3701), Finished: second(3708), Meta: flow.Meta{CostUSD: 0.5}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(t.Context(), run.ID, store.Answer{Key: "gate#1", Choice: "approve", By: "ann", Given: second(3640)}); err != nil {
		t.Fatal(err)
	}
	answered := flow.Record{Key: "gate#1", Kind: "question", Status: flow.Completed, Question: question, Started: second(40), Finished: second(3690)}
	err := s.Commit(t.Context(), run.ID, flow.Batch{
		Steps: []flow.Record{answered},
		Events: []flow.Event{
			{Time: second(4), Type: "step_retrying", Key: "build", Message: "no disk"},
			{Time: second(6), Type: "attempt_started", Key: "build"},
			{Time: second(3690), Type: "run_resumed", Message: "ann from page, 192.0.2.7"},
			format.ToolCall{Name: "Read", Begun: second(12), Took: 3 * time.Second}.Event("ask"),
			format.ToolCall{Name: "Bash took a while", Begun: second(20), Took: time.Second, Failed: true}.Event("ask"),
		},
		Spending: []flow.Spending{{Key: "ask", Node: "ask", Attempt: 1, Agent: "claude", Model: "m1", Time: second(40), State: "settled", Micros: 2_000_000, Priced: true, Input: 600, Output: 60}},
		Run:      &flow.RunState{Status: flow.Completed},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func buildTrace(t *testing.T, s store.Store, now time.Time) *trace.Trace {
	t.Helper()
	journals, err := trace.Load(context.Background(), s, "ship-000001")
	if err != nil {
		t.Fatal(err)
	}
	return trace.Build(journals, now)
}

// The tree has steps, attempts, turns, tools, waits and child runs. The hour of the person is
// a wait and no work, and what came from a recording costs nothing.
func TestBuild(t *testing.T) {
	tr := buildTrace(t, release(t), second(3710))
	depth := map[trace.ID]int{}
	var lines []string
	for _, s := range tr.Spans {
		depth[s.ID] = depth[s.Parent] + 1
		end := "-"
		if !s.End.IsZero() && s.Kind != trace.KindRun {
			end = fmt.Sprint(s.End.Sub(begin).Seconds())
		}
		lines = append(lines, fmt.Sprintf("%d %s %q %q #%d %s %v-%s work %v wait %v $%v %d", depth[s.ID], s.Kind, s.Key, s.Name, s.Attempt, s.Status,
			s.Start.Sub(begin).Seconds(), end, s.Working.Seconds(), s.Waiting.Seconds(), s.Usage.CostUSD, s.Usage.InputTokens))
	}
	want := []string{
		`1 run "" "ship" #0 completed 0-- work 45 wait 3602 $2.5 600`,
		`2 step "build" "bash" #2 completed 0-10 work 8 wait 2 $0 0`,
		`3 attempt "build" "bash" #1 failed 0-4 work 4 wait 0 $0 0`,
		`3 attempt "build" "bash" #2 completed 6-10 work 4 wait 0 $0 0`,
		`2 step "ask" "prompt" #1 completed 10-40 work 30 wait 0 $2 600`,
		`3 turn "ask" "claude" #1 completed 10-40 work 30 wait 0 $2 600`,
		`4 tool "ask" "Read" #1 completed 12-15 work 3 wait 0 $0 0`,
		`4 tool "ask" "Bash took a while" #1 failed 20-21 work 1 wait 0 $0 0`,
		`2 step "gate" "approval" #0 completed 40-3690 work 0 wait 3600 $0 0`,
		`3 wait "gate#1" "person" #0 completed 40-3640 work 0 wait 3600 $0 0`,
		`2 resume "" "" #0 completed 3690-3690 work 0 wait 0 $0 0`,
		`2 step "publish" "workflow" #1 completed 3690-3710 work 7 wait 0 $0.5 0`,
		`3 attempt "publish" "workflow" #1 completed 3690-3710 work 0 wait 0 $0 0`,
		`3 run "" "publish" #0 completed 3700-- work 7 wait 0 $0.5 0`,
		`4 step "push" "bash" #1 completed 3701-3708 work 7 wait 0 $0.5 0`,
		`5 attempt "push" "bash" #1 completed 3701-3708 work 7 wait 0 $0.5 0`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got")
		for i := range max(len(lines), len(want)) {
			if i >= len(lines) || i >= len(want) || lines[i] != want[i] {
				t.Errorf("%d\n got  %s\n want %s", i, get(lines, i), get(want, i))
			}
		}
	}
}

// Without a ledger, as on a cluster, a prompt that was tried again costs what its step says.
func TestBuildWithoutLedger(t *testing.T) {
	j := trace.Journal{Run: store.Run{RunInfo: flow.RunInfo{ID: "r"}, Status: flow.Completed, Created: begin, Started: begin}}
	j.Steps = []flow.Record{{Key: "ask", Kind: "prompt", Status: flow.Completed, Attempt: 2, Started: second(0), Finished: second(9), Meta: flow.Meta{CostUSD: 3, InputTokens: 900, Attempts: 2}}}
	j.Events = []flow.Event{{Time: second(4), Type: "step_retrying", Key: "ask", Message: "overloaded"}}
	spans := trace.Build([]trace.Journal{j}, second(10)).Spans
	if len(spans) != 4 || spans[0].Usage.CostUSD != 3 || spans[2].Usage.CostUSD != 0 || spans[3].Usage.InputTokens != 900 {
		t.Errorf("%+v", spans)
	}
}

// The time between a failure and the resumption is nobody's work, not even that of a step that the
// first process left and the second one ended.
func TestResumedLater(t *testing.T) {
	j := trace.Journal{Run: store.Run{RunInfo: flow.RunInfo{ID: "r"}, Status: flow.Completed, Created: begin, Started: begin, Finished: second(212)}}
	j.Steps = []flow.Record{
		{Key: "fix", Kind: "bash", Status: flow.Completed, Started: second(208), Finished: second(210)},
		{Key: "fix@2", Kind: "bash", Status: flow.Completed, Attempt: 1, Started: second(208), Finished: second(210)},
		{Key: "fix@2/failed#1/halted", Kind: "graph_state", Status: flow.Completed, Attempt: 1, Started: second(5), Finished: second(207)},
		{Key: "slow", Kind: "bash", Status: flow.Completed, Attempt: 1, Started: second(0), Finished: second(209)},
	}
	j.Events = []flow.Event{{Time: second(206), Type: "run_resumed"}, {Time: second(6), Type: "step_retrying", Key: "fix@2", Message: "failed"}, {Time: second(208), Type: "attempt_started", Key: "fix@2"}}
	got := ""
	for _, s := range trace.Build([]trace.Journal{j}, second(300)).Spans {
		if s.Kind == trace.KindRun || s.Kind == trace.KindStep {
			got += fmt.Sprintf("%s took %v, worked %v\n", s.Key, s.Took(second(300)), s.Working)
		}
	}
	want := " took 3m32s, worked 10s\nslow took 3m29s, worked 9s\nfix took 2s, worked 4s\nfix@2 took 2s, worked 4s\nfix@2/failed#1/halted took 3m22s, worked 2s\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func get(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// The ids are those of the run, the step and the attempt: another process, and a later one,
// compute the same, and no two spans share one.
func TestIDs(t *testing.T) {
	s := release(t)
	early, late := buildTrace(t, s, second(50)), buildTrace(t, release(t), second(9000))
	if early.ID != late.ID || early.ID == trace.TraceID("ship-000002") {
		t.Errorf("traces %x and %x", early.ID, late.ID)
	}
	seen := map[trace.ID]bool{}
	for i, span := range early.Spans {
		if span.ID != late.Spans[i].ID || seen[span.ID] || span.ID == (trace.ID{}) {
			t.Errorf("span %d of %q: %x and %x", i, span.Key, span.ID, late.Spans[i].ID)
		}
		if seen[span.ID] = true; span.Parent != (trace.ID{}) && !seen[span.Parent] {
			t.Errorf("span %q comes before its parent", span.Key)
		}
	}
	if got := trace.SpanID("ship-000001", "build", 2, 0); got != early.Spans[3].ID {
		t.Errorf("the second attempt has the id %x", early.Spans[3].ID)
	}
}

// However steps overlap, no span works and waits at the same time, and never for longer than it
// takes. (A wait that began counts until now.)
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := trace.Journal{Run: store.Run{RunInfo: flow.RunInfo{ID: "r"}, Status: flow.Running, Created: begin, Started: begin}}
		for i := range rapid.IntRange(0, 6).Draw(t, "steps") {
			from := rapid.IntRange(0, 50).Draw(t, "from")
			r := flow.Record{Key: fmt.Sprint("s", i), Kind: "bash", Status: flow.Completed, Attempt: 1, Started: second(float64(from)), Finished: second(float64(from + rapid.IntRange(0, 40).Draw(t, "took")))}
			if rapid.Bool().Draw(t, "waits") {
				r.Attempt, r.Question = 0, &flow.Question{Key: r.Key}
			}
			if i > 0 && rapid.Bool().Draw(t, "inside") {
				r.Key = "s0/quota#" + fmt.Sprint(i)
			}
			if rapid.Bool().Draw(t, "open") {
				r.Status, r.Finished = flow.Running, time.Time{}
			}
			j.Steps = append(j.Steps, r)
		}
		now := second(100)
		for _, s := range trace.Build([]trace.Journal{j}, now).Spans {
			if s.Kind != trace.KindRun {
				continue
			}
			if s.Working < 0 || s.Waiting < 0 || s.Working+s.Waiting > s.Took(now) {
				t.Fatalf("%s %q works %v and waits %v of %v", s.Kind, s.Key, s.Working, s.Waiting, s.Took(now))
			}
		}
	})
}
