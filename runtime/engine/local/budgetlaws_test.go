package local_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

var errDead = errors.New("the process is dead")

// A dyingStore is the store of a process that dies at a point: before or after one of its changes.
type dyingStore struct {
	store.Store
	spending.Ledger
	mu     sync.Mutex
	dies   int // the point, from 1; 0 lets it live
	points int
}

// change makes a change between two points.
func (s *dyingStore) change(do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, step := range []func() error{func() error { return nil }, do} {
		if s.dies > 0 && s.points >= s.dies {
			return errDead
		}
		if err := step(); err != nil {
			return err
		}
		s.points++
	}
	if s.dies > 0 && s.points >= s.dies {
		return errDead
	}
	return nil
}

func (s *dyingStore) Commit(ctx context.Context, id string, b flow.Batch) error {
	return s.change(func() error { return s.Store.Commit(ctx, id, b) })
}

func (s *dyingStore) Begin(ctx context.Context, id, holder, executable string) error {
	return s.change(func() error { return s.Store.Begin(ctx, id, holder, executable) })
}

func (s *dyingStore) Reserve(ctx context.Context, q spending.Request) (r spending.Reservation, err error) {
	err = s.change(func() error {
		r, err = s.Ledger.Reserve(ctx, q)
		return err
	})
	return r, err
}

// A turnWorld is a drawn workflow of prompts with budgets.
type turnWorld struct {
	prompts int
	chained bool
	fails   []int // how often the attempts at each prompt fail
	budgets settings.Budgets
}

func drawTurns(t *rapid.T) *turnWorld {
	w := &turnWorld{prompts: rapid.IntRange(1, 5).Draw(t, "prompts"), chained: rapid.Bool().Draw(t, "chained")}
	for i := range w.prompts {
		w.fails = append(w.fails, rapid.IntRange(0, 2).Draw(t, fmt.Sprint("fails ", i)))
	}
	w.budgets.Day.CostUSD = rapid.SampledFrom([]float64{0, 10, 0.0003}).Draw(t, "day")
	w.budgets.Month.Tokens = rapid.SampledFrom([]int64{0, 1e6, 15_000}).Draw(t, "month")
	if w.budgets == (settings.Budgets{}) {
		w.budgets.Day.CostUSD = 5
	}
	w.budgets.AtLimit = rapid.SampledFrom([]settings.BudgetPolicy{settings.BudgetWait, settings.BudgetFail}).Draw(t, "policy")
	return w
}

// definition returns the workflow: each prompt is tried again once.
func (w *turnWorld) definition() *flow.Definition {
	def := prompts("turns", w.prompts, w.chained)
	def.Flow = func(c *flow.Context) (any, error) {
		var before *flow.Task[string]
		for _, node := range def.Nodes {
			n := flow.Node[string]{Key: node.Key, Kind: "prompt", Retry: flow.Retry{Retries: 1, All: true, Delay: time.Second}, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: "claude", Text: "do it"})
				return r.Text, err
			}}
			if w.chained && before != nil {
				n.After = append(n.After, before)
			}
			before = flow.Spawn(c, n)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// A cashier performs turns, each at a cost that no other one has.
type cashier struct {
	mu    sync.Mutex
	world *turnWorld
	spent []int64 // the millionths of each turn
	tries map[string]int
}

func (*cashier) Kind() string { return flow.Prompt{}.Kind() }

func (s *cashier) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries[call.Action.Key]++
	micros := int64(100 + len(s.spent))
	s.spent = append(s.spent, micros)
	r := flow.Result{Status: flow.Completed, Text: "ok", Meta: flow.Meta{CostUSD: spending.Dollars(micros), InputTokens: 1000, OutputTokens: 1000, Turns: 1}}
	var n int
	fmt.Sscanf(call.Action.Key, "p%d", &n)
	if s.tries[call.Action.Key] <= s.world.fails[n] {
		r.Status, r.Failure = flow.Failed, &flow.Failure{Message: "not now"}
	}
	return r
}

