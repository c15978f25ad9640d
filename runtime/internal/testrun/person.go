package testrun

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

func sessionName(n int) string { return "session-" + strconv.Itoa(n) }

func markOf(key string, i int) string { return key + "\x00" + strconv.Itoa(i) }

// person answers a question with the next answer of the test; the last one repeats.
func (w *world) person(run string, q flow.Question) (sim.Answer, bool) {
	if w.test.Stubs != nil {
		return sim.Answer{Result: consent(q)}, q.Wait == ""
	}
	address := path.Join(run, q.Key)
	if w.cancelledAt(address) {
		return sim.Answer{Cancel: byTester()}, true
	}
	key, list := standIn(w, "answers", address, w.test.Answers)
	if list == nil || q.Wait == flow.WaitTime {
		return sim.Answer{}, false
	}
	n := w.used[key]
	w.used[key]++
	if n >= maxAnswers {
		w.fail(list[len(list)-1].Place, "step `%s` asked %d times, and the last answer of the test did not end that", address, n)
		return sim.Answer{}, false
	}
	a := list[min(n, len(list)-1)]
	if a.Choice == "" && a.Text == "" {
		return sim.Answer{}, false
	}
	choice, problem := choose(a, q)
	if problem != "" {
		w.fail(a.Place, "the answer to step `%s`: %s", address, problem)
		return sim.Answer{}, false
	}
	return sim.Answer{After: a.After, Result: flow.Result{
		Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: choice, By: "tester", From: "test"},
	}}, true
}

// holds reports whether the test leaves a wait without an answer, so that the run stays paused.
func (w *world) holds(run, step string) bool {
	_, list := standIn(w, "answers", path.Join(run, step), w.test.Answers)
	return len(list) > 0 && list[0].Choice == "" && list[0].Text == ""
}

// maxAnswers bounds the answers of one list: an answer that a step refuses is asked for
// again.
const maxAnswers = 100

// choose returns the choice of a question that an answer means.
func choose(a testfile.Answer, q flow.Question) (choice, problem string) {
	choice = a.Choice
	switch {
	case len(q.Choices) == 0 && a.Text != "":
		return "", ""
	case len(q.Choices) == 0:
		return "", "the question takes words; write {text: …}"
	case slices.Contains(q.Choices, choice):
		return choice, ""
	case choice == kernel.ChoiceApprove && slices.Contains(q.Choices, kernel.ChoiceAccept):
		return kernel.ChoiceAccept, ""
	}
	said := choice
	if said == "" {
		said = a.Text
	}
	if match, ok := kernel.MatchQuestion(q.Key, said, q.Choices); ok {
		return match, ""
	}
	return "", fmt.Sprintf("`%s` is not one of its choices: `%s`", said, strings.Join(q.Choices, "`, `"))
}
