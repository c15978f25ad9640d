package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Archon has changed rules since version 0.5: it refuses references and comparisons
// that it once turned into empty strings, and reads more places. The newer rules hold
// for a project that sets `archon.version` to 0.9 or later in wfc.yaml, and for a file
// with a construct that only newer versions have. They are known before decoding,
// because they change how strings are read.

// The versions of Archon that introduced keys. afterNine is the development after
// version 0.9.0.
const (
	sinceSix   = "0.6"
	sinceSeven = "0.7"
	sinceEight = "0.8"
	sinceNine  = "0.9"
	afterNine  = "later than 0.9.0"
)

// newerKeys are keys that choose the newer rules, by the mapping that has them: the
// file, a node, and mappings inside a node.
var newerKeys = struct {
	workflow, node []string
	inner          map[string][]string
}{
	workflow: []string{"inputs", "returns", "outcome_field", "evidence_policy", "deprecated"},
	node:     append([]string{"with", "isolation", "fan_out", "wait", "loop_group"}, newerModes...),
	inner: map[string][]string{
		"loop":     {"command", "until_field", "signal_completes"},
		"approval": {"decisions"},
		"context":  {"resume"},
	},
}

// isNewer reports whether the newer rules hold for a file.
func isNewer(root *yamlsrc.Node, version string) bool {
	return hasNewerRules(version) || hasAny(root, newerKeys.workflow) || hasNewerNode(root.Get("nodes"))
}

// hasNewerRules reports whether a version of Archon has the newer rules. Versions are
// numbers with points between them.
func hasNewerRules(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return version != "" && (strings.Trim(major, "0") != "" || len(minor) > 1 || minor >= "9")
}

func hasAny(n *yamlsrc.Node, keys []string) bool {
	for _, key := range keys {
		if n.Pair(key) != nil {
			return true
		}
	}
	return false
}

func hasNewerNode(nodes *yamlsrc.Node) bool {
	if nodes == nil || nodes.Kind != yamlsrc.Sequence {
		return false
	}
	for _, item := range nodes.Items {
		if item.Kind != yamlsrc.Mapping {
			continue
		}
		if hasAny(item, newerKeys.node) {
			return true
		}
		for key, keys := range newerKeys.inner {
			if inner := item.Get(key); inner != nil && inner.Kind == yamlsrc.Mapping && hasAny(inner, keys) {
				return true
			}
		}
		if readsNewer(item) {
			return true
		}
	}
	return false
}

// readsNewer reports whether a string in a mapping has a reference that only newer
// versions have.
func readsNewer(n *yamlsrc.Node) bool {
	switch n.Kind {
	case yamlsrc.Scalar:
		return strings.Contains(n.Value, "$"+inputsScope+".") || strings.Contains(n.Value, "$"+previousScope+".")
	case yamlsrc.Sequence:
		for _, item := range n.Items {
			if readsNewer(item) {
				return true
			}
		}
	case yamlsrc.Mapping:
		for _, p := range n.Pairs {
			if readsNewer(p.Value) {
				return true
			}
		}
	}
	return false
}
