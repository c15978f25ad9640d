package steps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A List is one of the lists of a loop: the name of its variable, and its number of
// items.
type List struct {
	Name  string
	Items int
}

// Length returns the common length of the lists of a loop: its number of iterations. Lists of
// different lengths are a *flow.Failure of reason "items". Without lists it panics.
func Length(c *flow.Context, lists ...List) (int, error) {
	n, equal := lists[0].Items, true
	for _, l := range lists {
		equal = equal && l.Items == lists[0].Items
		n = min(n, l.Items)
	}
	if equal || c.Node().ReadsSymbol() { // the length of a symbol means nothing
		return n, nil
	}
	texts := make([]string, len(lists))
	for i, l := range lists {
		texts[i] = fmt.Sprintf("`%s` has %s", l.Name, plain.Count(l.Items, "item"))
	}
	return 0, &flow.Failure{Reason: "items", ExitCode: -1,
		Message: fmt.Sprintf("step `%s` loops over lists of different lengths: %s", c.Node().State().Key, strings.Join(texts, ", "))}
}

// Each runs body for the items 0 to n-1, one after the other, and joins the outputs. The
// first failure ends it. The items count from 0: the first item of node fix is step
// fix[0]. A later process of the run continues with the first item that has not
// completed.
func Each(c *flow.Context, n int, join func(texts []string) (string, error), body func(c *flow.Context, i int) (string, error)) (string, error) {
	n = beginItems(c, n)
	texts := make([]string, 0, n)
	for i := range n {
		p := runPart(c, c.Scheduler(), fmt.Sprintf("[%d]", i), func(c *flow.Context) (string, error) { return body(c, i) })
		c.Node().State().Add(p.node)
		if p.err != nil {
			return "", failedIn(itemKey(c, i), p.err)
		}
		texts = append(texts, p.text)
	}
	return join(texts)
}

// beginItems begins a step with n items, and returns n. At most one item of a symbolic list
// represents all.
func beginItems(c *flow.Context, n int) int {
	c.Node().Begin(flow.Running)
	if c.Node().ReadsSymbol() {
		n = min(n, 1)
		c.Node().Repeats(1, 0)
	}
	return n
}

