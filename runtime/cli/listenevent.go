package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/value"
)

// An event that arrives before its run waits for it is tried again for this long, unless no run
// can ever wait for it.
const (
	eventPatience = time.Hour
	eventPoll     = 5 * time.Second
)

// reportEvent reports the event of a delivery to the runs that wait for it, and continues them.
// It only ends waits for events: no delivery answers a question to a person.
func (l *listener) reportEvent(ctx context.Context, item inbox.Item) error {
	roots, err := l.eventRoots(ctx, item)
	if err != nil {
		return err
	}
	reported, open := [][]replied{}, false
	for _, id := range roots {
		f, err := l.session.loadFamily(ctx, id)
		if err != nil {
			return &inbox.Later{Reason: err}
		}
		open = open || !f.root.Status.Ended()
		given, err := l.answerWaits(ctx, f, item)
		if err != nil {
			return &inbox.Later{Reason: err}
		}
		if len(given) > 0 {
			reported = append(reported, given)
		}
	}
	if len(reported) == 0 {
		if open && time.Since(item.Received) < eventPatience {
			return &inbox.Later{Reason: fmt.Errorf("no run waits for the event `%s` yet", item.Request.Event), After: eventPoll, Patient: true}
		}
		return fmt.Errorf("no run waits for the event `%s`", plain.Line(item.Request.Event))
	}
	for _, given := range reported {
		if err := l.continueAnswered(ctx, given); err != nil {
			return err
		}
	}
	return nil
}

// continueAnswered continues a run after answers to its family, unless a process that works on it
// takes them. One that just pauses may not.
func (l *listener) continueAnswered(ctx context.Context, given []replied) error {
	for _, answer := range given {
		_, holder, err := l.session.gatekeeper().AwaitTaken(ctx, answer.Root, answer.Run, answer.Key, false)
		if err != nil {
			return &inbox.Later{Reason: err}
		}
		if holder == "" {
			return l.continueTriggered(ctx, answer.Root)
		}
	}
	return nil
}

// eventRoots returns the runs whose families may wait for the event of a delivery.
func (l *listener) eventRoots(ctx context.Context, item inbox.Item) ([]string, error) {
	def := l.backend.program.Definition
	if item.Run != "" {
		run, err := l.session.store.Run(ctx, item.Run)
		known := slices.ContainsFunc(flow.Reachable(def), func(d *flow.Definition) bool { return d.Name == run.Workflow })
		if errors.Is(err, store.ErrNotFound) || err == nil && !known {
			return nil, fmt.Errorf("the workflow `%s` has no run %s", def.Name, plain.Line(plain.Clip(item.Run, 80)))
		}
		root, rootErr := l.session.engine.Root(ctx, item.Run)
		if err = errors.Join(err, rootErr); err != nil {
			return nil, &inbox.Later{Reason: err}
		}
		return []string{root}, nil
	}
	runs, err := l.session.engine.ListRuns(ctx, store.Filter{Workflow: def.Name}, flow.Paused, flow.Running, flow.Interrupted)
	if err != nil {
		return nil, &inbox.Later{Reason: err}
	}
	var ids []string
	for i := range runs {
		if matchesInputs(runs[i].Inputs, item.Match) {
			ids = append(ids, runs[i].ID)
		}
	}
	return ids, nil
}

// matchesInputs reports whether the inputs of a run have values.
func matchesInputs(inputs json.RawMessage, want map[string]json.RawMessage) bool {
	var have map[string]json.RawMessage
	if json.Unmarshal(inputs, &have) != nil {
		return false
	}
	for name, v := range want {
		if got, ok := have[name]; !ok || !value.Equal(got, v) {
			return false
		}
	}
	return len(want) > 0
}

// answerWaits ends the waits of a family for the event, and returns the answers that did so, also
// those of an earlier attempt at the same delivery.
func (l *listener) answerWaits(ctx context.Context, f *family, item inbox.Item) (given []replied, err error) {
	from := "delivery " + plain.Clip(plain.Line(item.ID), 200)
	for _, r := range f.allRuns() {
		if item.Run != "" && r.ID != item.Run && f.findRun(item.Run) != nil {
			continue
		}
		for _, a := range r.Answers {
			if a.By == item.Trigger && a.From == from {
				given = append(given, replied{Answer: a, Run: r.ID, Root: f.root.ID})
			}
		}
		for _, q := range r.Questions {
			if q.Wait != flow.WaitEvent || q.Message != item.Request.Event {
				continue
			}
			answer := store.Answer{Key: q.Key, Choice: kernel.ChoiceSignal, Text: item.Text, By: item.Trigger, From: from, Given: time.Now()}
			err := l.session.engine.Answer(ctx, r.ID, answer)
			if _, answered := errors.AsType[*runerr.AnsweredError](err); answered {
				continue // somebody else reported it first
			}
			if err != nil {
				return given, err
			}
			given = append(given, replied{Answer: answer, Run: r.ID, Root: f.root.ID})
			l.log.Info("the event is reported", "run", r.ID, "event", item.Request.Event, "node", q.Key)
		}
	}
	return given, nil
}
