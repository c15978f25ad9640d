package flow

import (
	"fmt"
	"strings"
)

// A LoopList is one of the lists that a loop goes through: the name of its
// variable, and how many items it has.
type LoopList struct {
	Name  string
	Items int
}

// Length returns how often a loop over the lists runs: as often as each of them
// has items. Lists of different lengths are a *Failure of reason "items".
func Length(c *Context, lists ...LoopList) (int, error) {
	n, equal := lists[0].Items, true
	for _, l := range lists {
		equal = equal && l.Items == lists[0].Items
		n = min(n, l.Items)
	}
	if equal || c.group.seen != nil { // the length of a stand-in says nothing
		return n, nil
	}
	texts := make([]string, len(lists))
	for i, l := range lists {
		texts[i] = fmt.Sprintf("'%s' has %s", l.Name, count(l.Items, "item"))
	}
	return 0, &Failure{Reason: "items", ExitCode: -1,
		Message: fmt.Sprintf("step '%s' loops over lists of different lengths: %s", c.node.key, strings.Join(texts, ", "))}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Each runs body for the items 0 to n-1, one after the other, and joins what it
// returns. The first failure ends it. Item 2 of step fix is step fix[2]; a later
// process of the run goes on with the first item that has not completed.
func Each(c *Context, n int, join func(texts []string) (string, error), body func(c *Context, i int) (string, error)) (string, error) {
	c.begin(Running)
	open := c.group.seen
	if open != nil {
		n = min(n, 1)
		c.engine.Log(Event{Type: EventRepeats, Key: c.node.key, Message: "once for each item of a list that is not known"})
	}
	texts := make([]string, 0, n)
	unknown := Unknown(nil)
	for i := range n {
		p := c.piece(c.engine, fmt.Sprintf("[%d]", i), func(c *Context) (string, error) { return body(c, i) })
		c.take(p)
		if p.err != nil {
			return "", within(fmt.Sprintf("item %d", i+1), p.err)
		}
		if p.node.unknown != nil {
			unknown = p.node.unknown
		}
		texts = append(texts, p.text)
	}
	if open != nil && unknown == nil {
		unknown = open.stand
	}
	if unknown != nil {
		c.node.unknown = unknown
		return "", nil
	}
	return join(texts)
}
