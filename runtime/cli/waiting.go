package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/waiting"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

func (a *app) waitingCommand() *cobra.Command {
	var exitCode bool
	r := reading{since: waiting.DefaultSince}
	cmd := &cobra.Command{
		Use:   "waiting",
		Short: "List what waits for a person, oldest first",
		Long: "List what waits for a person, oldest first: gates, waits for a quota, a budget, an event\nor attention, runs that failed or were interrupted, and notices that could not be sent.\n" +
			"Each has the command that answers it or continues the run.",
	}
	addReading(a, cmd, &r, func(ctx context.Context, s *session) error {
		s.sendLeftNotices()
		list, err := s.waitingItems(ctx, r.all, r.begin)
		if err != nil {
			return failedError(err)
		}
		if a.json {
			err = printJSON(a.streams.Out, waiting.Report{SchemaVersion: schemaVersion, Waiting: list})
		} else if err = failedError(waiting.Print(a.streams.Out, list, r.since, terminalWidth(a.streams.Out))); err == nil && len(list) == 0 {
			fmt.Fprintf(a.streams.Err, "nothing waits in %s\n", runstore.Place(s.store, s.folder.Path))
		}
		if err == nil && exitCode && len(list) > 0 {
			return &exitError{code: runerr.ExitFailed}
		}
		return err
	})
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "")
	return cmd
}

// waitingItems returns what waits in the runs of the workflow, or of all workflows of the
// store. Runs that failed before begin are left out.
func (s *session) waitingItems(ctx context.Context, all bool, begin time.Time) ([]waiting.Item, error) {
	f := store.Filter{Workflow: workflowUnless(all, s.program.Definition), Brief: true}
	runs, err := s.engine.ListRuns(ctx, f, flow.Paused, flow.Running, flow.Interrupted, flow.Failed, flow.LimitReached)
	if err != nil {
		return nil, err
	}
	if s.wfc {
		s.call = s.typedElsewhere(s.folder)
	}
	list := []waiting.Item{}
	for _, r := range runs {
		if parent, _ := r.Parent(); parent != "" || r.Status.Ended() && r.Finished.Before(begin) {
			continue
		}
		items, err := s.itemsOf(ctx, r)
		if err != nil {
			return nil, err
		}
		if r.Status == flow.Failed && local.EmbeddedIn(r.Settings) == "" {
			f, err := s.loadFamily(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			items[0].Commands = []string{s.resumeLine(f, "")}
		}
		list = append(list, items...)
	}
	failed, err := failedNotices(ctx, s.store, "")
	if err != nil {
		return nil, err
	}
	for _, n := range failed {
		if n.Updated.Before(begin) || !all && n.Workflow != s.program.Definition.Name {
			continue
		}
		item := waiting.Item{Kind: waiting.Notice, RunID: n.RunID, Workflow: n.Workflow, Message: unsentReason(n), Since: n.Updated, Commands: []string{}}
		if n.RunID != "" {
			item.Commands = append(item.Commands, s.commandLine("status", n.RunID)+s.stateHint())
		}
		list = append(list, item)
	}
	place := runstore.Place(s.store, s.folder.Path)
	for i := range list {
		list[i].Place = place
		list[i].Message, list[i].Needs = s.maskSecrets(list[i].Message), s.maskSecrets(list[i].Needs)
	}
	waiting.Sort(list)
	return list, nil
}

// itemsOf returns what waits in a run and in those below it.
func (s *session) itemsOf(ctx context.Context, r local.RunStatus) ([]waiting.Item, error) {
	whole := waiting.Item{
		RunID: r.ID, Workflow: r.Workflow, Message: cmp.Or(r.Error, r.Reason), Since: cmp.Or(r.Finished, r.Updated),
		Commands: []string{s.commandLine("resume", r.ID) + s.stateHint()},
	}
	embedded := local.EmbeddedIn(r.Settings) != ""
	if embedded { // only its program can continue it
		whole.Commands = []string{s.commandLine("status", r.ID) + s.stateHint()}
	}
	if r.Status == flow.Failed {
		whole.Kind = waiting.Failed
		return []waiting.Item{whole}, nil
	}
	f, err := s.loadFamily(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if r.Status == flow.LimitReached {
		whole.Kind = waiting.LimitReached
		if !embedded {
			whole.Commands[0] += raisedLimitFlags(r.Reason, sched.Used(f.root.Steps))
		}
		return []waiting.Item{whole}, nil
	}
	var list []waiting.Item
	times := false
	for _, member := range f.allRuns() {
		v, names := s.showRun(member), namesOf(member.Questions)
		for _, q := range member.Questions {
			if q.Wait == flow.WaitTime {
				times = true
				if !s.isLeft(f, q) {
					continue
				}
			}
			item := waiting.Item{
				RunID: q.RunID, Workflow: member.Workflow, Node: v.keys.Outermost(q.Key), Message: q.Message, Since: q.Since, Until: q.Deadline, Commands: v.endingCommands(q, names),
			}
			switch q.Wait {
			case "":
				item.Kind, item.Needs = document.QuestionKind(q), s.ruleNote(f, member, q)
			case flow.WaitTime:
				item.Commands = []string{s.commandLine("wake", f.root.ID) + s.stateHint()}
				fallthrough
			default:
				until := q.Deadline // the item has it, too
				if until.After(time.Now()) {
					until = time.Time{}
				}
				item.Kind, item.Message = string(q.Wait), waitText(q.Question, until)
				if q.Wait == flow.WaitBudget {
					item.Message += "; raise the budget before you continue it"
				}
			}
			list = append(list, item)
		}
	}
	switch {
	case f.root.Status == flow.Interrupted && !f.onlyWaits():
		whole.Kind = waiting.Interrupted
		whole.Message = cmp.Or(whole.Message, "its process died")
		list = append(list, whole)
	case f.root.Status == flow.Paused && len(list) == 0 && !times:
		whole.Kind = waiting.Paused
		whole.Message = cmp.Or(whole.Message, "its questions are answered")
		if program := local.EmbeddedIn(r.Settings); program != "" {
			whole.Message += "; the Go program " + program + " continues it by Engine.ResumeAll if it has the same version of the workflow"
		}
		list = append(list, whole)
	}
	return list, nil
}

// isLeft reports whether a wait for a time is over and no process continues its run, so that somebody
// has to. A cluster and Go programs continue their runs themselves.
func (s *session) isLeft(f *family, q engine.Question) bool {
	_, remote := s.store.(cluster.Cluster)
	if remote || local.EmbeddedIn(f.root.Settings) != "" || !f.onlyWaits() || q.Deadline.IsZero() || q.Deadline.After(time.Now()) {
		return false
	}
	_, held := s.continuedBy(f.root)
	return !held
}
