package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

func testMessages(t *testing.T, s store.Store) {
	box, ctx := s.(runstore.Mailbox), t.Context()
	createRun(t, s, newRun("demo-000001"), pendingStep("a"))
	created := created.Round(0)
	notice := flow.Message{Key: "k1", Workflow: "demo", Event: "waits", Target: "ops", Body: []byte(`{"text":"\u0000 é"}`), Created: created, Due: created.Add(time.Minute)}
	for range 2 { // the second one is known
		if err := s.Commit(ctx, "demo-000001", flow.Batch{Messages: []flow.Message{notice}}); err != nil {
			t.Fatal(err)
		}
	}
	added, err := box.AddMessages(ctx, []runstore.Message{
		{Box: runstore.BoxTrigger, Message: flow.Message{Key: "k1", Workflow: "other", Created: created}},
		{Box: runstore.BoxNotice, Message: notice},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "added", added, []bool{true, false})
	all := func(f runstore.MessageFilter) []runstore.Message {
		t.Helper()
		list, err := box.Messages(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	count := func(f runstore.MessageFilter, want int) {
		t.Helper()
		if list := all(f); len(list) != want {
			t.Errorf("%+v selects %d messages, want %d: %+v", f, len(list), want, list)
		}
	}
	count(runstore.MessageFilter{}, 2)
	count(runstore.MessageFilter{Box: runstore.BoxTrigger}, 1)
	count(runstore.MessageFilter{RunID: "demo-000001"}, 1)
	count(runstore.MessageFilter{State: runstore.MessageDone}, 0)
	count(runstore.MessageFilter{Workflows: []string{"other", "third"}}, 1)

	m := all(runstore.MessageFilter{Box: runstore.BoxNotice})[0]
	want := runstore.Message{Message: notice, ID: m.ID, Box: runstore.BoxNotice, RunID: "demo-000001", State: runstore.MessageQueued, Updated: created}
	wantEqual(t, "the message", m, want)

	// One of many claims it.
	now, until := created.Add(time.Hour), created.Add(2*time.Hour)
	claims := make([]bool, 8)
	var wait sync.WaitGroup
	for i := range claims {
		wait.Go(func() {
			var err error
			if claims[i], err = box.ClaimMessage(ctx, m, now, until); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	won := 0
	for _, claimed := range claims {
		if claimed {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d processes claimed it", won)
	}
	// Who has not claimed it settles nothing.
	stale := m
	stale.State = runstore.MessageFailed
	if err := box.SettleMessage(ctx, stale, now); err != nil {
		t.Fatal(err)
	}
	m = all(runstore.MessageFilter{Box: runstore.BoxNotice})[0]
	want.Attempts, want.Due, want.Updated = 1, until, now
	wantEqual(t, "the claimed message", m, want)
	m.State, m.Problem, m.Due = runstore.MessageDone, "nobody needs it", created
	if err := box.SettleMessage(ctx, m, until); err != nil {
		t.Fatal(err)
	}
	m = all(runstore.MessageFilter{Box: runstore.BoxNotice})[0]
	want.State, want.Problem, want.Due, want.Updated = runstore.MessageDone, "nobody needs it", created, until
	wantEqual(t, "the settled message", m, want)
	if claimed, err := box.ClaimMessage(ctx, m, now, until); err != nil || claimed {
		t.Errorf("a settled message is claimed: %v %v", claimed, err)
	}

	// Old settled messages go with their run; what is queued, or changed later, stays known.
	if _, err := box.AddMessages(ctx, []runstore.Message{
		{Box: runstore.BoxTrigger, RunID: "demo-000001", Message: flow.Message{Key: "k2", Workflow: "demo", Created: created}},
		{Box: runstore.BoxTrigger, RunID: "gone-000001", Message: flow.Message{Key: "k3", Workflow: "demo", Created: created}},
		{Box: runstore.BoxTrigger, Message: flow.Message{Key: "k4", Workflow: "demo", Created: created}},
		{Box: runstore.BoxTrigger, Message: flow.Message{Key: "k5", Workflow: "third", Created: created}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, m := range all(runstore.MessageFilter{Box: runstore.BoxTrigger, Workflows: []string{"demo", "third"}}) {
		m.State = runstore.MessageFailed
		if err := box.SettleMessage(ctx, m, map[string]time.Time{"k3": until}[m.Key]); err != nil {
			t.Fatal(err)
		}
	}
	keys := func(workflow string, since time.Time, want ...string) {
		t.Helper()
		if err := box.DropMessages(ctx, workflow, since); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, m := range all(runstore.MessageFilter{Box: runstore.BoxTrigger}) {
			left = append(left, m.Key)
		}
		wantEqual(t, "the deliveries", left, want)
	}
	keys("demo", until, "k1", "k2", "k3", "k5")
	// A removed run leaves no notices, and what arrived stays known.
	if err := s.DeleteRun(ctx, "demo-000001"); err != nil {
		t.Fatal(err)
	}
	count(runstore.MessageFilter{}, 4)
	keys("", until, "k1", "k3")
	keys("", until.Add(1), "k1")
}
