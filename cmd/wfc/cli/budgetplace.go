package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// checkBudgetPlace refuses a run in the folder dir if the budgets of its wfc.yaml count the runs of
// another project: each state folder has its own sum, so there the budgets would be untouched. A
// place that named isn't empty for is one that a person chose for all runs. store is what --store
// says.
func checkBudgetPlace(o outcome, store, dir string, named ...string) error {
	c := o.project.config
	s := o.runSettings("")
	kept := storeFor(store, c.Config)
	if !s.Budgets.Set() || len(agentsOf(o)) == 0 || kept.Forgets || cmp.Or(append(named, s.State, os.Getenv("WFC_STATE"))...) != "" {
		return nil
	}
	owner := c.Dir
	if s.Budgets.All != (settings.Budgets{}) {
		owner = c.OuterDir()
	}
	root, rootErr := state.Root(owner)
	counts, countsErr := state.Locate("", owner)
	used, usedErr := state.Locate("", dir)
	if err := errors.Join(rootErr, countsErr, usedErr); err != nil {
		return err
	}
	// A database counts by the project's name.
	if used.Path == counts.Path || kept.ByURL && used.Project() == counts.Project() {
		return nil
	}
	return &usageError{fmt.Errorf("the budgets of %s count the runs of %s: call wfc in that folder, or name one place for all runs by --state FOLDER",
		displayPath(filepath.Join(owner, config.FileName)), displayPath(root))}
}
