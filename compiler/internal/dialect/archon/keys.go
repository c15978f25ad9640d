package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// newerModes are the node types that run other workflows.
var newerModes = []string{"include", "workflow"}

// allTables returns the keys of all levels. Options of agents are named once, at the
// node.
func allTables() []decode.Table {
	return []decode.Table{
		decode.TableOf(workflowLevel, workflowFields),
		decode.TableOf(nodeLevel, allNodeFields),
		decode.TableOf(loopLevel, loopFields),
		decode.TableOf(approvalLevel, approvalFields),
		decode.TableOf(reworkLevel, reworkFields),
		decode.TableOf(decisionLevel, decisionFields),
		decode.TableOf(waitLevel, waitFields),
		decode.TableOf(retryLevel, retryFields),
		decode.TableOf(worktreeLevel, worktreeFields),
		decode.TableOf(thinkingLevel, thinkingFields),
		decode.TableOf(sandboxLevel, sandboxFields),
		decode.TableOf(networkLevel, networkFields),
		decode.TableOf(filesystemLevel, filesystemFields),
		decode.TableOf(hookLevel, hookFields),
		decode.TableOf(helperLevel, helperFields),
	}
}

// newerTables are the levels that only newer versions of the format have. Their keys have
// common names, so findings do not suggest them as the place of a misplaced key.
func newerTables() []decode.Table {
	return []decode.Table{
		decode.TableOf(inputLevel, inputFields),
		decode.TableOf(evidenceLevel, evidenceFields),
		decode.TableOf(deprecatedLevel, deprecatedFields),
		decode.TableOf(contextLevel, contextFields),
		decode.TableOf(bindingLevel, bindingFields),
		decode.TableOf(groupLevel, groupFields),
		decode.TableOf(fanLevel, fanFields),
	}
}

// refuseKey reports a key that is not supported.
func (r *reader) refuseKey(v value, since, instead string) {
	for _, n := range []*yamlsrc.Node{v.Node, v.Node.Get("enabled")} {
		if n != nil && n.Tag == yamlsrc.TagBool && n.Value == "false" {
			return
		}
	}
	r.Bag.Add(finding.UnsupportedKey(v.Key.Span, v.Path, since, instead))
}

// forkNodeKeys are keys of nodes that only forks of Archon have.
var forkNodeKeys = []string{"agent_ref", "route_loop"}

// isForkKey reports whether a key of a mapping is one that only forks of Archon have.
func isForkKey(v value, key string) bool {
	switch {
	case v.Key == nil && v.Node.Pair("nodes") != nil:
		return key == "loop_until" || key == "additionalDirectories" || key == "max_iterations" && v.Node.Pair("loop_until") != nil
	case v.Key != nil && v.Key.Value == "loop":
		return key == "until_bash_timeout_ms"
	}
	return v.Node.Pair("id") != nil && slices.Contains(forkNodeKeys, key)
}

// isNewerKey reports whether an unknown key belongs to a newer version of the format:
// a setting that has no effect there either.
func (r *reader) isNewerKey(v value, key *yamlsrc.Node) bool {
	if isForkKey(v, key.Value) {
		r.Bag.Add(finding.ForkKey(key.Span, key.Value))
		return true
	}
	if v.Key != nil && v.Path == "wait" && !strings.HasPrefix(key.Value, "x-") && plain.Nearest(key.Value, decode.Names(waitFields)) == "" {
		r.Bag.Add(finding.NotOnWait(key.Span, key.Value))
		return true
	}
	if key.Value == "budget" && v.Key == nil {
		r.Bag.Add(finding.NewerKey(key.Span, key.Value, ""))
		return true
	}
	return false
}

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

// rulesFor returns the rules that hold for a file: those of the version that the project
// names as `archon.version` in wfc.yaml, else those of the last version for a packaged
// workflow and for a file with a construct that only newer versions have, else those of the
// first version. A file with such a construct is never one of the first version. The rules
// are known before decoding, because they change how strings are read.
func rulesFor(root *yamlsrc.Node, version string, packaged bool) *formats.Ruleset {
	rules := formats.Archon.Oldest()
	if version != "" {
		rules = formats.Archon.RulesOf(version)
	}
	if first := formats.Archon.Versions[0]; rules.Version != first || !packaged && !hasAny(root, newerKeys.workflow) && !hasNewerNode(root.Get("nodes")) {
		return rules
	}
	return formats.Archon.Newest()
}

func hasAny(n *yamlsrc.Node, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return n.Pair(key) != nil })
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
	if n.Kind == yamlsrc.Scalar {
		return strings.Contains(n.Value, "$"+inputsScope+".") || strings.Contains(n.Value, "$"+previousScope+".")
	}
	return slices.ContainsFunc(n.Items, readsNewer) ||
		slices.ContainsFunc(n.Pairs, func(p yamlsrc.Pair) bool { return readsNewer(p.Value) })
}
