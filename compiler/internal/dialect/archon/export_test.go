package archon

import (
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// TableKeys returns every key that the front end knows, as "LEVEL.KEY", with
// those that it knows of newer versions of the format.
func TableKeys() []string {
	var all []string
	add := func(level string, keys []string) {
		for _, key := range keys {
			all = append(all, level+"."+key)
		}
	}
	add("workflow", decode.Names(workflowFields))
	add("node", decode.Names(allNodeFields))
	add("loop", decode.Names(loopFields))
	add("loop_group", decode.Names(groupFields))
	add("approval", decode.Names(approvalFields))
	add("on_reject", decode.Names(reworkFields))
	add("retry", decode.Names(retryFields))
	add("worktree", decode.Names(worktreeFields))
	add("thinking", decode.Names(thinkingFields))
	add("sandbox", decode.Names(sandboxFields))
	add("network", decode.Names(networkFields))
	add("filesystem", decode.Names(filesystemFields))
	add("ripgrep", decode.Names(ripgrepFields))
	add("pi", decode.Names(piFields))
	add("hook", decode.Names(hookFields))
	add("event", hookNames)
	add("helper", decode.Names(helperFields))
	add("inputs", decode.Names(inputFields))
	add("evidence_policy", decode.Names(evidenceFields))
	add("deprecated", decode.Names(deprecatedFields))
	add("with", decode.Names(bindingFields))
	add("wait", decode.Names(waitFields))
	add("decisions", decode.Names(decisionFields))
	add("context", decode.Names(contextFields))
	slices.Sort(all)
	return all
}

// WorkflowNames returns the names of the workflows that a file can use.
func WorkflowNames(env *dialect.Env) []string {
	var names []string
	for _, w := range newLibrary(env).listWorkflows() {
		names = append(names, w.name)
	}
	return names
}

// CommandOf returns the prompt of a command of the workflow file at path, which the file of
// the environment includes, and how many files the latter's program then has.
func CommandOf(env *dialect.Env, path, name string) (text string, files int) {
	l, of := newLibrary(env), *env
	of.Dir = filepath.Dir(path)
	other := newLibrary(&of)
	other.shareFiles(l)
	found, _ := other.loadCommand(value{Node: &yamlsrc.Node{}}, name)
	return found.Value, len(*l.used)
}
