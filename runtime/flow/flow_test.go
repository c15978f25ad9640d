package flow_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// say is the payload of the tests' actions: they complete with its text, or
// fail when it begins with "!".
type say string

func (say) Kind() string { return "say" }

func perform(a sim.Attempt) sim.Performance {
	text := string(a.Payload.(say))
	if why, fails := strings.CutPrefix(text, "!"); fails {
		return sim.Performance{Result: flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: why}}}
	}
	return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text}}
}

// run runs fn as a flow in a simulated world.
func run(t *testing.T, fn func(c *flow.Context) (any, error)) *sim.Result {
	t.Helper()
	o := sim.Run(sim.World{Definition: &flow.Definition{Name: "t", Flow: fn}, Perform: perform, Inputs: []byte(`{"n":7}`)}, 1)
	if len(o.Faults) > 0 {
		t.Fatal(o.Faults)
	}
	return o
}

// speak spawns a node that says text.
func speak(c *flow.Context, key, text string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, After: after, Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(say(text))
		return r.Text, err
	}})
}

func TestContext(t *testing.T) {
	o := run(t, func(c *flow.Context) (any, error) {
		var in struct{ N int }
		if err := c.Inputs(&in); err != nil || in.N != 7 {
			t.Errorf("inputs %+v, %v", in, err)
		}
		if err := c.Inputs(new([]int)); err == nil || !strings.Contains(err.Error(), "the run's inputs") {
			t.Errorf("inputs of a wrong form: %v", err)
		}
		if c.RunID() != "t-simula" || c.ArtifactsDir() != "/sim/artifacts" || c.DocsDir() != "docs/" || c.Key() != "" {
			t.Error(c.RunID(), c.ArtifactsDir(), c.DocsDir(), c.Key())
		}
		if b, err := c.BaseBranch(); b != "main" || err != nil {
			t.Error(b, err)
		}
		flow.Spawn(c, flow.Node[string]{Key: "n", Run: func(c *flow.Context) (string, error) { return c.Key(), nil }})
		return nil, flow.Settle(c)
	})
	if o.Step("n").Text != "n" {
		t.Error(o.Step("n"))
	}
}

func TestUnknownBaseBranch(t *testing.T) {
	_, err := flow.RunFlow(bare{}, nil, func(c *flow.Context) (any, error) {
		var f *flow.Failure
		if b, err := c.BaseBranch(); b != "" || !errors.As(err, &f) || f.Reason != "base_branch" {
			t.Error(b, err)
		}
		return nil, c.Inputs(new(int))
	})
	if err != nil {
		t.Errorf("no inputs: %v", err)
	}
}

// bare is an engine that knows nothing of its run.
type bare struct{ flow.Scheduler }

func (bare) Run() *flow.RunInfo { return &flow.RunInfo{} }

func TestTaskReads(t *testing.T) {
	run(t, func(c *flow.Context) (any, error) {
		good := speak(c, "good", "yes")
		bad := speak(c, "bad", "!no")
		skipped := speak(c, "skipped", "never", bad)
		number := flow.Spawn(c, flow.Node[int]{Key: "number", Decode: decode, Run: func(*flow.Context) (string, error) { return "42", nil }})
		if good.Status() != flow.Pending {
			t.Error("a task has a state before it ran")
		}
		err := flow.Settle(c)
		if text, err := good.Text(); text != "yes" || err != nil || good.MustOutput() != (flow.Output[string]{Text: "yes", Value: "yes"}) || good.Final().Text != "yes" {
			t.Error(text, err)
		}
		if v, err := number.RequireValue("$number.output"); v != 42 || err != nil || *number.Optional() != 42 {
			t.Error(v, err)
		}
		if text, err := skipped.Text(); text != "" || err != nil || skipped.Optional() != nil {
			t.Error("the text of a skipped node is empty", text, err)
		}
		for ref, err := range map[string]error{
			"`$bad.output` cannot be read: node `bad` failed, so it has no output":                second(bad.Text()),
			"`$bad.output.x` cannot be read: node `bad` failed, so it has no output":              second(bad.RequireValue("$bad.output.x")),
			"`$skipped.output.x` cannot be read: node `skipped` was skipped, so it has no output": second(skipped.RequireValue("$skipped.output.x")),
		} {
			if err == nil || err.Error() != ref {
				t.Errorf("got %v, want %s", err, ref)
			}
		}
		if bad.Key() != "bad" {
			t.Error(bad.Key())
		}
		if err == nil || err.Error() != "node `bad`: no" {
			t.Errorf("verdict %v", err)
		}
		return nil, nil
	})
}

func second[T any](_ T, err error) error { return err }

func TestVerdicts(t *testing.T) {
	if o := run(t, func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "a", When: func() (bool, error) { return false, nil }})
		return nil, flow.Settle(c)
	}); o.End.Status != flow.Failed || !strings.Contains(o.End.Error, "no node completed") || o.Step("a").Reason != kernel.SkipCondition {
		t.Errorf("%+v", o.End)
	}
	if o := run(t, func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "a", When: func() (bool, error) { return true, errors.New("no such field") }})
		return nil, flow.Settle(c)
	}); o.End.Error != "node `a`: no such field" || o.Step("a").Status != flow.Failed {
		t.Errorf("a condition that breaks: %+v", o.End)
	}
	o := run(t, func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Run: func(c *flow.Context) (string, error) {
			c.CancelRun("")
			c.CancelRun("second")
			return "x", nil
		}})
		speak(c, "b", "never", a)
		return nil, flow.Settle(c)
	})
	if o.End.Status != flow.Cancelled || o.End.Reason != "the workflow cancelled its run" || o.Step("b").Reason != kernel.SkipCancelled || o.Effects["b"] > 0 {
		t.Errorf("%+v %+v", o.End, o.Step("b"))
	}
}

