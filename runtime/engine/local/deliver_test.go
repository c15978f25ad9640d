package local_test

import (
	"context"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// What a run's beginning said of where its result goes holds in later processes.
func TestDeliverToIsKept(t *testing.T) {
	w := newWorld(t)
	var seen [][]string
	def := define("w", step{key: "a"})
	inner := def.Flow
	def.Flow = func(c *flow.Context) (any, error) {
		seen = append(seen, c.Scheduler().Run().DeliverTo)
		return inner(c)
	}
	p := newPerformer()
	p.set("a", fails("not yet"))
	e := w.engine(t, func(cfg *local.Config) { cfg.Performers = []engine.Performer{p} })
	opt := w.options()
	opt.DeliverTo = []string{"slack:C1", "ops"}
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, opt))
	p.set("a", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, w.options()))
	if len(seen) != 2 || !slices.Equal(seen[0], opt.DeliverTo) || !slices.Equal(seen[1], opt.DeliverTo) {
		t.Errorf("%v", seen)
	}
}
