package trace

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A node is a span with the spans below it.
type node struct {
	Span
	below []*node
	// own is the time of the span's own work, and works and waits those of all below it, too.
	own, works, waits []interval
}

// Build returns the trace of a root and its descendants, which come after their parents. Spans
// that last end at now when it counts their times.
func Build(journals []Journal, now time.Time) *Trace {
	if len(journals) == 0 {
		return &Trace{}
	}
	t := &Trace{ID: TraceID(journals[0].Run.ID), Root: journals[0].Run.ID}
	known, idle := map[ID]*node{}, idleTimes(journals)
	var root *node
	for i := range journals {
		top := journals[i].tree(now, known, idle)
		up := known[SpanID(journals[i].Parent.Run, journals[i].Parent.Step, 0, 0)]
		switch {
		case root == nil:
			root = top
		case up == nil: // the step began again and has not come to its child
			root.add(top)
		default:
			up.add(top)
		}
	}
	root.sum()
	t.Spans = root.appendTo(nil)
	return t
}

// add puts a span below another one.
func (n *node) add(child *node) {
	child.Parent = n.ID
	n.below = append(n.below, child)
}

// tree returns the spans of one run, in which nothing works in idle times.
func (j *Journal) tree(now time.Time, known map[ID]*node, idle []interval) *node {
	r := &j.Run
	if r.Status == flow.Interrupted && r.Updated.Before(now) {
		now = r.Updated // since then nobody has worked on it
	}
	top := &node{Span: Span{
		ID: SpanID(r.ID, "", 0, 0), Kind: KindRun, Run: r.ID, Workflow: r.Workflow, Name: r.Workflow,
		Status: r.Status, Failure: r.Error, Start: cmp.Or(r.Started, r.Created), End: r.Finished,
	}}
	if r.Status == flow.Cancelled {
		top.Failure = cmp.Or(r.Error, r.Reason)
	}
	known[top.ID] = top
	ends, begins, tools := j.attemptEnds(), map[string][]time.Time{}, map[string][]format.ToolCall{}
	resumed := 0
	for _, e := range j.Events {
		switch e.Type {
		case sched.EventResumed:
			resumed++
			top.add(&node{Span: Span{
				ID: SpanID(r.ID, "", 0, resumed), Kind: KindResume, Run: r.ID, Workflow: r.Workflow, Status: flow.Completed, Start: e.Time, End: e.Time, By: e.Message,
			}})
		case sched.EventAttempt:
			begins[e.Key] = append(begins[e.Key], e.Time)
		}
		if call, ok := format.ReadToolCall(e); ok {
			tools[e.Key] = append(tools[e.Key], call)
		}
	}
	steps := map[string]*node{}
	order := make([]*node, 0, len(j.Steps))
	answers := map[string]*store.Answer{}
	for i := range j.Answers {
		answers[j.Answers[i].Key] = &j.Answers[i]
	}
	for i := range j.Steps {
		s := &j.Steps[i]
		if s.Started.IsZero() || s.Status == flow.Pending && len(ends[s.Key]) == 0 {
			continue
		}
		n := &node{Span: Span{
			ID: SpanID(r.ID, s.Key, 0, 0), Kind: KindStep, Run: r.ID, Workflow: r.Workflow, Key: s.Key, Name: s.Kind,
			Status: s.Status, Start: s.Started, End: s.Finished, By: s.Meta.By,
		}}
		if r.Status == flow.Interrupted && n.Status == flow.Running {
			n.Status = flow.Interrupted
		}
		if s.Failure != nil && s.Status == flow.Failed {
			n.Failure = s.Failure.Message
		}
		known[n.ID], steps[s.Key] = n, n
		order = append(order, n)
		switch {
		case s.Question != nil || s.Kind == "sleep":
			n.asWait(s, answers[s.Key])
			n.waits = []interval{{n.Start, cmp.Or(n.End, now)}}
		case s.Attempt > 0 || len(ends[s.Key]) > 0:
			n.addAttempts(s, ends[s.Key], begins[s.Key], now, idle)
			n.addTools(tools[s.Key])
		}
	}
	for _, n := range order {
		up := top
		for key := range stepkey.Enclosing(n.Key) {
			if found := steps[key]; found != nil && key != n.Key {
				up = found
			}
		}
		up.add(n)
	}
	return top
}

