package graphloop

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// acts are keys by which a node is known that has a type or outputs. Those before common
// are evidence in themselves, if the file has only keys of the format.
var acts = []string{"agent", "prompt", "on_output", "branches", "wait_for", "default_output", "command", "template"}

const common = 6

// Detect reports whether a document has the format's shape: a mapping `nodes:`
// beside `edges:` or `workflow:`, with a node that has this format's keys; or all
// three of them, with an edge that leaves START.
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
	if look.Root.Get("workflow").IsString() && edges != nil && !(misspelt || other) && slices.ContainsFunc(detect.Entries(edges.Value), leavesStart) {
		return true, "it has `workflow:`, a mapping `nodes:` and `edges:` from `START`"
	}
	known := detect.Only(look.Root, append([]string{nodes.Key.Value}, decode.Names(workflowFields)...)...) && look.Has("workflow")
	for _, entry := range detect.Entries(nodes.Value) {
		key := nodeEvidence(entry, known, look.Near && !misspelt && !other)
		if key != "" {
			return true, fmt.Sprintf("it has a mapping %s and %s, with a node that has %s", detect.Quote(nodes, "nodes"), beside, key)
		}
	}
	return false, ""
}

func leavesStart(edge *yamlsrc.Node) bool {
	from := edge.Get("from")
	return from.IsString() && from.Value == startID
}

// nodeEvidence describes why a node belongs to this format, or returns "". known says
// that the file has only keys of the format. near accepts a misspelt key.
func nodeEvidence(n *yamlsrc.Node, known, near bool) string {
	if n.Kind != yamlsrc.Mapping || detect.OtherNode(n) {
		return ""
	}
	act := decode.Evidence(nodeFields, n, acts...)
	typ := n.Get("type")
	typed := typ.IsString() && (slices.Contains(kindNames(), typ.Value) || plain.Nearest(typ.Value, kindNames()) != "")
	ends := decode.Evidence(nodeFields, n, "outputs") != ""
	own := act != "" && slices.Index(acts, act) < common
	switch {
	case typed && ends:
		return "`type` and `outputs`"
	case typed && act != "":
		return "`type` and `" + act + "`"
	case ends && act != "" && (own || known):
		return "`outputs` and `" + act + "`"
	case known && own:
		return "`" + act + "`"
	case known && typed, known && len(n.Pairs) == 0:
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
