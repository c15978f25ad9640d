package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// RunShared tests a kind of store that several processes use: open returns two
// that keep the same runs, as two processes would open them.
func RunShared(t *testing.T, open func(t *testing.T) (a, b store.Store)) {
	for name, test := range map[string]func(t *testing.T, a, b store.Store){
		"seen at once": testSeen,
		"version":      testVersion,
		"races":        testSharedRaces,
	} {
		t.Run(name, func(t *testing.T) {
			a, b := open(t)
			test(t, a, b)
		})
	}
}

func testSeen(t *testing.T, a, b store.Store) {
	createRun(t, a, newRun("demo-000001"), askingStep("gate"))
	wantEqual(t, "the run, from the other side", getRun(t, b, "demo-000001"), newRun("demo-000001"))
	commitSteps(t, b, withStatus(pendingStep("x"), flow.Running))
	wantEqual(t, "the steps", getSteps(t, a, "demo-000001"), []flow.Record{askingStep("gate"), withStatus(pendingStep("x"), flow.Running)})
	must(t, a.Answer(t.Context(), "demo-000001", store.Answer{Key: "gate", Text: "yes", Given: created}))
	wantEqual(t, "the answers", getAnswers(t, b, "demo-000001"), []store.Answer{{Key: "gate", Text: "yes", Given: created}})
	wantError(t, "a second answer", b.Answer(t.Context(), "demo-000001", store.Answer{Key: "gate"}), store.ErrAnswered)
	wantError(t, "a second run", b.CreateRun(t.Context(), newRun("demo-000001"), nil), store.ErrExists)
}

func testVersion(t *testing.T, a, b store.Store) {
	version := func() int64 {
		t.Helper()
		v, err := a.Generation(t.Context())
		must(t, err)
		return v
	}
	last := version()
	for _, change := range []struct {
		name string
		do   func() error
	}{
		{"CreateRun", func() error {
			return b.CreateRun(t.Context(), newRun("demo-000001"), []flow.Record{askingStep("gate")})
		}},
		{"Begin", func() error { return b.Begin(t.Context(), "demo-000001", "h", "x") }},
		{"Commit", func() error {
			return b.Commit(t.Context(), "demo-000001", flow.Batch{Steps: []flow.Record{pendingStep("x")}})
		}},
		{"Answer", func() error { return b.Answer(t.Context(), "demo-000001", store.Answer{Key: "gate"}) }},
		{"RequestCancel", func() error { return b.RequestCancel(t.Context(), "demo-000001", "me") }},
		{"Move", func() error { return b.SetFingerprint(t.Context(), "demo-000001", "f2") }},
		{"SetSettings", func() error { return b.SetSettings(t.Context(), "demo-000001", []byte(`{"a":1}`)) }},
	} {
		if version() != last {
			t.Fatalf("the version changed before %s, though nothing did", change.name)
		}
		must(t, change.do())
		now := version()
		if now == last {
			t.Errorf("the version is %d before and after %s of another", now, change.name)
		}
		last = now
	}
	// Reading is not a change.
	getRun(t, b, "demo-000001")
	getSteps(t, a, "demo-000001")
	wantEqual(t, "the version after reading", version(), last)
}

func testSharedRaces(t *testing.T, a, b store.Store) {
	stores := []store.Store{a, b}
	for round := range 10 {
		id := fmt.Sprintf("demo-%06d", round)
		runRace(t, 6, store.ErrExists, func(i int) error {
			return stores[i%2].CreateRun(t.Context(), newRun(id), []flow.Record{askingStep("gate")})
		})
		runRace(t, 6, store.ErrAnswered, func(i int) error {
			return stores[i%2].Answer(t.Context(), id, store.Answer{Key: "gate"})
		})
		must(t, errors.Join(atOnce(6, func(i int) error {
			return stores[i%2].Commit(t.Context(), id, flow.Batch{Steps: []flow.Record{pendingStep(fmt.Sprint(i))}})
		})...))
		wantEqual(t, "number of steps", len(getSteps(t, a, id)), 7)
	}
}
