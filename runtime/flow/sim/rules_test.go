package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// failsWith runs a flow that breaks a rule, and checks that no process completes it.
func failsWith(t *testing.T, def *flow.Definition, want string) *sim.Result {
	t.Helper()
	return everywhere(t, sim.World{Definition: def, Perform: perform}, func(o *sim.Result) error {
		if o.End.Status != flow.Failed || !strings.Contains(o.End.Error, want) {
			return fmt.Errorf("the run is %+v, want %q", o.End, want)
		}
		return nil
	})
}

// A flow that returns before its nodes have settled would leave them out.
func TestUnsettledNodesFailTheRun(t *testing.T) {
	const advice = " had not settled: end it with `return outputs, flow.Settle(c)`"
	for want, fn := range map[string]func(c *flow.Context) (any, error){
		"while `a` and `b`" + advice: func(c *flow.Context) (any, error) {
			inner(c, "b", "y", inner(c, "a", "x"))
			return "done", nil
		},
		"while `late`" + advice: func(c *flow.Context) (any, error) {
			inner(c, "early", "x")
			err := flow.Settle(c)
			inner(c, "late", "y")
			return nil, err
		},
		"while `beside`" + advice: func(c *flow.Context) (any, error) {
			inner(c, "beside", "x")
			judged := flow.RunNext(c, flow.Node[string]{Key: "judged", Run: func(*flow.Context) (string, error) { return "y", nil }})
			return nil, flow.Outcome(nil, judged, func(string) bool { return true })
		},
		"while deliveries" + advice: func(c *flow.Context) (any, error) {
			flow.Deliver(c, flow.RunNext(c, flow.Node[string]{Key: "a", Run: func(*flow.Context) (string, error) { return "x", nil }}), "slack")
			return nil, nil
		},
		"`n8`, `n9` and 3 more" + advice: func(c *flow.Context) (any, error) {
			for i := range 13 {
				inner(c, fmt.Sprint("n", i), "x")
			}
			return nil, nil
		},
		"the flow's own error": func(c *flow.Context) (any, error) {
			inner(c, "a", "x")
			return nil, &flow.Failure{Message: "the flow's own error"}
		},
	} {
		o := failsWith(t, &flow.Definition{Name: "t", Flow: fn}, want)
		for _, key := range []string{"a", "b", "late", "beside", "n0"} {
			if o.Effects[key] > 0 {
				t.Errorf("%s: node %s ran", want, key)
			}
		}
	}
}

// A cancelled run ends as cancelled, also if its flow hides that.
func TestCancelledFlowThatReturnsEarly(t *testing.T) {
	for name, settle := range map[string]func(c *flow.Context){
		"settles": func(c *flow.Context) { _ = flow.Settle(c) },
		"returns": func(c *flow.Context) { _ = c.Sleep("nap", time.Hour) },
	} {
		w := sim.World{Perform: perform, Cancels: []sim.Cancel{{At: time.Millisecond}}, Definition: &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
			task := inner(c, "a", "x")
			if settle(c); name == "settles" {
				return task.Final().Text, flow.Settle(c)
			}
			return nil, nil
		}}}
		if o := sim.Run(w, 1); o.End.Status != flow.Cancelled || len(o.Faults) > 0 {
			t.Errorf("%s: %+v %v", name, o.End, o.Faults)
		}
	}
}

// A node spawns none: a process that finds it completed would not come to them.
func TestNodesThatSpawn(t *testing.T) {
	failsWith(t, &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "a", Run: func(c *flow.Context) (string, error) {
			inner(c, "b", "x")
			return "", nil
		}})
		return nil, flow.Settle(c)
	}}, "node `a` spawns node `b`, which a resumed run would leave out if `a` has completed: spawn it in the flow (")
}

