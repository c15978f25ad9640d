package archon

import (
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
		decode.TableOf(bindingLevel, bindingFields),
		decode.TableOf(groupLevel, groupFields),
		decode.TableOf(fanLevel, fanFields),
	}
}

// unsupported is a key that changes what runs and that wfc does not support yet. A
// value that changes nothing is fine: false, or a mapping that is not enabled.
func unsupported[T any](name, since, instead string) field[T] {
	return field[T]{Name: name, Shape: decode.Any, Since: since, Doc: "Not supported yet.",
		Read: func(d *decoder, v value, _ *T) { d.refuse(v, since, instead) }}
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

// isNewerKey reports whether an unknown key belongs to a newer version of the format:
// a setting that has no effect there either.
func (d *decoder) isNewerKey(v value, key *yamlsrc.Node) bool {
	if key.Value == "budget" && v.Key == nil {
		d.Bag.Add(finding.NewerKey(key.Span, key.Value, ""))
		return true
	}
	return false
}