// The failure of a node that panics names the place in its code, not in the
// kernel that the panic went through.
func TestPanicPlace(t *testing.T) {
	for name, fn := range map[string]func(*flow.Task[string]){
		"panic":         func(*flow.Task[string]) { panic("ouch") },
		"runtime error": func(*flow.Task[string]) { none := []int{}; none[len(none)]++ },
		"nil":           func(*flow.Task[string]) { var p *flow.Record; _ = p.Key },
		"kernel":        func(a *flow.Task[string]) { _ = a.MustOutput() },
	} {
		o := run(t, func(c *flow.Context) (any, error) {
			a := speak(c, "a", "!")
			flow.Spawn(c, flow.Node[string]{Key: "b", After: flow.After(a), Rule: flow.AllDone, Run: func(*flow.Context) (string, error) {
				fn(a)
				return "", nil
			}})
			return nil, flow.Settle(c)
		})
		f := o.Step("b").Failure
		if f == nil || f.Reason != "panic" || f.Class != flow.ClassFatal || !strings.HasPrefix(f.Message, "panic: ") || !strings.Contains(f.Message, " at flow_test.go:") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestPanicPlaceOfALineDirective(t *testing.T) {
	o := run(t, func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "a", Run: fromYAML})
		return nil, flow.Settle(c)
	})
	if f := o.Step("a").Failure; f == nil || f.Message != "panic: ouch at triage.yaml:12" {
		t.Errorf("%+v", f)
	}
}

func TestFuture(t *testing.T) {
	f, calls := &flow.Future{}, 0
	f.OnSettle(func() { calls++ })
	if f.Settled() || f.Result() != (flow.Result{}) {
		t.Error("settled before it is")
	}
	f.Settle(flow.Result{Text: "x"})
	f.Settle(flow.Result{Text: "y"})
	f.OnSettle(func() { calls++ })
	if calls != 2 || f.Result().Text != "x" {
		t.Error(calls, f.Result())
	}
}

func TestRules(t *testing.T) {
	const c, f, s, x = flow.Completed, flow.Failed, flow.Skipped, flow.Cancelled
	for _, tt := range []struct {
		ends                 []flow.Status
		all, one, noneFailed bool
	}{
		{[]flow.Status{c, c}, true, true, true},
		{[]flow.Status{c, s}, false, true, true},
		{[]flow.Status{c, f}, false, true, false},
		{[]flow.Status{c, x}, false, true, false},
		{[]flow.Status{s, s}, false, false, false},
		{[]flow.Status{f, s}, false, false, false},
	} {
		if flow.AllSuccess(tt.ends) != tt.all || flow.OneSuccess(tt.ends) != tt.one || flow.NoneFailedMinOneSuccess(tt.ends) != tt.noneFailed || !flow.AllDone(tt.ends) {
			t.Errorf("%v", tt.ends)
		}
	}
}

func TestEnded(t *testing.T) {
	for _, s := range []flow.Status{flow.Completed, flow.Failed, flow.Skipped, flow.Cancelled, flow.LimitReached} {
		if !s.Ended() {
			t.Error(s)
		}
	}
	for _, s := range []flow.Status{"", flow.Pending, flow.Running, flow.Waiting, flow.Paused, flow.Interrupted} {
		if s.Ended() {
			t.Error(s)
		}
	}
}

func TestRecordResultAndBatch(t *testing.T) {
	want := flow.Result{Status: flow.Failed, Text: "t", Failure: &flow.Failure{Message: "m"}, Meta: flow.Meta{Turns: 1}}
	r := flow.Record{Status: want.Status, Text: want.Text, Failure: want.Failure, Meta: want.Meta}
	if r.Result() != want {
		t.Error(r.Result())
	}
	for _, b := range []flow.Batch{{Steps: []flow.Record{r}}, {Events: []flow.Event{{}}}, {Run: &flow.RunState{}}} {
		if b.Empty() {
			t.Errorf("%+v is empty", b)
		}
	}
	if b := (flow.Batch{}); !b.Empty() {
		t.Error("an empty batch is not")
	}
}

func TestAskAndSteps(t *testing.T) {
	w := sim.World{Perform: perform, Answers: []sim.Answer{{Key: "gate#ask", After: 5, Result: flow.Result{Status: flow.Completed, Text: "ok"}}}}
	w.Definition = &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "gate", Run: func(c *flow.Context) (string, error) {
			r, err := c.Ask("#ask", flow.Question{Message: "?"})
			if err != nil {
				return "", err
			}
			if _, err := c.DoAs("#1", say("!nope")); err == nil || err.Error() != "nope" {
				t.Errorf("a failed action gives %v", err)
			}
			return r.Text, c.Sleep("#nap", 3)
		}})
		return nil, flow.Settle(c)
	}}
	o := sim.Run(w, 1)
	if len(o.Faults) > 0 || o.End.Status != flow.Completed || o.Step("gate").Text != "ok" || o.Step("gate#1").Status != flow.Failed || o.Processes != 2 {
		t.Errorf("%+v", o)
	}
}

// decode decodes the JSON of an output.
func decode(text string) (v int, err error) { return v, json.Unmarshal([]byte(text), &v) }
