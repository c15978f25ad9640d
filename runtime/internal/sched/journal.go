package sched

import (
	"cmp"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// journal is the state of every step that the run knows, and the batch of the
// changes that are not committed yet.
type journal struct {
	steps map[string]*step
	order []*step // in the order in which they became known
	next  flow.Batch
	turn  int // the number of the batch that is being filled
}

// step is the state of one step.
type step struct {
	rec flow.Record // as it will be once the batch is committed
	// known says that rec has a status.
	known bool
	// earlier is the record of an earlier process of the run, or nil.
	earlier *flow.Record
	// claimed and settled say what flow code did with the key in this process.
	claimed, settled bool
	// turn and at say where in the current batch rec is, when turn is that
	// batch's number.
	turn, at int
}

// loadRecords takes the steps as the journal has them, and the kinds of the static
// ones.
func (j *journal) loadRecords(recorded []flow.Record, nodes []flow.NodeInfo) {
	j.steps = make(map[string]*step, max(len(recorded), len(nodes)))
	j.turn = 1
	for i := range recorded {
		st := j.ensureStep(recorded[i].Key)
		st.rec, st.earlier, st.known = recorded[i], &recorded[i], true
	}
	for _, n := range nodes {
		if st := j.ensureStep(n.Key); st.rec.Kind == "" {
			st.rec.Kind = n.Kind
		}
	}
}

// ensureStep returns the step of a key, which is made known if it is not.
func (j *journal) ensureStep(key string) *step {
	st := j.steps[key]
	if st == nil {
		st = &step{rec: flow.Record{Key: key}}
		j.steps[key] = st
		j.order = append(j.order, st)
	}
	return st
}

// completedRecord returns the record that an earlier process committed as completed.
func (j *journal) completedRecord(key string) (flow.Record, bool) {
	st := j.steps[key]
	if st == nil || st.earlier == nil || st.earlier.Status != flow.Completed {
		return flow.Record{}, false
	}
	return *st.earlier, true
}

// interruptedRecord returns an earlier process's record of a step that had begun and not ended.
func (st *step) interruptedRecord() (flow.Record, bool) {
	if st.earlier == nil {
		return flow.Record{}, false
	}
	switch st.earlier.Status {
	case flow.Running, flow.Waiting:
		return *st.earlier, true
	}
	return flow.Record{}, false
}

// putRecord makes r the step's state. The kind that the step already has stays: a
// node's kind says more to people than that of its action.
func (j *journal) putRecord(st *step, r flow.Record) {
	if st.rec.Kind != "" {
		r.Kind = st.rec.Kind
	}
	r.Prompt = cmp.Or(r.Prompt, st.rec.Prompt)
	st.rec, st.known = r, true
	if st.turn == j.turn {
		j.next.Steps[st.at] = r
		return
	}
	st.turn, st.at = j.turn, len(j.next.Steps)
	j.next.Steps = append(j.next.Steps, r)
}

// beginStep makes a step that is more than one action one that runs or waits. It
// began when it first did so since it last ended. kind is that of a node inside another one;
// others have theirs from the beginning of the run.
func (j *journal) beginStep(st *step, kind string, status flow.Status, now time.Time) {
	r := flow.Record{Key: st.rec.Key, Kind: kind, Status: status, Started: now}
	switch st.rec.Status {
	case status:
		return
	case flow.Running, flow.Waiting:
		r.Started = st.rec.Started
	}
	j.putRecord(st, r)
}

// settleStep makes r the step's state as flow code sees it. Fields that r does not set
// (times, costs, attempts) stay as the step's action left them. A state that the step
// already has is not a change, unless the step fails once more in a later process: people see
// each failure.
func (j *journal) settleStep(st *step, r flow.Record, now time.Time) {
	old := st.rec
	mine := st.turn > 0 || old.Status == flow.Running || old.Status == flow.Waiting // not the end in an earlier process
	if mine && r.Text == "" && r.Status != flow.Completed {
		r.Text = old.Text
	}
	if st.known && sameEnd(old, r) && (mine || r.Status != flow.Failed) {
		return
	}
	if spent := costOnly(old.Meta); !mine && spent != (flow.Meta{}) && r.Meta == (flow.Meta{}) {
		r.Meta, r.Attempt = spent, old.Attempt // it stays spent, however the step ends now
	}
	if mine {
		if r.Meta == (flow.Meta{}) {
			r.Meta = old.Meta
		}
		r.Attempt = cmp.Or(r.Attempt, old.Attempt)
		if r.Started.IsZero() {
			r.Started = old.Started
		}
		r.Question = cmp.Or(r.Question, old.Question)
	}
	if r.Finished.IsZero() {
		r.Finished = now
	}
	j.putRecord(st, r)
}

// costOnly is what meta data say of what something cost.
func costOnly(m flow.Meta) flow.Meta {
	return flow.Meta{
		CostUSD: m.CostUSD, InputTokens: m.InputTokens, OutputTokens: m.OutputTokens, Turns: m.Turns, Replayed: m.Replayed,
		Unpriced: m.Unpriced, Uncounted: m.Uncounted,
	}
}

// sameEnd reports whether record a has the end b. Fields that b does not set may have any
// value.
func sameEnd(a, b flow.Record) bool {
	if a.Status != b.Status || a.Reason != b.Reason || a.Text != b.Text || b.Meta.Choice != "" && a.Meta.Choice != b.Meta.Choice {
		return false
	}
	if a.Failure == nil || b.Failure == nil {
		return a.Failure == b.Failure
	}
	return *a.Failure == *b.Failure
}

// addEvent adds an event to the batch.
func (j *journal) addEvent(e flow.Event) { j.next.Events = append(j.next.Events, e) }

// takeBatch returns the changes since the last call; the caller owns it.
func (j *journal) takeBatch() flow.Batch {
	b := j.next
	j.next = flow.Batch{}
	j.turn++
	return b
}