// Every way to read an output fails the node that does not wait for it.
func TestReadsThatDoNotWait(t *testing.T) {
	for name, read := range map[string]func(c *flow.Context, a *flow.Task[string]) error{
		"Text":         func(_ *flow.Context, a *flow.Task[string]) error { _, err := a.Text(); return err },
		"RequireText":  func(_ *flow.Context, a *flow.Task[string]) error { _, err := a.RequireText("$a.output"); return err },
		"RequireValue": func(_ *flow.Context, a *flow.Task[string]) error { _, err := a.RequireValue("$a.output"); return err },
		"MustOutput":   func(_ *flow.Context, a *flow.Task[string]) error { a.MustOutput(); return nil },
		"Final":        func(_ *flow.Context, a *flow.Task[string]) error { a.Final(); return nil },
		"Optional":     func(_ *flow.Context, a *flow.Task[string]) error { a.Optional(); return nil },
		"Session":      func(_ *flow.Context, a *flow.Task[string]) error { _, err := a.Session(); return err },
		"Approved":     func(_ *flow.Context, a *flow.Task[string]) error { a.Approved(); return nil },
		"flow.Session": func(_ *flow.Context, a *flow.Task[string]) error { flow.Session(a); return nil },
		"flow.Summary": func(c *flow.Context, a *flow.Task[string]) error { flow.Summary(c, a); return nil },
	} {
		whole := func(c *flow.Context, b flow.Node[string]) (any, error) {
			b.Key = "b"
			flow.Spawn(c, b)
			return nil, flow.Settle(c)
		}
		for place, fn := range map[string]func(c *flow.Context) (any, error){
			"node `b` reads node `a`, which has not settled: add `a` to `After` of `b` (rules_test.go:": func(c *flow.Context) (any, error) {
				a := inner(c, "a", "x")
				return whole(c, flow.Node[string]{Run: func(c *flow.Context) (string, error) { return "", read(c, a) }})
			},
			"node `b` reads node `a`, which": func(c *flow.Context) (any, error) {
				a := inner(c, "a", "x")
				return whole(c, flow.Node[string]{When: func() (bool, error) { return true, read(c, a) }})
			},
			"item `b[0]`: node `b` reads node `a`": func(c *flow.Context) (any, error) {
				a := inner(c, "a", "x")
				return whole(c, flow.Node[string]{Run: func(c *flow.Context) (string, error) {
					return steps.Each(c, 1, nil, func(c *flow.Context, _ int) (string, error) { return "", read(c, a) })
				}})
			},
			"the flow reads node `a`, which has not settled: call `flow.Settle` first, or read it in a node with `a` in `After` (rules_test.go:": func(c *flow.Context) (any, error) {
				a := inner(c, "a", "x")
				return nil, errorsOf(read(c, a), flow.Settle(c))
			},
		} {
			o := sim.Run(sim.World{Perform: perform, Definition: &flow.Definition{Name: "t", Flow: fn}}, 1)
			want := strings.TrimPrefix(place, "item `b[0]`: ")
			if o.End.Status != flow.Failed || !strings.Contains(o.End.Error, want) || len(o.Faults) > 0 {
				t.Errorf("%s: %+v %v, want %q", name, o.End, o.Faults, place)
			}
		}
	}
}

