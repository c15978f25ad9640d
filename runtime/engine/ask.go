package engine

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Question is an open question of a run.
type Question struct {
	flow.Question
	// Run is the run's id.
	Run string
	// Since is the time at which the run first asked it.
	Since time.Time
	// Deadline is the time at which it expires; the zero time means that it does not
	// expire.
	Deadline time.Time
}

// An Asker asks somebody in this process the questions of runs. It must be safe for
// concurrent use.
type Asker interface {
	// Ask starts to ask a question and returns at once. The asker calls r.Answer or
	// r.Leave, at once or later, from any goroutine.
	//
	// ctx ends when anybody settles the question, or when the process stops working on the
	// run; context.Cause then describes the event for people.
	//
	// Ask gets the questions in the order in which the run asks them, including questions
	// that are open since an earlier process of the run. It gets no questions that only
	// wait for a time or an event (flow.WaitTime, flow.WaitEvent).
	Ask(ctx context.Context, q Question, r Replier)
}

// A Replier receives the answer to one question. Its methods are safe for concurrent use.
type Replier interface {
	// Answer answers the question; the replier sets a.Key. The error says why the answer
	// does not count: somebody else answered first, a.Choice is not one of the choices, or
	// the run has ended.
	Answer(a store.Answer) error
	// Leave says that nobody in this process will answer further questions of the run. The
	// run pauses as soon as it only waits for answers.
	Leave()
}
