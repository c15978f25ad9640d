package durable_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/store"
)

// stage performs bash actions as a test says: by the script, which is the step's key unless
// the test writes another one.
type stage map[string]func(ctx context.Context, call *engine.Attempt) flow.Result

func (stage) Kind() string { return "bash" }

func (s stage) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	script := call.Action.Payload.(flow.Bash).Script
	if perform := s[script]; perform != nil {
		return perform(ctx, call)
	}
	return flow.Result{Status: flow.Completed, Text: "ran " + script}
}

// bash spawns a node that runs its own key as a script.
func bash(c *flow.Context, key string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
		return flow.TextOf(c.Do(flow.Bash{Script: key}))
	}})
}

func gate(c *flow.Context, key string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "approval", After: after, Run: func(c *flow.Context) (string, error) {
		return steps.Approval{Message: "ship it?"}.Run(c)
	}})
}

// world returns a run of a flow.
func world(t *testing.T, s stage, nodes string, fn func(c *flow.Context) (any, error)) *trial.World {
	t.Helper()
	dir := t.TempDir()
	def := &flow.Definition{Name: "demo", Fingerprint: "f1", Flow: fn}
	for node := range strings.FieldsSeq(nodes) {
		names := strings.Split(node, "<")
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: names[0], Kind: "bash", After: names[1:]})
	}
	w := &trial.World{Run: &enginetest.Run{
		Definition: def, RunDir: dir, Performers: []engine.Performer{s},
		Info: &flow.RunInfo{ID: "demo-000001", Workflow: "demo", WorkDir: dir, ArtifactsDir: dir, LogDir: dir},
	}}
	t.Cleanup(w.Close)
	return w
}

func step(w *trial.World, key string) flow.Record {
	for _, s := range w.Run.Steps {
		if s.Key == key {
			return s
		}
	}
	return flow.Record{}
}

func must(t *testing.T, want flow.Status) func(end flow.RunState, err error) flow.RunState {
	return func(end flow.RunState, err error) flow.RunState {
		t.Helper()
		if err != nil || end.Status != want {
			t.Fatalf("the run is %+v, %v; want %s", end, err, want)
		}
		return end
	}
}

func TestChain(t *testing.T) {
	w := world(t, stage{}, "a b<a", func(c *flow.Context) (any, error) {
		bash(c, "b", bash(c, "a"))
		return nil, flow.Settle(c)
	})
	if end := must(t, flow.Completed)(w.Process()); end.Summary != "ran b" {
		t.Errorf("%+v", end)
	}
	if s := step(w, "a"); s.Text != "ran a" || s.Attempt != 1 || s.Started.IsZero() {
		t.Errorf("%+v", s)
	}
}

// Bytes that are no text survive, and so do runes that stand for such bytes.
func TestEveryByte(t *testing.T) {
	const odd = "a\xff\x00\U0010FF41é\U0010FFFD"
	var got string
	w := world(t, stage{
		"a": func(context.Context, *engine.Attempt) flow.Result {
			return flow.Result{Status: flow.Completed, Text: odd}
		},
		"b": func(_ context.Context, call *engine.Attempt) flow.Result {
			got = call.Action.Payload.(flow.Bash).Bindings[0].Value
			return flow.Result{Status: flow.Completed}
		},
	}, "a b<a", func(c *flow.Context) (any, error) {
		a := bash(c, "a")
		flow.Spawn(c, flow.Node[string]{Key: "b", Kind: "bash", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: "b", Bindings: []flow.Binding{{Name: "v", Value: a.MustOutput().Text}}}))
		}})
		return nil, flow.Settle(c)
	})
	must(t, flow.Completed)(w.Process())
	if got != odd || step(w, "a").Text != odd {
		t.Errorf("%q became %q and %q", odd, got, step(w, "a").Text)
	}
}

func TestFailureAndResume(t *testing.T) {
	fails := true
	ran := map[string]int{}
	count := func(r func() flow.Result) func(context.Context, *engine.Attempt) flow.Result {
		return func(_ context.Context, call *engine.Attempt) flow.Result {
			ran[call.Action.Key]++
			return r()
		}
	}
	w := world(t, stage{
		"a": count(func() flow.Result { return flow.Result{Status: flow.Completed, Text: "a"} }),
		"b": count(func() flow.Result {
			if fails {
				return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "exit code 3", Reason: "exit", ExitCode: 3}}
			}
			return flow.Result{Status: flow.Completed, Text: "b"}
		}),
	}, "a b<a", func(c *flow.Context) (any, error) {
		bash(c, "b", bash(c, "a"))
		return nil, flow.Settle(c)
	})
	if end := must(t, flow.Failed)(w.Process()); !strings.Contains(end.Error, "exit code 3") || step(w, "b").Failure.ExitCode != 3 {
		t.Errorf("%+v", end)
	}
	fails = false
	must(t, flow.Completed)(w.Process())
	if ran["a"] != 1 || ran["b"] != 2 {
		t.Errorf("performed %v", ran)
	}
}

