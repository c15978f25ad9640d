package graph

import (
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/excerpt"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// The formats: a table for terminals, a flowchart that Markdown viewers draw, the
// language of Graphviz, and a picture.
const (
	formatText    = "text"
	formatMermaid = "mermaid"
	formatDOT     = "dot"
	formatSVG     = "svg"
)

// Formats returns the formats in the order in which help shows them: text first,
// then mermaid, dot and svg.
func Formats() []string { return []string{formatText, formatMermaid, formatDOT, formatSVG} }

// Write draws a workflow in one of Formats. g is nil unless the workflow is a state graph.
// For a state graph, Write draws the nodes from START to END and the edges with their
// conditions. It draws edges that lead back separately, and the branches of a parallel in
// a block with the join at which they meet. It is an error if the format is unknown or w
// fails.
func Write(w io.Writer, format, name string, nodes []flow.NodeInfo, g *flow.GraphInfo) error {
	var d drawing = newDAG(nodes)
	if g != nil {
		d = newWalk(nodes, g)
	}
	var out string
	switch format {
	case formatText:
		out = d.text()
	case formatMermaid:
		out = d.mermaid()
	case formatDOT:
		out = d.dot(name)
	case formatSVG:
		out = d.svg(name)
	default:
		return fmt.Errorf("unknown graph format %q", format)
	}
	_, err := io.WriteString(w, out)
	return err
}

// A drawing can be drawn in every format.
type drawing interface {
	text() string
	mermaid() string
	dot(name string) string
	svg(name string) string
}

// WriteLayers writes the layers of the nodes in one line, each in brackets with
// blanks between the keys: [A] [B C] [D]. Keys with spaces, quotes or brackets are
// quoted.
func WriteLayers(w io.Writer, nodes []flow.NodeInfo) error {
	var b strings.Builder
	for l, layer := range Layers(nodes) {
		if l > 0 {
			b.WriteByte(' ')
		}
		for i, key := range layer {
			if strings.ContainsAny(key, " \t\r\n\"'[]") || key == "" {
				key = fmt.Sprintf("%q", key)
			}
			key = plain.Line(key)
			if i > 0 {
				key = " " + key
			}
			layer[i] = key
		}
		b.WriteString("[" + strings.Join(layer, "") + "]")
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// what describes a node in a few words: its kind, what it goes through, its agent or workflow,
// what is inside it, and whether a person looks at what it made.
func what(n flow.NodeInfo) string {
	words := n.Kind
	if n.Loop != "" {
		words += " " + shorten(n.Loop, 30) + ":"
	}
	switch {
	case len(n.Inside) == 1 && n.Inside[0].Key == n.Key: // a loop's body
		body := n.Inside[0]
		body.Key = ""
		words += " " + what(body)
	case len(n.Inside) > 0:
		children := make([]string, len(n.Inside))
		for i, child := range n.Inside {
			children[i] = child.Key + " (" + what(child) + ")"
		}
		words += " " + strings.Join(children, ", ")
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

// shorten cuts a text to n characters and puts it on one line.
func shorten(s string, n int) string {
	return excerpt.Clip(oneLine(s), n)
}

// edgeLabel is what a node's incoming edges say: its condition and its rule.
func edgeLabel(n flow.NodeInfo) string {
	var parts []string
	if n.Rule != "" {
		parts = append(parts, oneLine(n.Rule))
	}
	if n.When != "" {
		parts = append(parts, shorten(n.When, 60))
	}
	return strings.Join(parts, ": ")
}