// asWait makes the span of a step that of a wait.
func (n *node) asWait(s *flow.Record, a *store.Answer) {
	n.Kind, n.Name = KindWait, "time"
	if s.Question != nil {
		n.Name = cmp.Or(string(s.Question.Wait), "person")
	}
	switch {
	case a != nil && !a.Given.IsZero() && (n.End.IsZero() || a.Given.Before(n.End)):
		n.End, n.By = a.Given, a.By // the run may continue much later
		if n.Status == flow.Waiting {
			n.Status = flow.Completed
		}
	case s.Kind == "sleep" && !n.End.IsZero() && s.Deadline.Before(n.End) && s.Deadline.After(n.Start):
		n.End = s.Deadline
	}
	if !n.End.IsZero() && n.End.Before(n.Start) {
		n.End = n.Start
	}
}

// An attemptEnd is the end of an attempt, as the journal has it besides the step's last state.
type attemptEnd struct {
	at      time.Time
	failure string
	turn    *spending.Row
}

// attemptEnds returns the ends of attempts by the keys of their steps, in order.
func (j *Journal) attemptEnds() map[string][]attemptEnd {
	ends := map[string][]attemptEnd{}
	for i := range j.Turns {
		if row := &j.Turns[i]; row.State != spending.Reserved {
			ends[row.Key] = append(ends[row.Key], attemptEnd{at: row.Time, turn: row})
		}
	}
	for i := range j.Events {
		e := &j.Events[i]
		if e.Type != "step_retrying" {
			continue
		}
		list := ends[e.Key]
		// The ledger and the log have the end of a turn under one time.
		if k := slices.IndexFunc(list, func(a attemptEnd) bool { return a.at.Equal(e.Time) && a.failure == "" }); k >= 0 {
			list[k].failure = e.Message
			continue
		}
		ends[e.Key] = append(list, attemptEnd{at: e.Time, failure: e.Message})
	}
	for _, list := range ends {
		slices.SortStableFunc(list, func(a, b attemptEnd) int { return a.at.Compare(b.at) })
	}
	return ends
}

// addAttempts puts the attempts at an action below its step.
func (n *node) addAttempts(s *flow.Record, ends []attemptEnd, begins []time.Time, now time.Time, idle []interval) {
	// The step's last state is the end of the last attempt, or the attempt under way.
	// The ledger may have noted the end of a turn a moment before the step ended.
	last := len(ends) == 0 || ends[len(ends)-1].at.Before(cmp.Or(s.Finished, now)) && s.Status != flow.Pending
	if last && len(ends) > 0 {
		end := ends[len(ends)-1]
		last = end.turn == nil || end.failure != "" || end.turn.State != spending.Settled
	}
	if pause := s.Status == flow.Running && !s.Deadline.IsZero() && len(ends) > 0; pause { // the next attempt has not begun
		n.waits = append(n.waits, interval{ends[len(ends)-1].at, now})
	} else if last {
		ends = append(slices.Clip(ends), attemptEnd{at: s.Finished})
	}
	// Without a ledger, the step's cost is that of all attempts, and the last one has it.
	ledger := slices.ContainsFunc(ends, func(e attemptEnd) bool { return e.turn != nil })
	from := s.Started
	for i, end := range ends {
		a := &node{Span: n.Span}
		a.ID, a.Kind, a.Attempt = SpanID(n.Run, n.Key, i+1, 0), KindAttempt, i+1
		a.Start, a.End = from, end.at
		if !end.at.IsZero() && end.at.Before(a.Start) {
			a.Start = end.at // of an earlier process; nobody knows when it began
		}
		if i < len(ends)-1 {
			a.Status, a.Failure = flow.Failed, end.failure
		} else if a.Session, a.Model = s.Meta.Session, s.Meta.Model; s.Status == flow.Completed {
			a.Reply = s.Text
		}
		a.own = subtract(union([]interval{{a.Start, cmp.Or(a.End, now)}}), idle)
		switch s.Kind {
		case (flow.Prompt{}).Kind():
			a.asTurn(s, end.turn, len(ends) == 1 || !ledger && i == len(ends)-1)
		case (flow.Child{}).Kind():
			a.own = nil // its run works, and costs
		default:
			if a.Prompt = s.Prompt; len(ends) == 1 {
				a.Usage = s.Meta.Spent()
			}
		}
		n.add(a)
		if from = end.at; from.Before(s.Started) {
			from = s.Started
		}
		if k := slices.IndexFunc(begins, func(t time.Time) bool { return !t.Before(end.at) }); k >= 0 && begins[k].After(from) {
			n.waits = append(n.waits, interval{from, begins[k]})
			from = begins[k]
		}
	}
	n.Attempt = len(ends)
}

