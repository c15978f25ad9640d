package storetest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func testStepFields(t *testing.T, s store.Store) {
	var full flow.Record
	fillFields(&full)
	createRun(t, s, newRun("demo-000001"), full)
	wantEqual(t, "a step with every field set", getSteps(t, s, "demo-000001"), []flow.Record{full})

	bare := flow.Record{Key: full.Key}
	commitSteps(t, s, bare)
	wantEqual(t, "the step after a commit with no field set", getSteps(t, s, "demo-000001"), []flow.Record{bare})
	commitSteps(t, s, full)
	wantEqual(t, "the step after a commit with every field set", getSteps(t, s, "demo-000001"), []flow.Record{full})

	cancelled := flow.Record{Key: "stop", Kind: "cancel", Status: flow.Completed, Reason: "nothing to do"}
	commitSteps(t, s, cancelled)
	wantEqual(t, "a completed step with a reason", getSteps(t, s, "demo-000001")[1], cancelled)

	empty := flow.Record{Key: "empty", Failure: &flow.Failure{}, Question: &flow.Question{}}
	commitSteps(t, s, empty)
	wantEqual(t, "a step with an empty failure and question", getSteps(t, s, "demo-000001")[2], empty)
}

func testCommit(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"), pendingStep("c"), pendingStep("a"))
	createRun(t, s, newRun("demo-000002"), pendingStep("c"), pendingStep("a"))
	before := time.Now()
	done := withStatus(pendingStep("a"), flow.Completed)
	done.Text = "out"
	batch := flow.Batch{
		Steps: []flow.Record{
			withStatus(pendingStep("x#2"), flow.Running), withStatus(pendingStep("a"), flow.Running), withStatus(pendingStep("x#1"), flow.Running),
			done, withStatus(pendingStep("x#2"), flow.Failed),
		},
		Events: []flow.Event{{Time: created, Type: "one"}, {Time: created, Type: "two", Key: "a", Message: "m"}},
	}
	must(t, s.Commit(t.Context(), "demo-000001", batch))
	wantEqual(t, "steps: the static ones, then by first commit, each in its last state", getSteps(t, s, "demo-000001"), []flow.Record{
		pendingStep("c"), done, withStatus(pendingStep("x#2"), flow.Failed), withStatus(pendingStep("x#1"), flow.Running),
	})
	commitSteps(t, s, withStatus(pendingStep("x#1"), flow.Completed), withStatus(pendingStep("b"), flow.Running), withStatus(pendingStep("c"), flow.Skipped))
	wantEqual(t, "steps after another commit", getSteps(t, s, "demo-000001"), []flow.Record{
		withStatus(pendingStep("c"), flow.Skipped), done, withStatus(pendingStep("x#2"), flow.Failed), withStatus(pendingStep("x#1"), flow.Completed), withStatus(pendingStep("b"), flow.Running),
	})
	wantEqual(t, "steps of the other run", getSteps(t, s, "demo-000002"), []flow.Record{pendingStep("c"), pendingStep("a")})

	run := getRun(t, s, "demo-000001")
	if run.Updated.Before(before) {
		t.Errorf("a run committed to at %v says updated %v", before, run.Updated)
	}
	run.Updated = created
	wantEqual(t, "the run, but for that", run, newRun("demo-000001"))
	if err := s.Commit(t.Context(), "demo-000001", flow.Batch{}); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}

// nasty are strings that break stores which interpret them.
var nasty = []string{
	"", " ", "\n", "\x00", "a\x00b\x00", "\xff\xfe", "a\xc3", "\xed\xa0\x80", "\ufeffbom", "'; DROP TABLE workflow_runs; --",
	`"quotes" 'and' \n {"base64":"AA=="}`, "null", "\u2028 \U0010ffff <&>", "%s $1 ? :x @y",
}

