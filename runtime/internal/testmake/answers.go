package testmake

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// recordedAnswers adds the recorded answers, each for its step.
func (m *maker) recordedAnswers() {
	m.recorded.Answers(func(step tape.Step, a tape.Answer) {
		if a.Choice == kernel.ChoiceExpired { // it expires by itself
			m.expired = append(m.expired, m.recorded.Address(step))
		} else if a.Choice != "" || a.Text != "" {
			m.answers = append(m.answers, answered{m.recorded.Address(step), []any{answerOf(a)}})
		}
	})
}

// answerOf returns an answer as test files write it.
func answerOf(a tape.Answer) any {
	answer := testfile.NewObject()
	switch a.Choice {
	case "":
		answer.Add("text", a.Text)
	case kernel.ChoiceApprove, kernel.ChoiceReject, kernel.ChoiceEdit, kernel.ChoiceFeedback, kernel.ChoiceSignal:
		if a.Text == "" {
			return a.Choice
		}
		answer.Add(a.Choice, a.Text)
	default:
		if a.Text == "" && a.Choice != testfile.NoAnswer {
			return a.Choice
		}
		answer.Add("choice", a.Choice)
		if a.Text != "" {
			answer.Add("text", a.Text)
		}
	}
	return answer
}

// answerWaiting adds an answer to a question that the run waits for although the recorded run did
// not stay there, and reports whether it did.
func (m *maker) answerWaiting(o *sim.Result) bool {
	if o.End.Status != flow.Paused || m.end != nil && m.end.Status == flow.Paused {
		return false
	}
	for _, r := range allSteps(o) {
		if r.Status != flow.Waiting || r.Question == nil || r.Question.Wait != "" {
			continue
		}
		node := gateOf(r.Key)
		if slices.ContainsFunc(m.answers, func(a answered) bool { return a.name == node || a.name == r.Key }) {
			continue
		}
		choice := "Continue."
		if len(r.Question.Choices) > 0 {
			choice = r.Question.Choices[0]
		}
		if r.Question.Timeout > 0 { // nobody answered in time
			m.answers = append(m.answers, answered{r.Key, []any{lateAnswer(choice, r.Question)}})
			return true
		}
	}
	return false
}

// leaveExpiringOpen leaves a wait without an answer that expires in the test, but at which the recorded run
// stays paused, and reports whether it did.
func (m *maker) leaveExpiringOpen(o *sim.Result) bool {
	if m.end == nil || m.end.Status != flow.Paused || o.End.Status == flow.Paused {
		return false
	}
	for _, r := range allSteps(o) {
		if r.Question != nil && r.Meta.Choice == kernel.ChoiceExpired && !slices.Contains(m.expired, r.Key) {
			m.expired = append(m.expired, r.Key)
			m.answers = append(m.answers, answered{r.Key, []any{testfile.NoAnswer}})
			return true
		}
	}
	return false
}

// allSteps returns the steps of a run and of its child runs, with their addresses as keys.
func allSteps(o *sim.Result) []flow.Record {
	all := slices.Clone(o.Steps)
	for _, at := range slices.Sorted(maps.Keys(o.Children)) {
		for _, r := range o.Children[at].Steps {
			r.Key = path.Join(at, r.Key)
			all = append(all, r)
		}
	}
	return all
}

// lateAnswer returns an answer that comes after the timeout of its question.
func lateAnswer(choice string, q *flow.Question) *testfile.Object {
	key := "choice"
	if len(q.Choices) == 0 {
		key = "text"
	}
	return testfile.NewObject(key, choice, "after", (q.Timeout + time.Second).String())
}

// gateOf is the key of the node that asks a question.
func gateOf(step string) string {
	if i := strings.LastIndexAny(step, "#@"); i >= 0 {
		step = step[:i]
	}
	return strings.TrimSuffix(strings.TrimSuffix(step, "/gate"), "/review")
}
