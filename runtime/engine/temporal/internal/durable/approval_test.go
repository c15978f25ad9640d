package durable_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A gate that needs two people continues with the second one, whatever workflow the run then has. The
// same person counts once, and people who saw different questions aren't added up.
func TestApprovals(t *testing.T) {
	approval := func(by, choice string) runstore.Approval {
		return runstore.Approval{Hash: "h1", Vote: choice, Needed: 2, Answer: store.Answer{Key: "gate#1", Choice: choice, By: by, From: "page"}}
	}
	w := world(t, stage{}, "a gate<a b<gate", func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "gate", bash(c, "a")))
		return nil, flow.Settle(c)
	})
	must(t, flow.Paused)(w.Process())
	must(t, flow.Paused)(w.Approve(approval("ann", "approve")))
	must(t, flow.Paused)(w.Approve(approval("Ann", "approve")))
	changed := approval("ben", "approve") // of another version of the question
	changed.Hash = "h2"
	must(t, flow.Paused)(w.Approve(changed))
	if _, err := w.Approve(approval("dan", "nonsense")); err == nil {
		t.Error("an unknown choice was taken")
	}
	must(t, flow.Paused)(w.Process()) // another workflow, with the journal
	if s := step(w, "b"); s.Status != flow.Pending {
		t.Errorf("b is %s after one approval", s.Status)
	}
	// Without a worker, an approval waits as a signal.
	must(t, flow.Completed)(w.Signal(wire.Approve, approval("eve", "approve")))
	if s := step(w, "gate#1"); s.Meta.By != "ann, eve" || s.Meta.Choice != "approve" {
		t.Errorf("%+v", s.Meta)
	}
}
