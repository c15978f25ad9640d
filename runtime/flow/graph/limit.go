package graph

import (
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// withinLimits halts the walk between two nodes when a limit is reached, unless an
// earlier process of the run continued here: a lower limit does not undo its work.
func (w *Walk[N, S, L]) withinLimits(next N) error {
	p := w.place(w.key + "/limit")
	limit := w.reached()
	if limit == nil || w.wentOn(next) {
		return w.pass(p, next)
	}
	limit.Hint = fmt.Sprintf("the run goes on at node '%s' when it is resumed with a higher limit", next)
	if err := w.halt(p, next, kernel.StateLimit, limit.Limit, limit); err != nil {
		return err
	}
	return limit
}

// wentOn reports whether a step of the next visit has completed.
func (w *Walk[N, S, L]) wentOn(next N) bool {
	key := fmt.Sprintf("%s@%d", next, w.entered+1)
	for _, suffix := range []string{"", "#1", "/state", "/before#1"} {
		if _, ok := w.c.Engine().Recorded(key + suffix); ok {
			return true
		}
	}
	return false
}

// reached returns the first limit that is reached, or nil.
func (w *Walk[N, S, L]) reached() *kernel.LimitError {
	l := w.limits
	switch {
	case l.Iterations > 0 && w.iteration >= l.Iterations:
		return &kernel.LimitError{Limit: "max_iterations", Used: nodes(w.iteration), Max: nodes(l.Iterations)}
	case l.Time > 0 && w.elapsed >= l.Time:
		return &kernel.LimitError{Limit: "max_time_minutes", Used: span(w.elapsed), Max: span(l.Time)}
	case l.CostUSD > 0 && w.cost >= l.CostUSD:
		return &kernel.LimitError{Limit: "max_cost_dollars", Used: fmt.Sprintf("$%.2f", w.cost), Max: fmt.Sprintf("$%.2f", l.CostUSD)}
	}
	return nil
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

// span returns a duration as people write it: 1h30m, without units that are zero.
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
