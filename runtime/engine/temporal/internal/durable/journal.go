package durable

import (
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A journal has what other engines keep in a store. It is in the memory of the workflow: its
// history brings it back, and the next workflow of the run gets what is kept.
type journal struct {
	wire.Kept
	index map[string]int // of steps, by key
	typed []string       // the nodes that declare an artifact type
}

// mostEvents is how many events of a run are kept, the newest.
const mostEvents = 1000

// newJournal returns the journal of a run of a definition.
func newJournal(def *flow.Definition, kept wire.Kept) journal {
	j := journal{Kept: kept, index: map[string]int{}, typed: artifactNodeIDs(def.Nodes, "")}
	steps := kept.Steps
	if j.Steps = nil; steps == nil {
		steps = sched.PendingSteps(def.Nodes)
	}
	for _, s := range steps {
		j.putStep(s)
	}
	return j
}

// putStep makes s the state of its step.
func (j *journal) putStep(s flow.Record) {
	if i, ok := j.index[s.Key]; ok {
		j.Steps[i] = s
		return
	}
	j.index[s.Key] = len(j.Steps)
	j.Steps = append(j.Steps, s)
}

func (j *journal) addEvents(events []flow.Event) {
	j.Events = append(j.Events, events...)
	if n := len(j.Events) - mostEvents; n > 0 {
		j.Events = append([]flow.Event(nil), j.Events[n:]...)
		j.Dropped += n
	}
}

// isWaiting reports whether a step waits for an answer.
func isWaiting(s flow.Record) bool { return s.Status == flow.Waiting && s.Question != nil }

// openQuestion returns the waiting step of a question, or nil.
func (j *journal) openQuestion(key string) *flow.Record {
	if i, ok := j.index[key]; ok && isWaiting(j.Steps[i]) {
		return &j.Steps[i]
	}
	return nil
}

// isExpired reports whether an answer came too late.
func isExpired(s *flow.Record, now time.Time) bool {
	return s.Question.Wait == "" && !s.Deadline.IsZero() && !now.Before(s.Deadline) && s.Question.Timeout > 0
}

// nextDeadline returns the first deadline of a waiting step, or the zero time.
func (j *journal) nextDeadline() time.Time {
	var first time.Time
	for _, s := range j.Steps {
		if s.Status == flow.Waiting && !s.Deadline.IsZero() && (first.IsZero() || s.Deadline.Before(first)) {
			first = s.Deadline
		}
	}
	return first
}

// approve records an approval, and answers the question with the last one that is needed. It reports
// false if the person has given the same before.
func (j *journal) approve(a runstore.Approval) bool {
	isSame := func(b runstore.Approval) bool { return b.Hash == a.Hash && b.Vote == a.Vote }
	added := !slices.ContainsFunc(j.Approvals, func(b runstore.Approval) bool { return isSame(b) && strings.EqualFold(b.Answer.By, a.Answer.By) })
	if added {
		j.Approvals = append(j.Approvals, a)
	}
	var given []store.Answer
	for _, b := range j.Approvals {
		if isSame(b) {
			given = append(given, b.Answer)
		}
	}
	if len(given) >= a.Needed {
		j.Answers = append(j.Answers, runstore.Joined(a.Answer, given))
	}
	return added
}

// longestShown is how many bytes of a question's strings are kept for a time without
// workers.
const longestShown = 1 << 10

// openQuestions returns the open questions, with their beginnings, so that a person can answer
// while no worker lives.
func (j *journal) openQuestions() []flow.Question {
	list := []flow.Question{}
	for _, s := range j.Steps {
		if !isWaiting(s) {
			continue
		}
		q := *s.Question
		q.LastEdit = ""
		for _, text := range []*string{&q.Message, &q.Output} {
			if len(*text) > longestShown {
				*text = strings.ToValidUTF8((*text)[:longestShown], "") + "…"
			}
		}
		list = append(list, q)
	}
	return list
}

// waitReasons lists the reasons why the run waits: `person: gate#1`, `event: upload`, `time: pause`.
func (j *journal) waitReasons() []string {
	list := []string{}
	for _, s := range j.Steps {
		if isWaiting(s) {
			list = append(list, wire.Waits(s.Question)+": "+s.Key)
		}
	}
	return list
}

// Outputs of nodes that declare an artifact type are files of the run. A worker writes
// them before it performs the next action, and when the run pauses or ends.

// artifactNodeIDs returns the ids of the nodes that declare an artifact type.
func artifactNodeIDs(nodes []flow.NodeInfo, around string) []string {
	var ids []string
	for _, n := range nodes {
		if n.ArtifactType != "" {
			ids = append(ids, around+n.Key)
		}
		ids = append(ids, artifactNodeIDs(n.Inside, around+n.Key+".")...)
	}
	return ids
}

// latestArtifacts returns the last completed step of each node that declares an artifact type.
func (j *journal) latestArtifacts() wire.Records {
	if len(j.typed) == 0 {
		return nil
	}
	var list wire.Records
	for _, s := range slices.Backward(j.Steps) {
		id := stepkey.Static(s.Key)
		known := func(other flow.Record) bool { return stepkey.Static(other.Key) == id }
		if s.Status == flow.Completed && slices.Contains(j.typed, id) && !slices.ContainsFunc(list, known) {
			list = append(list, flow.Record{
				Key: s.Key, Kind: s.Kind, Status: s.Status, Text: s.Text, Started: s.Started, Finished: s.Finished,
				Meta: flow.Meta{Session: s.Meta.Session},
			})
		}
	}
	slices.SortStableFunc(list, func(a, b flow.Record) int { return a.Finished.Compare(b.Finished) })
	return list
}
