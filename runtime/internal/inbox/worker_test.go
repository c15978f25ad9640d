package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store/memory"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// hook is a trigger whose payload gives the input title.
var hook = &trigger.Trigger{Trigger: settings.Trigger{
	On: settings.TriggerSource{Webhook: settings.WebhookGitHub, Path: "/hook"}, Inputs: []settings.MappedValue{{Name: "title", Pointer: "/title"}},
}}

func newQueue() *inbox.Queue {
	return &inbox.Queue{
		Box: memory.New().(runstore.Mailbox), Definition: &flow.Definition{Name: "triage", Inputs: []flow.InputInfo{{Name: "title", Type: "text"}}},
		Log: slog.New(slog.DiscardHandler),
	}
}

func accept(t *testing.T, q *inbox.Queue, id string) inbox.Receipt {
	t.Helper()
	r, err := q.Accept(t.Context(), inbox.Delivery{Trigger: hook, ID: id, Payload: []byte(`{"title":"` + id + `"}`)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// states are the states of the messages, by the ids of their deliveries.
func states(t *testing.T, q *inbox.Queue) map[string]string {
	t.Helper()
	list, err := q.Box.Messages(t.Context(), runstore.MessageFilter{Box: runstore.BoxTrigger})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range list {
		found[m.Key[len("triage webhook /hook "):]] = m.State
	}
	return found
}

// A delivery that cannot be handled yet is tried again, at growing intervals; one that can never
// be is tried once, and holds up no other.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for _, id := range []string{"fine", "later", "never", "broken"} {
			accept(t, q, id)
		}
		start := time.Now()
		var mu sync.Mutex
		tries := map[string][]time.Duration{}
		w := &inbox.Worker{Queue: q, Most: 2, Handle: func(_ context.Context, item inbox.Item) error {
			mu.Lock()
			defer mu.Unlock()
			tries[item.ID] = append(tries[item.ID], time.Since(start).Round(time.Second))
			switch {
			case item.ID == "later" && len(tries["later"]) < 4, item.ID == "broken":
				return &inbox.Later{Reason: errors.New("the store is away")}
			case item.ID == "never":
				return errors.New("it fits no more")
			}
			return nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
		defer cancel()
		w.Run(ctx, t.Context())
		want := map[string]string{"fine": "done", "later": "done", "never": "failed", "broken": "failed"}
		if got := states(t, q); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the states are %v", got)
		}
		if got := tries["later"]; len(got) != 4 || got[1]-got[0] < 4*time.Second || got[3]-got[2] <= got[2]-got[1] {
			t.Errorf("it was tried at %v", got)
		}
		if n := len(tries["broken"]); n < 12 || n > 20 || len(tries["never"]) != 1 {
			t.Errorf("the broken one was tried %d times, the other %d times", n, len(tries["never"]))
		}
	})
}

// What a process had claimed and left is handled at once by the next, which gets the same run.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		run := accept(t, q, "one").Run
		ctx, cancel := context.WithCancel(t.Context())
		var runs []string
		w := &inbox.Worker{Queue: q, Most: 1, Handle: func(_ context.Context, item inbox.Item) error {
			runs = append(runs, item.RunID)
			cancel()
			return inbox.ErrLeft
		}}
		w.Run(ctx, t.Context())
		if left, err := w.Left(t.Context()); err != nil || len(left) != 1 || left[0].RunID != run || left[0].ID != "one" {
			t.Errorf("left: %+v, %v", left, err)
		}
		if r := accept(t, q, "one"); r.Outcome != inbox.Known || r.Run != run {
			t.Errorf("the same delivery again: %+v", r)
		}

		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		next := &inbox.Worker{Queue: q, Most: 1, Handle: func(_ context.Context, item inbox.Item) error {
			runs = append(runs, item.RunID)
			return nil
		}}
		next.Run(ctx, t.Context())
		if !slices.Equal(runs, []string{run, run}) {
			t.Errorf("the runs were %q, want twice %s", runs, run)
		}
		if got := states(t, q); got["one"] != "done" {
			t.Errorf("the states are %v", got)
		}
	})
}

// At most so many deliveries are handled at once, and a new one is handled at once if there is
// room.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		var mu sync.Mutex
		now, most, handled := 0, 0, 0
		w := &inbox.Worker{Queue: q, Most: 3, Handle: func(context.Context, inbox.Item) error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			now--
			handled++
			return nil
		}}
		q.Arrived = w.Wake
		ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
		defer cancel()
		go func() {
			for i := range 9 {
				accept(t, q, fmt.Sprint(i))
			}
		}()
		w.Run(ctx, t.Context())
		if most != 3 || handled != 9 {
			t.Errorf("%d were handled, %d at once", handled, most)
		}
	})
}
