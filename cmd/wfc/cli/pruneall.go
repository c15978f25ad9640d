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

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/settings"
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
	shared := sharedPlaces{names: names, folders: map[string][]string{}, seen: map[runKey]bool{}}
	folders := make([][]placedReader, len(paths))
	for i, path := range paths {
		var err error
		if folders[i], err = placedReaders(a, cmd, path); err == nil {
			for _, r := range folders[i] {
				shared.folders[r.place] = append(shared.folders[r.place], path)
			}
			continue
		}
		all.Skipped = append(all.Skipped, leaveOut(a, path, err))
	}
	for i, path := range paths {
		if err := pruneFolder(a, cmd, path, folders[i], &shared, &all.prunedProject); err != nil {
			all.Skipped = append(all.Skipped, leaveOut(a, path, err))
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

// A placedReader is a program that reads a store, with the place of placeOf.
type placedReader struct {
	folderReader
	place string
}

func placedReaders(a *app, cmd *cobra.Command, path string) ([]placedReader, error) {
	readers, err := folderReaders(a, cmd, path, false)
	list := make([]placedReader, len(readers))
	for i, r := range readers {
		list[i].folderReader = r
		if list[i].place, err = placeOf(a, r, path, nil, nil); err != nil {
			return nil, err
		}
	}
	return list, err
}

// sharedPlaces are the places of all projects. Several may have one database, whose runs each of their
// programs removes.
type sharedPlaces struct {
	names   map[string]string
	folders map[string][]string // the state folders of each place
	seen    map[runKey]bool
}

// owner returns the state folder that has the files of a run in a place, or else the given one.
func (s *sharedPlaces) owner(place, id, path string) string {
	for _, other := range s.folders[place] {
		if o, ok := (state.Folder{Path: other}).Origin(id); ok && o.Store == settings.StorePostgres {
			return other
		}
	}
	return path
}

// pruneFolder removes old runs from a state folder, and adds them to what was removed.
func pruneFolder(a *app, cmd *cobra.Command, path string, readers []placedReader, shared *sharedPlaces, sum *prunedProject) error {
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
			for _, run := range *list.from {
				owner := shared.owner(r.place, run.ID, path)
				if list.to == &sum.Removed && !sum.DryRun && owner != path {
					if err := os.RemoveAll((state.Folder{Path: owner}).RunDir(run.ID)); err != nil { // the program has removed its own folder's
						return err
					}
				}
				key := runKey{r.place, run.ID}
				if shared.seen[key] {
					continue
				}
				shared.seen[key] = true
				if err := run.addProject(shared.names[owner], owner); err != nil {
					return err
				}
				*list.to = append(*list.to, run)
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
	all.RemovedBuilds.Print(a.Err, verb+" binaries that no run needs")
	all.Builds.Print(a.Err, "binaries kept for unfinished runs")
	return nil
}
