package detect

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Miss says what a document that no front end recognised lacks of a workflow.
type Miss struct {
	// At is the key or value to mend.
	At *yamlsrc.Node
	// Why is the reason, and Help says what to write.
	Why, Help string
}

// Advice for those who nearly wrote nodes or steps.
const (
	writeNodes = "give each node of archon an `id` and one of `prompt`, `command`, `bash`, `script`, `loop`, `approval`"
	writeSteps = "give each step `id`, `agent` and `prompt` (lango), or `name` and one of `prompt`, `agent`, `bash`, `python`, `parallel` (xprompt)"
	writeGraph = "give each node of graphloop a `type`, such as `task`, and `outputs`, and connect the nodes under `edges:`"
	writeEmpty = "write a list of nodes (archon) or a mapping of names to nodes (graphloop)"
	writeList  = "write a list of steps, each with `- ` before its first key"
	writeWork  = "add a list `nodes:` (archon), a mapping `nodes:` with `workflow:` and `edges:` (graphloop), or a list `steps:` (lango, xprompt)"
)

// titles are keys at the top of workflows that other files have, too.
var titles = []string{"name", "description", "version", "input", "inputs", "provider", "model", "edges", "tags", "state"}

// Nearly says why a document is nearly a workflow, or returns nil if nothing in it resembles
// one. The document is one that no front end recognised.
func Nearly(root *yamlsrc.Node) *Miss {
	if root.Kind == yamlsrc.Sequence {
		if slices.ContainsFunc(Entries(root), isWork) {
			return &Miss{root, "its top level is a list", "put the list under `nodes:` (archon) or `steps:` (lango, xprompt)"}
		}
		return nil
	}
	if nodes := findHolder(root, "nodes"); nodes != nil {
		return nodesMiss(root, nodes)
	}
	if steps := findHolder(root, "steps"); steps != nil {
		return stepsMiss(steps)
	}
	if inner := root.Pair("workflow"); inner != nil {
		if key := First(inner.Value, "nodes", "steps"); key != "" {
			return &Miss{inner.Value.Pair(key).Key, "`" + key + ":` is inside `workflow:`", "move it to the top level"}
		}
	}
	if root.Pair("name") != nil && Only(root, titles...) {
		return &Miss{root.Pairs[0].Key, "it has no nodes and no steps", writeWork}
	}
	return nil
}

// isWork reports whether an entry has keys that only workflows for agents have.
func isWork(n *yamlsrc.Node) bool {
	return First(n, "prompt", "agent") != "" && First(n, "id", "name", "bash", "depends_on") != "" && !OtherStep(n)
}

// findHolder returns the pair of a name, also if it is misspelt, or one in capitals or with another
// name for the same whose entries are those of a workflow.
func findHolder(root *yamlsrc.Node, name string) *yamlsrc.Pair {
	if p, _ := (Look{Root: root, Near: true}).Key(name); p != nil {
		return p
	}
	for i := range root.Pairs {
		p := &root.Pairs[i]
		if (strings.EqualFold(p.Key.Value, name) || name == "steps" && p.Key.Value == "tasks") && slices.ContainsFunc(Entries(p.Value), isWork) {
			return p
		}
	}
	return nil
}

func nodesMiss(root *yamlsrc.Node, nodes *yamlsrc.Pair) *Miss {
	key := Quote(nodes, "nodes")
	switch kind := nodes.Value.Kind; {
	case nodes.Key.Value != "nodes":
		return &Miss{nodes.Key, "unknown key " + key, "rename the key to `nodes`"}
	case isEmpty(nodes.Value):
		return &Miss{nodes.Key, key + " is empty", writeEmpty}
	case kind == yamlsrc.Scalar:
		return &Miss{nodes.Key, key + " is neither a list nor a mapping", writeEmpty}
	case kind == yamlsrc.Sequence && root.Pair("edges") != nil:
		return &Miss{nodes.Key, key + " beside `edges:` is a list", "write a mapping of names to nodes, as graphloop has it"}
	case kind == yamlsrc.Sequence:
		return &Miss{nodes.Key, "no entry of " + key + " is a node", writeNodes}
	case root.Pair("edges") == nil && root.Pair("workflow") == nil:
		return &Miss{nodes.Key, key + " is a mapping, but `workflow:` and `edges:` are missing", "add both for graphloop, or write a list of nodes for archon"}
	}
	return &Miss{nodes.Key, "no entry of " + key + " is a node", writeGraph}
}

func stepsMiss(steps *yamlsrc.Pair) *Miss {
	key := Quote(steps, "steps")
	switch {
	case steps.Key.Value != "steps":
		return &Miss{steps.Key, "unknown key " + key, "rename the key to `steps`"}
	case isEmpty(steps.Value):
		return &Miss{steps.Key, key + " is empty", writeList}
	case steps.Value.Kind != yamlsrc.Sequence:
		return &Miss{steps.Key, key + " is not a list", writeList}
	}
	return &Miss{steps.Key, "no entry of " + key + " is a step", writeSteps}
}

func isEmpty(n *yamlsrc.Node) bool {
	return n.IsNull() || n.Kind != yamlsrc.Scalar && len(Entries(n)) == 0
}
