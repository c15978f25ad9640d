package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A FanOut runs a body for the items of a list side by side. Every item runs to its end,
// also after another one has failed. The output is a JSON array with the outputs of the
// items in their order. Item 2 of step fix is step fix[2].
type FanOut struct {
	// Max is the most items at the same time; less than 1 is no limit.
	Max int
	// AllSuccess fails the step if an item failed. Otherwise a failed item is an object in
	// the array: {"archon_failed": true, "error": …, "status": "failed"}; the status of an
	// item that was cancelled is "cancelled".
	AllSuccess bool
	// JSON means that the outputs of the items are JSON values, which the array contains as
	// they are. Without it, and for an empty output, the array contains a string.
	JSON bool
	// SharesCheckout means that all items change the same checkout at the same time. Then the
	// step fails before its first item if it has several items.
	SharesCheckout bool
}

// A lost item has no output.
type lost struct {
	Failed bool        `json:"archon_failed"`
	Error  string      `json:"error"`
	Status flow.Status `json:"status"`
}

// Over runs body for each item of a list in JSON; ref is the reference to the list in the
// workflow, for messages. body returns the output of the item.
func (f FanOut) Over(c *flow.Context, list, ref string, body func(c *flow.Context, item json.RawMessage) (string, error)) (string, error) {
	var items []json.RawMessage
	switch err := json.Unmarshal([]byte(list), &items); {
	case c.Node().LastUnknown() != nil: // the list is not known
		item, err := kernel.Encode(list)
		if err != nil {
			return "", err
		}
		items = []json.RawMessage{item}
	case err != nil || items == nil:
		return "", &flow.Failure{Reason: kernel.InvalidInput, Message: fmt.Sprintf("`%s` is not a list in JSON: %s", ref, excerpt.Clip(strings.TrimSpace(list), shownList))}
	}
	return f.numbers(c, len(items), func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}

// shownList is how many characters of a value that is no list are shown.
const shownList = 60

// Each runs body for each item. body returns the output of the item.
func (f FanOut) Each(c *flow.Context, items []string, body func(c *flow.Context, item string) (string, error)) (string, error) {
	return f.numbers(c, len(items), func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}

// numbers runs body for the items 0 to n-1.
func (f FanOut) numbers(c *flow.Context, n int, body func(c *flow.Context, i int) (string, error)) (string, error) {
	open := c.Node().LastUnknown()
	if f.SharesCheckout && n > 1 && open == nil {
		return "", &flow.Failure{Reason: "checkout", Class: flow.ClassFatal, Message: fmt.Sprintf("%d runs would change one checkout at the same time: "+
			"set `isolation: worktree` or `max_parallel: 1` on node '%s', or `mutates_checkout: false` in the workflow that it runs", n, c.Node().State().Key)}
	}
	c.Node().Begin(flow.Running)
	if open != nil {
		n = min(n, 1)
		c.Engine().Log(flow.Event{Type: kernel.EventRepeats, Key: c.Node().State().Key, Message: "once for each item of a list that is not known"})
	}
	parts := make([]part, n)
	next := 0
	width := n
	if f.Max > 0 {
		width = min(n, f.Max)
	}
	ends := make([]*flow.Future, width)
	for w := range ends {
		ends[w] = c.Engine().NewFuture()
		c.Engine().Spawn(nil, func(e flow.Engine) {
			for next < n {
				i := next
				next++
				parts[i] = run(c, e, fmt.Sprintf("[%d]", i), func(c *flow.Context) (string, error) { return body(c, i) })
			}
			ends[w].Settle(flow.Result{Status: flow.Completed})
		})
	}
	if err := c.Engine().AwaitEnded(ends...); err != nil {
		return "", err
	}
	node := c.Node().State()
	session := node.Session
	for _, p := range parts {
		node.Take(p.node)
	}
	node.Session = session // the last item to speak is chance
	if open != nil && node.Unknown == nil {
		node.Unknown = open
	}
	if node.Unknown != nil {
		return "", nil
	}
	return f.join(c, parts)
}

// join returns the outputs as a JSON array.
func (f *FanOut) join(c *flow.Context, parts []part) (string, error) {
	all := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		var err error
		switch {
		case p.err == nil && f.JSON && p.text != "":
			if !json.Valid([]byte(p.text)) {
				return "", &flow.Failure{Reason: "output", Message: fmt.Sprintf("the output of %s is not JSON", item(c, i))}
			}
			all[i] = json.RawMessage(p.text)
		case p.err == nil:
			all[i], err = kernel.Encode(p.text)
		case f.AllSuccess:
			return "", in(item(c, i), p.err)
		case errors.Is(p.err, flow.ErrCancelled):
			if c.Engine().Await() != nil {
				return "", flow.ErrCancelled // with the whole step
			}
			all[i], err = kernel.Encode(lost{true, "cancelled", flow.Cancelled})
		default:
			failure := flow.AsFailure(p.err)
			if failure.Reason == kernel.NotSimulated {
				return "", in(item(c, i), p.err)
			}
			status := flow.Failed
			if failure.Reason == kernel.ChildCancelled {
				status = flow.Cancelled
			}
			all[i], err = kernel.Encode(lost{true, failure.Message, status})
		}
		if err != nil {
			return "", err
		}
	}
	text, err := kernel.Encode(all)
	return string(text), err
}
