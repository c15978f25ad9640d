package sched

import (
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// questions are the questions that nobody has answered yet.
type questions struct {
	open   int
	asked  map[string]*question
	asking []*question            // committed next, then made known
	early  map[string]flow.Result // answers to what flow code has not asked yet
	// budgetGate is the last question whether the run may exceed its budgets, or nil.
	budgetGate *flow.Future
}

// question is one open question.
type question struct {
	flow.Question
	member
	step   *step
	scope  *scope
	future *flow.Future
	timer  *timer // its time limit
}

func (e *taskScheduler) Ask(q flow.Question) *flow.Future {
	st, f := e.claimKey(q.Key), e.NewFuture()
	if e.settleAtOnce(q.Key, false, f) {
		return f
	}
	e.task.begun = true
	return e.s.askQuestion(q, st, e.scope)
}

// askQuestion puts a question that ends with a scope.
func (s *scheduler) askQuestion(q flow.Question, st *step, in *scope) *flow.Future {
	st.claimed = true
	f := &flow.Future{}
	qs := &s.questions
	open := &question{Question: q, step: st, scope: in, future: f}
	open.seq = s.nextCancelSeq()
	open.cancel = func() { s.endQuestion(open, flow.Result{Status: flow.Cancelled}) }
	in.addMember(&open.member)
	if qs.asked == nil {
		qs.asked = map[string]*question{}
	}
	qs.open++
	qs.asked[q.Key] = open
	s.journalWaiting(open)
	if r, ok := qs.early[q.Key]; ok {
		delete(qs.early, q.Key)
		s.endQuestion(open, r)
		return f
	}
	if !s.settleByDefault(open) {
		qs.asking = append(qs.asking, open)
	}
	return f
}

// journalWaiting journals that the step waits, and until when. The limit counts from
// the first time that the run came here.
func (s *scheduler) journalWaiting(open *question) {
	started, deadline := s.now, time.Time{}
	left, again := open.step.interruptedRecord()
	if again {
		started, deadline = left.Started, left.Deadline
	}
	if deadline.IsZero() && open.Timeout > 0 {
		deadline = s.now.Add(open.Timeout)
	}
	if !deadline.IsZero() {
		stays := open.Wait != "" && deadline.Sub(s.now) <= s.opt.MaxWait
		open.timer = s.timers.add(deadline, stays, func() {
			if open.Wait != "" {
				s.endQuestion(open, flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: kernel.ChoiceExpired}})
				return
			}
			s.endQuestion(open, flow.Result{Status: flow.Failed, Failure: &flow.Failure{
				Reason: "timeout", Message: "nobody answered within " + open.Timeout.String(),
			}})
		})
	}
	if again && left.Question != nil && sameQuestion(*left.Question, open.Question) {
		return // journalled already
	}
	q := open.Question
	s.journal.putRecord(open.step, flow.Record{
		Key: q.Key, Kind: "question", Status: flow.Waiting, Question: &q, Started: started, Deadline: deadline,
	})
}

func sameQuestion(a, b flow.Question) bool {
	return a.Message == b.Message && a.Output == b.Output && a.LastEdit == b.LastEdit && a.Timeout == b.Timeout &&
		a.Unattended == b.Unattended && slices.Equal(a.Choices, b.Choices)
}

// announceCommitted makes the committed questions known that nobody has answered yet.
func (qs *questions) announceCommitted(h Host) {
	for _, q := range qs.asking {
		if qs.asked[q.Key] == q {
			h.Ask(q.Question)
		}
	}
	clear(qs.asking)
	qs.asking = qs.asking[:0]
}

// anyOutside reports whether a question is open outside of a scope.
func (qs *questions) anyOutside(sc *scope) bool {
	//workflowcheck:ignore the order does not matter
	for _, q := range qs.asked {
		if !q.scope.isWithin(sc) {
			return true
		}
	}
	return false
}

// takeAnswer takes an answer, which may come before flow code has asked.
func (s *scheduler) takeAnswer(key string, r flow.Result) {
	if q := s.questions.asked[key]; q != nil {
		s.endQuestion(q, r)
		return
	}
	if st := s.journal.steps[key]; st != nil && st.claimed {
		return // answered or ended already
	}
	if s.questions.early == nil {
		s.questions.early = map[string]flow.Result{}
	}
	if _, twice := s.questions.early[key]; !twice {
		s.questions.early[key] = r
	}
}

// endQuestion settles a question.
func (s *scheduler) endQuestion(q *question, r flow.Result) {
	delete(s.questions.asked, q.Key)
	s.questions.open--
	q.scope.removeMember(&q.member)
	if q.timer != nil {
		s.timers.removeTimer(q.timer)
	}
	old := q.step.rec
	s.journal.putRecord(q.step, flow.Record{
		Key: q.Key, Kind: old.Kind, Status: r.Status, Text: r.Text, Failure: r.Failure, Meta: r.Meta,
		Question: old.Question, Started: old.Started, Finished: s.now,
	})
	q.future.Settle(r)
}

// In an unattended process, questions with a default choice are settled at once by that
// choice, and journalled like an answer.

// settleByDefault settles a question by its default choice.
func (s *scheduler) settleByDefault(q *question) bool {
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
	//workflowcheck:ignore sorted below
	for _, q := range s.questions.asked {
		open = append(open, q)
	}
	slices.SortFunc(open, func(a, b *question) int { return a.seq - b.seq })
	for _, q := range open {
		s.settleByDefault(q)
	}
}
