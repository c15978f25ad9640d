package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A pruning is the command prune with the flags that all engines have.
type pruning struct {
	// run is what the user gave for one run, or "".
	run       string
	olderThan string
	dryRun    bool
}

// reportVerb says in a report what the command does.
func (p pruning) reportVerb() string {
	if p.dryRun {
		return "would remove"
	}
	return "removed"
}

// endedStatuses are the statuses of runs that prune removes unless it is told
// others.
var endedStatuses = []flow.Status{flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached}

func (a *app) pruneCommand() *cobra.Command {
	var p pruning
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs",
		Args:  commandline.NoArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			p.run = firstOrEmpty(args)
			return a.backend.pruneRuns(cmd.Context(), p)
		},
	}
	cmd.Flags().StringVar(&p.olderThan, "older-than", "", "")
	cmd.Flags().BoolVar(&p.dryRun, "dry-run", false, "")
	a.jsonFlag(cmd)
	a.backend.extendCommand(cmd)
	return cmd
}

// pruneDocument is what prune --json prints.
type pruneDocument struct {
	SchemaVersion int         `json:"schema_version"`
	DryRun        bool        `json:"dry_run"`
	Removed       []prunedRun `json:"removed"`
	Kept          []prunedRun `json:"kept"`
	// Builds are the copies of binaries that unfinished runs continue with, and RemovedBuilds
	// those that no run needs.
	Builds        state.Space `json:"builds"`
	RemovedBuilds state.Space `json:"removed_builds"`
}

type prunedRun struct {
	ID       string             `json:"run_id"`
	Workflow string             `json:"workflow"`
	Status   flow.Status        `json:"status"`
	Ended    time.Time          `json:"ended,omitzero"`
	Worktree *document.Worktree `json:"worktree,omitempty"`
	// Reason says why the run is kept.
	Reason string `json:"reason,omitempty"`
}

// redelivery is how long a delivery stays known after its run was removed, as its service may send
// it again.
const redelivery = 7 * 24 * time.Hour

func (b *localBackend) pruneRuns(ctx context.Context, p pruning) error {
	if p.run != "" && (p.olderThan != "" || b.keep.counts) {
		return usageError("`--older-than` and `--keep` go with no run")
	}
	before, chosen, err := b.keep.parseCriteria(p)
	if err != nil {
		return err
	}
	s, err := openReading(ctx, b.call)
	if err != nil {
		return err
	}
	defer s.closeSession()
	workflow := workflowUnless(b.keep.all, b.program.Definition)
	runs, err := s.runsToPrune(ctx, p.run, workflow, before, b.keep.keep)
	if err != nil {
		return err
	}
	dir := filepath.Dir(s.folder.BinaryFile("any"))
	needed, unneeded := state.SweepBuilds(dir, "", true)
	d := pruneDocument{SchemaVersion: schemaVersion, DryRun: p.dryRun, Removed: []prunedRun{}, Kept: []prunedRun{}}
	newer := 0
	for i := range runs {
		r := &runs[i]
		item := prunedRun{ID: r.ID, Workflow: r.Workflow, Status: r.Status, Ended: r.Finished}
		if tree := (*worktree.Tree)(r.Worktree()); tree != nil && !tree.Gone() { // it may be on another machine
			item.Worktree = document.NewWorktree(tree)
		}
		if !slices.Contains(chosen, r.Status) {
			if p.run != "" {
				item.Reason = s.keptReason(r)
				d.Kept = append(d.Kept, item)
			}
			continue
		}
		if newer++; p.run == "" && (newer <= b.keep.keep || !lastChange(r).Before(before)) {
			continue
		}
		if err := s.removeRun(ctx, r, p.dryRun, b.keep.force); err != nil {
			item.Reason = err.Error()
			if _, unsaved := errors.AsType[*runerr.UnsavedError](err); unsaved {
				item.Reason += "; with --force, prune removes that, too"
			}
			d.Kept = append(d.Kept, item)
			continue
		}
		d.Removed = append(d.Removed, item)
	}
	if box, ok := s.store.(runstore.Mailbox); ok && !p.dryRun && p.run == "" {
		if week := time.Now().Add(-redelivery); before.After(week) {
			before = week
		}
		if err := box.DropMessages(ctx, workflow, before); err != nil {
			return failedError(err)
		}
	}
	if !p.dryRun {
		if err := s.dropDefinitions(ctx); err != nil {
			return failedError(err)
		}
	}
	d.Builds, d.RemovedBuilds = state.SweepBuilds(dir, "", p.dryRun)
	if !p.dryRun { // the removal of runs has removed builds, too
		d.RemovedBuilds = state.Space{Builds: needed.Builds + unneeded.Builds - d.Builds.Builds, Bytes: needed.Bytes + unneeded.Bytes - d.Builds.Bytes}
	}
	if err := b.printPruned(d, p.reportVerb()); err != nil {
		return err
	}
	if len(d.Kept) > 0 {
		return &exitError{code: runerr.ExitFailed}
	}
	return nil
}

