package sched_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// asks asks one question in a node and returns the answer.
func asks(timeout time.Duration) func(c *flow.Context) (any, error) {
	return func(c *flow.Context) (any, error) {
		r, err := c.Ask("gate", flow.Question{Message: "go on?", Timeout: timeout})
		return map[string]string{"answer": r.Text, "by": r.Meta.By}, err
	}
}

func answer(text string) sched.Signal {
	return sched.Answered{Key: "gate", Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{By: "eve"}}}
}

func TestPauseAndAnswer(t *testing.T) {
	h := &host{}
	end, err := run(t, h, sched.Options{}, asks(0))
	if err != nil || end.Status != flow.Paused || !slices.Equal(h.asked, []string{"gate"}) {
		t.Fatalf("%+v %v", end, err)
	}
	waiting := h.steps()["gate"]
	if waiting.Status != flow.Waiting || waiting.Question.Message != "go on?" {
		t.Fatalf("%+v", waiting)
	}
	// Without an answer the next process asks again, and has nothing to write.
	h = &host{}
	end, err = resume(t, h, []flow.Record{waiting}, sched.Options{}, asks(0))
	if err != nil || end.Status != flow.Paused || len(h.asked) != 1 || len(h.batches) != 1 || len(h.batches[0].Steps) != 0 {
		t.Fatalf("%+v %+v %v", end, h.batches, err)
	}
	// With one that was given meanwhile it goes on, and nobody is asked.
	h = &host{done: []sched.Signal{answer("yes"), answer("no")}}
	end, err = resume(t, h, []flow.Record{waiting}, sched.Options{}, asks(0))
	if err != nil || end.Status != flow.Completed || string(end.Outputs) != `{"answer":"yes","by":"eve"}` || len(h.asked) > 0 {
		t.Fatalf("%+v %v", end, err)
	}
	if got := h.steps()["gate"]; got.Status != flow.Completed || got.Meta.By != "eve" || got.Question == nil {
		t.Errorf("%+v", got)
	}
}

// A run pauses only when nothing else goes on.
func TestNoPauseWhileSomethingRuns(t *testing.T) {
	h := &host{}
	end, err := run(t, h, sched.Options{}, func(c *flow.Context) (any, error) {
		node(c, "a", "x")
		nap := c.Scheduler().Sleep("nap", time.Hour)
		_ = c.Scheduler().Await(nap, c.Scheduler().Ask(flow.Question{Key: "gate"}))
		return nil, nil
	})
	if err != nil || end.Status != flow.Paused || h.steps()["a"].Status != flow.Completed || h.steps()["nap"].Status != flow.Completed {
		t.Fatalf("%+v %v", end, err)
	}
}

func TestAttended(t *testing.T) {
	h := &host{next: func(*host) []sched.Signal { return []sched.Signal{answer("yes")} }}
	end, err := run(t, h, sched.Options{Attended: true}, asks(0))
	if err != nil || end.Status != flow.Completed {
		t.Fatalf("%+v %v", end, err)
	}
}

func TestQuestionExpires(t *testing.T) {
	h := &host{}
	end, err := run(t, h, sched.Options{Attended: true}, asks(time.Minute))
	if err != nil || end.Status != flow.Failed || end.Reason != "timeout" || end.Error != "nobody answered within 1m0s" || h.now.Sub(start) != time.Minute {
		t.Fatalf("%+v %v", end, err)
	}
	// The limit counts from when the question was first asked.
	recorded := []flow.Record{{Key: "gate", Status: flow.Waiting, Deadline: start, Question: &flow.Question{Key: "gate", Message: "go on?", Timeout: time.Minute}}}
	end, err = resume(t, &host{now: start.Add(time.Second)}, recorded, sched.Options{}, asks(time.Minute))
	if err != nil || end.Status != flow.Failed {
		t.Fatalf("%+v %v", end, err)
	}
	// An answer that is there wins.
	h = &host{now: start.Add(time.Second), done: []sched.Signal{answer("yes")}}
	end, err = resume(t, h, recorded, sched.Options{}, asks(time.Minute))
	if err != nil || end.Status != flow.Completed {
		t.Fatalf("%+v %v", end, err)
	}
}

func TestFailedCommitOfAPause(t *testing.T) {
	broken := errors.New("disk full")
	h := &host{commit: func(b flow.Batch) error {
		if b.Run != nil {
			return broken
		}
		return nil
	}}
	if _, err := run(t, h, sched.Options{}, asks(0)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
}

// When the person in this process leaves, the run pauses.
func TestUnattended(t *testing.T) {
	h := &host{next: func(*host) []sched.Signal { return []sched.Signal{sched.Unattended{}} }}
	end, err := run(t, h, sched.Options{Attended: true}, asks(0))
	if err != nil || end.Status != flow.Paused || h.steps()["gate"].Status != flow.Waiting {
		t.Fatalf("%+v %v", end, err)
	}
}
