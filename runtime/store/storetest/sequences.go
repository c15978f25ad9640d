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
			"":       m.compareStores,
			"create": m.createRun,
			"commit": m.commitBatch,
			"begin":  m.beginRun,
			"move":   m.changeFingerprint,
			"answer": m.answerQuestion,
			"cancel": m.requestCancel,
		})
	})
}

type machine struct {
	store, model store.Store
	prefix       string
}

// doBoth calls do on the two stores and compares their errors.
func (m *machine) doBoth(t *rapid.T, what string, do func(s store.Store) error) {
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

func (m *machine) drawID(t *rapid.T) string {
	return m.prefix + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "run")
}

func (m *machine) createRun(t *rapid.T) {
	run := newRun(m.drawID(t))
	run.Workflow = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "workflow")
	run.Created = created.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "age")))
	steps := rapid.SliceOfN(recordGenerator(), 0, 4).Draw(t, "steps")
	m.doBoth(t, "create", func(s store.Store) error { return s.CreateRun(t.Context(), run, steps) })
}

func (m *machine) commitBatch(t *rapid.T) {
	id := m.drawID(t)
	batch := flow.Batch{
		Steps:  rapid.SliceOfN(recordGenerator(), 0, 5).Draw(t, "steps"),
		Events: rapid.SliceOfN(eventGenerator(), 0, 3).Draw(t, "events"),
		Run:    rapid.Ptr(endGenerator(), true).Draw(t, "end"),
	}
	m.doBoth(t, "commit", func(s store.Store) error { return s.Commit(t.Context(), id, batch) })
}

func (m *machine) beginRun(t *rapid.T) {
	id, holder := m.drawID(t), wordGenerator().Draw(t, "holder")
	m.doBoth(t, "begin", func(s store.Store) error { return s.Begin(t.Context(), id, holder, "/bin/x") })
}

func (m *machine) changeFingerprint(t *rapid.T) {
	id, fingerprint := m.drawID(t), wordGenerator().Draw(t, "fingerprint")
	m.doBoth(t, "move", func(s store.Store) error { return s.SetFingerprint(t.Context(), id, fingerprint) })
}

func (m *machine) answerQuestion(t *rapid.T) {
	id, a := m.drawID(t), store.Answer{Key: keyGenerator().Draw(t, "key"), Choice: rapid.SampledFrom([]string{"", "approve"}).Draw(t, "choice"), Text: wordGenerator().Draw(t, "text"), By: "me", Given: created}
	m.doBoth(t, "answer", func(s store.Store) error { return s.Answer(t.Context(), id, a) })
}

func (m *machine) requestCancel(t *rapid.T) {
	id, by := m.drawID(t), wordGenerator().Draw(t, "by")
	m.doBoth(t, "cancel", func(s store.Store) error { return s.RequestCancel(t.Context(), id, by) })
}

func (m *machine) compareStores(t *rapid.T) {
	for _, f := range []store.Filter{
		{Prefix: m.prefix}, {Prefix: m.prefix, Workflow: "one"}, {Prefix: m.prefix, Status: flow.Running}, {Prefix: m.prefix, Limit: 2},
	} {
		wantEqual(t, fmt.Sprintf("runs of %+v", f), normalizeTimes(getRuns(t, m.store, f)), normalizeTimes(getRuns(t, m.model, f)))
	}
	runs, _ := m.model.Runs(t.Context(), store.Filter{})
	for _, run := range runs {
		wantEqual(t, "contents of "+run.ID, readContents(t, m.store, run.ID), readContents(t, m.model, run.ID))
	}
}

// normalizeTimes sets the times that a store reads from its clock to one that says
// only whether they are set.
func normalizeTimes(runs []store.Run) []store.Run {
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

func readContents(t *rapid.T, s store.Store, id string) content {
	events, _ := getEvents(t, s, id, 0)
	return content{getSteps(t, s, id), events, getAnswers(t, s, id)}
}

func keyGenerator() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"a", "b", "c#1", "items[2]"})
}

func wordGenerator() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(nasty), rapid.StringN(0, 8, -1))
}

func statusGenerator() *rapid.Generator[flow.Status] {
	return rapid.SampledFrom([]flow.Status{flow.Pending, flow.Running, flow.Waiting, flow.Completed, flow.Failed, flow.Skipped, flow.Cancelled})
}

func recordGenerator() *rapid.Generator[flow.Record] {
	return rapid.Custom(func(t *rapid.T) flow.Record {
		r := flow.Record{
			Key: keyGenerator().Draw(t, "key"), Kind: "bash", Status: statusGenerator().Draw(t, "status"),
			Text: wordGenerator().Draw(t, "text"), Reason: wordGenerator().Draw(t, "reason"), Attempt: rapid.IntRange(0, 3).Draw(t, "attempt"),
		}
		if rapid.Bool().Draw(t, "asks") {
			r.Question = &flow.Question{Key: r.Key, Message: wordGenerator().Draw(t, "question"), Choices: []string{"yes", "no"}}
		}
		if rapid.Bool().Draw(t, "fails") {
			r.Failure = &flow.Failure{Message: wordGenerator().Draw(t, "message"), ExitCode: rapid.IntRange(-1, 255).Draw(t, "exit")}
		}
		if rapid.Bool().Draw(t, "times") {
			r.Started = created.Add(time.Duration(rapid.Int32().Draw(t, "started")))
			r.Meta.CostUSD = rapid.Float64().Draw(t, "cost")
		}
		return r
	})
}

func eventGenerator() *rapid.Generator[flow.Event] {
	return rapid.Custom(func(t *rapid.T) flow.Event {
		return flow.Event{Time: created, Type: "output", Key: keyGenerator().Draw(t, "key"), Message: wordGenerator().Draw(t, "message")}
	})
}

func endGenerator() *rapid.Generator[flow.RunState] {
	return rapid.Custom(func(t *rapid.T) flow.RunState {
		return flow.RunState{
			Status: rapid.SampledFrom([]flow.Status{flow.Paused, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached}).Draw(t, "status"),
			Reason: wordGenerator().Draw(t, "reason"), Error: wordGenerator().Draw(t, "error"), Summary: wordGenerator().Draw(t, "summary"), Outcome: rapid.SampledFrom([]string{"", "succeeded", "failed"}).Draw(t, "outcome"),
		}
	})
}
