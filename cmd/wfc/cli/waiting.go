package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/waiting"
)

// skippedFolder is a state folder that could not be read.
type skippedFolder struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// waitingAll is what `wfc waiting --json` prints.
type waitingAll struct {
	SchemaVersion int             `json:"schema_version"`
	Waiting       []waiting.Item  `json:"waiting"`
	Skipped       []skippedFolder `json:"skipped"`
}

func waitingCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "waiting",
		Short: "List what waits for you in all projects, oldest first",
		Long: "List what waits for you in the runs of all projects of this account, oldest first: gates,\nwaits for a quota, a budget, an event or attention, runs that failed or were interrupted,\n" +
			"and notices that could not be sent. Each has the command that answers it or continues\nthe run.\n\nWith --exit-code, the exit code is 1 if something waits.",
		Example: "  wfc waiting\n  wfc waiting --exit-code --state /srv/wfc-state",
		Args:    commandline.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listWaiting(cmd) },
	}
	commandline.DeclareRunFlags(cmd.Flags(), "waiting")
	return cmd
}

func (a *app) listWaiting(cmd *cobra.Command) error {
	var paths []string
	command := append([]string{"waiting"}, passedOf(cmd, "since", "database")...)
	if folder := flagValue(cmd, "state"); folder != "" {
		paths = []string{folder}
	} else {
		var err error
		if paths, err = accountFolders(); err != nil {
			return err
		}
	}
	all := waitingAll{SchemaVersion: 1, Waiting: []waiting.Item{}, Skipped: []skippedFolder{}}
	for _, path := range paths {
		found, err := a.documentsIn(cmd, path, "waiting", command)
		if err != nil {
			all.Skipped = append(all.Skipped, skippedFolder{path, err.Error()})
			fmt.Fprintf(a.Err, "%s is left out: %s\n", plain.Line(path), plain.Message(err.Error()))
			continue
		}
		for _, f := range found {
			var one waitingAll
			if err := json.Unmarshal(f.document, &one); err != nil {
				return &exitError{ExitInternal, fmt.Errorf("read what waits in %s: %w", path, err)}
			}
			all.Waiting = append(all.Waiting, one.Waiting...)
		}
	}
	waiting.Sort(all.Waiting)
	if flagValue(cmd, "json") == "true" {
		if err := a.printDocument(all); err != nil {
			return err
		}
	} else {
		if err := waiting.Print(a.Out, all.Waiting); err != nil {
			return err
		}
		if len(all.Waiting) == 0 {
			fmt.Fprintln(a.Err, "nothing waits")
		}
	}
	if len(all.Waiting) > 0 && flagValue(cmd, "exit-code") == "true" {
		return silentExit(ExitFindings)
	}
	return nil
}
