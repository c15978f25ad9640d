package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A parent's context that ends does not end its run, and its values reach what
// performs steps, also when the run is resumed.
func TestParentRequestCompletesWithoutCancellingWorkflow(t *testing.T) {
	type key struct{}
	w := newWorld(t)
	seen, proceed := make(chan any, 10), make(chan struct{})
	w.performer.set("a", func(ctx context.Context, _ *engine.Attempt) flow.Result {
		<-proceed
		if err := ctx.Err(); err != nil {
			return fails(err.Error())(nil, nil)
		}
		_, limited := ctx.Deadline()
		seen <- fmt.Sprintf("%v, %v", ctx.Value(key{}), limited)
		return fails("once more")(nil, nil)
	})
	e, def := w.engine(t, nil), define("demo", step{key: "a"})
	for _, begin := range []func(ctx context.Context) (string, error){
		func(ctx context.Context) (string, error) {
			return e.RunAsync(ctx, def, nil, local.Options{ID: "demo-1", WorkDir: w.work})
		},
		func(ctx context.Context) (string, error) {
			_, err := e.Resume(ctx, def, "demo-1", local.Options{})
			return "demo-1", err
		},
	} {
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Hour)
		go func() {
			cancel()
			proceed <- struct{}{}
		}()
		id, err := begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got != "value, false" {
			t.Errorf("the step sees %v", got)
		}
		if status, err := e.Wait(t.Context(), id); err != nil || status.Status != flow.Failed || status.Error == "" {
			t.Errorf("%+v, %v", status, err)
		}
	}
}

