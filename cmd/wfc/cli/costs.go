package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/costs"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Each store has its own costs. For more than one workflow, wfc asks a program for each store
// about the cost of each attempt, joins the answers, and groups them itself.

// showCosts prints the costs of the project's runs, or of all projects of this account.
func (a *app) showCosts(cmd *cobra.Command, args []string, everywhere bool) error {
	names, err := cmd.Flags().GetStringArray("by")
	if err != nil {
		return err
	}
	if len(names) > 0 {
		names = strings.Split(strings.Join(names, ","), ",")
	}
	by, err := costs.ParseBy(names)
	if err != nil {
		return &usageError{err}
	}
	all := &costs.Report{SchemaVersion: 1, Costs: []costs.Cost{}, Budgets: []costs.Budget{}, Open: []costs.Attempt{}}
	add := func(_ string, f foundRuns) error {
		var r costs.Report
		if err := json.Unmarshal(f.document, &r); err != nil {
			return err
		}
		all.Join(&r)
		return nil
	}
	if everywhere {
		var paths []string
		var stores accountStores
		if paths, err = accountFolders(cmd, args); err == nil {
			stores, err = storesOf(a, cmd, paths)
		}
		if err == nil {
			all.Skipped, err = a.readFolders(cmd, stores, "by", append([]string{"costs", ungrouped}, passedOf(cmd, "since")...), add)
		}
	} else {
		err = a.costsOfProject(cmd, add)
	}
	if err != nil {
		return err
	}
	all.GroupBy(by)
	switch {
	case flagValue(cmd, "json") == "true":
		return a.printDocument(all)
	case flagValue(cmd, "csv") == "true":
		return all.WriteCSV(a.Out)
	case len(all.Costs) == 0:
		hint := ""
		if since := flagValue(cmd, "since"); since != "" {
			hint = " since " + plain.Line(since) + "; leave out --since to count all"
		} else if !everywhere && flagValue(cmd, "state") == "" && flagValue(cmd, "database") == "" {
			hint = "; `wfc costs --all-projects` shows all projects"
		}
		fmt.Fprintln(a.Err, "no costs"+hint)
	}
	return all.WriteText(a.Out, a.textOptions(a.Out).Width)
}

// ungrouped is the flag by which a program does not group costs.
var ungrouped = "--by=" + strings.Join(costs.Ungrouped, ",")

// costsOfProject calls add with the costs in each store of the project.
func (a *app) costsOfProject(cmd *cobra.Command, add func(path string, f foundRuns) error) error {
	folder, err := a.folderHere(cmd)
	if err != nil {
		return err
	}
	if folder.isUnused(cmd) && !folder.project.config.Settings("").Budgets.Set() {
		return nil
	}
	programs, err := a.storeReaderPrograms(cmd, folder)
	if err != nil {
		return err
	}
	budgets := currentBudgets(a, folder)
	for _, program := range programs {
		argv := append([]string{"costs", "--project", ungrouped}, passedOf(cmd, "state", "database", "since")...)
		var f foundRuns
		if f.document, _, err = a.readDocument(program, argv, "by", budgets); err == nil {
			err = add("", f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// currentBudgets returns the variable by which programs learn the project's budgets: they may be older,
// and are of one workflow each.
func currentBudgets(a *app, folder runFolder) string {
	limits := folder.project.config.Settings("").Budgets
	limits.Workflows = budgetsOfWorkflows(a, folder)
	text, _ := json.Marshal(limits) // never fails
	return costs.BudgetsVariable + "=" + string(text)
}

// budgetsElsewhere returns currentBudgets for the project of the workflow files that have had runs in
// a state folder, or nothing if no such file is left.
func budgetsElsewhere(a *app, path string) []string {
	folder, err := state.Locate(path, "")
	if err != nil {
		return nil
	}
	for _, o := range folder.LastOrigins() {
		if _, err := os.Stat(o.Source); err != nil {
			continue
		}
		if pr, err := a.projects.projectOfFile(o.Source); err == nil {
			return []string{currentBudgets(a, runFolder{Folder: folder, project: pr, elsewhere: true})}
		}
	}
	return nil
}

// budgetsOfWorkflows returns the budgets of the workflows that have had runs, by name; zero is none.
func budgetsOfWorkflows(a *app, folder runFolder) map[string]settings.Budgets {
	all := map[string]settings.Budgets{}
	for _, o := range folder.LastOrigins() {
		source := o.Source
		if source == "" && !folder.elsewhere { // a built binary began its last run
			if file, err := a.projects.fileNamed(o.Workflow, "file"); err == nil {
				source, _ = filepath.Abs(file)
			}
		}
		if _, known := all[o.Workflow]; known || source == "" {
			continue
		}
		all[o.Workflow] = settings.Budgets{} // which a program may know that was built before
		if folder.project.config.Options(source).Settings.Budgets.Workflows == nil {
			continue
		}
		if one, err := a.projects.compileOne(&compileFlags{}, source); err == nil && one.result.Workflow != nil {
			maps.Copy(all, one.runSettings("").Budgets.Workflows)
		}
	}
	return all
}
