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
	// Since is when the run first came to it.
	Since time.Time
	// Deadline is when it expires; the zero time is never.
	Deadline time.Time
}

// An Asker puts the questions of runs to somebody in this process.
type Asker interface {
	// Ask takes a question and returns at once. What comes of it is given to r,
	// from any goroutine. ctx ends when the question is settled, in whatever way,
	// or the process stops working on the run; context.Cause then says for people
	// what happened. Questions come in the order in which the run asks them,
	// also those that are open since an earlier process of the run.
	Ask(ctx context.Context, q Question, r Replier)
}

// A Replier takes what an Asker has learned about one question.
type Replier interface {
	// Answer gives the answer, whose Key is set by the replier. The error says
	// why it does not count: somebody else was first, the choice is none of the
	// question's, the run has ended.
	Answer(a store.Answer) error
	// Leave says that nobody answers questions of the run in this process any
	// more. When nothing else goes on, the run pauses.
	Leave()
}
