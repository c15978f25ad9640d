package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// newerModes are the node types of newer versions of the format that wfc does not
// support, and modeSince the versions that introduced them.
var (
	newerModes = []string{"include", "workflow"}
	modeSince  = map[string]string{"include": sinceSix, "workflow": sinceSeven}
)

// tables returns the keys of all levels. Options of agents are named once, at the
// node.
func tables() []decode.Table {
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

// newerTables are the levels that only newer versions of the format have. Their keys
// have common names, so they are no places to which a misplaced key belongs.
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

// refuse reports a key that is not supported.
func (d *decoder) refuse(v value, since, instead string) {
	for _, n := range []*yamlsrc.Node{v.Node, v.Node.Get("enabled")} {
		if n != nil && n.Tag == yamlsrc.TagBool && n.Value == "false" {
			return
		}
	}
	d.Bag.Add(finding.UnsupportedKey(v.Key.Span, v.Path, since, instead))
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
func (d *decoder) isNewerKey(v value, key *yamlsrc.Node) bool {
	if isForkKey(v, key.Value) {
		d.Bag.Add(finding.ForkKey(key.Span, key.Value))
		return true
	}
	if key.Value == "budget" && v.Key == nil {
		d.Bag.Add(finding.NewerKey(key.Span, key.Value, ""))
		return true
	}
	return false
}
