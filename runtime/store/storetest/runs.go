package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func testCreateRun(t *testing.T, s store.Store) {
	steps := []flow.Record{pendingStep("z"), pendingStep("a"), pendingStep("m")}
	createRun(t, s, newRun("demo-000001"), steps...)
	wantEqual(t, "the run", getRun(t, s, "demo-000001"), newRun("demo-000001"))
	wantEqual(t, "its steps, in the order given", getSteps(t, s, "demo-000001"), steps)

	other := newRun("demo-000001")
	other.Workflow = "other"
	err := s.CreateRun(t.Context(), other, []flow.Record{pendingStep("b")})
	wantError(t, "CreateRun with a taken id", err, store.ErrExists)
	wantEqual(t, "the run after that", getRun(t, s, "demo-000001"), newRun("demo-000001"))
	wantEqual(t, "its steps after that", getSteps(t, s, "demo-000001"), steps)

	err = s.CreateRun(t.Context(), newRun("demo-000002"), []flow.Record{pendingStep("a"), pendingStep("a")})
	wantError(t, "CreateRun with two steps of one key", err, store.ErrExists)
	_, err = s.Run(t.Context(), "demo-000002")
	wantError(t, "Run after that", err, store.ErrNotFound)

	createRun(t, s, newRun("demo-000003"))
	wantEqual(t, "steps of a run without any", getSteps(t, s, "demo-000003"), []flow.Record(nil))
}

func testRunFields(t *testing.T, s store.Store) {
	var run store.Run
	fillFields(&run)
	createRun(t, s, run)
	wantEqual(t, "a run with every field set", getRun(t, s, run.ID), run)
	wantEqual(t, "a run with no field set but its id", func() store.Run {
		createRun(t, s, store.Run{RunInfo: flow.RunInfo{ID: "bare"}})
		return getRun(t, s, "bare")
	}(), store.Run{RunInfo: flow.RunInfo{ID: "bare"}})
}

func testRuns(t *testing.T, s store.Store) {
	wantEqual(t, "runs of an empty store", getRuns(t, s, store.Filter{}), []store.Run(nil))

	add := func(id, workflow string, status flow.Status, age time.Duration) {
		r := newRun(id)
		r.Workflow, r.Status, r.Created = workflow, status, created.Add(-age)
		r.Updated = created.Add(time.Hour - age)
		if status != flow.Failed { // which this test treats as runs that have not ended
			r.Finished = created.Add(time.Minute - age)
		}
		createRun(t, s, r)
	}
	add("build-aaaaaa", "build", flow.Completed, 2*time.Hour)
	add("build-cccccc", "build", flow.Failed, time.Nanosecond)
	add("test-aaaaaa", "test", flow.Completed, 0)
	add("build-bbbbbb", "build", flow.Completed, time.Nanosecond)

	for _, test := range []struct {
		name   string
		filter store.Filter
		want   []string
	}{
		{"all", store.Filter{}, []string{"test-aaaaaa", "build-bbbbbb", "build-cccccc", "build-aaaaaa"}},
		{"of a workflow", store.Filter{Workflow: "build"}, []string{"build-bbbbbb", "build-cccccc", "build-aaaaaa"}},
		{"of a status", store.Filter{Status: flow.Completed}, []string{"test-aaaaaa", "build-bbbbbb", "build-aaaaaa"}},
		{"of both", store.Filter{Status: flow.Completed, Workflow: "build"}, []string{"build-bbbbbb", "build-aaaaaa"}},
		{"limited", store.Filter{Limit: 2}, []string{"test-aaaaaa", "build-bbbbbb"}},
		{"limit beyond all", store.Filter{Limit: 9, Status: flow.Failed}, []string{"build-cccccc"}},
		{"none", store.Filter{Workflow: "buil"}, nil},
		{"of an id", store.Filter{ID: "build-cccccc"}, []string{"build-cccccc"}},
		{"of an id, briefly", store.Filter{ID: "build-cccccc", Prefix: "build", Brief: true}, []string{"build-cccccc"}},
		{"of an id and another workflow", store.Filter{ID: "build-cccccc", Workflow: "test"}, nil},
		{"of the beginning of an id", store.Filter{ID: "build-ccc"}, nil},
		{"ended before another", store.Filter{Before: created.Add(time.Minute)}, []string{"build-bbbbbb", "build-aaaaaa"}},
		{"ended or changed before", store.Filter{Before: created.Add(time.Hour)}, []string{"test-aaaaaa", "build-bbbbbb", "build-cccccc", "build-aaaaaa"}},
		{"of a workflow and ended before", store.Filter{Before: created, Workflow: "build", Limit: 1, Brief: true}, []string{"build-aaaaaa"}},
		{"ended before all", store.Filter{Before: created.Add(-3 * time.Hour)}, nil},
	} {
		wantEqual(t, "runs, "+test.name, idsIn(getRuns(t, s, test.filter)), test.want)
	}
	wantEqual(t, "a listed run", getRuns(t, s, store.Filter{Prefix: "test-"})[0], getRun(t, s, "test-aaaaaa"))
}

