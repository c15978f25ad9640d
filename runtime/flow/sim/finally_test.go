package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// cleaning is a sequence of two steps, the second by the given code, and of two that
// clean up.
func cleaning(run func(c *flow.Context) (string, error)) *flow.Definition {
	return &flow.Definition{
		Name: "w",
		Nodes: []flow.NodeInfo{
			{Key: "first"}, {Key: "work", After: []string{"first"}},
			{Key: "unlock", After: []string{"work"}, Finally: true}, {Key: "report", After: []string{"unlock"}, Finally: true},
		},
		Flow: func(c *flow.Context) (any, error) {
			flow.RunNext(c, flow.Node[string]{Key: "first", Kind: "work", Run: doing("first")})
			work := flow.RunNext(c, flow.Node[string]{Key: "work", Kind: "work", Run: run})
			flow.RunNext(c, flow.Node[string]{Key: "unlock", Kind: "work", Finally: true, Run: doing("unlock")})
			flow.RunNext(c, flow.Node[string]{Key: "report", Kind: "work", Finally: true, Run: doing("report")})
			return work.Final().Text, flow.Settle(c)
		},
	}
}

// cleaned is the end of the steps that clean up.
func cleaned(o *sim.Result) string {
	return fmt.Sprint(o.Step("unlock").Status, " ", o.Step("report").Status)
}

// Steps that clean up run once at the end, however the run ends and whatever process dies
// on the way. None of them keeps another one from running.
func TestFinallyRunsOnce(t *testing.T) {
	reject := func(c *flow.Context) (string, error) {
		return steps.Review{
			Step: "work", Make: func(c *flow.Context, _ steps.Draft) (string, error) { return doing("work")(c) },
			Accept:   func(text string) (string, error) { return text, nil },
			ReadEdit: func(text string) (string, error) { return text, nil },
		}.Run(c)
	}
	panics := func(*flow.Context) (string, error) { panic("a fault") }
	for _, c := range []struct {
		name   string
		run    func(c *flow.Context) (string, error)
		fails  []string
		world  sim.World
		status flow.Status
		// steps are the statuses of the steps, and text is a part of the error.
		steps, text string
	}{
		{name: "completed", status: flow.Completed, steps: "completed completed completed completed"},
		{name: "failed", fails: []string{"work"}, status: flow.Failed, steps: "completed failed completed completed", text: "`work`: broken"},
		{name: "failed at once", fails: []string{"first"}, status: flow.Failed, steps: "failed skipped completed completed", text: "`first`: broken"},
		{name: "a fault", run: panics, status: flow.Failed, steps: "completed failed completed completed", text: "a fault"},
		{name: "cancelled", world: sim.World{Cancels: []sim.Cancel{{At: 1500 * time.Millisecond, Reason: "cancelled by ann"}}},
			status: flow.Cancelled, steps: "completed cancelled completed completed"},
		{name: "cancelled at once", world: sim.World{Cancels: []sim.Cancel{{At: time.Millisecond, Reason: "cancelled by ann"}}},
			status: flow.Cancelled, steps: "cancelled skipped completed completed"},
		{name: "cancelled at the end", world: sim.World{Cancels: []sim.Cancel{{At: 2500 * time.Millisecond, Reason: "cancelled by ann"}}},
			status: flow.Completed, steps: "completed completed completed completed"},
		{name: "rejected", run: reject, world: sim.World{Answers: []sim.Answer{answer("work/review#1", "reject", "no")}},
			status: flow.Cancelled, steps: "completed cancelled completed completed"},
		{name: "cleaning up fails", fails: []string{"unlock"}, status: flow.Failed, steps: "completed completed failed completed", text: "`unlock`: broken"},
		{name: "both fail", fails: []string{"work", "unlock"}, status: flow.Failed, steps: "completed failed failed completed", text: "`unlock`"},
		{name: "cancelled, and cleaning up fails", fails: []string{"unlock"}, world: sim.World{Cancels: []sim.Cancel{{At: 1500 * time.Millisecond, Reason: "cancelled by ann"}}},
			status: flow.Cancelled, steps: "completed cancelled failed completed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := c.world
			w.Perform = acting(nil, c.fails...)
			if c.run == nil {
				c.run = doing("work")
			}
			w.Definition = cleaning(c.run)
			// A death before a request for cancellation shifts what the request meets, but
			// not what is cleaned up.
			same := sim.Same
			if len(w.Cancels) > 0 {
				same = func(whole, got *sim.Result) error {
					if s := got.End.Status; s != flow.Cancelled && s != whole.End.Status || cleaned(got) != cleaned(whole) {
						return fmt.Errorf("the run ended as %+v, cleaned up: %s", got.End, cleaned(got))
					}
					return nil
				}
			}
			if _, err := sim.Explore(w, 1, 5, same); err != nil {
				t.Fatal(err)
			}
			o := sim.Run(w, 1)
			var got []string
			for _, key := range []string{"first", "work", "unlock", "report"} {
				got = append(got, string(o.Step(key).Status))
			}
			if o.End.Status != c.status || strings.Join(got, " ") != c.steps || !strings.Contains(o.End.Error, c.text) {
				t.Errorf("%+v, %q", o.End, got)
			}
			if o.Effects["unlock"] != 1 || o.Effects["report"] != 1 {
				t.Errorf("effects %v", o.Effects)
			}
			// A step that completed ran once more at most: if the process died between its
			// effect and its commit.
			for point := 1; point <= o.Points; point++ {
				d := sim.Run(w, 1, point)
				again := 0
				for _, key := range []string{"unlock", "report"} {
					if n := d.Effects[key]; n < 1 {
						t.Errorf("crash at %d: step %s did not run", point, key)
					} else if d.Step(key).Status == flow.Completed {
						again += n - 1
					}
				}
				if len(d.Faults) > 0 || again > 1 {
					t.Errorf("crash at %d: %v %q", point, d.Effects, d.Faults)
				}
			}
			if c.status != flow.Cancelled || len(c.fails) == 0 {
				return
			}
			told := false
			for _, e := range o.Events {
				told = told || e.Type == "warning" && e.Key == "unlock" && strings.Contains(e.Message, "step `unlock` at its end failed: broken")
			}
			if !told {
				t.Errorf("nobody is told of the failure: %v", o.Events)
			}
		})
	}
}

