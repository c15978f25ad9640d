package archon

import "slices"

// TableKeys returns every key that the front end knows, as "LEVEL.KEY", with
// those that it knows of newer versions of the format.
func TableKeys() []string {
	var all []string
	add := func(level string, keys []string) {
		for _, key := range keys {
			all = append(all, level+"."+key)
		}
	}
	add("workflow", names(workflowFields))
	add("node", names(allNodeFields))
	add("loop", names(loopFields))
	add("approval", names(approvalFields))
	add("on_reject", names(reworkFields))
	add("retry", names(retryFields))
	add("worktree", names(worktreeFields))
	add("thinking", names(thinkingFields))
	add("sandbox", names(sandboxFields))
	add("network", names(networkFields))
	add("filesystem", names(filesystemFields))
	add("ripgrep", names(ripgrepFields))
	add("pi", names(piFields))
	add("hook", names(hookFields))
	add("event", hookNames)
	add("helper", names(helperFields))
	for key := range newerKeys {
		all = append(all, "newer."+key)
	}
	slices.Sort(all)
	return all
}