// errorsOf returns the first error.
func errorsOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// The definition and the flow agree about the nodes.
func TestUndeclaredNodesFailTheRun(t *testing.T) {
	def := &flow.Definition{Name: "t", Nodes: []flow.NodeInfo{{Key: "fix", Kind: "bash"}, {Key: "never", Kind: "bash"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		inner(c, "fox", "x")
		return nil, flow.Settle(c)
	}
	failsWith(t, def, "node `fox` is spawned, but not declared: add it to `Nodes` of the definition; did you mean `fix`? (")
	def = groupOf(1, func(c *flow.Context, _ *steps.Iteration) []flow.AnyTask { return flow.After(inner(c, "tset", "end 1")) })
	def.Nodes = []flow.NodeInfo{{Key: "fix", Kind: "loop", Inside: []flow.NodeInfo{{Key: "test"}}}}
	failsWith(t, def, "node `tset` is spawned, but not declared: add it to `Nodes` of the definition; did you mean `test`?")
	def = groupOf(1, func(c *flow.Context, _ *steps.Iteration) []flow.AnyTask { return flow.After(inner(c, "test", "end 1")) })
	def.Nodes = []flow.NodeInfo{{Key: "fix", Kind: "loop", Inside: []flow.NodeInfo{{Key: "test"}}}, {Key: "never", Kind: "bash"}}
	everywhere(t, sim.World{Definition: def, Perform: perform}, func(o *sim.Result) error {
		if o.End.Status != flow.Completed || o.Step("never").Reason != "not_reached" {
			return fmt.Errorf("%+v: %+v", o.End, o.Step("never"))
		}
		return nil
	})
}

// A step that is repeated takes along the nodes that its NodeInfo names, so a node has no others.
func TestUndeclaredDependenciesFailTheRun(t *testing.T) {
	def := &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		inner(c, "b", "y", inner(c, "a", "x"))
		return nil, flow.Settle(c)
	}}
	def.Nodes = []flow.NodeInfo{{Key: "a"}, {Key: "b"}}
	failsWith(t, def, "node `b` has `a` in `After`, but not in `Nodes` of the definition: add it to `After` of the NodeInfo, too (nested_test.go:")
	for _, info := range []flow.NodeInfo{{Key: "b", After: []string{"a"}}, {Key: "b", Order: []string{"a"}}, {Key: "b", After: []string{"c", "a"}}} {
		def.Nodes = []flow.NodeInfo{{Key: "a"}, info, {Key: "c"}}
		if o := sim.Run(sim.World{Definition: def, Perform: perform}, 1); o.End.Status != flow.Completed {
			t.Errorf("%+v: %+v", info, o.End)
		}
	}
}

// A step belongs to a node, and the code of a node has the node's Context.
func TestContextsOfOthersFailTheRun(t *testing.T) {
	const noKey = "the flow's Context has no key for a step: call it in the function of a node, with the Context that the function gets (rules_test.go:"
	spawn := func(c *flow.Context, run func(outer, c *flow.Context) error) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "a", Run: func(own *flow.Context) (string, error) { return "", run(c, own) }})
		return nil, flow.Settle(c)
	}
	for want, fn := range map[string]func(c *flow.Context) (any, error){
		noKey: func(c *flow.Context) (any, error) {
			r, err := c.Do(work{Text: "x"})
			return r.Text, err
		},
		"node `a`: " + noKey: func(c *flow.Context) (any, error) {
			return spawn(c, func(outer, _ *flow.Context) error { _, err := outer.Do(work{Text: "x"}); return err })
		},
		"node `a`: this code uses the Context of the flow or of another node: use the one that the function of the node gets (rules_test.go:": func(c *flow.Context) (any, error) {
			return spawn(c, func(outer, _ *flow.Context) error { _, err := outer.DoAs("nap", work{Text: "x"}); return err })
		},
	} {
		failsWith(t, &flow.Definition{Name: "t", Flow: fn}, want)
	}
}

// A loop that cannot run says which field to set.
func TestIncompleteLoopsFailTheRun(t *testing.T) {
	body := func(c *flow.Context, _ *steps.Iteration) (flow.Result, error) { return c.Do(work{Text: "x"}) }
	repeated := func(c *flow.Context, _ steps.Previous) (string, error) { return flow.TextOf(c.Do(work{Text: "x"})) }
	ends := func(string) (bool, error) { return true, nil }
	for _, loop := range []struct {
		fields string
		run    func(c *flow.Context) (string, error)
	}{
		{"`Loop.Max` to", steps.Loop{Goal: "x", Body: body}.Run},
		{"`Loop.Goal` to", steps.Loop{Max: 1, Body: body}.Run},
		{"`Loop.Body` to", steps.Loop{Max: 1, Goal: "x"}.Run},
		{"`Repeat.Max` to", steps.Repeat{Body: repeated, Until: ends}.Run},
		{"`Repeat.Body` to", steps.Repeat{Max: 1, Until: ends}.Run},
		{"`Repeat.Until` or `Repeat.While` to", steps.Repeat{Max: 1, Body: repeated}.Run},
		{"`Repeat.Until` or `Repeat.While` to", steps.Repeat{Max: 1, Body: repeated, Until: ends, While: ends}.Run},
	} {
		failsWith(t, one(loop.run), "node `n`: the loop is incomplete: set "+loop.fields)
		o := failsWith(t, one(func(c *flow.Context) (string, error) { return loop.run(c) }), "(rules_test.go:")
		if strings.Contains(o.End.Error, "iter.go") || len(o.Effects) > 0 {
			t.Errorf("%+v %v", o.End, o.Effects)
		}
	}
	if o := sim.Run(sim.World{Definition: one(steps.Loop{Max: 1, Goal: "x"}.Run), Perform: perform}, 1); strings.Contains(o.End.Error, ".go:") {
		t.Errorf("the place of a method value: %+v", o.End)
	}
}