func TestRunAsyncReturnsImmediatelyWithRunID(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", w.performer.block)
	e := w.engine(t, nil)
	def := define("demo", step{key: "a"}, step{key: "b", after: []string{"a"}})
	id, err := e.RunAsync(t.Context(), def, nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	status, err := e.Status(t.Context(), id)
	if err != nil || status.Status != flow.Running || len(status.Steps) != 2 || status.Steps[1].Status != flow.Pending {
		t.Fatalf("%+v, %v", status, err)
	}
	list, err := e.ListRuns(t.Context(), store.Filter{})
	if err != nil || len(list) != 1 || list[0].StartedAt.IsZero() || !list[0].StartedAt.Equal(status.StartedAt) {
		t.Errorf("%+v, %v", list, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Wait(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("waited for a run with a context that is done: %v", err)
	}
	for what, def := range map[string]*flow.Definition{"nothing": nil, "no flow": {Name: "demo"}} {
		if _, err := e.RunAsync(t.Context(), def, nil, w.options()); err == nil {
			t.Errorf("began %s", what)
		}
	}
}

func TestInputs(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	def := define("demo")
	def.Inputs = []flow.InputInfo{{Name: "who"}, {Name: "n", Default: `7`}, {Name: "t", Default: `"x"`}}
	for _, test := range []struct{ given, kept, fault string }{
		{`{"who": "ann"}`, `{"who": "ann","n":7,"t":"x"}`, ""},
		{` {"t": null, "n": 1.0, "who": 2 } `, `{"t": null, "n": 1.0, "who": 2 }`, ""},
		{`{"who": {"a": "}"}  }`, `{"who": {"a": "}"},"n":7,"t":"x"}`, ""},
		{``, ``, "the inputs of workflow demo: missing input `who`"},
		{`{"hwo": 1, "N": 2}`, ``, "the inputs of workflow demo: unknown input `N`, `hwo`; missing input `who`"},
		{`[]`, ``, "the inputs of workflow demo are not a JSON object"},
		{`{"who": 1} x`, ``, "the inputs of workflow demo are not a JSON object"},
	} {
		r, err := e.Run(t.Context(), def, json.RawMessage(test.given), w.options())
		if test.fault != "" {
			if err == nil || err.Error() != test.fault {
				t.Errorf("%s: %v, want %s", test.given, err, test.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.given, err)
		} else if got := string(w.run(t, r.ID).Inputs); got != test.kept {
			t.Errorf("%s is kept as %s, want %s", test.given, got, test.kept)
		}
	}
	wrong := define("demo")
	wrong.Inputs = []flow.InputInfo{{Name: "n", Type: "int"}, {Name: "w", Type: "word"}, {Name: "p", Type: "path"}, {Name: "s", Type: "text", Replaces: "s"}}
	_, err := e.Run(t.Context(), wrong, []byte(`{"n": 1.5, "w": "a b", "p": "none.txt", "s": [1]}`), w.options())
	if err == nil || err.Error() != "the inputs of workflow demo: `n`: 1.5 is not of type int; `w`: \"a b\" is not one word; `p`: path \"none.txt\" does not exist" {
		t.Error(err)
	}
	runs, err := w.store.Runs(t.Context(), store.Filter{})
	if err != nil || len(runs) != 3 {
		t.Errorf("%d runs were begun (%v)", len(runs), err)
	}
	def.Inputs = []flow.InputInfo{{Name: "n", Default: `7`}}
	if r, err := e.Run(t.Context(), def, nil, w.options()); err != nil || string(w.run(t, r.ID).Inputs) != `{"n":7}` {
		t.Errorf("%+v, %v", r, err)
	}
}

// A run that has waited for long is not kept waiting by one that is wide.
func TestOneLimitForAllRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		slow := func(context.Context, *engine.Attempt) flow.Result {
			time.Sleep(time.Second)
			return completed("")
		}
		var many []step
		for i := range 20 {
			key := fmt.Sprintf("s%d", i)
			w.performer.set(key, slow)
			many = append(many, step{key: key})
		}
		w.performer.set("only", slow)
		e := w.engine(t, func(c *local.Config) { c.MaxParallel = 2 })
		began := time.Now()
		big, err := e.RunAsync(t.Context(), define("big", many...), nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		small, err := e.Run(t.Context(), define("small", step{key: "only"}), nil, w.options())
		if err != nil || small.Status != flow.Completed {
			t.Fatalf("%+v, %v", small, err)
		}
		// It came while two were performed, and waited until one of them was done.
		if took := time.Since(began).Round(100 * time.Millisecond); took != 2*time.Second {
			t.Errorf("one step beside many took %v", took)
		}
		if _, err := e.Wait(t.Context(), big); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began).Round(100 * time.Millisecond); took != 11*time.Second { // 21 steps, two at a time
			t.Errorf("all took %v", took)
		}
		// A run that is stopped while it waits, or while its steps run, keeps no
		// place.
		if big, err = e.RunAsync(t.Context(), define("big", many...), nil, w.options()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := e.Cancel(t.Context(), big, ""); err != nil {
			t.Fatal(err)
		}
		again := time.Now()
		if _, err := e.Run(t.Context(), define("two", many[0], many[1]), nil, w.options()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(again).Round(100 * time.Millisecond); took != time.Second {
			t.Errorf("two steps after a run was cancelled took %v", took)
		}
	})
}

// answers performs prompts: it repeats them.
type answers struct{}

func (answers) Kind() string { return "prompt" }

func (answers) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	return completed("heard " + call.Action.Payload.(flow.Prompt).Text)
}

// A step's record has the prompt that was sent, with all values in it, also when
// the step has ended.
func TestPromptIsKept(t *testing.T) {
	w := newWorld(t)
	var during []string
	e := w.engine(t, func(c *local.Config) {
		c.Performers = append(c.Performers, answers{})
		c.Watch = func(n local.Notice) {
			if s := n; s.Step != nil && s.Step.Key == "ask" && s.Step.Status == flow.Running {
				during = append(during, s.Step.Prompt)
			}
		}
	})
	def := &flow.Definition{Name: "demo", Nodes: []flow.NodeInfo{{Key: "fetch", Kind: "bash"}, {Key: "ask", Kind: "prompt", After: []string{"fetch"}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		fetch := flow.Spawn(c, flow.Node[string]{Key: "fetch", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{})
			return r.Text, err
		}})
		flow.Spawn(c, flow.Node[string]{Key: "ask", Kind: "prompt", After: []flow.AnyTask{fetch}, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Text: "Analyze: " + fetch.Final().Text})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	r := must(t, flow.Completed)(e.Run(t.Context(), def, nil, w.options()))
	steps := w.steps(t, r.ID)
	if got := steps["ask"].Prompt; got != "Analyze: ran fetch" || steps["fetch"].Prompt != "" {
		t.Errorf("the prompt %q is kept, and %q of a step that has none", got, steps["fetch"].Prompt)
	}
	if len(during) == 0 || during[0] != "Analyze: ran fetch" {
		t.Errorf("while it ran the prompt was %q", during)
	}
}
