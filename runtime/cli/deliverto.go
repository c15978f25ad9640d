package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/deliver/target"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// deliverTo is where the result of a run goes when its workflow does not say:
// back to the session that the run is started from, or where the project wants it.
func (a *app) deliverTo(session string) []string {
	return target.Resolve(a.program.Definition.DeliverTo, session, a.program.Defaults.DeliverTo)
}

// deliverer is what performs the program's deliveries, or nil.
func (a *app) deliverer() engine.Deliverer {
	for _, p := range a.program.Performers {
		if d, ok := p.(engine.Deliverer); ok {
			return d
		}
	}
	return nil
}

// undeliverable says of the targets of a run's result and steps, one a line, which
// could not be delivered to. Nothing is sent for it: an address that is there and
// has the right form may still be refused by its service.
func (a *app) undeliverable(session string) []string {
	d := a.deliverer()
	if d == nil {
		return nil
	}
	targets := a.deliverTo(session)
	var collect func(nodes []flow.NodeInfo)
	collect = func(nodes []flow.NodeInfo) {
		for _, n := range nodes {
			targets = append(targets, n.DeliverTo...)
			collect(n.Inside)
		}
	}
	collect(a.program.Definition.Nodes)
	var list []string
	for _, err := range d.Unready(targets, a.environ()) {
		list = append(list, err.Error())
	}
	return list
}

// checkDelivery looks whether what nobody will watch can be delivered.
func (a *app) checkDelivery(session string) error {
	if list := a.undeliverable(session); len(list) > 0 {
		return failed(fmt.Errorf("these targets cannot be delivered to:\n  %s\n--skip-delivery-check goes on all the same", strings.Join(list, "\n  ")))
	}
	return nil
}

// warnDelivery says before a run that somebody watches what cannot be delivered.
func (a *app) warnDelivery(f runFlags, show *progress) {
	if f.quiet || f.jsonl {
		return
	}
	for _, problem := range a.undeliverable(f.SessionKey) {
		show.say("! this run cannot deliver to " + problem)
	}
}

// undelivered says of the deliveries of a run that failed why, in order.
func undelivered(steps []flow.Record) []string {
	var list []string
	for _, s := range steps {
		if s.Kind != (flow.Delivery{}).Kind() || s.Status != flow.Failed || s.Failure == nil {
			continue
		}
		text := s.Failure.Message
		if node := strings.TrimSuffix(s.Key, "/deliver"); node != "" {
			text = node + ": " + text
		}
		list = append(list, text)
	}
	return list
}

// undeliveredOf says which deliveries of runs failed, by run.
func (a *app) undeliveredOf(ctx context.Context, s *session, runs []local.RunStatus) (map[string][]string, error) {
	if a.deliverer() == nil {
		return nil, nil
	}
	notes := map[string][]string{}
	for _, r := range runs {
		if !slices.Contains([]flow.Status{flow.Completed, flow.Failed, flow.LimitReached, flow.Cancelled}, r.Status) {
			continue
		}
		full, err := s.engine.Status(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		notes[r.ID] = undelivered(full.Steps)
	}
	return notes, nil
}
