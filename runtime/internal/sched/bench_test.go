package sched_test

import (
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// layers spawns n nodes in layers of width, each after three of the layer
// before.
func layers(n, width int) func(c *flow.Context) (any, error) {
	return func(c *flow.Context) (any, error) {
		nodes := make([]*flow.Task[string], n)
		for i := range nodes {
			var after []flow.AnyTask
			if i >= width {
				for k := range min(3, width) {
					after = append(after, nodes[i/width*width-width+(i+k)%width])
				}
			}
			nodes[i] = node(c, fmt.Sprint("n", i), "x", after...)
		}
		return nil, flow.Settle(c)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, shape := range []struct {
		name     string
		n, width int
	}{{"chain 100", 100, 1}, {"side by side 100", 100, 100}, {"layers 1000", 1000, 100}, {"layers 10000", 10000, 100}, {"chain 10000", 10000, 1}, {"side by side 10000", 10000, 10000}} {
		b.Run(shape.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				end, err := run(b, &host{}, sched.Options{}, layers(shape.n, shape.width))
				if err != nil || end.Status != flow.Completed {
					b.Fatal(end, err)
				}
			}
		})
	}
}
