package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/store"
)

func topCommand(a *app) *cobra.Command {
	var once, all bool
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch what runs, waits and costs",
		Long: "Watch the workflow's runs at the terminal: those that wait for a person first, then those\n" +
			"that run or wait, then the last that ended. The arrow keys choose a run, below which its steps and\n" +
			"the commands that answer it are shown; q quits. --once prints the table and ends, as does a\n" +
			"call without a terminal.",
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openReading(cmd.Context(), a.call)
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
	if _, none := t.store.(emptyStore); none && isFile(t.folder.Database()) { // the first run has begun
		s, err := t.openSession(ctx)
		if err != nil {
			return err
		}
		t.closeSession()
		*t.session = *s
	}
	f := store.Filter{Workflow: workflowUnless(t.all, t.program.Definition), Brief: true}
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

// The ranks of runs, in the order of the table.
const (
	rankPerson = iota
	rankInterrupted
	rankRunning
	rankWaiting // for something else than a person
	rankEnded
	topRanks
)

func topRank(r *topRun) int {
	if !r.Status.Ended() && r.asked() != nil {
		return rankPerson
	}
	return statusRank(r.Status)
}

// statusRank is the rank of a run that asks nobody.
func statusRank(s flow.Status) int {
	switch {
	case s.Ended():
		return rankEnded
	case s == flow.Interrupted:
		return rankInterrupted
	case s == flow.Paused:
		return rankWaiting
	}
	return rankRunning
}

// asked is the first question or wait that needs a person, or nil.
func (r *topRun) asked() *engine.Question {
	i := slices.IndexFunc(r.open, func(q engine.Question) bool { return q.Wait == "" || q.Wait == flow.WaitAttention })
	if i < 0 {
		return nil
	}
	return &r.open[i]
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
	var counts [topRanks]int
	for i := range t.runs {
		r := &t.runs[i]
		if counts[topRank(r)]++; topRank(r) == rankPerson && r.Status != flow.Paused {
			counts[statusRank(r.Status)]++ // it asks while it runs
		}
	}
	name := cmp.Or(workflowUnless(t.all, t.program.Definition), "all workflows")
	text := fmt.Sprintf("%s: %d running, %d waiting for a person, %d for something else, %d interrupted", plain.Line(name), counts[rankRunning], counts[rankPerson], counts[rankWaiting], counts[rankInterrupted])
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
		return append(lines, "no runs"+t.elsewhereHint("list"))
	}
	return append(lines, plain.Table(width, rows...)...)
}

// columns are the cells of a run.
func (r *topRun) columns(now time.Time) []string {
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
	return []string{statusMark(markOf(r.Status)), plain.Line(r.ID), string(r.Status), plain.Duration(max(0, cmp.Or(r.Finished, now).Sub(r.Created))), steps, cost, plain.Clip(note, noteWidth)}
}

// details are the lines about a chosen run: its steps that run or wait, and what answers it.
func (t *topView) details(r *topRun, now time.Time) (lines []string) {
	for _, s := range r.active {
		took := ""
		if !s.Started.IsZero() {
			took = " for " + plain.Duration(max(0, now.Sub(s.Started)))
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s%s", statusMark(s.Status), plain.Line(s.Key), s.Status, took))
	}
	for _, note := range r.notes {
		lines = append(lines, format.FirstLine(note))
	}
	command, run := "status", r.ID
	if q := r.asked(); q != nil && topRank(r) == rankPerson {
		switch run = q.RunID; {
		case q.Wait != "":
			return append(lines, t.showRun(&r.RunStatus).waitCommand(*q))
		case slices.Contains(q.Choices, kernel.ChoiceApprove):
			command = "approve"
		default:
			command = "answer"
		}
	}
	return append(lines, t.commandLine(command, run)+t.stateHint())
}

// The terminal's commands: the other screen without a cursor, and back.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
)

// A topScreen is the part of the table that a terminal shows.
type topScreen struct {
	view *topView
	// chosen is the id of the chosen run; place is its place in the list, which counts when the
	// run is gone. first is the first run shown.
	chosen       string
	place, first int
}

// A topMove returns the place of the choice after a key; page is the height of the table, and last
// the last place.
type topMove func(place, page, last int) int

func moveUp(place, _, _ int) int          { return place - 1 }
func moveDown(place, _, _ int) int        { return place + 1 }
func movePageUp(place, page, _ int) int   { return place - page }
func movePageDown(place, page, _ int) int { return place + page }
func moveHome(_, _, _ int) int            { return 0 }
func moveEnd(_, _, last int) int          { return last }