// ForEach is Each for the items of a list: body gets the item itself instead of its
// index.
func ForEach[T any](c *flow.Context, items []T, join func(texts []string) (string, error), body func(c *flow.Context, item T) (string, error)) (string, error) {
	return Each(c, len(items), join, func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}

// itemTexts are the items of a JSON array, or a symbol for it.
func itemTexts(array, ref string) ([]string, error) {
	if kernel.IsSymbol(array) {
		return []string{array}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(array), &list); err != nil || list == nil {
		return nil, &flow.Failure{Reason: "reference", Message: "`" + ref + "` is not a JSON array: " + plain.Clip(array, 60)}
	}
	items := make([]string, len(list))
	for i, raw := range list {
		if json.Unmarshal(raw, &items[i]) != nil || string(raw) == "null" {
			var compact bytes.Buffer
			if err := json.Compact(&compact, raw); err != nil {
				return nil, &flow.Failure{Reason: "reference", Message: "`" + ref + "` is not a JSON array: " + err.Error()}
			}
			items[i] = compact.String()
		}
	}
	return items, nil
}

// A FanOut runs a body for the items of a list side by side. Every item runs to its end,
// also after another one has failed. The output is a JSON array with the outputs of the
// items in their order. The items count from 0: the first item of node fix is step
// fix[0].
type FanOut struct {
	// Max is the maximum number of items at the same time; less than 1 means no limit.
	Max int
	// AllSuccess fails the node if an item failed. Otherwise a failed item is an object in
	// the array: {"archon_failed": true, "error": …, "status": "failed"}; the status of an
	// item that was cancelled is "cancelled".
	AllSuccess bool
	// JSONOutputs means that the outputs of the items are JSON values, which the array contains as
	// they are. Without it, and for an empty output, the array contains a string.
	JSONOutputs bool
	// SharesCheckout fails the node before its first item if the list has more than one. It
	// is for a body that changes files of the run's checkout, where several items at once
	// would overwrite each other's work. Do not set it if Max is 1: then only one item runs
	// at a time.
	SharesCheckout bool
}

// A lost item has no output.
type lost struct {
	Failed bool        `json:"archon_failed"`
	Error  string      `json:"error"`
	Status flow.Status `json:"status"`
}

// EachJSON runs body for each item of a list in JSON; ref is the reference to the list in the
// workflow, for messages. body returns the output of the item.
func (f FanOut) EachJSON(c *flow.Context, list, ref string, body func(c *flow.Context, item json.RawMessage) (string, error)) (string, error) {
	var items []json.RawMessage
	switch err := json.Unmarshal([]byte(list), &items); {
	case kernel.IsSymbol(list):
		item, err := kernel.Encode(list)
		if err != nil {
			return "", err
		}
		items = []json.RawMessage{item}
	case err != nil || items == nil:
		return "", &flow.Failure{Reason: kernel.InvalidInput, Message: fmt.Sprintf("`%s` is not a list in JSON: %s", ref, plain.Clip(strings.TrimSpace(list), shownList))}
	}
	return f.runItems(c, len(items), func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}

// EachText is Each for the items of a JSON array: strings as they are, other values as
// JSON. ref is the reference to the array in the workflow, for messages. The error is
// a *flow.Failure: array is not a JSON array.
func (f FanOut) EachText(c *flow.Context, array, ref string, body func(c *flow.Context, item string) (string, error)) (string, error) {
	items, err := itemTexts(array, ref)
	if err != nil {
		return "", err
	}
	return f.Each(c, items, body)
}

// shownList is how many characters of a value that is not a list are shown.
const shownList = 60

// Each runs body for each item. body returns the output of the item.
func (f FanOut) Each(c *flow.Context, items []string, body func(c *flow.Context, item string) (string, error)) (string, error) {
	return f.runItems(c, len(items), func(c *flow.Context, i int) (string, error) { return body(c, items[i]) })
}

// runItems runs body for the items 0 to n-1.
func (f FanOut) runItems(c *flow.Context, n int, body func(c *flow.Context, i int) (string, error)) (string, error) {
	if f.SharesCheckout && n > 1 && !c.Node().ReadsSymbol() {
		return "", &flow.Failure{Reason: "checkout", Class: flow.ClassFatal, Message: fmt.Sprintf("%d runs would change one checkout at the same time: "+
			"set `isolation: worktree` or `max_parallel: 1` on node `%s`, or `mutates_checkout: false` in the workflow that it runs", n, c.Node().State().Key)}
	}
	n = beginItems(c, n)
	parts := make([]part, n)
	next := 0
	width := n
	if f.Max > 0 {
		width = min(n, f.Max)
	}
	ends := make([]*flow.Future, width)
	for w := range ends {
		ends[w] = c.Scheduler().NewFuture()
		c.Scheduler().Spawn(nil, func(e flow.Scheduler) {
			for next < n {
				i := next
				next++
				parts[i] = runPart(c, e, fmt.Sprintf("[%d]", i), func(c *flow.Context) (string, error) { return body(c, i) })
			}
			ends[w].Settle(flow.Result{Status: flow.Completed})
		})
	}
	if err := c.Scheduler().AwaitEnded(ends...); err != nil {
		return "", err
	}
	takeAll(c, parts)
	return f.joinItems(c, parts)
}

// joinItems returns the outputs as a JSON array.
func (f *FanOut) joinItems(c *flow.Context, parts []part) (string, error) {
	all := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		var err error
		switch {
		case p.err == nil && f.JSONOutputs && p.text != "":
			if !json.Valid([]byte(p.text)) {
				return "", &flow.Failure{Reason: "output", Message: fmt.Sprintf("the output of %s is not JSON", itemKey(c, i))}
			}
			all[i] = json.RawMessage(p.text)
		case p.err == nil:
			all[i], err = kernel.Encode(p.text)
		case f.AllSuccess:
			return "", failedIn(itemKey(c, i), p.err)
		case errors.Is(p.err, flow.ErrCancelled):
			if c.Scheduler().Await() != nil {
				return "", flow.ErrCancelled // with the whole step
			}
			all[i], err = kernel.Encode(lost{true, "cancelled", flow.Cancelled})
		default:
			failure := flow.AsFailure(p.err)
			if failure.Reason == kernel.NotSimulated {
				return "", failedIn(itemKey(c, i), p.err)
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
