package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

func (a *app) statusCommand() *cobra.Command {
	var full, all bool
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show a run and its steps",
		Long:  "Show the state of a run and of its steps.\n\nRUN is a run's id, a prefix of one, or `latest` (the default).",
		Args:  atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRunOf(cmd.Context(), a.call, workflowUnless(all, a.program.Definition), firstOrEmpty(args), func(ctx context.Context, s *session, id string) error {
				d, f, err := s.wholeDocument(ctx, id)
				if err != nil {
					return failedError(err)
				}
				if a.json {
					return printJSON(a.streams.Out, d)
				}
				return s.printStatus(d, f, full)
			})
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "")
	cmd.Flags().BoolVar(&all, "project", false, "") // wfc asks so which workflow a run in a database has
	_ = cmd.Flags().MarkHidden("project")           // there is such a flag
	a.jsonFlag(cmd)
	return cmd
}

// printStatus prints a run for a person. full says that nothing of a question is left out.
func (s *session) printStatus(d document.Run, f *family, full bool) error {
	w, status := s.streams.Out, f.findRun(d.ID)
	fmt.Fprintf(w, "run %s: %s", d.ID, d.Status)
	if d.Reason != "" {
		fmt.Fprintf(w, " (%s)", plain.Line(d.Reason))
	}
	if d.Outcome != "" {
		fmt.Fprintf(w, ", outcome %s", d.Outcome)
	}
	fmt.Fprintf(w, "\nstarted %s", d.Created.Local().Format(time.DateTime))
	fmt.Fprint(w, prefixNonEmpty(", took ", plain.TimeTaken(d.Created, d.Finished)))
	if text := format.Usage(s.costOf(f, status)); text != "" {
		fmt.Fprintf(w, "\nin total: %s", text)
	}
	fmt.Fprint(w, "\n")
	if d.Parent != nil {
		fmt.Fprintf(w, "part of run %s: its step %s\n", d.Parent.Run, plain.Line(d.Parent.Step))
	}
	if t := d.Trigger; t != nil {
		fmt.Fprintf(w, "started by %s%s\n", describeTrigger(t), prefixNonEmpty("\npayload, which a stranger wrote: ", plain.Line(t.PayloadFile)))
	}
	if by := lastOther(d.Resumed, d.StartedBy); by.By != "" {
		fmt.Fprintf(w, "resumed by %s on %s\n", plain.Line(by.By), by.Time.Local().Format(time.DateTime))
	}
	if d.Task != nil {
		fmt.Fprint(w, taskLines(d.Task))
	}
	writeWorktree(w, status.Worktree())
	fmt.Fprintln(w)
	if err := writeTable(w, s.runDisplay(d.Workflow).stepRows(f, status, "", full)); err != nil {
		return err
	}
	for _, notice := range d.FailedNotices {
		fmt.Fprintf(w, "not sent: %s\n", plain.Line(notice))
	}
	if d.Status != flow.Running {
		for _, l := range process.Survivors(s.folder.RunDir(d.ID)) {
			fmt.Fprintf(w, "still running: process %d%s%s\n", l.PID, prefixNonEmpty(" of step ", plain.Line(l.Key)), prefixNonEmpty(": ", plain.Line(s.maskSecrets(l.Command))))
		}
	}
	var b strings.Builder
	s.writeAllQuestions(&b, f, d.ID, func(run string) human.View {
		v := s.questionView(w, run)
		if full {
			v.Whole = ""
		}
		return v
	})
	if b.Len() > 0 {
		fmt.Fprintf(w, "\n%s", b.String())
	}
	return nil
}

// lastOther returns the last resumption by somebody else than who started the run.
func lastOther(list []document.Resumption, starter string) (last document.Resumption) {
	name, _, _ := strings.Cut(starter, " from ")
	for _, r := range list {
		if by, _, _ := strings.Cut(r.By, " from "); by != name {
			last = r
		}
	}
	return last
}

