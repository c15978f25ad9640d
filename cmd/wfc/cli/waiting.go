package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/waiting"
)

func waitingCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "waiting",
		Short: "List what waits for you in all projects, oldest first",
		Long: "List what waits for you in the runs of all projects of this account, oldest first: gates,\nwaits for a quota, a budget, an event or attention, runs that failed or were interrupted,\n" +
			"and notices that could not be sent. Each has the command that answers it or continues\nthe run.\n\nWith --exit-code, the exit code is 1 if the list is not empty: failures count, until\nsomebody resumes or removes the runs, or they are older than --since.",
		Example: "  wfc waiting\n  wfc waiting --exit-code --state /srv/wfc-state",
		Args:    commandline.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listWaiting(cmd) },
	}
	commandline.DeclareRunFlags(cmd.Flags(), "waiting")
	return cmd
}

func (a *app) listWaiting(cmd *cobra.Command) error {
	command, paths := append([]string{"waiting"}, passedOf(cmd, "since")...), []string{flagValue(cmd, "state")}
	var err error
	if paths[0] == "" {
		if paths, err = state.All(); err != nil {
			return err
		}
	}
	stores, err := storesOf(a, cmd, paths)
	if err != nil {
		return err
	}
	names := projectNames(stores.paths)
	here, err := a.folderHere(cmd)
	if err != nil {
		return err
	}
	// From here, commands find runs without it. Documents are read elsewhere, too.
	flag := " --state " + plain.ShellWord(here.Path)
	if flagValue(cmd, "state")+os.Getenv("WFC_STATE")+flagValue(cmd, "json") != "" {
		here.Path = ""
	}
	items, shown := []waiting.Item{}, []showing{}
	all := waiting.Report{SchemaVersion: 1}
	all.Skipped, err = a.readFolders(cmd, stores, "waiting", command, func(path string, f foundRuns) error {
		var one waiting.Report
		if err := json.Unmarshal(f.document, &one); err != nil {
			return &exitError{ExitInternal, fmt.Errorf("read what waits in %s: %w", path, err)}
		}
		for _, item := range one.Waiting {
			if item.Project = names[path]; path == here.Path {
				item.Commands = plain.Texts(item.Commands, func(line string) string { return strings.Replace(line, flag, "", 1) })
			}
			items, shown = append(items, item), append(shown, showing{runKey{f.place, item.RunID}, path})
		}
		return nil
	})
	if err != nil {
		return err
	}
	all.Waiting = chooseShowings(items, shown)
	waiting.Sort(all.Waiting)
	if flagValue(cmd, "json") == "true" {
		err = a.printDocument(all)
	} else if err = waiting.Print(a.Out, all.Waiting, flagValue(cmd, "since"), a.textOptions(a.Out).Width); len(all.Waiting) == 0 {
		fmt.Fprintln(a.Err, "nothing waits")
	}
	if err == nil && len(all.Waiting) > 0 && flagValue(cmd, "exit-code") == "true" {
		return silentExit(ExitFindings)
	}
	return err
}
