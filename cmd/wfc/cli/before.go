package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// checkRun looks, before a workflow is built for a run with the arguments, for the programs
// and the agents that every run needs: to compile takes half a minute. The program checks
// them again, with those that only its own command line decides.
func (a *app) checkRun(ctx context.Context, o outcome, args []string) error {
	given := func(flags ...string) bool { return hasFlag(args, flags...) }
	if given("--skip-agent-check", "--replay", "--dry-run", "--help", "-h") {
		return nil
	}
	prompts, q, err := newInspection(o.project.config, agentsOf(o))
	if err != nil {
		return err
	}
	needs := map[string]string{}
	if given("--worktree") {
		needs["git"] = ""
	}
	for _, t := range o.result.Workflow.Workflow.Tools() {
		if t.Needed {
			needs[t.Name] = t.Step
		}
	}
	if replaced := agentsReplaced(args); len(replaced) > 0 { // those need not be there
		agents := o.project.config.Settings(o.project.config.Dir).Agents
		q.Names = slices.DeleteFunc(q.Names, func(name string) bool { return usesOneOf(agents, name, replaced) })
	}
	if err = q.Ready(needs, nil); err == nil && !given("--base-branch") {
		err = checkBaseBranch(o)
	}
	if err == nil {
		err = q.Ready(nil, prompts.Inspect(ctx, &q))
	}
	if err != nil {
		a.failure = ExitFindings // as when the program finds it
		return &exitError{ExitFindings, err}
	}
	return nil
}

// hasFlag reports whether the arguments of a run have one of these flags.
func hasFlag(args []string, flags ...string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(flags, name)
	})
}

// checkRunBudget is checkBudgetPlace for the arguments of a run here, unless it asks no agent.
func checkRunBudget(o outcome, store string, args []string) error {
	if hasFlag(args, "--state", "--replay", "--dry-run", "--help", "-h") {
		return nil
	}
	return checkBudgetPlace(o, store, ".")
}

// checkBaseBranch returns an error if a workflow reads the base branch, and nothing names one.
func checkBaseBranch(o outcome) error {
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	if lacksBaseBranch(o, wd) {
		return fmt.Errorf("workflow %s reads the base branch, but `origin` has neither a known default branch nor `main`: add --base-branch NAME, or set base_branch in wfc.yaml", o.result.Workflow.Workflow.Name)
	}
	return nil
}

// agentsReplaced returns the agents that the flags --agent of a command line replace.
func agentsReplaced(args []string) []string {
	var names []string
	for _, choice := range agentChoices(args) {
		name, _, _ := strings.Cut(choice, "=")
		names = append(names, name)
	}
	return names
}

// usesOneOf reports whether an agent is one of several, or uses one of them.
func usesOneOf(agents settings.Agents, name string, among []string) bool {
	for range len(agents) + 1 { // a circle of agents ends, too
		if slices.Contains(among, name) {
			return true
		}
		a, _ := agents.Find(name)
		if a.Use == "" {
			return false
		}
		name = a.Use
	}
	return false
}
