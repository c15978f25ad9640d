package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// A prunedProject is what prune removed from a state folder, or would remove.
type prunedProject struct {
	DryRun        bool         `json:"dry_run"`
	Removed       []accountRun `json:"removed"`
	Kept          []accountRun `json:"kept"`
	Builds        state.Space  `json:"builds"`
	RemovedBuilds state.Space  `json:"removed_builds"`
}

// prunedAll is what `wfc prune --all-projects --json` prints.
type prunedAll struct {
	SchemaVersion int `json:"schema_version"`
	prunedProject
	Skipped []state.Skipped `json:"skipped"`
}

// pruneAllProjects removes old runs of all projects of this account.
func pruneAllProjects(a *app, cmd *cobra.Command, args []string) error {
	paths, err := accountFolders(cmd, args)
	if err != nil {
		return err
	}
	keep := flagValue(cmd, "keep")
	_, err = commandline.PruneTime(flagValue(cmd, "older-than"), cmp.Or(keep, "0"), keep != "" || len(passedOf(cmd, "status")) > 0)
	if err = cmp.Or(checkPassedValues(cmd), err); err != nil {
		return &usageError{err}
	}
	names := projectNames(paths)
	all := prunedAll{SchemaVersion: 1, Skipped: []state.Skipped{}}
	all.DryRun, all.Removed, all.Kept = flagValue(cmd, "dry-run") == "true", []accountRun{}, []accountRun{}
	for _, path := range paths {
		if err := pruneFolder(a, cmd, path, names[path], &all.prunedProject); err != nil {
			all.Skipped = append(all.Skipped, state.Skipped{State: path, Reason: err.Error()})
			fmt.Fprintf(a.Err, "%s is left out: %s\n", plain.Line(path), plain.Message(err.Error()))
		}
	}
	if flagValue(cmd, "json") == "true" {
		err = a.printDocument(all)
	} else {
		err = printPruned(a, &all.prunedProject)
	}
	if err == nil && len(all.Kept) > 0 {
		return silentExit(ExitFindings)
	}
	return err
}

// pruneFolder removes old runs from a state folder, and adds them to what was removed.
func pruneFolder(a *app, cmd *cobra.Command, path, project string, sum *prunedProject) error {
	readers, err := folderReaders(a, cmd, path, false)
	if err != nil {
		return err
	}
	argv := append([]string{"prune", "--project", "--state=" + path, "--json"}, passedOf(cmd, "older-than", "keep", "status", "dry-run", "force")...)
	for i, r := range readers {
		var out, messages bytes.Buffer
		if _, err := a.performCommand(r.program, argv, &out, &messages); err != nil {
			return err
		}
		var one struct {
			prunedProject
			Error string `json:"error"`
		}
		if err := json.Unmarshal(out.Bytes(), &one); err != nil || one.Removed == nil {
			text, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n")
			return errors.New(cmp.Or(one.Error, text, "another version of wfc made its programs"))
		}
		for _, list := range []struct{ from, to *[]accountRun }{{&one.Removed, &sum.Removed}, {&one.Kept, &sum.Kept}} {
			for _, r := range *list.from {
				if err := r.addProject(project, path); err != nil {
					return err
				}
				*list.to = append(*list.to, r)
			}
		}
		addSpace(&sum.RemovedBuilds, one.RemovedBuilds)
		if i == len(readers)-1 { // the stores of a folder share its copies
			addSpace(&sum.Builds, one.Builds)
		}
	}
	return nil
}

func addSpace(sum *state.Space, more state.Space) {
	sum.Builds, sum.Bytes = sum.Builds+more.Builds, sum.Bytes+more.Bytes
}

// printPruned prints for people what was removed.
func printPruned(a *app, all *prunedProject) error {
	verb := "removed"
	if all.DryRun {
		verb = "would remove"
	}
	for _, r := range all.Removed {
		line := fmt.Sprintf("%s %s of %s (%s)", verb, r.ID, r.Project, r.Status)
		if r.Worktree != nil {
			line += fmt.Sprintf(", its worktree %s and branch %s", r.Worktree.Path, r.Worktree.Branch)
		}
		if _, err := fmt.Fprintln(a.Out, plain.Line(line)); err != nil {
			return err
		}
	}
	for _, r := range all.Kept {
		fmt.Fprintln(a.Err, plain.Message(r.Reason))
	}
	if len(all.Removed)+len(all.Kept) == 0 {
		fmt.Fprintln(a.Err, "no runs to remove")
	}
	for _, of := range []struct {
		space state.Space
		what  string
	}{{all.RemovedBuilds, verb + " binaries that no run needs"}, {all.Builds, "binaries kept for unfinished runs"}} {
		if of.space.Builds > 0 {
			fmt.Fprintf(a.Err, "%s: %d (%.1f MB)\n", of.what, of.space.Builds, float64(of.space.Bytes)/1e6)
		}
	}
	return nil
}
