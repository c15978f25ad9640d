package graph

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A haltPoint is a place where a walk may halt and continue.
type haltPoint struct {
	key string
	// halted means that an earlier process halted here; resumed, that this one or one in
	// between has saved that the walk continues.
	halted, resumed bool
}

// oneTimeHaltPoint returns the journal's record of a place where the walk halts once.
func (w *Walk[N, S, L, R]) oneTimeHaltPoint(key string) haltPoint {
	p := haltPoint{key: key}
	_, p.halted = w.c.Scheduler().Recorded(key + "/halted")
	_, p.resumed = w.c.Scheduler().Recorded(key + "/resumed")
	p.resumed = p.resumed || w.passed[key]
	return p
}

// repeatableHaltPoint returns the journal's record of a place where the walk may halt repeatedly: the
// last halt that is not over.
func (w *Walk[N, S, L, R]) repeatableHaltPoint(key string) haltPoint {
	for n := 1; ; n++ {
		if p := w.oneTimeHaltPoint(fmt.Sprintf("%s#%d", key, n)); !p.resumed {
			return p
		}
	}
}

// saveHalt saves that the walk halts at a place, unless the journal has that.
func (w *Walk[N, S, L, R]) saveHalt(p haltPoint, next N, status, reason string, err error) error {
	s := w.currentState(next, status)
	s.Reason, s.Error = reason, err.Error()
	return w.saveState(p.key+"/halted", s)
}

// saveResumption saves that the walk continues at a place where an earlier process halted.
func (w *Walk[N, S, L, R]) saveResumption(p haltPoint, next N) error {
	if !p.halted || p.resumed {
		return nil
	}
	w.passed[p.key] = true
	return w.saveState(p.key+"/resumed", w.currentState(next, kernel.StateRunning))
}

// isSavedVerdict reports whether the walk has saved a verdict already.
func isSavedVerdict(err error) bool {
	var stop *kernel.StopError
	var limit *kernel.LimitError
	var goals *kernel.GoalsError
	return errors.As(err, &stop) || errors.As(err, &limit) || errors.As(err, &goals) || errors.Is(err, flow.ErrCancelled)
}

// withinLimits halts the walk between two nodes when a limit is reached, unless an
// earlier process of the run continued here: a lower limit does not undo its work.
func (w *Walk[N, S, L, R]) withinLimits(next N) error {
	p := w.repeatableHaltPoint(w.key + "/limit")
	limit := w.reachedLimit()
	if limit == nil || w.wentOn(next) {
		return w.saveResumption(p, next)
	}
	limit.Hint = fmt.Sprintf("the run continues at node `%s` when you resume it with a higher limit", next)
	if err := w.saveHalt(p, next, kernel.StateLimit, limit.Limit, limit); err != nil {
		return err
	}
	return limit
}

// wentOn reports whether a step of the next visit has completed.
func (w *Walk[N, S, L, R]) wentOn(next N) bool {
	key := fmt.Sprintf("%s@%d", next, w.entered+1)
	for _, suffix := range []string{"", "#1", "/state", "/before#1"} {
		if _, ok := w.c.Scheduler().Recorded(key + suffix); ok {
			return true
		}
	}
	return false
}

// reachedLimit returns the first limit that is reached, or nil.
func (w *Walk[N, S, L, R]) reachedLimit() *kernel.LimitError {
	l := w.limits
	switch {
	case l.Iterations > 0 && w.iteration >= l.Iterations:
		return &kernel.LimitError{Limit: "max_iterations", Used: plain.Count(w.iteration, "node"), Max: plain.Count(l.Iterations, "node")}
	case l.Time > 0 && w.elapsed >= l.Time:
		return &kernel.LimitError{Limit: "max_time_minutes", Used: plain.ShortSpan(w.elapsed.Round(time.Second)), Max: plain.ShortSpan(l.Time.Round(time.Second))}
	case l.CostUSD > 0 && (w.cost >= l.CostUSD || w.unpriced != ""):
		return kernel.CostReached("max_cost_dollars", "", w.cost, l.CostUSD, w.unpriced)
	}
	return nil
}

// askInterrupts asks the interrupts before or after the node of the current visit. skipped
// means that the node does not run and the walk continues at skipTo.
func (w *Walk[N, S, L, R]) askInterrupts(when string, node *Node[N, R], next N) (skipTo N, skipped bool, err error) {
	n, list := 0, node.Before
	if when == "after" {
		list = node.After
	}
	for _, i := range list {
		ask := true
		if err := w.recoverPanics(func() error {
			ask = w.conditionHolds(i.When)
			return nil
		}); err != nil {
			return "", false, err
		}
		if !ask {
			continue
		}
		choice, err := w.askUntilValid(w.visitContext(node), when, i, &n, next)
		if err != nil {
			return "", false, err
		}
		if choice == kernel.Skip && when == "before" {
			return i.SkipTo, true, nil
		}
	}
	return "", false, nil
}

// askUntilValid asks until the answer is valid, and returns it.
func (w *Walk[N, S, L, R]) askUntilValid(c *flow.Context, when string, i Interrupt[N, R], n *int, next N) (string, error) {
	message := i.Message
	if err := w.recoverPanics(func() error {
		if i.Compose != nil {
			message = i.Compose(w.run)
		}
		return nil
	}); err != nil {
		return "", err
	}
	q := flow.Question{Message: message, Choices: []string{kernel.Continue, kernel.Stop}}
	w.showLastWords(&q)
	skip := !i.Required && (i.SkipTo != "" || when == "after")
	if skip {
		q.Choices = append(q.Choices, kernel.Skip)
	}
	if !i.Required {
		q.Unattended = kernel.Continue
	}
	for {
		*n++
		suffix := fmt.Sprintf("/%s#%d", when, *n)
		r, err := c.Ask(suffix, q)
		if err != nil {
			return "", err
		}
		answer := kernel.MatchInterrupt(r.Meta.Choice, skip)
		if answer == "" {
			answer = kernel.MatchInterrupt(r.Text, skip)
		}
		switch answer {
		case kernel.Continue, kernel.Skip:
			return answer, nil
		case kernel.Stop:
			if err := w.stopByPerson(c.Key()+suffix, next, r); err != nil {
				return "", err
			}
		default:
			q.Message = notUnderstood(personAnswer(r), q.Choices) + "\n\n" + message
		}
	}
}

// stopByPerson stops the run because a person said so, unless an earlier process did and the run
// was resumed: then the question is asked again.
func (w *Walk[N, S, L, R]) stopByPerson(question string, next N, r flow.Result) error {
	p := w.oneTimeHaltPoint(question)
	if p.halted {
		return w.saveResumption(p, next)
	}
	by := cmp.Or(r.Meta.By, "somebody")
	stop := &kernel.StopError{Reason: kernel.ReasonStopped, Message: fmt.Sprintf("%s answered `%s` to `%s`; the run asks again when you resume it", by, personAnswer(r), question)}
	if err := w.saveHalt(p, next, kernel.StateStopped, stop.Reason, stop); err != nil {
		return err
	}
	return stop
}