func testPrefixes(t *testing.T, s store.Store) {
	all := []string{"a", "a-1", "a-2", "a%", "a_", "A-1", "b", "ä-1", "a\xff", "a\xff\xff", "a\xffb", "é"}
	for _, id := range all {
		createRun(t, s, newRun(id))
	}
	for _, prefix := range append([]string{"", "a-", "a\xff\xffx", "\xff", "\xc3", "zz"}, all...) {
		got, expected := idsIn(getRuns(t, s, store.Filter{Prefix: prefix})), []string(nil)
		for _, id := range all {
			if strings.HasPrefix(id, prefix) {
				expected = append(expected, id)
			}
		}
		slices.Sort(expected) // created at the same time, so by id
		if !slices.Equal(got, expected) {
			t.Errorf("runs of the prefix %q: got %q, want %q", prefix, got, expected)
		}
	}
}

func testBegin(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"))
	before := time.Now()
	must(t, s.Begin(t.Context(), "demo-000001", "host 1", "/bin/one"))
	first := getRun(t, s, "demo-000001")
	if first.Started.Before(before) || first.Updated.Before(before) {
		t.Errorf("begun at %v the run says started %v, updated %v", before, first.Started, first.Updated)
	}
	expected := newRun("demo-000001")
	expected.Status, expected.Holder, expected.Executable, expected.Processes = flow.Running, "host 1", "/bin/one", 1
	expected.Started, expected.Updated = first.Started, first.Updated
	wantEqual(t, "a run that began", first, expected)

	end := flow.RunState{Status: flow.Failed, Reason: "r", Error: "e", Outputs: []byte(`{}`), Summary: "s", Outcome: "failed"}
	must(t, s.Commit(t.Context(), "demo-000001", flow.Batch{Run: &end}))
	must(t, s.RequestCancel(t.Context(), "demo-000001", "me"))
	must(t, s.Begin(t.Context(), "demo-000001", "host 2", "/bin/two"))
	second := getRun(t, s, "demo-000001")
	expected.Holder, expected.Executable, expected.Processes, expected.Updated = "host 2", "/bin/two", 2, second.Updated
	wantEqual(t, "a run that began again: its end and the cancel request are gone", second, expected)
}

func testMove(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"), pendingStep("a"))
	must(t, s.SetFingerprint(t.Context(), "demo-000001", "f2"))
	got := getRun(t, s, "demo-000001")
	expected := newRun("demo-000001")
	expected.Fingerprint, expected.Updated = "f2", got.Updated
	wantEqual(t, "a moved run", got, expected)
	wantEqual(t, "its steps", getSteps(t, s, "demo-000001"), []flow.Record{pendingStep("a")})
}

func testSettings(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"), pendingStep("a"))
	must(t, s.SetSettings(t.Context(), "demo-000001", []byte(`{"max_cost":2}`)))
	got := getRun(t, s, "demo-000001")
	expected := newRun("demo-000001")
	expected.Settings, expected.Updated = []byte(`{"max_cost":2}`), got.Updated
	wantEqual(t, "a run with other settings", got, expected)
}

