// Package flowcode has flows written by hand.
package flowcode

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"example.com/outside/flowcode/helper"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Inputs are the inputs of the flow.
type Inputs struct {
	Names map[string]int
}

// Workflow is a flow in a definition.
var Workflow = flow.Definition{Name: "hand", Flow: flow.TypedFlow(nil, run)}

func run(c *flow.Context, in Inputs) (string, error) {
	if time.Now().Hour() < 12 { // want `a flow calls time.Now, which depends on the clock, so it may act differently when the run is resumed; take the time from .c.Scheduler\(\).Now., which is recorded`
		return "morning", nil
	}
	n := rand.IntN(3) // want `a flow calls rand.IntN, which depends on random numbers`
	seeded := rand.New(rand.NewPCG(1, 2))
	n += seeded.IntN(3)
	where := os.Getenv("WHERE") // want `a flow calls os.Getenv, which depends on the machine`
	label := helper.Label()     // want `a flow calls helper.Label, which calls helper.Stamp, which calls time.Now`
	helper.Log(helper.Upper(where))
	done := make(chan int)
	go func() { done <- n }() // want `a flow starts a goroutine` `a flow sends on a channel`
	<-done                    // want `a flow receives from a channel`
	var keys []string
	for k := range in.Names {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		label += k
	}
	for k := range in.Names { // want `a flow depends on the order of a map`
		label += k
	}
	for k := range maps.Keys(in.Names) { // want `a flow depends on the order of a map`
		label += k
	}
	total := 0
	copied := map[string]int{}
	for k, v := range in.Names {
		total += v
		copied[k] = v
	}
	for range in.Names {
		total++
	}
	task := flow.Spawn(c, flow.Node[string]{
		Key: "step", Kind: "bash",
		When: func() (bool, error) { return time.Since(time.Time{}) > 0, nil }, // want `a flow calls time.Since`
		Run: func(c *flow.Context) (string, error) {
			select { // want `a flow waits for channels`
			case <-done:
			default:
			}
			return local()(c)
		},
	})
	err := flow.Settle(c)
	return task.Final().Text, err
}

func local() func(c *flow.Context) (string, error) {
	return func(c *flow.Context) (string, error) {
		if _, err := os.Stat("x"); err != nil { // want `a flow calls os.Stat, which depends on the machine`
			return "", nil
		}
		c.Do(flow.Bash{Script: "true"})
		return flow.TextOf(c.Do(flow.Bash{Script: "true"}))
	}
}

// Elsewhere is no flow, and may use the clock.
func Elsewhere() time.Time { // want Elsewhere:`varies\(calls time.Now, which depends on the clock\)`
	return time.Now()
}
