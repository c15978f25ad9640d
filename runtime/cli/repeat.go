package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// repeatFlags say that a run repeats steps that have completed.
type repeatFlags struct {
	from      string
	yes, list bool
}

func (f *repeatFlags) addToCommand(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "from", "", "")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "")
	cmd.Flags().BoolVar(&f.list, "list-steps", false, "")
}

func (f *repeatFlags) checkValues() error {
	if f.list && f.from != "" {
		return usageError("`--list-steps` and `--from` exclude each other")
	}
	if f.yes && f.from == "" {
		return usageError("`--yes` needs `--from`")
	}
	return nil
}

// listSteps prints the steps from which a run can be repeated.
func (s *session) listSteps(ctx context.Context, id string) error {
	status, err := s.engine.Status(ctx, id)
	if err != nil {
		return failedError(err)
	}
	points := repeat.Points(s.program.Definition, status.Steps)
	if s.json {
		list := struct {
			SchemaVersion int             `json:"schema_version"`
			Run           string          `json:"run_id"`
			Steps         []document.Step `json:"steps"`
		}{schemaVersion, id, make([]document.Step, len(points))}
		for i, p := range points {
			list.Steps[i] = document.NewStep(flow.Record{Key: p.Key, Kind: p.Kind, Status: p.Status, Meta: p.Meta})
		}
		return printJSON(s.streams.Out, list)
	}
	var rows [][]string
	for _, p := range points {
		rows = append(rows, []string{statusMark(p.Status), p.Key, p.Kind, string(p.Status), format.Usage(p.Meta)})
	}
	return writeTable(s.streams.Out, rows)
}

// confirmRepeat shows which steps of a run are repeated and what they have cost, and has the
// person at the terminal confirm it.
func (a *app) confirmRepeat(ctx context.Context, run store.Run, f repeatFlags) error {
	s, err := openReading(ctx, a.call)
	if err != nil {
		return err
	}
	defer s.store.Close()
	if holder, _ := s.engine.Holder(run.ID); holder != "" {
		return failedError(&local.BusyError{RunID: run.ID, Holder: holder})
	}
	steps, err := s.store.Steps(ctx, run.ID)
	if err != nil {
		return failedError(err)
	}
	chosen, err := repeat.Steps(a.program.Definition, steps, f.from)
	if err != nil {
		return usageError("--from: %w; `%s --list-steps` lists the steps", err, a.commandLine("resume", run.ID)+a.stateHint())
	}
	a.showRepeat(run.ID, chosen)
	if f.yes {
		return nil
	}
	terminal, ok := human.Open(a.streams.In, a.streams.Err)
	if !ok {
		return usageError("add --yes to repeat these steps: without a terminal, nobody can confirm it")
	}
	terminal.Discard()
	fmt.Fprint(a.streams.Err, "repeat these steps? [y]es or [n]o: ")
	line, err := terminal.ReadLine(ctx)
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		if err == nil {
			return nil
		}
	}
	return failedError(errors.New("nothing was repeated"))
}

// showRepeat shows the steps of a run that are repeated.
func (a *app) showRepeat(id string, steps []flow.Record) {
	fmt.Fprintf(a.streams.Err, "run %s repeats:\n", id)
	var rows [][]string
	for _, r := range steps {
		if isMachinery(r.Kind) || r.Status == flow.Skipped {
			continue
		}
		note := stepRemark(document.NewStep(r))
		if r.Question != nil && r.Status == flow.Completed {
			note = answerText(r)
		}
		rows = append(rows, []string{"  " + statusMark(markedStatus(r.Question, &r.Meta, r.Status)), r.Key, r.Kind, note})
	}
	_ = writeTable(a.streams.Err, rows) // as the question below it
	if text := format.Usage(sched.Used(steps)); text != "" {
		fmt.Fprintf(a.streams.Err, "these steps have cost %s; repeating them costs again\n", text)
	}
}
