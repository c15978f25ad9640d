package storetest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// The environment of a process of testParallelTurns: its state folder, and the store.
const (
	folderVariable = "STORETEST_FOLDER"
	placeVariable  = "STORETEST_STORE"
)

const (
	turns  = 25 // of each process
	budget = 2.00
	usual  = 0.10 // the estimate of a turn
	real   = 0.12 // its cost
	fit    = 20   // turns that the budget has room for
)

// takeTurns runs the workflow of one process and returns when the run has ended. Its turns end
// when the standard input does.
func takeTurns(s store.Store, folder string) error {
	released := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(released)
	}()
	e, err := local.New(local.Config{
		Store: s, State: folder, Performers: []engine.Performer{heldPerformer{released}}, MaxParallel: 2 * turns,
		Budgets: settings.ProjectBudgets{All: settings.Budgets{Day: settings.Budget{CostUSD: budget}, AtLimit: settings.BudgetFail}},
	})
	if err != nil {
		return err
	}
	_, err = e.Run(context.Background(), wideWorkflow(), nil, local.Options{WorkDir: folder})
	return err
}

// A heldPerformer performs turns that end when they are released.
type heldPerformer struct{ released chan struct{} }

func (heldPerformer) Kind() string { return flow.Prompt{}.Kind() }

func (p heldPerformer) Perform(context.Context, *engine.Attempt) flow.Result {
	<-p.released
	return flow.Result{Status: flow.Completed, Text: "ok", Meta: flow.Meta{CostUSD: real, InputTokens: 10, OutputTokens: 10, Turns: 1}}
}

// wideWorkflow has prompts side by side.
func wideWorkflow() *flow.Definition {
	def := &flow.Definition{Name: "wide", Fingerprint: "f"}
	for i := range turns {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: fmt.Sprintf("p%d", i), Kind: "prompt"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		for _, n := range def.Nodes {
			flow.Spawn(c, flow.Node[string]{Key: n.Key, Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: "claude", Text: "work"})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	return def
}

// A budget holds over 50 turns at once in two processes: what is overshot is the error of the
// estimates under way. place is where the processes find the store.
func testParallelTurns(t *testing.T, s store.Store, place string) {
	sayUsual(t, s)
	var ends []func()
	for i := range 2 {
		folder := filepath.Join(t.TempDir(), fmt.Sprint(i), "shop")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), placeVariable+"="+place, folderVariable+"="+folder)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		ends = append(ends, func() { in.Close() })
	}
	c := counts{}
	c.await(t, s, func() bool { return c.reserved+c.settled >= fit && c.refused >= 2*turns-fit })
	if c.reserved != fit || c.settled != 0 || c.refused != 2*turns-fit {
		t.Errorf("of %d turns, %+v, want %d under way", 2*turns, c, fit)
	}
	for _, end := range ends {
		end()
	}
	c.await(t, s, func() bool { return c.settled >= fit })
	if most := spending.Micros(budget + fit*(real-usual)); c.settled != fit || c.reserved != 0 || c.micros != spending.Micros(fit*real) || c.micros > most {
		t.Errorf("%+v, want at most %d millionths: the budget, and the errors of the estimates under way", c, most)
	}
}

// sayUsual lets the ledger know what a turn usually costs, by one that no window has any more.
func sayUsual(t *testing.T, s store.Store) {
	before := time.Now().Add(-100 * spending.Day)
	run := store.Run{RunInfo: flow.RunInfo{ID: "wide-000000", Workflow: "wide"}, Status: flow.Completed, Created: before, Updated: before}
	if err := s.CreateRun(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	err := s.Commit(t.Context(), run.ID, flow.Batch{Spending: []flow.Spending{{
		Key: "p0", Node: "p0", Workflow: "wide", Project: "shop", Agent: "claude", Time: before, State: spending.Settled, Micros: spending.Micros(usual), Priced: true, Input: 10, Output: 10,
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

// counts are what the store knows of the turns of a day.
type counts struct {
	reserved, settled, refused int
	micros                     int64
}

// await counts until it suffices.
func (c *counts) await(t *testing.T, s store.Store, enough func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c.count(t, s); enough() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute: %+v", *c)
		}
	}
}

func (c *counts) count(t *testing.T, s store.Store) {
	t.Helper()
	*c = counts{}
	rows, err := s.(spending.Ledger).Spending(t.Context(), spending.Filter{Since: time.Now().Add(-spending.Day)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		switch r.State {
		case spending.Reserved:
			c.reserved++
		case spending.Settled:
			c.settled++
			c.micros += r.Micros
		}
	}
	runs, err := s.Runs(t.Context(), store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		steps, err := s.Steps(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if step.Question != nil && step.Question.Wait == flow.WaitBudget {
				c.refused++
			}
		}
	}
}
