package graphloop

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// acts are keys by which a node is known that has a type or outputs.
var acts = []string{"agent", "prompt", "command", "template", "on_output", "branches", "wait_for", "default_output"}

// Detect reports whether a document has the format's shape: a mapping `nodes:`
// beside `edges:` or `workflow:`, with a node that has this format's keys; or all
// three of them.
func (Frontend) Detect(look detect.Look) (ok bool, why string) {
	nodes, misspelt := look.Key("nodes")
	if nodes == nil || nodes.Value.Kind != yamlsrc.Mapping {
		return false, ""
	}
	// One misspelt key at most: either of the two.
	edges, other := detect.Look{Root: look.Root, Near: look.Near && !misspelt}.Key("edges")
	beside := ""
	switch {
	case edges != nil:
		beside = detect.Quote(edges, "edges")
	case look.Has("workflow"):
		beside = "`workflow:`"
	default:
		return false, ""
	}
	if look.Root.Get("workflow").IsString() && edges != nil && edges.Value.Kind == yamlsrc.Sequence && !(misspelt || other) {
		return true, "it has `workflow:`, a mapping `nodes:` and a list `edges:`"
	}
	known := detect.Only(look.Root, append([]string{nodes.Key.Value}, decode.Names(workflowFields)...)...) && look.Has("workflow")
	for _, entry := range detect.Entries(nodes.Value) {
		key := evidence(entry, known, look.Near && !misspelt && !other)
		if key != "" {
			return true, fmt.Sprintf("it has a mapping %s and %s, with a node that has %s", detect.Quote(nodes, "nodes"), beside, key)
		}
	}
	return false, ""
}

// evidence describes why a node belongs to this format, or returns "". known says
// that the file has only keys of the format. near accepts a misspelt key.
func evidence(n *yamlsrc.Node, known, near bool) string {
	if n.Kind != yamlsrc.Mapping || detect.OtherNode(n) {
		return ""
	}
	act := detect.First(n, acts...)
	switch {
	case n.Pair("type") != nil && n.Pair("outputs") != nil:
		return "`type` and `outputs`"
	case n.Pair("type") != nil && act != "":
		return "`type` and `" + act + "`"
	case n.Pair("outputs") != nil && act != "":
		return "`outputs` and `" + act + "`"
	case known && act != "":
		return "`" + act + "`"
	case known && detect.Only(n, decode.Names(nodeFields)...):
		return "this format's keys"
	case !near:
		return ""
	}
	for _, pair := range [][2]string{{"type", "outputs"}, {"outputs", "type"}, {"type", "agent"}, {"type", "prompt"}, {"agent", "outputs"}} {
		written, meant := detect.Misspelt(n, decode.Names(nodeFields), pair[1])
		if written != "" && n.Pair(pair[0]) != nil {
			return "`" + pair[0] + "` and `" + written + "` (meant as `" + meant + "`)"
		}
	}
	return ""
}
