package sim_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// summary are outputs that are one text.
type summary string

func (s summary) Summary() string { return string(s) }

// build is a workflow that others run: two actions with a gate between them.
func build(gate bool) *flow.Definition {
	def := &flow.Definition{Name: "build", Nodes: []flow.NodeInfo{{Key: "make", Kind: "node"}, {Key: "gate", Kind: "approval", After: []string{"make"}}, {Key: "ship", Kind: "node", After: []string{"make", "gate"}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct{ Of string }
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		last := inner(c, "make", "made "+in.Of)
		made := last
		if gate {
			last = flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: flow.After(last), Run: func(c *flow.Context) (string, error) {
				return steps.Approval{Message: "ship?", Capture: true}.Run(c)
			}})
		}
		ship := inner(c, "ship", "shipped "+in.Of, last)
		err := flow.Settle(c)
		return summary(made.Final().Text + ", " + ship.Final().Text), err
	}
	return def
}

// runOf is a node that is a run of another workflow.
func runOf(c *flow.Context, key, of string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", After: after, Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(flow.Child{Workflow: "build", Inputs: fmt.Appendf(nil, `{"of": %q}`, of)})
		return r.Text, err
	}})
}

// release runs two builds side by side, and does something beside and after them.
func release(gate bool) *flow.Definition {
	def := &flow.Definition{Name: "release", Children: []*flow.Definition{build(gate)}}
	for _, key := range []string{"left", "right", "beside", "after"} {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "node"})
	}
	def.Nodes[3].After = []string{"left", "right"}
	def.Flow = func(c *flow.Context) (any, error) {
		left, right := runOf(c, "left", "a"), runOf(c, "right", "b")
		inner(c, "beside", "done")
		after := flow.Spawn(c, flow.Node[string]{Key: "after", Kind: "node", After: flow.After(left, right), Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Text: left.Final().Text + "; " + right.Final().Text, Takes: time.Second})
			return r.Text, err
		}})
		err := flow.Settle(c)
		return summary(after.Final().Text), err
	}
	return def
}

func approve(run string, after time.Duration) sim.Answer {
	return sim.Answer{Run: run, Key: "gate#1", After: after, Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: kernel.ChoiceApprove}}}
}

// A run with children ends alike whatever the order of things and wherever the process
// dies, in the run or in a child; what a child has completed is never performed again.
func TestChildrenAreRunsOfTheirOwn(t *testing.T) {
	for name, w := range map[string]sim.World{
		"without gates": {Definition: release(false)},
		"one slot":      {Definition: release(false), MaxParallel: 1},
		"gates":         {Definition: release(true), Answers: []sim.Answer{approve("left", time.Hour), approve("right", 2*time.Hour)}},
		"attended":      {Definition: release(true), Attended: true, Answers: []sim.Answer{approve("left", time.Second), approve("right", time.Hour)}},
		"at once":       {Definition: release(true), Answers: []sim.Answer{approve("left", 0), approve("right", time.Second)}},
	} {
		t.Run(name, func(t *testing.T) {
			w.Perform = perform
			runs, err := sim.Explore(w, 1, 6, func(whole, got *sim.Result) error {
				if want := "made a, shipped a; made b, shipped b"; got.End.Status != flow.Completed || got.End.Summary != want {
					return fmt.Errorf("the run ended with %q: %+v", got.End.Summary, got.End)
				}
				left := got.Children["left"]
				if left == nil || left.End.Status != flow.Completed || left.Effects["make"] > 2 || got.Deaths == 0 && left.Effects["make"] != 1 {
					return fmt.Errorf("the child: %+v", left)
				}
				if cost := got.Step("left").Meta.CostUSD; got.Deaths == 0 && cost != 2 {
					return fmt.Errorf("the child cost %v instead of 2", cost)
				}
				return sim.Same(whole, got)
			})
			if err != nil || runs < 100 {
				t.Errorf("%d runs: %v", runs, err)
			}
		})
	}
}

// While its children wait for people and nothing else goes on, a run is paused, and its
// steps wait.
func TestParentOfWaitingChildrenPauses(t *testing.T) {
	got := sim.Run(sim.World{Definition: release(true), Perform: perform, Answers: []sim.Answer{approve("left", time.Minute)}}, 1)
	if got.End.Status != flow.Paused || got.Step("left").Status != flow.Completed || got.Step("right").Status != flow.Waiting || got.Step("beside").Status != flow.Completed {
		t.Errorf("%+v %+v", got.End, got.Steps)
	}
	if child := got.Children["right"]; child.End.Status != flow.Paused || child.Step("gate").Status != flow.Waiting {
		t.Errorf("%+v %+v", child.End, child.Steps)
	}
}

