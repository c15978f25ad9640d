package runner

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
)

// process is one process of the run.
func (h *host) process() (flow.RunEnd, error) {
	recorded := append([]flow.Record(nil), h.journal...)
	return sched.Run(h, h.info, recorded, sched.Options{Nodes: h.def.Nodes}, h.def.Flow)
}

// mostReviews bounds the answers: an answer that is not taken is asked for again.
const mostReviews = 100

// review answers a review that is open as the job says, and reports whether there
// was one. The next process hears it when it first looks.
func (h *host) review() bool {
	if h.job.Reviews == nil || h.reviewed == mostReviews {
		return false
	}
	for _, r := range h.journal {
		if r.Status != flow.Waiting || r.Question == nil || !r.Question.IsReview() {
			continue
		}
		h.reviewed++
		step, _, _ := strings.Cut(r.Key, "/review#")
		answer := Step{Choice: "accept"}
		if list := h.job.Reviews[step]; len(list) > 0 {
			answer = list[0]
			if len(list) > 1 {
				h.job.Reviews[step] = list[1:]
			}
		}
		h.ready = append(h.ready, sched.Answered{Key: r.Key, Result: flow.Result{
			Status: flow.Completed, Text: answer.Text, Meta: flow.Meta{Choice: answer.Choice, By: "somebody"},
		}})
		return true
	}
	return false
}
