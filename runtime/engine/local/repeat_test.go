package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// costs makes every step cost a dollar.
func costs(w *world, keys ...string) {
	for _, key := range keys {
		w.performer.set(key, func(context.Context, *engine.Attempt) flow.Result {
			r := completed(fmt.Sprintf("%s for the %d. time", key, w.performer.count(key)))
			r.Meta.CostUSD = 1
			return r
		})
	}
}

// passes is a workflow with a gate: build, gate, publish and, beside them, notes.
func passes() *flow.Definition {
	def := &flow.Definition{Name: "ship", Fingerprint: "f1", Nodes: []flow.NodeInfo{
		{Key: "build", Kind: "bash"}, {Key: "gate", Kind: "approval", After: []string{"build"}},
		{Key: "publish", Kind: "bash", After: []string{"gate"}}, {Key: "notes", Kind: "bash"},
	}}
	def.Flow = func(c *flow.Context) (any, error) {
		do := func(key string) func(*flow.Context) (string, error) {
			return func(c *flow.Context) (string, error) { return flow.TextOf(c.Do(flow.Bash{Script: key})) }
		}
		build := flow.Spawn(c, flow.Node[string]{Key: "build", Kind: "bash", Run: do("build")})
		gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: flow.After(build), Run: steps.Approval{Message: "ok?"}.Run})
		publish := flow.Spawn(c, flow.Node[string]{Key: "publish", Kind: "bash", After: flow.After(gate), Run: do("publish")})
		flow.Spawn(c, flow.Node[string]{Key: "notes", Kind: "bash", Run: do("notes")})
		err := flow.Settle(c)
		return map[string]string{"publish": publish.Final().Text}, err
	}
	return def
}

// A repeated gate asks again, what it approved runs again, and everything stays in the events.
func TestRepeatAsksAgain(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	e, def := w.engine(t, nil), passes()
	costs(w, "build", "publish", "notes")
	r := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options()))
	yes := store.Answer{Key: "gate#1", Choice: kernel.ChoiceApprove, Text: "fine", By: "ann", From: "here"}
	if err := e.Answer(ctx, r.ID, yes); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Completed)(e.Resume(ctx, def, r.ID, local.Options{}))
	must(t, flow.Paused)(e.Resume(ctx, def, r.ID, local.Options{From: "build", By: "bob"}))
	status, err := e.Status(ctx, r.ID)
	if err != nil || len(status.Questions) != 1 || len(status.Answers) != 0 || w.steps(t, r.ID)["publish"].Status == flow.Completed {
		t.Fatalf("the gate is passed: %+v %v", status, err)
	}
	if err := e.Answer(ctx, r.ID, yes); err != nil {
		t.Fatal(err)
	}
	end := must(t, flow.Completed)(e.Resume(ctx, def, r.ID, local.Options{}))
	if string(end.Outputs) != `{"publish":"publish for the 2. time"}` || w.performer.count("notes") != 1 {
		t.Errorf("outputs %s, notes %d times", end.Outputs, w.performer.count("notes"))
	}
	kept, err := w.store.Steps(ctx, r.ID)
	if used := sched.Used(kept); err != nil || used.CostUSD != 5 {
		t.Errorf("cost %v %v", used, err)
	}
	events, _, err := w.store.Events(ctx, r.ID, 0)
	var list []string
	for _, e := range events {
		list = append(list, e.Type+" "+e.Key+" "+e.Message)
	}
	for _, want := range []string{
		"step_reset build build for the 1. time", "step_reset publish publish for the 1. time", "step_reset gate#1 approve by ann from here: fine",
		"run_repeated build bob repeats this step and those that depend on it: 4 in all, which cost $2.00",
	} {
		if err != nil || !slices.Contains(list, want) {
			t.Errorf("%q is not in %q", want, list)
		}
	}
}

