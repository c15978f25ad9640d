package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// changing is a world of a list that another process makes differently, and of a node with
// its items. It is for one run.
func changing() sim.World {
	made := 0
	return sim.World{
		Definition: &flow.Definition{
			Name: "w", Nodes: []flow.NodeInfo{{Key: "list"}, {Key: "each", After: []string{"list"}}},
			Flow: func(c *flow.Context) (any, error) {
				list := flow.Spawn(c, flow.Node[string]{Key: "list", AlwaysRun: true, Run: func(c *flow.Context) (string, error) {
					return flow.TextOf(c.Do(flow.Bash{}))
				}})
				each := flow.Spawn(c, flow.Node[string]{Key: "each", After: flow.After(list), Run: func(c *flow.Context) (string, error) {
					items := c.PinList(list.MustOutput().Text)
					return steps.FanOut{Max: 1}.EachText(c, items, "$list.output", func(c *flow.Context, item string) (string, error) {
						return flow.TextOf(c.Do(flow.Bash{Script: item}))
					})
				}})
				err := flow.Settle(c)
				return each.Final().Text, err
			},
		},
		Perform: func(a sim.Attempt) sim.Performance {
			text := a.Payload.(flow.Bash).Script
			if a.Key == "list" {
				text = `["a1","b1","c1"]`
				if made++; made > 1 {
					text = `["a2","b2"]`
				}
			}
			return sim.Performance{Takes: time.Second, Result: flow.Result{Status: flow.Completed, Text: text}}
		},
	}
}

// A resumed run continues with the items that it began with, although the node with the list
// has made another one.
func TestItemsStayTheFirst(t *testing.T) {
	whole := sim.Run(changing(), 1)
	kept, again := 0, 0
	for point := 1; point <= whole.Points; point++ {
		o := sim.Run(changing(), 1, point)
		switch got := o.Step("each").Text; {
		case got == `["a1","b1","c1"]`:
			kept++
		case got != `["a2","b2"]`:
			t.Errorf("crash at %d: the items are %s", point, got)
		case o.Effects["each[0]"] != 1 || strings.HasSuffix(o.Step("each[0]").Text, "1"):
			t.Errorf("crash at %d: the first item is %+v", point, o.Step("each[0]"))
		default:
			again++
		}
	}
	if kept == 0 || again == 0 {
		t.Errorf("of %d crashes, %d came after the first item and %d before", whole.Points, kept, again)
	}
}
