package sim

import (
	"fmt"
	"maps"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// A journal is the state that survives processes.
type journal struct {
	index  map[string]int // of steps
	steps  []flow.Record
	events []flow.Event
	end    *flow.RunState
	// fresh are the steps that later processes perform again on purpose: those of nodes
	// that always run. The value means that the current process has completed the step and
	// must not do so twice.
	fresh map[string]bool
	// nodes are those of a state graph. Their records describe their last visit, so they
	// may complete and begin again.
	nodes map[string]bool
}

func newJournal(nodes []flow.NodeInfo) *journal {
	j := &journal{index: make(map[string]int, len(nodes)), fresh: map[string]bool{}}
	for _, s := range sched.PendingSteps(nodes) {
		j.setRecord(s)
	}
	return j
}

// resumedJournal returns the journal of a run that had this outcome.
func resumedJournal(before *Result) *journal {
	j := newJournal(nil)
	for _, r := range before.Steps {
		j.setRecord(r)
	}
	maps.Copy(j.fresh, before.fresh)
	return j
}

// stepRecord returns the state of a step, or the zero Record.
func (j *journal) stepRecord(key string) flow.Record {
	if i, ok := j.index[key]; ok {
		return j.steps[i]
	}
	return flow.Record{}
}

func (j *journal) setRecord(r flow.Record) {
	if i, ok := j.index[r.Key]; ok {
		j.steps[i] = r
		return
	}
	j.index[r.Key] = len(j.steps)
	j.steps = append(j.steps, r)
}

// applyBatch applies a batch and returns its faults.
func (j *journal) applyBatch(b flow.Batch) (faults []string) {
	if b.Empty() {
		faults = append(faults, "an empty batch was committed")
	}
	if j.hasFinalEnd() {
		faults = append(faults, "a batch was committed after the run's end")
	}
	for _, r := range b.Steps {
		old := j.stepRecord(r.Key)
		done, fresh := j.fresh[r.Key]
		if old.Status == flow.Completed && (done || !fresh) && !j.nodes[r.Key] {
			faults = append(faults, fmt.Sprintf("step %s was completed and is made %s", r.Key, r.Status))
		}
		if fresh {
			j.fresh[r.Key] = r.Status == flow.Completed
		}
		j.setRecord(r)
	}
	j.events = append(j.events, b.Events...)
	if b.Run != nil {
		j.end = b.Run
		faults = append(faults, j.atEnd()...)
	}
	return faults
}

// markRepeated marks a step and its node as ones that later processes perform again on purpose.
func (j *journal) markRepeated(key string, nodes []flow.NodeInfo) {
	j.fresh[key] = false
	if n, ok := stepkey.NodeOf(nodes, key); ok {
		j.fresh[n.Key] = false
	}
}

// beginProcess starts a process: all completions are those of earlier processes, and the run has
// no end.
func (j *journal) beginProcess() {
	j.end = nil
	for key := range j.fresh {
		j.fresh[key] = false
	}
}

// atEnd returns the steps of an ended run that have not ended.
func (j *journal) atEnd() (faults []string) {
	if !j.hasFinalEnd() {
		return nil
	}
	for _, r := range j.steps {
		if !r.Status.Ended() {
			faults = append(faults, fmt.Sprintf("the run is %s but step %s is %s", j.end.Status, r.Key, r.Status))
		}
	}
	return faults
}

// hasFinalEnd reports whether the run has a final end.
func (j *journal) hasFinalEnd() bool { return j.end != nil && j.end.Status.Ended() }