// A child that fails fails its node, with the reason; resuming the run goes on in the
// child with what it has not completed.
func TestFailedChild(t *testing.T) {
	def := release(false)
	broken := true
	w := sim.World{Definition: def, Perform: func(a sim.Attempt) sim.Performance {
		if broken && a.Key == "ship" && a.Payload.(work).Text == "shipped b" {
			return sim.Performance{Result: flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no ship"}}}
		}
		return perform(a)
	}}
	got := sim.Run(w, 1)
	if f := got.Step("right").Failure; got.End.Status != flow.Failed || f == nil || f.Message != "run release-simula/right is failed: node `ship`: no ship" {
		t.Fatalf("%+v %+v", got.End, f)
	}
	broken = false
	w.Resumes = got
	again := sim.Run(w, 1)
	if again.End.Status != flow.Completed || again.Children["right"].Effects["make"] != 0 || again.Children["right"].Effects["ship"] != 1 {
		t.Errorf("%+v %+v", again.End, again.Children["right"])
	}
}

// Cancelling a run cancels its children, whatever they do.
func TestCancelReachesChildren(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := sim.World{
			Definition: release(true), Perform: perform,
			Answers: []sim.Answer{approve("left", time.Second), approve("right", time.Duration(rapid.IntRange(0, 9).Draw(t, "answer"))*time.Second)},
			Cancels: []sim.Cancel{{At: time.Duration(rapid.IntRange(0, 10).Draw(t, "at")) * time.Second / 2, Reason: "stop it"}},
		}
		got := sim.Run(w, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "crash"))
		if len(got.Faults) > 0 {
			t.Fatal(got.Faults)
		}
		if got.End.Status == flow.Cancelled {
			for path, child := range got.Children {
				if !child.End.Status.Ended() {
					t.Fatalf("child %s is %q after the run was cancelled", path, child.End.Status)
				}
			}
		} else if got.End.Status != flow.Completed {
			t.Fatalf("%+v", got.End)
		}
	})
}

// fanned runs a build for each of n items, most of them at the same time.
func fanned(n, most int, allSuccess bool) *flow.Definition {
	items := make([]string, n)
	for i := range items {
		items[i] = strconv.Itoa(i)
	}
	def := &flow.Definition{Name: "release", Children: []*flow.Definition{build(false)}, Nodes: []flow.NodeInfo{{Key: "each", Kind: "workflow"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		each := flow.Spawn(c, flow.Node[string]{Key: "each", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			return steps.FanOut{Max: most, AllSuccess: allSuccess}.Each(c, items, func(c *flow.Context, item string) (string, error) {
				r, err := c.Do(flow.Child{Workflow: "build", Inputs: fmt.Appendf(nil, `{"of": %q}`, item)})
				return r.Text, err
			})
		}})
		err := flow.Settle(c)
		return summary(each.Final().Text), err
	}
	return def
}

// The items of a fan-out end alike in every order and after every crash; one that fails
// has its place in the output, or fails the step after all have ended.
func TestFanOut(t *testing.T) {
	breaks := func(a sim.Attempt) sim.Performance {
		if w, ok := a.Payload.(work); ok && w.Text == "shipped 1" {
			return sim.Performance{Result: flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no ship"}}}
		}
		return perform(a)
	}
	const two = `["made 0, shipped 0",{"archon_failed":true,"error":"run release-simula/each[1] is failed: node ` + "`ship`" + `: no ship","status":"failed"},"made 2, shipped 2"]`
	for _, test := range []struct {
		name       string
		n, most    int
		allSuccess bool
		perform    func(sim.Attempt) sim.Performance
		want       string
	}{
		{"none", 0, 5, false, perform, "[]"},
		{"one at a time", 3, 1, true, perform, `["made 0, shipped 0","made 1, shipped 1","made 2, shipped 2"]`},
		{"all at once", 2, 0, false, perform, `["made 0, shipped 0","made 1, shipped 1"]`},
		{"one fails", 3, 2, false, breaks, two},
		{"one must not fail", 3, 2, true, breaks, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := sim.Explore(sim.World{Definition: fanned(test.n, test.most, test.allSuccess), Perform: test.perform}, 1, 5, func(whole, got *sim.Result) error {
				if got.End.Summary != test.want || (got.End.Status == flow.Completed) != (test.want != "") {
					return fmt.Errorf("it ended as %+v", got.End)
				}
				if test.want == "" && len(got.Children) != test.n {
					return fmt.Errorf("only %d items ran", len(got.Children))
				}
				return sim.Same(whole, got)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A limit holds for a run and its children together, wherever the process dies: a child that
// reaches what is left of it ends the run at its limit, and continues with a higher one.
func TestLimitOfAFamily(t *testing.T) {
	w := sim.World{Definition: fanned(3, 1, true), Perform: perform, Limits: settings.Limits{CostUSD: 3}}
	atLimit := func(cost float64, child string) func(o *sim.Result) error {
		return func(o *sim.Result) error {
			switch c := o.Children[child]; {
			case o.End.Status != flow.LimitReached || o.End.Reason != sched.LimitCost || sched.Used(o.Steps).CostUSD != cost:
				return fmt.Errorf("it ended as %+v, used %+v", o.End, sched.Used(o.Steps))
			case c == nil || c.End.Status != flow.LimitReached || c.Effects["ship"] != 0:
				return fmt.Errorf("the child: %+v", c)
			}
			return nil
		}
	}
	w.Resumes = everywhere(t, w, atLimit(3, "each[1]"))
	everywhere(t, w, func(o *sim.Result) error {
		if o.End.Status != flow.LimitReached || len(o.Effects) > 0 {
			return fmt.Errorf("it ended as %+v, effects %v", o.End, o.Effects)
		}
		return nil
	})
	w.Limits.CostUSD = 5
	w.Resumes = everywhere(t, w, atLimit(5, "each[2]"))
	w.Limits = settings.Limits{}
	everywhere(t, w, func(o *sim.Result) error {
		if want := `["made 0, shipped 0","made 1, shipped 1","made 2, shipped 2"]`; o.End.Status != flow.Completed || o.End.Summary != want || sched.Used(o.Steps).CostUSD != 6 {
			return fmt.Errorf("it ended as %+v, used %+v", o.End, sched.Used(o.Steps))
		}
		return nil
	})
}
