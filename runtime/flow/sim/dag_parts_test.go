package sim_test

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// The shapes of nodes that are made of parts, for the random workflows of
// dag_test.go: what they do, what people answer them, and what the reference
// expects of them.

// attemptOf returns which attempt at the whole loop a part belongs to.
func attemptOf(key string) int {
	n := 1
	if _, rest, ok := strings.Cut(key, "/attempt"); ok {
		_, _ = fmt.Sscanf(rest, "%d", &n)
	}
	return n
}

// loop is three iterations, each with the text of the one before and, when a
// person is asked in between, what that said. The second one fails in as many
// attempts at the loop as the node is to fail.
func (n dagNode) loop(c *flow.Context, text string) (string, error) {
	l := steps.Loop{
		Max: 3, Goal: "the end", Retry: n.retry,
		Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
			w := work{Text: fmt.Sprintf("%s%s.%d", i.Previous, i.Answer, i.Number), Class: n.class, Takes: n.takes}
			if i.Number == 1 {
				w.Text = text + ".1"
			}
			if i.Number == 2 && attemptOf(c.Key()) <= n.fails {
				w.Fails = 1
			}
			return c.Do(w)
		},
		Done: func(text string) bool {
			return (n.shape == loops || n.shape == groups) && strings.HasSuffix(text, ".3")
		},
	}
	switch n.shape {
	case tests:
		l.Until = func(c *flow.Context, i *steps.Iteration) (bool, error) {
			r, err := c.Do(work{Text: fmt.Sprint(i.Number == 3), Takes: n.takes})
			return r.Text == "true", err
		}
	case groups:
		l.Body = func(c *flow.Context, i *steps.Iteration) (flow.Result, error) { return n.group(c, i, text) }
	case talks:
		l.Gate = "go on?"
		l.Done = func(text string) bool { return strings.HasSuffix(text, "more.2") }
	}
	return l.Run(c)
}

// group is one iteration of a group: two nodes side by side and one after both, which
// says what a loop's iteration says. The second node is the one that fails.
func (n dagNode) group(c *flow.Context, i *steps.Iteration, text string) (flow.Result, error) {
	attempt := attemptOf(c.Key())
	act := func(w work) func(*flow.Context) (string, error) {
		return func(c *flow.Context) (string, error) {
			r, err := c.Do(w)
			return r.Text, err
		}
	}
	return steps.RunNodes(c, func(c *flow.Context) []flow.AnyTask {
		left := flow.Spawn(c, flow.Node[string]{Key: "left", Kind: "node", Run: act(work{Text: text, Takes: n.takes})})
		w := work{Text: i.Previous, Class: n.class, Takes: time.Second}
		if i.Number == 2 && attempt <= n.fails {
			w.Fails = 1
		}
		right := flow.Spawn(c, flow.Node[string]{Key: "right", Kind: "node", Run: act(w)})
		idle := flow.Spawn(c, flow.Node[string]{Key: "idle", Kind: "node", After: flow.After(left), When: func() (bool, error) { return false, nil }, Run: act(w)})
		both := flow.Spawn(c, flow.Node[string]{Key: "both", Kind: "node", After: flow.After(left, right), Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Text: fmt.Sprintf("%s.%d", cmp.Or(right.Final().Text, left.Final().Text), i.Number), Takes: n.takes})
			return r.Text, err
		}})
		return flow.After(idle, both)
	})
}

// gate is a gate that is rejected once.
func (n dagNode) gate(c *flow.Context, text string) (string, error) {
	return steps.Approval{
		Message: text, Capture: true, MaxRejections: 2,
		Rework: func(c *flow.Context, reason string) (flow.Result, error) {
			return c.Do(work{Text: reason + text, Fails: n.fails, Class: n.class, Takes: n.takes})
		},
	}.Run(c)
}

// said are the answers to the questions of node i.
func (n dagNode) said(i int) []sim.Answer {
	one := func(suffix, choice, text string) sim.Answer {
		return sim.Answer{Key: key(i) + suffix, After: n.takes, Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Choice: choice}}}
	}
	switch n.shape {
	case asks:
		return []sim.Answer{one("#ask", "", "yes ")}
	case gates:
		return []sim.Answer{one("#1", kernel.ChoiceReject, "worse"), one("#2", kernel.ChoiceApprove, "better")}
	case talks:
		all := []sim.Answer{one("#1/gate", kernel.ChoiceApprove, "more")}
		for k := 2; k <= 1+n.retry.Retries; k++ {
			all = append(all, one(fmt.Sprintf("/attempt%d#1/gate", k), kernel.ChoiceApprove, "more"))
		}
		return all
	}
	return nil
}

// parted is what the reference expects of a node made of parts that is tried so
// often at most: its text, or the part that fails it.
func (n dagNode) parted(i, tries int, text string) (out, broken string) {
	fails := n.fails >= tries
	switch n.shape {
	case gates:
		if fails {
			return "", key(i) + "/rework#1"
		}
		return "better", ""
	case talks:
		out = text + ".1more.2"
	default:
		out = text + ".1.2.3"
	}
	switch {
	case fails && n.shape == groups && tries > 1:
		return "", fmt.Sprintf("%s/attempt%d#2.right", key(i), tries)
	case fails && n.shape == groups:
		return "", key(i) + "#2.right"
	case fails && tries > 1:
		return "", fmt.Sprintf("%s/attempt%d#2", key(i), tries)
	case fails:
		return "", key(i) + "#2"
	}
	return out, ""
}

// always reports whether node is performed again in every process of its run.
func (n dagNode) always() bool {
	switch n.shape {
	case acts, repeats, loops, tests, groups:
		return n.again
	}
	return false
}
