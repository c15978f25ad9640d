package archon

import "slices"

// newerModes are the node types that newer versions of the format have.
var newerModes = []string{"loop_group", "include", "workflow"}

// newerKeys are keys of newer versions of the format, each with what to do
// meanwhile, or "".
var newerKeys = map[string]string{
	"fan_out":          "",
	"isolation":        "",
	"with":             "name the other nodes' outputs in the text itself, as `$node.output`",
	"inputs":           "the run's arguments are `$ARGUMENTS`",
	"returns":          "",
	"outcome_field":    "",
	"container":        "",
	"evidence_policy":  "",
	"settingSources":   "",
	"until_field":      "use `until` or `until_bash`",
	"signal_completes": "",
	"decisions":        "use `on_reject`",
}

// tableHomes returns where a key is valid, in words, from the tables of all
// levels. Options of agents are named once, at the node.
func tableHomes(key string) []string {
	var homes []string
	add := func(l level, keys []string) {
		if slices.Contains(keys, key) {
			homes = append(homes, l.where)
		}
	}
	add(workflowLevel, names(workflowFields))
	add(nodeLevel, names(allNodeFields))
	add(loopLevel, names(loopFields))
	add(approvalLevel, names(approvalFields))
	add(reworkLevel, names(reworkFields))
	add(retryLevel, names(retryFields))
	add(worktreeLevel, names(worktreeFields))
	add(thinkingLevel, names(thinkingFields))
	add(sandboxLevel, names(sandboxFields))
	add(networkLevel, names(networkFields))
	add(filesystemLevel, names(filesystemFields))
	add(hookLevel, names(hookFields))
	add(helperLevel, names(helperFields))
	return homes
}