func testEnd(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"))
	for _, end := range []flow.RunState{
		{Status: flow.Paused, Reason: "waits", Summary: "partly"},
		{Status: flow.Completed, Outputs: []byte(`{"z":1, "a":2}`), Summary: "done", Outcome: "succeeded"},
		{Status: flow.Paused},
		{Status: flow.Failed, Error: "no"},
		{Status: flow.Cancelled, Reason: "why"},
		{Status: flow.LimitReached},
	} {
		before := time.Now()
		must(t, s.Commit(t.Context(), "demo-000001", flow.Batch{Run: &end}))
		run := getRun(t, s, "demo-000001")
		wantEqual(t, "the end", flow.RunState{Status: run.Status, Reason: run.Reason, Error: run.Error, Outputs: run.Outputs, Summary: run.Summary, Outcome: run.Outcome}, end)
		if ended := end.Status.Ended(); run.Finished.IsZero() == ended || ended && run.Finished.Before(before) {
			t.Errorf("a run that is %s finished at %v", end.Status, run.Finished)
		}
		wantEqual(t, "the rest of the run", string(run.Inputs), `{"a":1}`)
	}
}

func testCancel(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"))
	createRun(t, s, newRun("demo-000002"))
	before := time.Now()
	must(t, s.RequestCancel(t.Context(), "demo-000001", "me"))
	run := getRun(t, s, "demo-000001")
	if run.CancelBy != "me" || run.CancelRequested.Before(before) || run.Status != flow.Pending {
		t.Errorf("a run to be cancelled says by %q, at %v, status %s", run.CancelBy, run.CancelRequested, run.Status)
	}
	wantEqual(t, "the other run", getRun(t, s, "demo-000002"), newRun("demo-000002"))
}

func testUnknown(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"), pendingStep("a"))
	ctx := t.Context()
	for _, id := range []string{"demo-00000", "demo-0000011", "DEMO-000001", ""} {
		_, runErr := s.Run(ctx, id)
		_, stepsErr := s.Steps(ctx, id)
		_, _, eventsErr := s.Events(ctx, id, 0)
		_, answersErr := s.Answers(ctx, id)
		for what, err := range map[string]error{
			"Run": runErr, "Steps": stepsErr, "Events": eventsErr, "Answers": answersErr,
			"Begin":         s.Begin(ctx, id, "h", "x"),
			"Move":          s.SetFingerprint(ctx, id, "f"),
			"SetSettings":   s.SetSettings(ctx, id, nil),
			"Commit":        s.Commit(ctx, id, flow.Batch{Steps: []flow.Record{pendingStep("b")}, Events: []flow.Event{{Type: "t"}}, Run: &flow.RunState{Status: flow.Failed}}),
			"Answer":        s.Answer(ctx, id, store.Answer{Key: "a"}),
			"RequestCancel": s.RequestCancel(ctx, id, "me"),
		} {
			wantError(t, what+" of no run", err, store.ErrNotFound)
		}
	}
	// Refused commits left nothing behind that a later run would inherit.
	createRun(t, s, newRun("demo-00000"))
	wantEqual(t, "steps", getSteps(t, s, "demo-00000"), []flow.Record(nil))
	events, _ := getEvents(t, s, "demo-00000", 0)
	wantEqual(t, "events", events, []flow.Event(nil))
}

func testDelete(t *testing.T, s store.Store) {
	for _, id := range []string{"demo-000001", "demo-000002"} {
		createRun(t, s, newRun(id), askingStep("gate"), pendingStep("a"))
		must(t, s.Commit(t.Context(), id, flow.Batch{Events: []flow.Event{{Time: created, Type: "note", Message: "m"}}}))
		must(t, s.Answer(t.Context(), id, store.Answer{Key: "gate", Choice: "approve", Given: created}))
	}
	must(t, s.DeleteRun(t.Context(), "demo-000001"))
	_, err := s.Run(t.Context(), "demo-000001")
	wantError(t, "Run after that", err, store.ErrNotFound)
	_, err = s.Steps(t.Context(), "demo-000001")
	wantError(t, "Steps after that", err, store.ErrNotFound)
	_, _, err = s.Events(t.Context(), "demo-000001", 0)
	wantError(t, "Events after that", err, store.ErrNotFound)
	wantError(t, "DeleteRun once more", s.DeleteRun(t.Context(), "demo-000001"), store.ErrNotFound)

	// The other run has all that it had, and the id is free.
	createRun(t, s, newRun("demo-000001"), pendingStep("b"))
	wantEqual(t, "the new run's steps", getSteps(t, s, "demo-000001"), []flow.Record{pendingStep("b")})
	for id, kept := range map[string]int{"demo-000001": 0, "demo-000002": 1} {
		wantEqual(t, "number of answers of "+id, len(getAnswers(t, s, id)), kept)
		events, _ := getEvents(t, s, id, 0)
		wantEqual(t, "number of events of "+id, len(events), kept)
	}
}