// runsToPrune returns the run of a name, or the runs of a workflow, newest first; "" is all of them.
// With keep, newer ones count, too.
func (s *session) runsToPrune(ctx context.Context, name, workflow string, before time.Time, keep int) ([]local.RunStatus, error) {
	if name == "" {
		f := store.Filter{Workflow: workflow, Brief: true}
		if keep == 0 {
			f.Before = before
		}
		runs, err := s.engine.ListRuns(ctx, f)
		return runs, failedError(err)
	}
	id, err := s.resolveRunID(ctx, name)
	if err != nil {
		return nil, err
	}
	r, err := s.engine.Status(ctx, id)
	if err != nil {
		return nil, failedError(err)
	}
	return []local.RunStatus{*r}, nil
}

// keptReason says why prune keeps a run that the user named, and how to remove it.
func (s *session) keptReason(r *local.RunStatus) string {
	if r.Status.Ended() {
		return fmt.Sprintf("run %s is kept: it is %s, and --status names another status", r.ID, r.Status)
	}
	return fmt.Sprintf("run %s is kept: it is %s; `%s` ends it, or `%s` removes it as it is", r.ID, r.Status,
		s.commandLine("cancel", r.ID)+s.stateHint(), s.commandLine("prune", r.ID)+" --status "+string(r.Status)+s.stateHint())
}

// dropDefinitions removes the descriptions of workflows of which no run is left.
func (s *session) dropDefinitions(ctx context.Context) error {
	runs, err := s.store.Runs(ctx, store.Filter{Brief: true})
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, r := range runs {
		used[r.Fingerprint] = true
	}
	return s.folder.DropDefinitions(func(fingerprint string) bool { return !used[fingerprint] })
}

// parseCriteria returns the time before which runs must have ended, and their statuses.
func (k *keepFlags) parseCriteria(p pruning) (before time.Time, chosen []flow.Status, err error) {
	if before, err = commandline.PruneTime(p.olderThan, strconv.Itoa(k.keep), p.run != "" || k.counts || len(k.statuses) > 0); err != nil {
		return before, nil, usageError("%w", err)
	}
	if chosen, err = chosenStatuses(k.statuses); len(chosen) == 0 {
		chosen = endedStatuses
	}
	return before, chosen, err
}

// lastChange is when a run ended or, if it has not, when something of it changed.
func lastChange(r *local.RunStatus) time.Time {
	if r.Finished.IsZero() {
		return r.Updated
	}
	return r.Finished
}

// removeRun removes a run or, in a dry run, says why it would not.
func (s *session) removeRun(ctx context.Context, r *local.RunStatus, dry, force bool) error {
	if !dry {
		err := s.engine.Remove(ctx, r.ID, force)
		if busy, ok := errors.AsType[*local.BusyError](err); ok {
			return fmt.Errorf("run %s is kept: %s works on it; cancel it first", r.ID, busy.Holder)
		}
		return err
	}
	if holder, _ := s.engine.Holder(r.ID); holder != "" {
		return fmt.Errorf("run %s is kept: %s works on it; cancel it first", r.ID, holder)
	}
	if force {
		return nil
	}
	unsaved, err := s.engine.Unsaved(ctx, r.ID)
	if err == nil && unsaved != "" {
		err = &runerr.UnsavedError{Run: r.ID, What: unsaved}
	}
	return err
}

func (b *localBackend) printPruned(d pruneDocument, verb string) error {
	if b.json {
		return printJSON(b.streams.Out, d)
	}
	for _, r := range d.Removed {
		line := fmt.Sprintf("%s %s (%s)", verb, r.ID, r.Status)
		if r.Worktree != nil {
			line += fmt.Sprintf(", its worktree %s and branch %s", r.Worktree.Path, r.Worktree.Branch)
		}
		if _, err := fmt.Fprintln(b.streams.Out, plain.Line(line)); err != nil {
			return failedError(err)
		}
	}
	for _, r := range d.Kept {
		fmt.Fprintln(b.streams.Err, plain.Message(r.Reason))
	}
	if len(d.Removed)+len(d.Kept) == 0 {
		fmt.Fprintln(b.streams.Err, "no runs to remove")
	}
	d.RemovedBuilds.Print(b.streams.Err, verb+" binaries that no run needs")
	d.Builds.Print(b.streams.Err, "binaries kept for unfinished runs")
	return nil
}
