package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/costs"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func (a *app) costsCommand() *cobra.Command {
	var by []string
	var asCSV bool
	var reads reading
	cmd := &cobra.Command{
		Use:   "costs",
		Short: "Show what agents have cost, and budgets",
		Long: "Show what the agents of the workflow's runs have cost, and how much of its budgets is\nleft. It counts the runs of workflows that this one starts, and runs that were removed." +
			"\n\nAn attempt at a prompt that was cut off, or whose process died, counts with its estimate.",
	}
	addReading(a, cmd, &reads, func(ctx context.Context, s *session) error {
		columns, err := costs.ParseBy(by)
		if err != nil {
			return usageError("%w", err)
		}
		ledger, ok := s.store.(spending.Ledger)
		if !ok {
			return &unsupportedError{"a cluster keeps no costs of all its runs: `status` and `list` show those of each run"}
		}
		names := map[string]bool{}
		for _, def := range flow.Reachable(a.program.Definition) {
			names[def.Name] = true
		}
		r, err := spending.Report(ctx, ledger, reads.begin, func(workflow string) bool { return reads.all || names[workflow] })
		if err != nil {
			return failedError(err)
		}
		r.GroupBy(columns)
		s.findInterrupted(ctx, r.Open)
		uses, err := spending.Uses(ctx, ledger, s.folder.Project(), a.reportedBudgets(names), time.Now())
		if err != nil {
			return failedError(err)
		}
		for i := range uses {
			r.Budgets = append(r.Budgets, uses[i].Document(s.folder.Project()))
			r.Budgets[i].Store = runstore.Place(s.store, s.folder.Path)
		}
		return s.printCosts(r, reads.since, asCSV)
	})
	cmd.Flags().StringSliceVar(&by, "by", nil, "")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	return cmd
}

// findInterrupted tells attempts whose process died from those under way.
func (s *session) findInterrupted(ctx context.Context, open []costs.Attempt) {
	for i := range open {
		if open[i].State != costs.UnderWay {
			continue
		}
		root, err := s.engine.Root(ctx, open[i].Run)
		if holder, _ := s.engine.Holder(root); err != nil || holder == "" {
			open[i].State = costs.Interrupted
		}
	}
}

// reportedBudgets are the budgets of the project, and of workflows by name: those that wfc tells, or
// else the program's own.
func (a *app) reportedBudgets(names map[string]bool) []spending.Budget {
	own := a.program.Defaults.Budgets
	all := own.All
	var current settings.ProjectBudgets
	if text, ok := os.LookupEnv(costs.BudgetsVariable); ok && json.Unmarshal([]byte(text), &current) == nil {
		all, names = current.All, maps.Clone(names)
		for name := range current.Workflows {
			names[name] = true
		}
	}
	list := spending.BudgetsOf(all, settings.Budgets{}, "")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		of, told := current.Workflows[name]
		if !told {
			of = own.Workflows[name]
		}
		list = append(list, spending.BudgetsOf(settings.Budgets{}, of, name)...)
	}
	return list
}

func (s *session) printCosts(r *costs.Report, since string, asCSV bool) error {
	switch {
	case s.json:
		return printJSON(s.streams.Out, r)
	case asCSV:
		return failedError(r.WriteCSV(s.streams.Out))
	case len(r.Costs) == 0:
		hint := s.elsewhereHint("costs")
		if since != "" {
			hint = " since " + plain.Line(since) + "; leave out --since to count all"
		}
		fmt.Fprintf(s.streams.Err, "no costs in %s%s\n", runstore.Place(s.store, s.folder.Path), hint)
	}
	return failedError(r.WriteText(s.streams.Out, terminalWidth(s.streams.Out)))
}