// run runs the workflow in processes that die at some points, and compares the ledger with what
// the turns cost. It returns the number of points of the last process.
func (w *turnWorld) run(folder, work string, deaths ...int) (points int, err error) {
	under := memory.New()
	s := &cashier{world: w, tries: map[string]int{}}
	def := w.definition()
	status := flow.Status("")
	for process := range len(deaths) + 1 {
		if kept, err := under.Run(context.Background(), "turns-000000"); err == nil && kept.Status == flow.Completed {
			status = kept.Status
			break
		}
		dying := &dyingStore{Store: under, Ledger: under.(spending.Ledger)}
		if process < len(deaths) {
			dying.dies = deaths[process]
		}
		e, err := local.New(local.Config{
			Store: dying, State: folder, Performers: []engine.Performer{s}, Environ: []string{}, Poll: time.Hour, MaxWait: 1000 * time.Hour, Budgets: settings.ProjectBudgets{All: w.budgets},
		})
		if err != nil {
			return 0, err
		}
		var end *local.Result
		if process == 0 {
			end, err = e.Run(context.Background(), def, nil, local.Options{ID: "turns-000000", WorkDir: work})
		} else {
			end, err = e.Resume(context.Background(), def, "turns-000000", local.Options{})
		}
		if end != nil {
			status = end.Status
		}
		points = dying.points
		_ = e.Shutdown(context.Background())
		if err != nil && !errors.Is(err, errDead) {
			return 0, fmt.Errorf("process %d: %w", process, err)
		}
	}
	if !status.Ended() {
		return 0, fmt.Errorf("the run ended as `%s`", status)
	}
	return points, w.compare(under, s)
}

// compare checks that each turn is in the ledger once.
func (w *turnWorld) compare(s store.Store, turns *cashier) error {
	rows, err := s.(spending.Ledger).Spending(context.Background(), spending.Filter{})
	if err != nil {
		return err
	}
	steps, err := s.Steps(context.Background(), "turns-000000")
	if err != nil {
		return err
	}
	unsettled := slices.Clone(turns.spent)
	var settled, journalled int64
	lost := 0
	for _, r := range rows {
		switch r.State {
		case spending.Reserved:
			return fmt.Errorf("%s is under way after the end", r.Key)
		case spending.Lost:
			lost++
		case spending.Settled:
			i := slices.Index(unsettled, r.Micros)
			if i < 0 {
				return fmt.Errorf("the ledger has %d, and the turns cost %v", r.Micros, turns.spent)
			}
			unsettled = slices.Delete(unsettled, i, i+1)
			settled += r.Micros
		}
	}
	for _, step := range steps {
		journalled += spending.Micros(step.Meta.CostUSD)
	}
	switch {
	case len(unsettled) > lost:
		return fmt.Errorf("%d turns are not settled, and only %d are lost", len(unsettled), lost)
	case settled != journalled:
		return fmt.Errorf("the ledger has %d, and the journal %d", settled, journalled)
	}
	return nil
}

// Whatever turns take place and wherever processes die: the ledger has each turn once, with its
// cost if the journal has it, and as lost otherwise.
func TestLedgerHasEachTurnOnce(t *testing.T) {
	folder, work, n := t.TempDir(), t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		w, seed := drawTurns(r), rapid.Int64().Draw(r, "seed")
		n++
		var failed error
		synctest.Test(t, func(*testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			dir := func(i int) string { return filepath.Join(folder, fmt.Sprint(n), fmt.Sprint(i)) }
			points, err := w.run(dir(0), work)
			for i := 1; i <= 4 && err == nil; i++ {
				first, second := 1+random.IntN(points), 1+random.IntN(points)
				if _, err = w.run(dir(i), work, first, second); err != nil {
					err = fmt.Errorf("deaths at %d and %d of %d points: %w", first, second, points, err)
				}
			}
			failed = err
		})
		if failed != nil {
			r.Fatal(failed)
		}
	})
}
