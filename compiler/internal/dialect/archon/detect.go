package archon

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// modes are the keys that select the work of a node.
var modes = append([]string{"prompt", "command", "bash", "script", "loop", "loop_group", "approval", "cancel", "wait"}, newerModes...)

// order are the keys that say when a node runs.
var order = []string{"depends_on", "when", "trigger_rule"}

// Detect reports whether a document has the format's shape: `nodes:` with an
// entry that has an id and does something or waits for another one. With a name
// and a description, as every workflow has, less is enough.
func (Frontend) Detect(look detect.Look) (ok bool, why string) {
	nodes, misspelt := look.Key("nodes")
	if nodes == nil || look.Has("edges", "workflow", "steps") && misspelt {
		return false, ""
	}
	titled := look.Has("name") && look.Has("description") && detect.Only(look.Root, append(decode.Names(workflowFields), nodes.Key.Value)...)
	what := "a list "
	if nodes.Value.Kind == yamlsrc.Mapping {
		what = ""
	}
	for _, entry := range detect.Entries(nodes.Value) {
		if key := nodeEvidence(entry, titled, look.Near && !misspelt); key != "" && (titled || nodes.Value.Kind == yamlsrc.Sequence) {
			return true, fmt.Sprintf("it has %s%s with an entry that has %s", what, detect.Quote(nodes, "nodes"), key)
		}
	}
	if mode := detect.First(nodes.Value, modes...); titled && mode != "" && detect.Only(nodes.Value, decode.Names(allNodeFields)...) {
		return true, "it has " + detect.Quote(nodes, "nodes") + " with `" + mode + "`"
	}
	blank := nodes.Value.Kind == yamlsrc.Sequence && !slices.ContainsFunc(detect.Entries(nodes.Value), func(n *yamlsrc.Node) bool { return n.Kind == yamlsrc.Mapping })
	if titled && blank && !misspelt {
		return true, "it has a name, a description and a list `nodes:`"
	}
	return false, ""
}

// nodeEvidence describes why an entry is a node of this format, or returns "". near
// accepts a misspelt key.
func nodeEvidence(n *yamlsrc.Node, titled, near bool) string {
	if n.Kind != yamlsrc.Mapping || detect.OtherNode(n) {
		return ""
	}
	known := decode.Names(allNodeFields)
	typed := n.Pair("type") != nil || n.Pair("name") != nil
	mode, when := decode.Evidence(allNodeFields, n, modes...), decode.Evidence(allNodeFields, n, order...)
	generic := (mode == "command" || mode == "script") && !detect.Only(n, known...)
	switch {
	case n.Pair("id") != nil && mode != "" && (titled || !typed && (!generic || isStrongMode(n, mode))):
		return "`id` and `" + mode + "`"
	case n.Pair("id") != nil && when != "" && (titled || when == "depends_on" && detect.Only(n, known...)):
		return "`id` and `" + when + "`"
	case mode != "" && (titled || detect.Only(n, known...) && isStrongMode(n, mode)):
		return "`" + mode + "`"
	case titled && n.Pair("id") != nil && detect.Only(n, known...):
		return "`id`"
	}
	if !near || n.Pair("id") == nil || mode != "" {
		return ""
	}
	if written, meant := detect.Misspelt(n, known, modes...); written != "" && (titled || when != "") {
		return "`id` and `" + written + "` (meant as `" + meant + "`)"
	}
	if written, meant := detect.Misspelt(n, known, "depends_on"); written != "" {
		return "`id` and `" + written + "` (meant as `" + meant + "`)"
	}
	return ""
}

// isStrongMode reports whether the mode of a node identifies the format even without an
// id: other formats have commands, scripts and loops, too.
func isStrongMode(n *yamlsrc.Node, mode string) bool {
	switch mode {
	case "prompt", "bash", "approval":
		return true
	}
	return decode.Evidence(allNodeFields, n, order...) != ""
}
