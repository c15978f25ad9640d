package local_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

// asker hands what it is asked to the test.
type asker chan asked

type asked struct {
	ctx context.Context
	q   engine.Question
	r   engine.Replier
}

func (a asker) Ask(ctx context.Context, q engine.Question, r engine.Replier) { a <- asked{ctx, q, r} }

// attended begins a run whose questions come to the asker, and returns its id
// and its end.
func attended(t *testing.T, w *world, def *flow.Definition) (e *local.Engine, a asker, id string, ended chan flow.Status) {
	t.Helper()
	a, ended = make(asker, 10), make(chan flow.Status, 1)
	e = w.engine(t, func(c *local.Config) { c.Asker = a })
	id = runid.New(def.Name)
	opt := w.options()
	opt.ID = id
	go func() { ended <- end(t)(e.Run(context.Background(), def, nil, opt)) }()
	return e, a, id, ended
}

// end is how a run ended; errors are the test's.
func end(t *testing.T) func(*local.Result, error) flow.Status {
	return func(r *local.Result, err error) flow.Status {
		if err != nil {
			t.Error(err)
			return ""
		}
		return r.Status
	}
}

func TestAskerAnswers(t *testing.T) {
	w := newWorld(t)
	_, a, id, ended := attended(t, w, gated(time.Hour, "gate", "other"))
	first, second := <-a, <-a
	if first.q.Key != "gate#1" || second.q.Key != "other#1" || first.q.RunID != id || first.q.Since.IsZero() || first.q.Deadline.Sub(first.q.Since) != time.Hour {
		t.Errorf("%+v, %+v", first.q, second.q)
	}
	if err := first.r.Answer(store.Answer{Choice: "maybe"}); err == nil {
		t.Error("a choice that there is not is taken")
	}
	for _, q := range []asked{second, first} {
		if err := q.r.Answer(store.Answer{Choice: kernel.ChoiceApprove, Text: "yes", By: "ann"}); err != nil {
			t.Fatal(err)
		}
		<-q.ctx.Done()
	}
	if end := <-ended; end != flow.Completed {
		t.Errorf("the run is %s", end)
	}
	if s := w.steps(t, id)["gate#1"]; s.Text != "yes" || s.Meta.By != "ann" {
		t.Errorf("%+v", s)
	}
}

// An answer from another process takes the question away and says who gave it.
func TestAskerLosesToAnother(t *testing.T) {
	w := newWorld(t)
	_, a, id, ended := attended(t, w, gated(0, "gate"))
	q := <-a
	if err := w.engine(t, nil).Answer(context.Background(), id, approve("gate#1", "go")); err != nil {
		t.Fatal(err)
	}
	<-q.ctx.Done()
	var told *runerr.AnsweredError
	if err := context.Cause(q.ctx); !errors.As(err, &told) || told.Answer.By != "ann" || told.Answer.From != "here" || told.Answer.Choice != kernel.ChoiceApprove || told.Answer.Text != "go" {
		t.Errorf("%v", context.Cause(q.ctx))
	}
	if err := q.r.Answer(store.Answer{Choice: kernel.ChoiceReject}); err == nil {
		t.Error("a second answer is taken")
	}
	if end := <-ended; end != flow.Completed {
		t.Errorf("the run is %s", end)
	}
}

// When nobody is there any more the run pauses, and a later process asks again.
func TestAskerLeaves(t *testing.T) {
	w := newWorld(t)
	def := gated(0, "gate")
	e, a, id, ended := attended(t, w, def)
	q := <-a
	q.r.Leave()
	if end := <-ended; end != flow.Paused {
		t.Fatalf("the run is %s", end)
	}
	<-q.ctx.Done()
	since := q.q.Since
	go func() { ended <- end(t)(e.Resume(context.Background(), def, id, local.Options{})) }()
	if q = <-a; !q.q.Since.Equal(since) {
		t.Errorf("the question is open since %v, and was since %v", q.q.Since, since)
	}
	if err := q.r.Answer(approve("", "")); err != nil {
		t.Fatal(err)
	}
	if end := <-ended; end != flow.Completed {
		t.Errorf("the run is %s", end)
	}
}

func TestQuestionEndsWithoutAnswer(t *testing.T) {
	w := newWorld(t)
	e, a, id, _ := attended(t, w, gated(0, "gate"))
	q := <-a
	if err := e.Cancel(context.Background(), id, "ann"); err != nil {
		t.Fatal(err)
	}
	if <-q.ctx.Done(); !errors.Is(context.Cause(q.ctx), flow.ErrCancelled) {
		t.Errorf("%v", context.Cause(q.ctx))
	}

	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		_, a, _, ended := attended(t, w, gated(time.Minute, "gate"))
		q := <-a
		<-q.ctx.Done()
		var f *flow.Failure
		if err := context.Cause(q.ctx); !errors.As(err, &f) || f.Reason != "timeout" {
			t.Errorf("%v", err)
		}
		if end := <-ended; end != flow.Failed {
			t.Errorf("the run is %s", end)
		}
	})
}
