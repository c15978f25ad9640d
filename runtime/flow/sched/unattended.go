package sched

import (
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Questions that say what counts when nobody answers are settled in a process
// that nobody attends, at once, and journalled like an answer.

// assume settles a question by the choice that counts when nobody answers.
func (s *scheduler) assume(q *question) bool {
	if s.opt.Attended || q.Unattended == "" {
		return false
	}
	s.endQuestion(q, flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: q.Unattended, From: "unattended"}})
	return true
}

// assumeAll settles the open questions for which that is possible, in the order
// in which they were asked, because nobody attends the run any more.
func (s *scheduler) assumeAll() {
	var open []*question
	for _, q := range s.questions.asked {
		open = append(open, q)
	}
	slices.SortFunc(open, func(a, b *question) int { return a.seq - b.seq })
	for _, q := range open {
		s.assume(q)
	}
}
