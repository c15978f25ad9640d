package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// sessionCase is a run with what disturbs it.
type sessionCase struct {
	YAML  string
	Agent map[string]struct {
		Result  *string
		Error   string
		DelayMs float64 `json:"delay_ms"`
	}
	Mode             string
	CancelMs         *float64 `json:"cancel_ms"`
	ParentCancelMs   *float64 `json:"parent_cancel_ms"`
	MaxConcurrent    int      `json:"max_concurrent"`
	DefaultTimeoutMs float64  `json:"default_timeout_ms"`
	SessionKey       string   `json:"session_key"`
	DefaultDeliverTo []string `json:"default_deliver_to"`
	SenderFailsOn    string   `json:"sender_fails_on"`
	Then             string
}

// sessionEnd is what the engine made of it.
type sessionEnd struct {
	Error   *string
	Prompts map[string]string `json:"agent_prompts"`
	DB      struct {
		Run struct {
			Status, Description string
			Workflow            string `json:"workflow_name"`
			Error               string `json:"error_message"`
			Total               int    `json:"total_steps"`
			Completed           int    `json:"completed_steps"`
			HasCompleted        bool   `json:"has_completed_at"`
		}
		Steps []recordedStep
	}
	AtOnce int `json:"max_parallel_agents"`
	Sent   [][2]string
	Status struct {
		HasStarted bool `json:"has_started_at"`
		Status     string
		Rows       map[string]int `json:"rows_per_step"`
	}
	Warnings []string
	Resume   *struct {
		Error   *string
		Status  string
		Results map[string]string `json:"step_results"`
	}
}

// recordedStep is a row of a step.
type recordedStep struct {
	ID                 string `json:"step_id"`
	Status, Result     string
	Error              string `json:"error_message"`
	Started, Completed bool
}

// automated begins what the engine puts before prompts. It is no part of the
// requirement.
const automated = "[Automated Task "

// planSession compares a run on a whole engine.
func planSession(b *bench, c *recorded) (plan, error) {
	var in sessionCase
	var want sessionEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	r := compileLango(in.YAML)
	switch refused := want.Error != nil && len(want.DB.Steps) == 0; {
	case refused && r.HasErrors():
		return judged(nil), nil
	case refused:
		return judged([]difference{{what: "run", want: *want.Error, got: "accepted"}}), nil
	case r.HasErrors():
		return judged([]difference{{what: "run", want: want.Status.Status, got: refusal(r)}}), nil
	}
	nodes := r.Workflow.Workflow.Body.All()
	for _, n := range nodes {
		if in.DefaultTimeoutMs > 0 && !n.TimeoutSpan.IsValid() {
			n.Timeout = milliseconds(&in.DefaultTimeoutMs)
		}
	}
	job := runner.Job{Inputs: json.RawMessage("{}"), Replies: in.replies(nodes), Session: &runner.Session{
		Async: in.Mode == "async" || in.Mode == "tool" || in.CancelMs != nil, Resolve: in.Mode == "tool",
		CancelAfter: milliseconds(in.CancelMs), LeaveAfter: milliseconds(in.ParentCancelMs),
		MaxParallel: in.MaxConcurrent, Key: in.SessionKey, Defaults: in.DefaultDeliverTo,
		Unreachable: in.SenderFailsOn, Resume: in.Then == "resume",
	}}
	return b.perform(r, job, func(out *runner.Outcome) []difference { return judgeSession(nodes, &want, out) }), nil
}

// milliseconds is a time after the beginning; nil is never.
func milliseconds(ms *float64) time.Duration {
	if ms == nil {
		return -1
	}
	return time.Duration(*ms * float64(time.Millisecond))
}

// replies are what agents answer, by step.
func (in *sessionCase) replies(nodes []*ir.Node) json.RawMessage {
	replies := map[string][]any{}
	for _, n := range nodes {
		reply := map[string]any{"text": "result-of-" + n.ID}
		if a, said := in.Agent[n.ID]; said {
			reply["delayMs"] = a.DelayMs
			if a.Result != nil {
				reply["text"] = *a.Result
			}
			if a.Error != "" {
				reply = map[string]any{"throw": a.Error, "delayMs": a.DelayMs}
			}
		}
		replies[n.ID] = []any{reply}
	}
	return json.RawMessage(jsonText(replies))
}

// judgeSession compares a run.
func judgeSession(nodes []*ir.Node, want *sessionEnd, out *runner.Outcome) []difference {
	got := out.Session
	first := got.First
	diffs := same("run", want.DB.Run.Status, string(first.Status))
	diffs = append(diffs, same("run failed", fmt.Sprint(want.DB.Run.Error != ""), fmt.Sprint(first.Error != "" || first.Status == flow.Cancelled))...)
	diffs = append(diffs, same("name", want.DB.Run.Workflow, first.Workflow)...)
	diffs = append(diffs, same("started, also in the list", fmt.Sprint(want.Status.HasStarted), fmt.Sprint(first.Started && first.ListStarted))...)
	diffs = append(diffs, same("has an end", fmt.Sprint(want.DB.Run.HasCompleted), fmt.Sprint(first.Finished))...)
	diffs = append(diffs, same("agents at once", fmt.Sprint(want.AtOnce), fmt.Sprint(first.AtOnce))...)
	diffs = append(diffs, sameSteps(nodes, want, first)...)
	diffs = append(diffs, sameTurns(want, out.Turns[:first.Asked])...)
	diffs = append(diffs, same("sent", letters(want.Sent), letters(first.Sent))...)
	diffs = append(diffs, same("warnings", warnings(want.Warnings), jsonText(ownWarnings(first)))...)
	if want.Resume != nil {
		diffs = append(diffs, sameResume(nodes, want, got)...)
	}
	return diffs
}

