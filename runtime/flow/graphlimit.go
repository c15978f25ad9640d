package flow

import (
	"fmt"
	"strings"
	"time"
)

// withinLimits halts the walk between two nodes when a limit is reached, unless
// an earlier process of the run went on here: what that performed is not undone
// by a lower limit.
func (w *Walk[N]) withinLimits(next N) error {
	p := w.place(w.key + "/limit")
	limit := w.reached()
	if limit == nil || w.wentOn(next) {
		return w.pass(p, next)
	}
	limit.Hint = fmt.Sprintf("the run goes on at node '%s' when it is resumed with a higher limit", next)
	if err := w.halt(p, next, StateLimit, limit.Limit, limit); err != nil {
		return err
	}
	return limit
}

// wentOn reports whether something of the next visit has been completed.
func (w *Walk[N]) wentOn(next N) bool {
	key := fmt.Sprintf("%s@%d", next, w.entered+1)
	for _, suffix := range []string{"", "#1", "/state", "/before#1"} {
		if _, ok := w.c.engine.Recorded(key + suffix); ok {
			return true
		}
	}
	return false
}

// reached returns the first limit that is reached, or nil.
func (w *Walk[N]) reached() *LimitError {
	l := w.limits
	switch {
	case l.Iterations > 0 && w.iteration >= l.Iterations:
		return &LimitError{Limit: "max_iterations", Used: nodes(w.iteration), Max: nodes(l.Iterations)}
	case l.Time > 0 && w.elapsed >= l.Time:
		return &LimitError{Limit: "max_time_minutes", Used: span(w.elapsed), Max: span(l.Time)}
	case l.CostUSD > 0 && w.cost >= l.CostUSD:
		return &LimitError{Limit: "max_cost_dollars", Used: fmt.Sprintf("$%.2f", w.cost), Max: fmt.Sprintf("$%.2f", l.CostUSD)}
	}
	return nil
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

// span is a time as people write it: 1h30m, without units that are zero.
func span(d time.Duration) string {
	text := d.Round(time.Second).String()
	if s, ok := strings.CutSuffix(text, "m0s"); ok {
		text = s + "m"
	}
	if s, ok := strings.CutSuffix(text, "h0m"); ok {
		text = s + "h"
	}
	return text
}
