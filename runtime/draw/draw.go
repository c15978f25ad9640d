// Package draw draws workflows as text, Mermaid, DOT, SVG, HTML and JSON, from the
// descriptions of nodes that compiled workflows contain.
//
//	err := draw.Write(os.Stdout, "svg", def.Name, def.Nodes, def.Graph)
package draw

import (
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/diagram"
)

// Formats returns the formats in the order in which help shows them: text first,
// then mermaid, dot, svg, html and json.
func Formats() []string { return diagram.Formats() }

// Write draws a workflow in one of Formats. g is nil unless the workflow is a state graph.
// For a state graph, Write draws the nodes from START to END and the edges with their
// conditions. It draws edges that lead back separately. Nodes inside others are in a block:
// those of a loop, an include or a parallel. It is an error if the format is unknown or w
// fails.
func Write(w io.Writer, format, name string, nodes []flow.NodeInfo, g *flow.GraphInfo) error {
	d := diagram.Workflow{Name: name, Nodes: nodes, Graph: g}
	return d.Write(w, format)
}

// Layers returns the keys of the nodes in layers: each node comes one layer after the
// last of its dependencies, which are the nodes in After and Order. Within a layer, nodes
// are in the order in which their last dependencies come. Layers ignores dependencies
// that are not among the nodes, and leaves out nodes that are in a cycle or depend on
// one.
func Layers(nodes []flow.NodeInfo) [][]string {
	var layers [][]string
	for _, layer := range diagram.Layers(nodes) {
		var keys []string
		for _, i := range layer {
			keys = append(keys, nodes[i].Key)
		}
		layers = append(layers, keys)
	}
	return layers
}

// WriteLayers writes the layers of the nodes in one line, each in brackets, with the keys
// separated by spaces: [A] [B C] [D]. Keys with spaces, quotes or brackets are quoted.
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