func testTexts(t *testing.T, s store.Store) {
	for i, text := range nasty {
		id := fmt.Sprintf("demo-%06d", i)
		createRun(t, s, newRun(id))
		step := flow.Record{
			Key: "step", Status: flow.Waiting, Reason: text, Text: text, Prompt: text,
			Failure: &flow.Failure{
				Message: text, Class: flow.Class(text), Reason: text, Quota: &flow.Quota{Agent: "a", Reset: created, MaxWait: time.Hour},
			},
			Meta:     flow.Meta{Session: text, Model: text, By: text, From: text, Replayed: flow.Usage{CostUSD: 0.25, InputTokens: 1, OutputTokens: 2, Turns: 3}},
			Question: &flow.Question{Key: text, Message: text, Output: text, LastEdit: text, Choices: []string{text, text + "2"}, Unattended: text, Wait: flow.WaitKind(text)},
		}
		end := flow.RunState{Status: flow.Failed, Reason: text, Error: text, Summary: text}
		event := flow.Event{Time: created, Type: "output", Message: text}
		if err := s.Commit(t.Context(), id, flow.Batch{Steps: []flow.Record{step}, Events: []flow.Event{event}, Run: &end}); err != nil {
			t.Fatalf("commit of %q: %v", text, err)
		}
		answer := store.Answer{Key: "step", Text: text, By: "me", From: "here", Given: created}
		if err := s.Answer(t.Context(), id, answer); err != nil {
			t.Fatalf("answer of %q: %v", text, err)
		}
		wantEqual(t, "step", getSteps(t, s, id), []flow.Record{step})
		events, _ := getEvents(t, s, id, 0)
		wantEqual(t, "events", events, []flow.Event{event})
		run := getRun(t, s, id)
		wantEqual(t, "end", []string{run.Reason, run.Error, run.Summary}, []string{text, text, text})
		wantEqual(t, "answers", getAnswers(t, s, id), []store.Answer{answer})
	}
}

func testLargeTexts(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"))
	for _, size := range []int{300 << 10, 10 << 20} {
		text := strings.Repeat("0123456789abcde\x00", size/16)
		step := flow.Record{Key: fmt.Sprint(size), Status: flow.Completed, Text: text}
		commitSteps(t, s, step)
		steps := getSteps(t, s, "demo-000001")
		if got := steps[len(steps)-1].Text; got != text {
			t.Errorf("a string of %d bytes came back with %d or changed", len(text), len(got))
		}
	}
}

func testTimes(t *testing.T, s store.Store) {
	createRun(t, s, newRun("demo-000001"))
	for _, at := range []time.Time{
		{}, created, created.Add(time.Nanosecond), created.UTC(), time.Now(),
		time.Unix(0, 1), time.Unix(-1, 5), time.Unix(0, math.MaxInt64), time.Date(1970, 1, 1, 0, 0, 0, 0, time.FixedZone("east", 3600)),
	} {
		r := flow.Record{Key: "a", Deadline: at, Started: at, Finished: at}
		commitSteps(t, s, r)
		wantEqual(t, "a step with the time "+at.String(), getSteps(t, s, "demo-000001"), []flow.Record{r})
	}
	// Far times that mean "never" must not come back as times long ago.
	for _, never := range []time.Time{time.Now().Add(math.MaxInt64), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)} {
		commitSteps(t, s, flow.Record{Key: "a", Deadline: never})
		if got := getSteps(t, s, "demo-000001")[0].Deadline; got.Before(time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("the deadline %v came back as %v", never, got)
		}
	}
}

func testManySteps(t *testing.T, s store.Store) {
	const n = 10_000
	steps := make([]flow.Record, n)
	events := make([]flow.Event, n)
	for i := range steps {
		steps[i] = pendingStep(fmt.Sprintf("step%d", (i*7919)%n))
		events[i] = flow.Event{Time: created, Type: "queued", Key: steps[i].Key}
	}
	createRun(t, s, newRun("demo-000001"), steps...)
	wantEqual(t, "the static steps", getSteps(t, s, "demo-000001"), steps)
	for i := range steps {
		steps[i].Status = flow.Completed
	}
	must(t, s.Commit(t.Context(), "demo-000001", flow.Batch{Steps: steps, Events: events}))
	wantEqual(t, "the steps after one commit", getSteps(t, s, "demo-000001"), steps)
	got, _ := getEvents(t, s, "demo-000001", 0)
	wantEqual(t, "the events", got, events)
}