// topKeys are what somebody may type; nil quits.
var topKeys = map[string]topMove{
	"q": nil, "Q": nil, "\x03": nil, "\x04": nil, "k": moveUp, "\x1b[A": moveUp, "\x1bOA": moveUp, "j": moveDown, "\x1b[B": moveDown, "\x1bOB": moveDown,
	"\x1b[5~": movePageUp, "\x1b[6~": movePageDown, " ": movePageDown, "g": moveHome, "\x1b[H": moveHome, "\x1b[1~": moveHome, "G": moveEnd, "\x1b[F": moveEnd, "\x1b[4~": moveEnd,
}

// parseKeys returns the keys of a piece of input. A terminal sends the bytes of a key together.
func parseKeys(piece string) (keys []topMove) {
	for piece != "" {
		n := 1
		if strings.HasPrefix(piece, "\x1b") {
			if n = strings.IndexByte(piece[1:], '\x1b') + 1; n == 0 {
				n = len(piece)
			}
		}
		if key, known := topKeys[piece[:n]]; known {
			keys = append(keys, key)
		}
		piece = piece[n:]
	}
	return keys
}

// choose moves the choice, and keeps it in the list.
func (s *topScreen) choose(place int) {
	s.place = min(max(place, 0), max(0, len(s.view.runs)-1))
	if len(s.view.runs) > 0 {
		s.chosen = s.view.runs[s.place].ID
	}
}

// follow finds the chosen run again after the runs were read.
func (s *topScreen) follow() {
	if i := slices.IndexFunc(s.view.runs, func(r topRun) bool { return r.ID == s.chosen }); i >= 0 {
		s.place = i
	}
	s.choose(s.place)
}

// detailLines is how many lines below the table are about the chosen run.
const detailLines = 6

func (s *topScreen) tableHeight(height int) int { return max(1, height-3-detailLines) }

// draw returns the lines of a screen, at most height of at most width columns.
func (s *topScreen) draw(width, height int, now time.Time) []string {
	lines := s.view.table(0, now) // no row takes two lines
	head, rows := lines[:min(3, len(lines))], lines[min(3, len(lines)):]
	room := s.tableHeight(height)
	s.first = min(max(s.first, s.place-room+1), s.place)
	s.first = max(0, min(s.first, len(rows)-room))
	shown := append([]string{}, head...)
	for i := s.first; i < min(len(rows), s.first+room); i++ {
		text := "  " + rows[i]
		if i == s.place {
			text = "> " + rows[i]
		}
		shown = append(shown, text)
	}
	if s.place < len(s.view.runs) {
		shown = append(shown, "")
		shown = append(shown, s.view.details(&s.view.runs[s.place], now)...)
	}
	if len(head) > 2 {
		shown[2] = "  " + shown[2]
	}
	for i := range shown {
		shown[i] = cutColumns(shown[i], width)
	}
	return shown[:min(len(shown), height)]
}

// cutColumns cuts a line to a width.
func cutColumns(line string, width int) string {
	n := 0
	for i, r := range line {
		if n += plain.Columns(string(r)); n > width {
			return line[:i]
		}
	}
	return line
}

// watch shows the runs until somebody quits.
func (t *topView) watch(ctx context.Context, in, out *os.File) error {
	const poll = 500 * time.Millisecond
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	raw := plain.Raw(t.streams.Out)
	fmt.Fprint(raw, enterScreen)
	defer func() {
		fmt.Fprint(raw, leaveScreen)
		_ = term.Restore(int(in.Fd()), before)
	}()
	typed := make(chan []topMove)
	go func() {
		var piece [64]byte
		for {
			n, err := in.Read(piece[:])
			keys := parseKeys(string(piece[:n]))
			if err != nil {
				keys = append(keys, nil)
			}
			select {
			case typed <- keys:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	s := &topScreen{view: t}
	ticks := time.NewTicker(poll)
	defer ticks.Stop()
	var seen int64 = -1
	var last string
	loaded := time.Time{}
	for {
		now := time.Now()
		generation, err := t.store.Generation(ctx)
		if err == nil && (generation != seen || now.Sub(loaded) > 5*time.Second) { // a process may have died
			if err = t.load(ctx); err == nil {
				seen, loaded = generation, now
				s.follow()
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		width, height, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return err
		}
		if width <= 0 || height <= 0 {
			width, height = 80, 24 // a terminal without a size
		}
		if text := strings.Join(s.draw(width, height, now), "\x1b[K\r\n"); text != last {
			last = text
			fmt.Fprint(raw, "\x1b[H"+text+"\x1b[K\x1b[J")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		case keys := <-typed:
			for _, move := range keys {
				if move == nil {
					return nil
				}
				s.choose(move(s.place, max(1, s.tableHeight(height)-1), len(s.view.runs)-1))
			}
		}
	}
}
