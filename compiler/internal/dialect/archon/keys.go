package archon

import "github.com/wfc-lang/wfc/compiler/internal/dialect/decode"

// newerModes are the node types that newer versions of the format have.
var newerModes = []string{"loop_group", "include", "workflow", "wait"}

// newerKeys are keys of newer versions of the format, each with an alternative, or
// "".
var newerKeys = map[string]string{
	"fan_out":          "",
	"isolation":        "",
	"with":             "write the outputs of other nodes in the text itself, as `$node.output`",
	"inputs":           "use `$ARGUMENTS` for the arguments of the run",
	"returns":          "",
	"outcome_field":    "",
	"container":        "",
	"evidence_policy":  "",
	"settingSources":   "",
	"until_field":      "use `until` or `until_bash`",
	"signal_completes": "",
	"decisions":        "use `on_reject`",
}

// tables returns the keys of all levels. Options of agents are named once, at the
// node.
func tables() []decode.Table {
	return []decode.Table{
		decode.TableOf(workflowLevel, workflowFields),
		decode.TableOf(nodeLevel, allNodeFields),
		decode.TableOf(loopLevel, loopFields),
		decode.TableOf(approvalLevel, approvalFields),
		decode.TableOf(reworkLevel, reworkFields),
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
