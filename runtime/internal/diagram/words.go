package diagram

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// what describes a node in a few words: its kind, what it goes through, its agent or workflow,
// what is inside it, and whether a person looks at what it made.
func what(n flow.NodeInfo) string { return describe(n, true) }

// title describes a node inside which others are drawn.
func title(n flow.NodeInfo) string { return describe(n, false) }

func describe(n flow.NodeInfo, children bool) string {
	words := n.Kind
	if n.Loop != "" {
		words += " " + shorten(n.Loop, 30) + ":"
	}
	switch {
	case len(n.Inside) == 1 && n.Inside[0].Key == n.Key: // a loop's body
		body := n.Inside[0]
		body.Key = ""
		words += " " + describe(body, children)
	case len(n.Inside) > 0 && children:
		inside := make([]string, len(n.Inside))
		for i, child := range n.Inside {
			inside[i] = child.Key + " (" + what(child) + ")"
		}
		words += " " + strings.Join(inside, ", ")
	case len(n.Inside) > 0:
		words = strings.TrimSuffix(words, ":")
		if n.Workflow != "" {
			words += " " + n.Workflow
		}
	case n.Workflow != "":
		words += " " + n.Workflow
	case n.Agent != "":
		words += " " + n.Agent
	}
	if n.Reviewed {
		words += ", reviewed"
	}
	if n.Finally {
		words += ", at the end"
	}
	return words
}

// words describes a node as it is drawn in formats with blocks.
func (n *node) words() string {
	if n.group {
		return title(n.NodeInfo)
	}
	return what(n.NodeInfo)
}

// shorten cuts a string to n characters and puts it on one line.
func shorten(s string, n int) string {
	return excerpt.Clip(oneLine(s), n)
}

// oneLine puts a string on one line.
func oneLine(s string) string { return plain.Line(strings.Join(strings.Fields(s), " ")) }

// label is the text of an edge: the rule and the condition.
func label(condition, rule string) string {
	var parts []string
	if rule != "" {
		parts = append(parts, oneLine(rule))
	}
	if condition != "" {
		parts = append(parts, shorten(condition, 60))
	}
	return strings.Join(parts, ": ")
}
