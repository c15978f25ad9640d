package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// testSequences does any sequence of changes to a store and to the one in
// memory: both must say and keep the same.
func testSequences(t *testing.T, s store.Store) {
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++ // one store serves all; runs of another round have other ids
		m := &machine{store: s, model: memory.New(), prefix: fmt.Sprintf("r%d-", round)}
		rt.Repeat(map[string]func(*rapid.T){
			"":       m.compare,
			"create": m.create,
			"commit": m.commit,
			"begin":  m.begin,
			"move":   m.move,
			"answer": m.answer,
			"cancel": m.cancel,
		})
	})
}

type machine struct {
	store, model store.Store
	prefix       string
}

// both calls do on the two stores and compares their errors.
func (m *machine) both(t *rapid.T, what string, do func(s store.Store) error) {
	got, expected := do(m.store), do(m.model)
	for _, kind := range []error{store.ErrNotFound, store.ErrExists, store.ErrAnswered} {
		if errors.Is(got, kind) != errors.Is(expected, kind) {
			t.Fatalf("%s: got the error %v, want %v", what, got, expected)
		}
	}
	if (got == nil) != (expected == nil) {
		t.Fatalf("%s: got the error %v, want %v", what, got, expected)
	}
}

func (m *machine) id(t *rapid.T) string {
	return m.prefix + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "run")
}

func (m *machine) create(t *rapid.T) {
	run := newRun(m.id(t))
	run.Workflow = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "workflow")
	run.Created = created.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "age")))
	steps := rapid.SliceOfN(record(), 0, 4).Draw(t, "steps")
	m.both(t, "create", func(s store.Store) error { return s.CreateRun(t.Context(), run, steps) })
}

func (m *machine) commit(t *rapid.T) {
	id := m.id(t)
	batch := flow.Batch{
		Steps:  rapid.SliceOfN(record(), 0, 5).Draw(t, "steps"),
		Events: rapid.SliceOfN(event(), 0, 3).Draw(t, "events"),
		Run:    rapid.Ptr(end(), true).Draw(t, "end"),
	}
	m.both(t, "commit", func(s store.Store) error { return s.Commit(t.Context(), id, batch) })
}

func (m *machine) begin(t *rapid.T) {
	id, holder := m.id(t), word().Draw(t, "holder")
	m.both(t, "begin", func(s store.Store) error { return s.Begin(t.Context(), id, holder, "/bin/x") })
}

func (m *machine) move(t *rapid.T) {
	id, fingerprint := m.id(t), word().Draw(t, "fingerprint")
	m.both(t, "move", func(s store.Store) error { return s.SetFingerprint(t.Context(), id, fingerprint) })
}

func (m *machine) answer(t *rapid.T) {
	id, a := m.id(t), store.Answer{Key: key().Draw(t, "key"), Choice: rapid.SampledFrom([]string{"", "approve"}).Draw(t, "choice"), Text: word().Draw(t, "text"), By: "me", Given: created}
	m.both(t, "answer", func(s store.Store) error { return s.Answer(t.Context(), id, a) })
}

func (m *machine) cancel(t *rapid.T) {
	id, by := m.id(t), word().Draw(t, "by")
	m.both(t, "cancel", func(s store.Store) error { return s.RequestCancel(t.Context(), id, by) })
}

func (m *machine) compare(t *rapid.T) {
	for _, f := range []store.Filter{
		{Prefix: m.prefix}, {Prefix: m.prefix, Workflow: "one"}, {Prefix: m.prefix, Status: flow.Running}, {Prefix: m.prefix, Limit: 2},
	} {
		got, err := m.store.Runs(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := m.model.Runs(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		want(t, fmt.Sprintf("runs of %+v", f), timeless(got), timeless(expected))
	}
	runs, _ := m.model.Runs(t.Context(), store.Filter{})
	for _, run := range runs {
		want(t, "contents of "+run.ID, contents(t, m.store, run.ID), contents(t, m.model, run.ID))
	}
}

// timeless sets the times that a store reads from its clock to one that says
// only whether they are set.
func timeless(runs []store.Run) []store.Run {
	for i := range runs {
		r := &runs[i]
		for _, at := range []*time.Time{&r.Started, &r.Finished, &r.Updated, &r.CancelRequested} {
			if !at.IsZero() {
				*at = created
			}
		}
	}
	return runs
}

type content struct {
	Steps   []flow.Record
	Events  []flow.Event
	Answers []store.Answer
}

func contents(t *rapid.T, s store.Store, id string) (c content) {
	var errs [3]error
	c.Steps, errs[0] = s.Steps(t.Context(), id)
	c.Events, _, errs[1] = s.Events(t.Context(), id, 0)
	c.Answers, errs[2] = s.Answers(t.Context(), id)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return c
}

func key() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c#1", "items[2]"}) }

func word() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(nasty), rapid.StringN(0, 8, -1))
}

func status() *rapid.Generator[flow.Status] {
	return rapid.SampledFrom([]flow.Status{flow.Pending, flow.Running, flow.Waiting, flow.Completed, flow.Failed, flow.Skipped, flow.Cancelled})
}

func record() *rapid.Generator[flow.Record] {
	return rapid.Custom(func(t *rapid.T) flow.Record {
		r := flow.Record{
			Key: key().Draw(t, "key"), Kind: "bash", Status: status().Draw(t, "status"),
			Text: word().Draw(t, "text"), Reason: word().Draw(t, "reason"), Attempt: rapid.IntRange(0, 3).Draw(t, "attempt"),
		}
		if rapid.Bool().Draw(t, "asks") {
			r.Question = &flow.Question{Key: r.Key, Message: word().Draw(t, "question"), Choices: []string{"yes", "no"}}
		}
		if rapid.Bool().Draw(t, "fails") {
			r.Failure = &flow.Failure{Message: word().Draw(t, "message"), ExitCode: rapid.IntRange(-1, 255).Draw(t, "exit")}
		}
		if rapid.Bool().Draw(t, "times") {
			r.Started = created.Add(time.Duration(rapid.Int32().Draw(t, "started")))
			r.Meta.CostUSD = rapid.Float64().Draw(t, "cost")
		}
		return r
	})
}

func event() *rapid.Generator[flow.Event] {
	return rapid.Custom(func(t *rapid.T) flow.Event {
		return flow.Event{Time: created, Type: "output", Key: key().Draw(t, "key"), Message: word().Draw(t, "message")}
	})
}

func end() *rapid.Generator[flow.RunState] {
	return rapid.Custom(func(t *rapid.T) flow.RunState {
		return flow.RunState{
			Status: rapid.SampledFrom([]flow.Status{flow.Paused, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached}).Draw(t, "status"),
			Reason: word().Draw(t, "reason"), Error: word().Draw(t, "error"), Summary: word().Draw(t, "summary"), Outcome: rapid.SampledFrom([]string{"", "succeeded", "failed"}).Draw(t, "outcome"),
		}
	})
}
