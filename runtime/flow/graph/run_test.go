package graph

import (
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

func run(t *testing.T, fn func(c *flow.Context) (any, error)) *sim.Outcome {
	t.Helper()
	o := sim.Run(sim.World{Definition: &flow.Definition{Name: "t", Flow: fn}}, 1)
	if len(o.Faults) > 0 {
		t.Fatal(o.Faults)
	}
	return o
}

func TestSlotsAreFairAndSurviveCancellation(t *testing.T) {
	var order []string
	o := run(t, func(c *flow.Context) (any, error) {
		slots := newSlots(1)
		sub, cancel := c.Engine().Scope()
		defer cancel()
		leave, err := slots.enter(c.Engine())
		if err != nil {
			return nil, err
		}
		done := make([]*flow.Future, 0, 3)
		for i, e := range []flow.Engine{c.Engine(), sub, c.Engine()} {
			end := c.Engine().NewFuture()
			done = append(done, end)
			e.Spawn(after(done[:i]), func(e flow.Engine) {
				// The next task comes once this one stands in the queue.
				end.Settle(flow.Result{})
				leave, err := slots.enter(e)
				if err != nil {
					order = append(order, "cancelled")
					return
				}
				order = append(order, string(rune('a'+i)))
				leave()
				leave()
			})
		}
		if err := c.Sleep("nap", 1); err != nil {
			return nil, err
		}
		leave()
		cancel()
		leave()
		if err := c.Sleep("nap2", 1); err != nil {
			return nil, err
		}
		again, err := slots.enter(c.Engine())
		if err != nil {
			return nil, err
		}
		again()
		return nil, nil
	})
	if got := strings.Join(order, " "); o.End.Status != flow.Completed || got != "cancelled a c" && got != "a cancelled c" {
		t.Errorf("%+v, order %v", o.End, order)
	}
	leave, err := newSlots(0).enter(nil)
	if err != nil {
		t.Error("without slots all enter")
	}
	leave()
}

// Giving a slot back twice does not make two slots.
func TestSlotsAreLeftOnce(t *testing.T) {
	run(t, func(c *flow.Context) (any, error) {
		slots := newSlots(1)
		leave, _ := slots.enter(c.Engine())
		leave()
		leave()
		leave, _ = slots.enter(c.Engine())
		inside := true
		entered := c.Engine().NewFuture()
		c.Engine().Spawn(nil, func(e flow.Engine) {
			if _, err := slots.enter(e); err != nil || inside {
				t.Errorf("entered slots that are full (%v)", err)
			}
			entered.Settle(flow.Result{})
		})
		err := c.Sleep("nap", 1)
		inside = false
		leave()
		return nil, errors.Join(err, c.Engine().Await(kernel.All, entered))
	})
}

// after is the last of the futures, if there is any.
func after(fs []*flow.Future) []*flow.Future { return fs[max(0, len(fs)-1):] }