// sameSteps compares the rows of steps, of which wfc has one for each.
func sameSteps(nodes []*ir.Node, want *sessionEnd, got *runner.RunState) (diffs []difference) {
	diffs = same("steps", fmt.Sprint(want.DB.Run.Total), fmt.Sprint(len(nodes)))
	seen := map[string]bool{}
	for _, s := range want.DB.Steps {
		if seen[s.ID] {
			continue // its second row is like the first
		}
		seen[s.ID] = true
		r := record(got.Records, s.ID)
		diffs = append(diffs, same("rows of "+s.ID, fmt.Sprint(want.Status.Rows[s.ID]), fmt.Sprint(rows(got.Records, s.ID)))...)
		if s.Status != string(r.Status) {
			diffs = append(diffs, difference{what: "step " + s.ID, want: s.Status, got: string(r.Status)})
			continue
		}
		diffs = append(diffs, same("result of "+s.ID, s.Result, r.Text)...)
		diffs = append(diffs, same("failure of "+s.ID, fmt.Sprint(s.Error != ""), fmt.Sprint(r.Failure != nil))...)
		diffs = append(diffs, same("times of "+s.ID, fmt.Sprint(s.Started, s.Completed), fmt.Sprint(!r.Started.IsZero(), !r.Finished.IsZero()))...)
	}
	return diffs
}

func record(list []flow.Record, key string) flow.Record {
	for _, r := range list {
		if r.Key == key {
			return r
		}
	}
	return flow.Record{}
}

func rows(list []flow.Record, key string) (n int) {
	for _, r := range list {
		if r.Key == key {
			n++
		}
	}
	return n
}

// sameTurns compares what agents were asked.
func sameTurns(want *sessionEnd, turns []runner.Turn) (diffs []difference) {
	asked := map[string]string{}
	for _, turn := range turns {
		asked[turn.Step] = turn.Prompt
	}
	for _, step := range slices.Sorted(maps.Keys(want.Prompts)) {
		prompt := want.Prompts[step]
		if strings.HasPrefix(prompt, automated) {
			_, prompt, _ = strings.Cut(prompt, "\n\nTask: ")
		}
		if _, ok := asked[step]; !ok {
			diffs = append(diffs, difference{what: "prompt of " + step, want: quote(prompt), got: "none"})
			continue
		}
		diffs = append(diffs, same("prompt of "+step, quote(prompt), quote(asked[step]))...)
		delete(asked, step)
	}
	for _, step := range slices.Sorted(maps.Keys(asked)) {
		diffs = append(diffs, difference{what: "prompt of " + step, want: "none", got: quote(asked[step])})
	}
	return diffs
}

// letters are messages in an order that does not depend on when they were sent.
func letters(list [][2]string) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	return jsonText(append([][2]string{}, list...))
}

// The warnings that the engine logs.
const (
	noChannel     = "workflow completed but no delivery channel configured"
	stepMissed    = "deliver step result"
	summaryMissed = "deliver workflow result"
)

// warnings are those that were logged, each once.
func warnings(list []string) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return jsonText(append([]string{}, slices.Compact(list)...))
}

// ownWarnings are what wfc warns of, as the engine says it: deliveries that failed
// have failed steps of their own.
func ownWarnings(got *runner.RunState) []string {
	list := map[string]bool{}
	for _, w := range got.Warnings {
		if strings.Contains(w, "no channel gets its result") {
			w = noChannel
		}
		list[w] = true
	}
	for _, r := range got.Records {
		if node, ok := strings.CutSuffix(r.Key, "/deliver"); ok && r.Status == flow.Failed {
			list[map[bool]string{true: stepMissed, false: summaryMissed}[node != ""]] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(list))...)
}

// sameResume compares what is there when the run was resumed. Completed steps are
// not performed again: that is no matter of comparison.
func sameResume(nodes []*ir.Node, want *sessionEnd, got *runner.SessionEnd) (diffs []difference) {
	if (want.Resume.Error != nil) != (got.ResumeError != "") {
		return []difference{{what: "resume", want: said(want.Resume.Error), got: or(got.ResumeError, "none")}}
	}
	if got.Last == nil {
		return nil
	}
	results := map[string]string{}
	for _, n := range nodes {
		before, after := record(got.First.Records, n.ID), record(got.Last.Records, n.ID)
		if after.Status == flow.Completed {
			results[n.ID] = after.Text
		}
		if before.Status == flow.Completed && !before.Started.Equal(after.Started) {
			diffs = append(diffs, difference{what: "completed step " + n.ID, want: "not performed again", got: "performed again"})
		}
	}
	diffs = append(diffs, same("resumed run", want.Resume.Status, string(got.Last.Status))...)
	return append(diffs, same("resumed results", jsonText(want.Resume.Results), jsonText(results))...)
}

func said(text *string) string {
	if text == nil {
		return "none"
	}
	return *text
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
