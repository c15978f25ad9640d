// Package diagram draws workflows in the formats of package runtime/graph, with or without
// the path of a run.
package diagram

import (
	"fmt"
	"io"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The formats: a table for terminals, a flowchart that Markdown viewers draw, the language of
// Graphviz, a picture, a page with the picture, and data for programs.
const (
	formatText    = "text"
	formatMermaid = "mermaid"
	formatDOT     = "dot"
	formatSVG     = "svg"
	formatHTML    = "html"
	formatJSON    = "json"
)

// Formats returns the formats in the order in which help shows them.
func Formats() []string {
	return []string{formatText, formatMermaid, formatDOT, formatSVG, formatHTML, formatJSON}
}

// A Workflow is a workflow to draw.
type Workflow struct {
	Name  string
	Nodes []flow.NodeInfo
	// Graph is nil unless the workflow is a state graph.
	Graph *flow.GraphInfo
	// Run is the run whose path is drawn, or nil.
	Run *Run
}

// Write draws the workflow in one of Formats. It is an error if the format is unknown or w
// fails.
func (w *Workflow) Write(to io.Writer, format string) error {
	out, ok := newFigure(w).in(format)
	if !ok {
		return fmt.Errorf("unknown graph format %q", format)
	}
	_, err := io.WriteString(to, out)
	return err
}

// in draws the figure in a format; ok is false if there is no such format.
func (f *figure) in(format string) (drawn string, ok bool) {
	switch format {
	case formatText:
		return f.text(), true
	case formatMermaid:
		return f.mermaid(), true
	case formatDOT:
		return f.dot(), true
	case formatSVG:
		return f.svg(), true
	case formatHTML:
		return f.html(), true
	case formatJSON:
		return f.json(), true
	}
	return "", false
}
