package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/store"
)

func (a *app) topCommand() *cobra.Command {
	var once, all bool
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch what runs, waits and costs",
		Long: "Watch the workflow's runs at the terminal: those that wait for a person first, then those\n" +
			"that run, then the last that ended. The arrow keys choose a run, below which its steps and\n" +
			"the commands that answer it are shown; q quits. --once prints the table and ends, as does a\n" +
			"call without a terminal.",
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openSession(cmd.Context())
			if err != nil {
				return err
			}
			defer s.closeSession()
			t := &topView{session: s, all: all}
			in, typed := s.streams.In.(*os.File)
			out, shown := plain.File(s.streams.Out)
			if once || !typed || !shown || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) || os.Getenv("TERM") == "dumb" {
				if err := t.load(cmd.Context()); err != nil {
					return failedError(err)
				}
				for _, line := range t.table(terminalWidth(s.streams.Out), time.Now()) {
					fmt.Fprintln(s.streams.Out, line)
				}
				return nil
			}
			return failedError(t.watch(cmd.Context(), in, out))
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "")
	a.projectFlag(cmd, &all)
	return cmd
}

// endedShown is how many ended runs top shows.
const endedShown = 10

// A topView is what top shows.
type topView struct {
	*session
	// all says that the runs of every workflow are shown.
	all   bool
	runs  []topRun
	spent costSums
}

// costSums are what agents cost today and in the last 30 days.
type costSums struct{ today, month spending.Amount }

// A topRun is a run with what its steps do.
type topRun struct {
	listed
	done, total int
	active      []flow.Record
}

// load reads the runs again.
func (t *topView) load(ctx context.Context) error {
	f := store.Filter{Workflow: t.program.Definition.Name, Brief: true}
	if t.all {
		f.Workflow = ""
	}
	open, err := t.engine.ListRuns(ctx, f, flow.Paused, flow.Running, flow.Interrupted, flow.Pending)
	if err != nil {
		return err
	}
	f.Limit = endedShown
	ended, err := t.engine.ListRuns(ctx, f, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached)
	if err != nil {
		return err
	}
	t.runs = nil
	for _, r := range slices.Concat(open, ended) {
		one, err := t.loadRun(ctx, r)
		if err != nil {
			return err
		}
		t.runs = append(t.runs, one)
	}
	slices.SortStableFunc(t.runs, func(a, b topRun) int { return topRank(&a) - topRank(&b) })
	return t.loadCosts(ctx)
}

func (t *topView) loadRun(ctx context.Context, r local.RunStatus) (topRun, error) {
	row, err := t.newListed(ctx, r, false)
	one := topRun{listed: row}
	if err != nil || r.Status.Ended() {
		return one, err
	}
	for _, s := range row.Steps {
		if isMachinery(s.Kind) || strings.ContainsAny(s.Key, "#/") {
			continue // a part of a step
		}
		if one.total++; s.Status.Ended() {
			one.done++
		}
		if s.Status == flow.Running || s.Status == flow.Interrupted || s.Status == flow.Waiting {
			one.active = append(one.active, s)
		}
	}
	return one, nil
}

// topRank orders runs: those that need a person, those that run, and the others.
func topRank(r *topRun) int {
	switch {
	case len(r.Questions) > 0 && !r.Status.Ended():
		return 0
	case r.Status == flow.Interrupted:
		return 1
	case !r.Status.Ended():
		return 2
	}
	return 3
}

func (t *topView) loadCosts(ctx context.Context) error {
	ledger, ok := t.store.(spending.Ledger)
	if !ok {
		return nil
	}
	rows, err := ledger.Spending(ctx, spending.Filter{Since: time.Now().Add(-spending.Month)})
	if err != nil {
		return err
	}
	t.spent = costSums{}
	y, m, d := time.Now().Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.Local)
	for i := range rows {
		if !t.all && rows[i].Workflow != t.program.Definition.Name {
			continue
		}
		amount := spending.Amount{Micros: rows[i].Micros, Tokens: rows[i].Tokens()}
		t.spent.month = t.spent.month.Plus(amount)
		if !rows[i].Time.Before(midnight) {
			t.spent.today = t.spent.today.Plus(amount)
		}
	}
	return nil
}

// headline counts the runs, and says what agents cost.
func (t *topView) headline() string {
	var counts [4]int
	for i := range t.runs {
		counts[topRank(&t.runs[i])]++
	}
	name := t.program.Definition.Name
	if t.all {
		name = "all workflows"
	}
	text := fmt.Sprintf("%s: %d running, %d waiting for a person, %d interrupted", plain.Line(name), counts[2], counts[0], counts[1])
	if t.spent.month.Micros > 0 || t.spent.month.Tokens > 0 {
		text += fmt.Sprintf("; today %s, %s tokens; 30 days %s", plain.Dollars(spending.Dollars(t.spent.today.Micros)), plain.Thousands(t.spent.today.Tokens), plain.Dollars(spending.Dollars(t.spent.month.Micros)))
	}
	return text
}

// table returns the headline and the table of runs.
func (t *topView) table(width int, now time.Time) []string {
	rows := [][]string{{"", "RUN", "STATUS", "FOR", "STEPS", "COST", "NOW"}}
	for i := range t.runs {
		rows = append(rows, t.runs[i].columns(now))
	}
	lines := []string{t.headline(), ""}
	if len(t.runs) == 0 {
		return append(lines, "no runs")
	}
	return append(lines, plain.Table(width, rows...)...)
}

// columns are the cells of a run.
func (r *topRun) columns(now time.Time) []string {
	end := r.Finished
	if end.IsZero() {
		end = now
	}
	steps, cost := "", ""
	if r.total > 0 {
		steps = fmt.Sprintf("%d/%d", r.done, r.total)
	}
	if usd := r.spent.Spent().CostUSD; usd > format.TinyCost {
		cost = plain.Dollars(usd)
	}
	var current []string
	for _, s := range r.active {
		current = append(current, plain.Line(s.Key))
	}
	note := strings.Join(current, ", ")
	if len(r.notes) > 0 {
		note = format.FirstLine(r.notes[0])
	}
	if r.Status.Ended() {
		note = format.FirstLine(cmp.Or(r.Error, r.Reason))
	}
	return []string{statusMark(markOf(r.Status)), plain.Line(r.ID), string(r.Status), format.Duration(max(0, end.Sub(r.Created))), steps, cost, plain.Clip(note, 80)}
}

// details are the lines about a chosen run: its steps that run or wait, and what answers it.
func (t *topView) details(r *topRun, now time.Time) (lines []string) {
	for _, s := range r.active {
		took := ""
		if !s.Started.IsZero() {
			took = " for " + format.Duration(max(0, now.Sub(s.Started)))
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s%s", statusMark(s.Status), plain.Line(s.Key), s.Status, took))
	}
	for _, note := range r.notes {
		lines = append(lines, format.FirstLine(note))
	}
	command := "status"
	if topRank(r) == 0 {
		command = "approve"
		if len(r.Questions[0].Choices) == 0 || !slices.Contains(r.Questions[0].Choices, "approve") {
			command = "answer"
		}
	}
	return append(lines, t.commandLine(command, r.ID)+t.stateHint())
}