// A key is that of one node.
func TestKeysFailTheRun(t *testing.T) {
	for keys, want := range map[string]string{
		"":         "a node has no `Key`: give it one that no other node of the flow has (",
		"/deliver": "the key of node `/deliver` starts with `/`, as keys of wfc's own steps do: rename it (",
		"a b a":    "node `a` is spawned twice: give every node of a flow a separate `Key` (",
	} {
		failsWith(t, &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
			for key := range strings.SplitSeq(keys, " ") {
				inner(c, key, "x")
			}
			return nil, flow.Settle(c)
		}}, want)
	}
	odd := &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		for _, key := range []string{"a", "a/b", "a.b", "fix", "fix#3", "fixes", "A B", "日本", "-", "items[2]", "r@5"} {
			inner(c, key, "x")
		}
		return nil, flow.Settle(c)
	}}
	if o := sim.Run(sim.World{Definition: odd, Perform: perform}, 1); o.End.Status != flow.Completed {
		t.Errorf("%+v", o.End)
	}
}

// A node beside a part with its key would get the part's result in a later process, or the other
// way round.
func TestKeysOfParts(t *testing.T) {
	one := func(c *flow.Context, _ int) (string, error) { return flow.TextOf(c.Do(work{Text: "x"})) }
	for part, run := range map[string]func(c *flow.Context) (string, error){
		"fix#3":   func(c *flow.Context) (string, error) { return flow.TextOf(c.DoAs("#3", work{Text: "x"})) },
		"fix/at":  func(c *flow.Context) (string, error) { return flow.TextOf(c.At("/at").Do(work{Text: "x"})) },
		"fix/nap": func(c *flow.Context) (string, error) { return "", c.Sleep("/nap", time.Second) },
		"fix/q#1": func(c *flow.Context) (string, error) { return flow.TextOf(c.Ask("/q#1", flow.Question{Message: "?"})) },
		"fix[0]":  func(c *flow.Context) (string, error) { return steps.Each(c, 1, nil, one) },
		"fix/lint": func(c *flow.Context) (string, error) {
			branch := func(c *flow.Context) (string, error) { return one(c, 0) }
			return steps.Fork{Branches: []steps.Branch{{Name: "lint", Run: branch}}}.Run(c, nil)
		},
	} {
		def := &flow.Definition{Name: "t"}
		def.Flow = func(c *flow.Context) (any, error) {
			beside := inner(c, part, "y")
			flow.Spawn(c, flow.Node[string]{Key: "fix", After: flow.After(beside), Run: run})
			return nil, flow.Settle(c)
		}
		failsWith(t, def, "step `"+part+"` has the key of another node: rename node `"+part+"`")
		def.Nodes = []flow.NodeInfo{{Key: "fix"}, {Key: part}}
		def.Flow = func(c *flow.Context) (any, error) { // before the other node is known
			flow.RunNext(c, flow.Node[string]{Key: "fix", Run: run})
			flow.RunNext(c, flow.Node[string]{Key: part, Run: func(*flow.Context) (string, error) { return "y", nil }})
			return nil, flow.Settle(c)
		}
		failsWith(t, def, "step `"+part+"` has the key of another node: rename node `"+part+"`")
	}
}

// A second step with one key names it, and fails the node that starts it.
func TestStepsStartedTwice(t *testing.T) {
	failsWith(t, &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "a", Run: func(c *flow.Context) (string, error) {
			_, _ = c.Do(work{Text: "x"})
			return flow.TextOf(c.Do(work{Text: "y"}))
		}})
		return nil, flow.Settle(c)
	}}, "step `a` was started twice: give every action, question, sleep and time of a run a separate key, such as by `DoAs` (rules_test.go:")
}
