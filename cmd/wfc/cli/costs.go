package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/costs"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// Each store has its own costs. For more than one workflow, wfc asks a program for each store
// about the costs in all columns, joins the answers, and groups them itself.

// showCosts prints the costs of the project's runs, or of all projects of this account.
func (a *app) showCosts(cmd *cobra.Command, everywhere bool) error {
	names, err := cmd.Flags().GetStringArray("by")
	if err != nil {
		return err
	}
	by, err := costs.ParseBy(strings.Split(strings.Join(names, ","), ","))
	if len(names) == 0 {
		by, err = costs.ParseBy(nil)
	}
	if err != nil {
		return &usageError{err}
	}
	all := &costs.Report{SchemaVersion: 1, Costs: []costs.Cost{}, Budgets: []costs.Budget{}, Open: []costs.Attempt{}}
	if everywhere {
		err = a.costsOfAllProjects(cmd, all)
	} else {
		err = a.costsOfProject(cmd, all)
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
		fmt.Fprintln(a.Err, "no costs")
	}
	width := 0
	if f, ok := plain.File(a.Out); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = w
		}
	}
	return all.WriteText(a.Out, width)
}

// costsOfProject adds the costs of the project's runs.
func (a *app) costsOfProject(cmd *cobra.Command, to *costs.Report) error {
	folder, err := a.folderHere(cmd)
	if err != nil {
		return err
	}
	programs, err := a.storeReaderPrograms(cmd, folder)
	if err != nil {
		return err
	}
	if err := setBudgets(folder.project); err != nil {
		return err
	}
	for _, program := range programs {
		r, err := a.costsBy(program, passedOf(cmd, "state", "database", "since"))
		if err != nil {
			return err
		}
		to.Join(r)
		to.Since = r.Since
	}
	return nil
}

// setBudgets tells programs the budgets of a project.
func setBudgets(pr *project) error {
	text, err := json.Marshal(pr.config.Settings("").Budgets.All)
	if err != nil {
		return err
	}
	return os.Setenv(costs.BudgetsVariable, string(text))
}

// costsOfAllProjects adds the costs of the runs of all projects of this account. What cannot be
// read is named and passed over.
func (a *app) costsOfAllProjects(cmd *cobra.Command, to *costs.Report) error {
	if flagValue(cmd, "state") != "" || flagValue(cmd, "database") != "" {
		return &usageError{errors.New("`--all-projects` goes with no workflow, and not with `--state` or `--database`")}
	}
	paths, err := state.All()
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := a.costsIn(cmd, path, to); err != nil {
			to.Skipped = append(to.Skipped, costs.Skipped{State: path, Reason: err.Error()})
			fmt.Fprintf(a.Err, "%s is left out: %s\n", plain.Line(path), plain.Message(err.Error()))
		}
	}
	return nil
}

// costsIn adds the costs of the runs in a state folder.
func (a *app) costsIn(cmd *cobra.Command, path string, to *costs.Report) error {
	found, err := a.documentsIn(cmd, path, "by", append([]string{"costs", inAllColumns}, passedOf(cmd, "since")...))
	for _, f := range found {
		var r costs.Report
		if err := json.Unmarshal(f.document, &r); err != nil {
			return err
		}
		to.Join(&r)
		to.Since = r.Since
	}
	return err
}

// inAllColumns is the flag by which a program does not group costs.
var inAllColumns = "--by=" + strings.Join(costs.Columns, ",")

// costsBy asks a program for the costs in its store, in all columns.
func (a *app) costsBy(program string, flags []string) (*costs.Report, error) {
	argv := append([]string{"costs", "--project", "--json", inAllColumns}, flags...)
	var out, messages bytes.Buffer
	if _, err := a.performCommand(program, argv, &out, &messages); err != nil {
		return nil, err
	}
	var document struct {
		costs.Report
		Error string `json:"error"`
	}
	broken := json.Unmarshal(out.Bytes(), &document)
	if text, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n"); broken != nil || document.Error != "" {
		return nil, errors.New(cmp.Or(document.Error, text, "another version of wfc made its programs"))
	}
	return &document.Report, nil
}