// asTurn makes the span of an attempt that of an agent's turn.
func (n *node) asTurn(s *flow.Record, row *spending.Row, only bool) {
	n.Kind, n.Name, n.Prompt = KindTurn, "", s.Prompt
	if only {
		n.Usage = s.Meta.Spent()
	}
	if row == nil {
		return
	}
	n.Name, n.Model = row.Agent, cmp.Or(n.Model, row.Model)
	if row.State == spending.Lost {
		n.Status, n.Failure = flow.Cancelled, "cut off; its cost is unknown"
	} else if !only {
		n.Usage = flow.Usage{CostUSD: spending.Dollars(row.Micros), InputTokens: row.Input, OutputTokens: row.Output}
	}
}

// addTools puts the calls of tools by a step below the attempts that made them.
func (n *node) addTools(calls []format.ToolCall) {
	for i, call := range calls {
		a := n.below[len(n.below)-1]
		for _, b := range n.below {
			if !b.End.IsZero() && !call.Begun.After(b.End) {
				a = b
				break
			}
		}
		tool := &node{Span: Span{
			ID: SpanID(n.Run, n.Key, a.Attempt, i+1), Kind: KindTool, Run: n.Run, Workflow: n.Workflow, Key: n.Key,
			Name: call.Name, Attempt: a.Attempt, Status: flow.Completed, Start: call.Begun, End: call.Begun.Add(call.Took),
		}}
		if call.Failed {
			tool.Status = flow.Failed
		}
		a.add(tool)
	}
}

// sum sets the times and the usage of a span from its own and those below.
func (n *node) sum() {
	works, waits := n.own, n.waits
	for _, b := range n.below {
		b.sum()
		works, waits = append(works, b.works...), append(waits, b.waits...)
		n.Usage.CostUSD = plain.RoundDollars(n.Usage.CostUSD + b.Usage.CostUSD)
		n.Usage.InputTokens += b.Usage.InputTokens
		n.Usage.OutputTokens += b.Usage.OutputTokens
		n.Usage.Turns += b.Usage.Turns
	}
	n.waits = union(waits)
	n.works = union(works)
	if n.Kind == KindStep && n.Attempt > 0 {
		n.works = subtract(n.works, n.waits) // a wait for a quota lies between two attempts
		for _, b := range n.below {
			b.Working = total(subtract(b.works, n.waits))
		}
	}
	n.Working, n.Waiting = total(n.works), total(subtract(n.waits, n.works))
	if n.Kind == KindTool {
		n.Working = n.Took(n.End)
	}
}

// appendTo appends the span and those below it, in the order in which they began.
func (n *node) appendTo(list []Span) []Span {
	list = append(list, n.Span)
	slices.SortStableFunc(n.below, func(a, b *node) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Attempt, b.Attempt), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	for _, b := range n.below {
		list = b.appendTo(list)
	}
	return list
}