func TestRepeatRefuses(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	e := w.engine(t, nil)
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}})
	r := must(t, flow.Completed)(e.Run(ctx, def, nil, w.options()))
	before := w.steps(t, r.ID)
	for from, want := range map[string]string{"other": "unknown step `other`: use one of `a`, `b`", "bb": "did you mean `b`?"} {
		if _, err := e.Resume(ctx, def, r.ID, local.Options{From: from}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("from %s: %v", from, err)
		}
	}
	if kept := w.run(t, r.ID); kept.Status != flow.Completed || kept.Processes != 1 || w.steps(t, r.ID)["b"].Text != before["b"].Text {
		t.Errorf("a refusal changes the run: %+v", kept)
	}
	w.performer.set("b", w.performer.block)
	done := make(chan error, 1)
	go func() {
		_, err := e.Resume(ctx, def, r.ID, local.Options{From: "b"})
		done <- err
	}()
	<-w.performer.begun
	var busy *local.BusyError
	if _, err := w.engine(t, nil).Resume(ctx, def, r.ID, local.Options{From: "a"}); !errors.As(err, &busy) {
		t.Errorf("a run that a process works on: %v", err)
	}
	if err := e.Cancel(ctx, r.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	w.performer.set("b", nil)
	must(t, flow.Completed)(e.Resume(ctx, def, r.ID, local.Options{From: "a"})) // it was cancelled
	if w.performer.count("a") != 2 || w.performer.count("b") != 3 {
		t.Errorf("a %d times, b %d times", w.performer.count("a"), w.performer.count("b"))
	}
}

// The state is the one before the visit, also in the task's folder, and the agents' memory has no
// lines of what is repeated.
func TestRepeatOfAGraph(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	e := w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, graphfiles.New()) })
	def := counting(4)
	r := must(t, flow.Completed)(e.Run(ctx, def, nil, w.options()))
	state := filepath.Join(w.work, ".graph-loop", "count", "state.json")
	memory := filepath.Join(w.work, ".graph-loop", "count", "memory.md")
	kept, err := os.ReadFile(memory)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(memory, append(kept, "\n## Iteration 1\n\nnote one\n\n## Iteration 3\n\nnote three\n\nby a person\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	seen := ""
	w.performer.set("a@3", func(context.Context, *engine.Attempt) flow.Result {
		text, err := os.ReadFile(state)
		if err != nil {
			t.Error(err)
		}
		seen = string(text)
		return completed("[OUTPUT:done]")
	})
	end := must(t, flow.Completed)(e.Resume(ctx, def, r.ID, local.Options{From: "a@3"}))
	var out struct {
		Iteration int `json:"iteration"`
		N         int `json:"n"`
	}
	if err := json.Unmarshal(end.Outputs, &out); err != nil || out.N != 4 {
		t.Errorf("%s %v", end.Outputs, err)
	}
	if !strings.Contains(seen, `"n": 2`) || !strings.Contains(seen, `"running"`) {
		t.Errorf("the folder during the repeated visit: %s", seen)
	}
	text, err := os.ReadFile(memory)
	if err != nil || !strings.Contains(string(text), "note one") || strings.Contains(string(text), "note three") || !strings.Contains(string(text), "by a person") {
		t.Errorf("memory: %s %v", text, err)
	}
	for key, want := range map[string]int{"a@1": 1, "a@2": 1, "a@3": 2, "a@4": 2} {
		if n := w.performer.count(key); n != want {
			t.Errorf("%s was performed %d times, want %d", key, n, want)
		}
	}
}

// A repeated step begins another child run, whose inputs may be others; the first keeps its
// record, and its costs count.
func TestRepeatOfAChild(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	e := w.engine(t, nil)
	def := nested(define("build", step{key: "make"}, step{key: "ask", ask: "go?", after: []string{"make"}}), "left")
	costs(w, "make")
	r := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options()))
	first := r.ID + "--left"
	must(t, flow.Paused)(e.Resume(ctx, def, r.ID, local.Options{From: "left"}))
	status, err := e.Status(ctx, first)
	if err != nil || status.Status != flow.Cancelled {
		t.Errorf("the first child: %+v %v", status, err)
	}
	children, err := e.Children(ctx, r.ID)
	if err != nil || len(children) != 2 || parentOf(children[1]) != r.ID+" left" || children[1].Status != flow.Paused {
		t.Fatalf("%+v %v", children, err)
	}
	if err := e.Answer(ctx, children[1].ID, store.Answer{Key: "ask", Text: "go", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Completed)(e.Resume(ctx, def, r.ID, local.Options{}))
	if got := w.steps(t, r.ID)["left"]; got.Text != "go" || got.Meta.CostUSD != 2 {
		t.Errorf("%+v", got)
	}
	must(t, flow.Paused)(e.Resume(ctx, def, r.ID, local.Options{From: "left"}))
	if children, err = e.Children(ctx, r.ID); err != nil || len(children) != 3 || w.performer.count("make") != 3 {
		t.Errorf("%d children, %v", len(children), err)
	}
}
