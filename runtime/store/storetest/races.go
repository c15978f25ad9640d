package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// testWriters lets many writers commit to separate runs and to one that they share, while
// readers look.
func testWriters(t *testing.T, s store.Store) {
	const writers, commits = 16, 20
	createRun(t, s, newRun("shared"))
	for w := range writers {
		createRun(t, s, newRun(fmt.Sprintf("own-%02d", w)))
	}
	var work, look sync.WaitGroup
	stop := make(chan struct{})
	look.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				wholeBatches(t, s)
			}
		}
	})
	for w := range writers {
		work.Go(func() {
			for n := range commits {
				key := fmt.Sprintf("w%d#%d", w, n)
				batch := flow.Batch{
					Steps:  []flow.Record{withStatus(pendingStep(key), flow.Completed), withStatus(pendingStep(key+"'"), flow.Running)},
					Events: []flow.Event{{Time: created, Type: "step_completed", Key: key}},
				}
				for _, id := range []string{"shared", fmt.Sprintf("own-%02d", w)} {
					if err := s.Commit(t.Context(), id, batch); err != nil {
						t.Errorf("commit to %s: %v", id, err)
					}
				}
				// Refusals among the others do them no harm.
				if err := s.Commit(t.Context(), "nobody", batch); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("commit to no run: %v", err)
				}
			}
		})
	}
	work.Wait()
	close(stop)
	look.Wait()

	for w := range writers {
		var expected []flow.Record
		for n := range commits {
			key := fmt.Sprintf("w%d#%d", w, n)
			expected = append(expected, withStatus(pendingStep(key), flow.Completed), withStatus(pendingStep(key+"'"), flow.Running))
		}
		id := fmt.Sprintf("own-%02d", w)
		wantEqual(t, "steps of "+id, getSteps(t, s, id), expected)
		events, _ := getEvents(t, s, id, 0)
		wantEqual(t, "number of events of "+id, len(events), commits)
	}
	wantEqual(t, "number of steps of the shared run", len(getSteps(t, s, "shared")), 2*writers*commits)
	var all []flow.Event
	for seq := int64(0); ; {
		events, last := getEvents(t, s, "shared", seq)
		if len(events) == 0 {
			break
		}
		all, seq = append(all, events...), last
	}
	wantEqual(t, "number of events of the shared run", len(all), writers*commits)
}

// wholeBatches looks whether steps that are committed together are seen
// together.
func wholeBatches(t *testing.T, s store.Store) {
	steps, err := s.Steps(t.Context(), "shared")
	if err != nil {
		t.Errorf("Steps: %v", err)
	}
	if len(steps)%2 != 0 {
		t.Errorf("%d steps are seen where pairs are committed", len(steps))
	}
}

// testRaces lets many want what one can have.
func testRaces(t *testing.T, s store.Store) {
	const many = 12
	for round := range 5 {
		id, key := fmt.Sprintf("demo-%06d", round), "gate"
		winners := runRace(t, many, store.ErrExists, func(i int) error {
			r := newRun(id)
			r.Holder = fmt.Sprint(i)
			return s.CreateRun(t.Context(), r, []flow.Record{askingStep(key)})
		})
		wantEqual(t, "who created the run", getRun(t, s, id).Holder, fmt.Sprint(winners[0]))
		winners = runRace(t, many, store.ErrAnswered, func(i int) error {
			return s.Answer(t.Context(), id, store.Answer{Key: key, By: fmt.Sprint(i), Given: created})
		})
		wantEqual(t, "whose answer it is", getAnswers(t, s, id), []store.Answer{{Key: key, By: fmt.Sprint(winners[0]), Given: created}})
		must(t, beginAll(t, s, id, many))
		wantEqual(t, "how many processes began", getRun(t, s, id).Processes, many)
	}
}

// runRace lets n do something at once that one can do, and returns who did it; the
// others must fail with the error given.
func runRace(t *testing.T, n int, lost error, do func(i int) error) []int {
	t.Helper()
	errs := atOnce(n, do)
	var winners []int
	for i, err := range errs {
		switch {
		case err == nil:
			winners = append(winners, i)
		case !errors.Is(err, lost):
			t.Errorf("a loser got the error %v, want %v", err, lost)
		}
	}
	if len(winners) != 1 {
		t.Fatalf("%d of %d won", len(winners), n)
	}
	return winners
}

func beginAll(t *testing.T, s store.Store, id string, n int) error {
	return errors.Join(atOnce(n, func(i int) error { return s.Begin(t.Context(), id, fmt.Sprint(i), "") })...)
}

func atOnce(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wait.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	wait.Wait()
	return errs
}