// stepRows returns the rows of the steps of a run, and below the step that began it each
// child with its own steps. full adds the words of answers.
func (v *shown) stepRows(f *family, r *local.RunStatus, indent string, full bool) (rows [][]string) {
	d, items := v.runDocument(r, "", flow.Meta{}), f.listItems(r.ID)
	for _, n := range nestSteps(d.Nodes) {
		if isMachinery(n.Kind) && n.Status != flow.Failed {
			continue
		}
		note := stepRemark(n.Step)
		if full && n.Question != nil {
			note += prefixNonEmpty(": ", plain.Line(n.Output))
		}
		if v.isFormerStep(r, n.Key) {
			note = "not in the current version of the workflow"
		}
		if item := items[n.Key]; item != "" {
			note = plain.Quoted(item) + prefixNonEmpty(": ", note)
		}
		rows = append(rows, []string{statusMark(markedStatus(n.Question, n.Meta, n.Status)), indent + n.indent + n.Key, n.Kind, string(n.Status), note})
		for _, child := range f.children {
			if run, step := child.Parent(); run != r.ID || step != n.Key {
				continue
			}
			within := indent + n.indent + "  "
			rows = append(rows, []string{statusMark(markOf(child.Status)), within + "run " + child.ID, child.Workflow, string(child.Status), format.FirstLine(cmp.Or(child.Error, child.Reason))})
			rows = append(rows, v.runDisplay(child.Workflow).stepRows(f, child, within+"  ", full)...)
		}
	}
	return rows
}

// isFormerStep reports whether a step was part of an earlier version of the workflow only: the run
// has moved to the version of this program, which does not have the step's node.
func (v *shown) isFormerStep(r *local.RunStatus, key string) bool {
	def := v.def
	_, known := v.nodes.nodesOf(def).Of(key)
	return !known && len(def.Nodes) > 0 && r.Fingerprint == def.Fingerprint && !stepkey.OfWalk(key) && !strings.HasPrefix(key, "/")
}

// markOf is the status of a step that has the mark of a run's status.
func markOf(s flow.Status) flow.Status {
	if s == flow.Paused {
		return flow.Waiting
	}
	return s
}

// A nestedStep is a step with what stands before it in a list.
type nestedStep struct {
	document.Step
	indent string
}

// nestSteps puts the parts of nodes, such as the questions of a gate, below them, those for the
// items of a list in the order of the list.
func nestSteps(steps []document.Step) []nestedStep {
	keys := make(stepkey.Keys, len(steps))
	for i := range steps {
		keys[steps[i].Key] = true
	}
	parts := map[string][]nestedStep{}
	for _, s := range steps {
		if parent := keys.Outermost(s.Key); parent != s.Key {
			parts[parent] = append(parts[parent], nestedStep{s, "  "})
		}
	}
	list := make([]nestedStep, 0, len(steps))
	for _, s := range steps {
		if keys.Outermost(s.Key) == s.Key {
			stepkey.SortItems(parts[s.Key], func(n nestedStep) string { return n.Key })
			list = append(append(list, nestedStep{s, ""}), parts[s.Key]...)
		}
	}
	return list
}

// stepRemark is the last column of a step: why, or how long.
func stepRemark(n document.Step) string {
	switch {
	case n.Error != nil:
		return plain.Clip(format.FirstLine(n.Error.Message), 100)
	case n.Status == flow.Skipped:
		return skipText(n.Reason)
	case n.Status == flow.Running && !n.Started.IsZero():
		return "for " + plain.Duration(time.Since(n.Started))
	case n.Status == flow.Interrupted && !n.Started.IsZero():
		return "started " + n.Started.Local().Format(time.DateTime)
	case n.Status == flow.Waiting && sched.HeldFor(n.Reason) != "":
		return plain.Clip(format.FirstLine(sched.HeldFor(n.Reason)), 100)
	case n.Status == flow.Waiting && !n.Started.IsZero():
		return "since " + n.Started.Local().Format(time.DateTime)
	case n.DurationMS > 0:
		text := plain.Duration(time.Duration(n.DurationMS) * time.Millisecond)
		if n.Meta != nil {
			text += prefixNonEmpty(", ", format.Usage(*n.Meta)) + answeredBy(n)
		}
		return text
	}
	return n.Reason
}

// answeredBy says what somebody answered, behind what else is said of a step.
func answeredBy(n document.Step) string {
	if n.Meta.By == "" {
		return ""
	}
	return ", " + cmp.Or(runerr.ChoiceOf(n.Key, n.Meta.Choice, n.Output), "answered") + " by " + n.Meta.By
}