// A resumed run does not clean up again what it cleaned up.
func TestFinallyOnceWhenResumed(t *testing.T) {
	w := sim.World{Definition: cleaning(doing("work")), Perform: acting(nil, "work", "report")}
	failed := explore(t, w)
	w.Perform = acting(nil)
	o := resume(w, 1, failed)
	if o.End.Status != flow.Completed || fmt.Sprint(o.Effects) != "map[report:1 work:1]" || o.End.Summary != "work" {
		t.Errorf("%+v, %v", o.End, o.Effects)
	}
}

// A condition decides about a step at the end as about every other one.
func TestFinallyWithACondition(t *testing.T) {
	w := sim.World{Perform: acting(nil, "work"), Definition: &flow.Definition{
		Name: "w", Nodes: []flow.NodeInfo{{Key: "work"}, {Key: "no", Finally: true}, {Key: "bad", Finally: true}, {Key: "yes", Finally: true}},
		Flow: func(c *flow.Context) (any, error) {
			work := flow.RunNext(c, flow.Node[string]{Key: "work", Kind: "work", Run: doing("x")})
			last := func(key string, when func() (bool, error)) {
				flow.RunNext(c, flow.Node[string]{Key: key, Kind: "work", Finally: true, When: when, Run: doing(key)})
			}
			last("no", func() (bool, error) { return false, nil })
			last("bad", func() (bool, error) { _, err := work.RequireValue("work.x"); return true, err })
			last("yes", func() (bool, error) { return true, nil })
			return nil, flow.Settle(c)
		},
	}}
	o := explore(t, w)
	if o.Step("no").Reason != kernel.SkipCondition || o.Step("bad").Status != flow.Failed || o.Step("yes").Status != flow.Completed {
		t.Errorf("%+v", o.Steps)
	}
}

// At a limit, a run that goes on later does not clean up yet; one that has failed does.
func TestFinallyAtALimit(t *testing.T) {
	w := sim.World{Definition: cleaning(doing("work")), Perform: acting(nil), Limits: settings.Limits{CostUSD: 1}}
	o := explore(t, w)
	if o.End.Status != flow.LimitReached || len(o.Effects) != 1 || o.Step("unlock").Reason != kernel.SkipLimit {
		t.Errorf("%+v, %v, %+v", o.End, o.Effects, o.Steps)
	}
	w.Limits = settings.Limits{}
	if o = resume(w, 1, o); o.End.Status != flow.Completed || o.Effects["unlock"] != 1 {
		t.Errorf("%+v, %v", o.End, o.Effects)
	}
	w.Perform, w.Limits = acting(nil, "work"), settings.Limits{CostUSD: 2}
	if o = sim.Run(w, 1); o.End.Status != flow.Failed || o.Effects["report"] != 1 {
		t.Errorf("%+v, %v", o.End, o.Effects)
	}
}
