// Package diagram draws workflows in the formats of package runtime/draw, with or without
// the path of a run.
package diagram

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// formats are the formats in the order in which help shows them: a table for terminals, a flowchart
// that Markdown viewers draw, the language of Graphviz, a picture, a page with the picture, and data
// for programs.
var formats = []struct {
	name   string
	render func(f *figure) string
}{
	{"text", (*figure).renderText}, {"mermaid", (*figure).renderMermaid}, {"dot", (*figure).renderDOT},
	{"svg", (*figure).renderSVG}, {"html", (*figure).renderHTML}, {"json", (*figure).renderJSON},
}

// Formats returns the formats in the order in which help shows them.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
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
	for _, f := range formats {
		if f.name == format {
			_, err := io.WriteString(to, f.render(newFigure(w)))
			return err
		}
	}
	return fmt.Errorf("unknown graph format %q", format)
}

// A document is a workflow as data.
type document struct {
	SchemaVersion int            `json:"schema_version"`
	Name          string         `json:"name"`
	Kind          string         `json:"kind"` // nodes or graph
	Run           *runDocument   `json:"run,omitempty"`
	Nodes         []nodeDocument `json:"nodes"`
	Edges         []edgeDocument `json:"edges"`
}

type runDocument struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// A nodeDocument is a node. ID is its path: `fix.test` for a node inside another one, which
// Within names.
type nodeDocument struct {
	ID        string         `json:"id"`
	Kind      string         `json:"kind"`
	Words     string         `json:"description"`
	Within    string         `json:"within,omitempty"`
	File      string         `json:"file,omitempty"`
	Line      int            `json:"line,omitempty"`
	Condition string         `json:"condition,omitempty"`
	Rule      string         `json:"trigger_rule,omitempty"`
	Outputs   []string       `json:"outputs,omitempty"`
	State     *stateDocument `json:"state,omitempty"`
}

type stateDocument struct {
	Status     string `json:"status"`
	Cause      string `json:"cause,omitempty"`
	Count      int    `json:"count,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
}

type edgeDocument struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Condition string `json:"condition,omitempty"`
	Rule      string `json:"trigger_rule,omitempty"`
	Order     bool   `json:"order,omitempty"`
	Branch    bool   `json:"branch,omitempty"`
	Back      bool   `json:"back,omitempty"`
	Taken     int    `json:"taken,omitempty"`
}

// renderJSON writes the workflow as data for programs.
func (f *figure) renderJSON() string {
	d := document{SchemaVersion: 1, Name: f.Name, Kind: "nodes", Nodes: []nodeDocument{}, Edges: []edgeDocument{}}
	if f.Graph != nil {
		d.Kind = "graph"
	}
	if f.Run != nil {
		d.Run = &runDocument{f.Run.ID, string(f.Run.Status)}
	}
	for _, n := range f.nodes {
		words := n.descriptionBesideChildren()
		if n.isStartOrEnd() {
			words = ""
		}
		row := nodeDocument{ID: n.path, Kind: n.Kind, Words: words, File: n.File, Line: n.Line, Condition: n.When, Rule: n.Rule, Outputs: n.Labels}
		if n.block >= 0 {
			row.Within = f.nodes[n.block].path
		}
		if s := n.state; s != nil {
			row.State = &stateDocument{string(s.Status), s.Cause, s.Count, s.Took.Milliseconds()}
		}
		d.Nodes = append(d.Nodes, row)
	}
	for _, e := range f.edges {
		if e.branch && f.nodes[e.to].block == e.from {
			continue // Within says it
		}
		d.Edges = append(d.Edges, edgeDocument{f.nodes[e.from].path, f.nodes[e.to].path, e.condition, e.rule, e.order, e.branch, e.back, e.taken})
	}
	text, err := plain.FormatJSON(d)
	if err != nil {
		panic(err) // strings and numbers have a JSON form
	}
	return string(text)
}

// renderHTML writes a page with the picture that loads nothing.
func (f *figure) renderHTML() string {
	title := html.EscapeString(oneLine(f.headTitle()))
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	b.WriteString("<title>" + title + "</title>\n" + pageStyle)
	b.WriteString("<h1>" + title + "</h1>\n" + f.renderSVG() + "</html>\n")
	return b.String()
}

const pageStyle = `<style>
body{font-family:system-ui,sans-serif;margin:1.5rem;background:#fff;color:#1d2430}
h1{font-size:1.1rem;font-weight:600}
svg{max-width:none}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e8edf5}}
</style>
`
