package storetest

import (
	"bytes"
	"context"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func testEvents(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"))
	createRun(t, s, newRun("demo-000002"))
	add := func(id string, types ...string) {
		t.Helper()
		var b flow.Batch
		for _, text := range types {
			b.Events = append(b.Events, flow.Event{Time: created, Type: text, Key: "k", Message: "m " + text})
		}
		must(t, s.Commit(t.Context(), id, b))
	}
	types := func(events []flow.Event) (types []string) {
		for _, e := range events {
			types = append(types, e.Type)
		}
		return types
	}
	events, start := getEvents(t, s, "demo-000001", 0)
	wantEqual(t, "events of a new run", types(events), []string(nil))

	add("demo-000001", "a", "b")
	add("demo-000002", "other")
	add("demo-000001", "c")
	events, last := getEvents(t, s, "demo-000001", 0)
	wantEqual(t, "all events", types(events), []string{"a", "b", "c"})
	wantEqual(t, "an event", events[0], flow.Event{Time: created, Type: "a", Key: "k", Message: "m a"})
	events, _ = getEvents(t, s, "demo-000001", start)
	wantEqual(t, "events after the number that a run without any gave", types(events), []string{"a", "b", "c"})

	events, again := getEvents(t, s, "demo-000001", last)
	wantEqual(t, "events after the last", types(events), []string(nil))
	wantEqual(t, "the number at the end", again, last)
	add("demo-000002", "other 2")
	add("demo-000001", "d")
	events, last = getEvents(t, s, "demo-000001", last)
	wantEqual(t, "events since", types(events), []string{"d"})
	events, same := getEvents(t, s, "demo-000001", last+100)
	wantEqual(t, "events after a number that does not exist yet", types(events), []string(nil))
	wantEqual(t, "the number then", same, last+100)

	var full flow.Event
	fillFields(&full)
	must(t, s.Commit(t.Context(), "demo-000002", flow.Batch{Events: []flow.Event{full, {}}}))
	events, _ = getEvents(t, s, "demo-000002", 0)
	wantEqual(t, "an event with every field and one with none", events[2:], []flow.Event{full, {}})
}

func testAnswers(t *testing.T, s store.Store) {
	waiting := askingStep("gate")
	createRun(t, s, newRun("demo-000001"), pendingStep("gate"), pendingStep("other"))
	createRun(t, s, newRun("demo-000002"), pendingStep("gate"))
	var answer store.Answer
	fillFields(&answer)
	answer.Key = "gate"
	ctx := t.Context()

	for _, status := range []flow.Status{flow.Pending, flow.Running, flow.Completed, flow.Failed, flow.Skipped, flow.Cancelled} {
		commitSteps(t, s, withStatus(pendingStep("gate"), status))
		wantError(t, "Answer to a step that is "+string(status), s.Answer(ctx, "demo-000001", answer), store.ErrNotFound)
	}
	wantError(t, "Answer to no step", s.Answer(ctx, "demo-000001", store.Answer{Key: "gat"}), store.ErrNotFound)

	commitSteps(t, s, withStatus(pendingStep("gate"), flow.Waiting))
	wantError(t, "Answer to a step that waits without a question", s.Answer(ctx, "demo-000001", answer), store.ErrNotFound)
	commitSteps(t, s, waiting)
	wantError(t, "Answer to the same step of a run where it does not wait", s.Answer(ctx, "demo-000002", answer), store.ErrNotFound)
	wantError(t, "Answer", s.Answer(ctx, "demo-000001", answer), nil)
	wantError(t, "a second Answer", s.Answer(ctx, "demo-000001", store.Answer{Key: "gate", Text: "late"}), store.ErrAnswered)
	commitSteps(t, s, withStatus(pendingStep("gate"), flow.Completed))
	wantError(t, "a third Answer, to the completed step", s.Answer(ctx, "demo-000001", store.Answer{Key: "gate"}), store.ErrAnswered)

	commitSteps(t, s, askingStep("gate#2"))
	second := store.Answer{Key: "gate#2", Text: "yes"}
	wantError(t, "Answer to the next question", s.Answer(ctx, "demo-000001", second), nil)
	wantEqual(t, "answers", getAnswers(t, s, "demo-000001"), []store.Answer{answer, second})
	wantEqual(t, "answers of the other run", getAnswers(t, s, "demo-000002"), []store.Answer(nil))

	// A person has the step repeated: its question is open again when the run asks it.
	commitSteps(t, s, pendingStep("gate"))
	wantEqual(t, "answers after one step became pending", getAnswers(t, s, "demo-000001"), []store.Answer{second})
	wantError(t, "Answer to the pending step", s.Answer(ctx, "demo-000001", answer), store.ErrNotFound)
	commitSteps(t, s, waiting)
	wantError(t, "Answer to the repeated question", s.Answer(ctx, "demo-000001", answer), nil)
}

// askingStep is a step that waits for an answer.
func askingStep(key string) flow.Record {
	r := withStatus(pendingStep(key), flow.Waiting)
	r.Question = &flow.Question{Key: key, Message: "well?"}
	return r
}

func testSessions(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, step := range []struct{ workflow, key, session string }{
		{"a", "fix", "s1"}, {"a", "plan", "s2"}, {"b", "fix", "s3"}, {"a", "fix", "s4"}, {"a", "fix", "s4"},
	} {
		must(t, s.KeepSession(ctx, step.workflow, step.key, step.session))
	}
	for _, c := range []struct{ workflow, key, session string }{{"a", "fix", "s4"}, {"a", "plan", "s2"}, {"b", "fix", "s3"}, {"b", "plan", ""}} {
		got, err := s.Session(ctx, c.workflow, c.key)
		if err != nil || got != c.session {
			t.Errorf("the session of %s in %s is %q, %v; want %q", c.key, c.workflow, got, err, c.session)
		}
	}
}

func testCopies(t *testing.T, s store.Store) {
	step := func() flow.Record {
		return flow.Record{
			Key: "a", Status: flow.Waiting, Failure: &flow.Failure{Message: "m", Quota: &flow.Quota{Agent: "a"}},
			Question: &flow.Question{Message: "q", Choices: []string{"yes", "no"}},
		}
	}
	end := func() *flow.RunState { return &flow.RunState{Status: flow.Paused, Outputs: []byte(`{"o":1}`)} }
	run := newRun("demo-000001")
	run.Settings = []byte(`{"s":1}`)
	scramble := func(r flow.Record, texts ...[]byte) {
		r.Failure.Message, r.Failure.Quota.Agent, r.Question.Message, r.Question.Choices[0] = "x", "x", "x", "x"
		for _, b := range texts {
			copy(b, bytes.Repeat([]byte("x"), len(b)))
		}
	}
	given := run
	given.Inputs, given.Settings = bytes.Clone(run.Inputs), bytes.Clone(run.Settings)
	first, second, result := step(), step(), end()
	createRun(t, s, given, first)
	scramble(first, given.Inputs, given.Settings)
	wantEqual(t, "a step whose caller changed what it gave", getSteps(t, s, "demo-000001"), []flow.Record{step()})
	batch := flow.Batch{Steps: []flow.Record{second}, Events: []flow.Event{{Type: "t", Time: created}}, Run: result}
	must(t, s.Commit(t.Context(), "demo-000001", batch))
	scramble(second, result.Outputs)
	batch.Events[0].Type = "x"

	for range 2 {
		got := getRun(t, s, "demo-000001")
		wantEqual(t, "the kept step", []string{string(got.Inputs), string(got.Settings), string(got.Outputs)}, []string{`{"a":1}`, `{"s":1}`, `{"o":1}`})
		steps := getSteps(t, s, "demo-000001")
		wantEqual(t, "steps", steps, []flow.Record{step()})
		events, _ := getEvents(t, s, "demo-000001", 0)
		wantEqual(t, "events", events, []flow.Event{{Type: "t", Time: created}})
		scramble(steps[0], got.Inputs, got.Settings, got.Outputs)
		events[0].Type = "x"
	}
}

func testContext(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"), withStatus(pendingStep("a"), flow.Waiting))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, runErr := s.Run(ctx, "demo-000001")
	_, runsErr := s.Runs(ctx, store.Filter{})
	_, stepsErr := s.Steps(ctx, "demo-000001")
	_, _, eventsErr := s.Events(ctx, "demo-000001", 0)
	_, answersErr := s.Answers(ctx, "demo-000001")
	_, versionErr := s.Generation(ctx)
	_, sessionErr := s.Session(ctx, "demo", "a")
	for what, err := range map[string]error{
		"Run": runErr, "Runs": runsErr, "Steps": stepsErr, "Events": eventsErr, "Answers": answersErr, "Version": versionErr, "Session": sessionErr,
		"CreateRun":     s.CreateRun(ctx, newRun("demo-000002"), nil),
		"Begin":         s.Begin(ctx, "demo-000001", "h", "x"),
		"Move":          s.SetFingerprint(ctx, "demo-000001", "f2"),
		"SetSettings":   s.SetSettings(ctx, "demo-000001", nil),
		"Commit":        s.Commit(ctx, "demo-000001", flow.Batch{Steps: []flow.Record{pendingStep("b")}}),
		"Answer":        s.Answer(ctx, "demo-000001", store.Answer{Key: "a"}),
		"KeepSession":   s.KeepSession(ctx, "demo", "a", "s"),
		"RequestCancel": s.RequestCancel(ctx, "demo-000001", "me"),
	} {
		wantError(t, what+" for a caller that is gone", err, context.Canceled)
	}
	wantEqual(t, "the runs, unchanged", getRuns(t, s, store.Filter{}), []store.Run{newRun("demo-000001")})
	wantEqual(t, "the steps, unchanged", getSteps(t, s, "demo-000001"), []flow.Record{withStatus(pendingStep("a"), flow.Waiting)})
}