func approve(key string) store.Answer {
	return store.Answer{Key: key, Choice: "approve", Text: "fine", By: "eve", From: "here"}
}

func TestGate(t *testing.T) {
	w := world(t, stage{}, "a gate<a b<gate", func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "gate", bash(c, "a")))
		return nil, flow.Settle(c)
	})
	must(t, flow.Paused)(w.Process())
	if s := step(w, "gate#1"); s.Status != flow.Waiting || s.Question == nil || s.Question.Message != "ship it?" {
		t.Fatalf("%+v", s)
	}
	for _, tt := range []struct {
		answer store.Answer
		want   string
	}{
		{store.Answer{Key: "gate#2", Choice: "approve"}, "does not wait for an answer to `gate#2`"},
		{store.Answer{Key: "gate#1", Choice: "maybe"}, "unknown answer `maybe` to `gate#1`: use one of `approve`, `reject`"},
	} {
		if _, err := w.Process(tt.answer); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("the answer %+v gives %v", tt.answer, err)
		}
	}
	must(t, flow.Completed)(w.Process(approve("gate#1")))
	if s := step(w, "gate#1"); s.Meta.By != "eve" || s.Meta.Choice != "approve" || s.Text != "fine" || step(w, "b").Status != flow.Completed {
		t.Errorf("%+v", s)
	}
}

// Of two answers the first counts, and the second is told.
func TestSecondAnswer(t *testing.T) {
	w := world(t, stage{}, "gate a<gate", func(c *flow.Context) (any, error) {
		bash(c, "a", gate(c, "gate"))
		return nil, flow.Settle(c)
	})
	must(t, flow.Paused)(w.Process())
	second := approve("gate#1")
	second.By = "bob"
	end, err := w.Process(approve("gate#1"), second)
	if err == nil || !strings.Contains(err.Error(), "was answered already: eve") || end.Status != flow.Completed {
		t.Errorf("%+v %v", end, err)
	}
	if s := step(w, "gate#1"); s.Meta.By != "eve" {
		t.Errorf("%+v", s)
	}
}

func TestRetriesAndSleeps(t *testing.T) {
	tries := 0
	w := world(t, stage{"a": func(_ context.Context, call *engine.Attempt) flow.Result {
		if tries++; tries < 3 {
			return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "busy", Class: flow.ClassTransient}}
		}
		return flow.Result{Status: flow.Completed, Text: "at last"}
	}}, "a b<a", func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Retry: flow.Retry{Retries: 2, Delay: time.Hour}, Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: "a"}))
		}})
		flow.Spawn(c, flow.Node[string]{Key: "b", Kind: "bash", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			return "", c.Sleep("/sleep", 24*time.Hour)
		}})
		return nil, flow.Settle(c)
	})
	must(t, flow.Completed)(w.Process())
	if s := step(w, "a"); s.Attempt != 3 || s.Finished.Sub(s.Started) < 3*time.Hour {
		t.Errorf("%+v", s)
	}
	if s := step(w, "b/sleep"); s.Finished.Sub(s.Started) < 24*time.Hour {
		t.Errorf("%+v", s)
	}
}

// A flow that breaks a rule fails as on this machine.
func TestUnsettledNodesFailTheRun(t *testing.T) {
	for want, fn := range map[string]func(c *flow.Context) (any, error){
		"the flow returned while `a` had not settled: end it with `return outputs, flow.Settle(c)`": func(c *flow.Context) (any, error) {
			bash(c, "a")
			return nil, nil
		},
		"node `b` reads node `a`, which has not settled: add `a` to `After` of `b` (run_test.go:": func(c *flow.Context) (any, error) {
			a := bash(c, "a")
			flow.Spawn(c, flow.Node[string]{Key: "b", Run: func(*flow.Context) (string, error) { return a.Text() }})
			return nil, flow.Settle(c)
		},
	} {
		w := world(t, stage{}, "a b", fn)
		if end := must(t, flow.Failed)(w.Process()); !strings.Contains(end.Error, want) {
			t.Errorf("%+v, want %q", end, want)
		}
	}
}
