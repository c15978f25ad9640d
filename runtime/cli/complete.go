package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/store"
)

// completedRuns is how many runs a shell offers.
const completedRuns = 50

// addCompletions adds what shells offer for the values of a program's commands. It
// starts nothing and makes no files.
func (a *app) addCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "status", "logs", "trace", "export", "resume", "cancel", "approve", "reject", "wake", "prune":
			cmd.ValidArgsFunction = a.completeRun
		case "answer", "respond":
			cmd.ValidArgsFunction = a.completeOpen(func(q engine.Question) []string { return q.Choices }, &reply{})
		case "signal":
			cmd.ValidArgsFunction = a.completeOpen(func(q engine.Question) []string { return []string{q.Message} }, &reply{wait: flow.WaitEvent})
		case "run":
			cmd.ValidArgsFunction = nil // inputs are anything, files too
		case "list", "top", "info", "graph", "schedule", "listen", "mcp":
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		offerFlagValues(cmd, "node", func() []string {
			var names []string
			for _, def := range flow.Reachable(a.program.Definition) {
				for _, n := range def.Nodes {
					names = append(names, n.Key)
				}
			}
			return names
		})
		offerFlagValues(cmd, "agent", func() []string {
			var choices []string
			for _, name := range a.program.agentNames() {
				for _, kind := range a.program.agentKinds() {
					choices = append(choices, name+"="+kind)
				}
			}
			return choices
		})
		offerFlagValues(cmd, "status", document.StatusNames)
		offerFlagValues(cmd, "format", draw.Formats)
	}
}

// offerFlagValues has shells offer the values of a flag, if the command has it.
func offerFlagValues(cmd *cobra.Command, flag string, values func() []string) {
	if cmd.Flags().Lookup(flag) == nil {
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Compact(slices.Sorted(slices.Values(values()))), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeOpen offers runs for the first argument, and for the second what words returns of
// the run's open questions that a command is for.
func (a *app) completeOpen(words func(q engine.Question) []string, r *reply) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return a.completeRun(cmd, args, typed)
		}
		var list []string
		_ = a.withRun(cmd.Context(), args[0], func(ctx context.Context, s *session, id string) error {
			status, err := s.engine.Status(ctx, id)
			if err == nil {
				for _, q := range r.matchingQuestions(status.Questions) {
					list = append(list, words(q)...)
				}
			}
			return err
		}) // without a run there is nothing to offer
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeRun offers the ids of the last runs, with their statuses.
func (a *app) completeRun(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	folder, err := a.stateFolder()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if _, err := os.Stat(folder.Path); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	s, err := openReading(cmd.Context(), a.call)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.closeSession()
	runs, err := s.engine.ListRuns(cmd.Context(), store.Filter{Workflow: a.program.Definition.Name, Limit: completedRuns})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID+"\t"+string(r.Status))
		if r.Status.Ended() {
			continue
		}
		for _, below := range folder.Descendants(r.ID) {
			ids = append(ids, below+"\tpart of "+r.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
