package cli

import (
	"context"
	"slices"
	"strings"
)

// checkRun looks, before a workflow is built for a run with the arguments, for the programs
// and the agents that every run needs: to compile takes half a minute. The program checks
// them again, with those that only its own command line decides.
func (a *app) checkRun(ctx context.Context, o outcome, args []string) error {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	given := func(flags ...string) bool {
		return slices.ContainsFunc(args, func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return slices.Contains(flags, name)
		})
	}
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
	if given("--agent") { // one that it replaces need not be there
		q.Names = nil
	}
	err = q.Ready(needs, nil)
	if err == nil {
		err = q.Ready(nil, prompts.Inspect(ctx, &q))
	}
	if err != nil {
		a.failure = ExitFindings // as when the program finds it
		return &exitError{ExitFindings, err}
	}
	return nil
}
