package sched

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// An action whose agent's plan is used up waits as a question that nobody has to answer: the
// n-th wait of step fix is the step fix/quota#n. So the wait has a committed deadline, the run
// pauses if nothing else is left to do, and commands show and end the wait like any other.
//
// While it waits, the action's record has the failure with its Quota. That tells the next
// process that the action was not interrupted, and that no policy for interruptions counts.

const (
	// firstQuotaWait is the wait if the agent doesn't say when it answers again. It doubles
	// with each wait, up to longestQuotaWait.
	firstQuotaWait   = 5 * time.Minute
	longestQuotaWait = time.Hour
	// quotaSpread is how long after a reset the last of many waiting runs tries.
	quotaSpread = 30 * time.Second
)

// awaitsQuota reports whether a record is that of an action that waits for its agent's quota.
func awaitsQuota(rec flow.Record) bool {
	return rec.Status == flow.Waiting && rec.Failure != nil && rec.Failure.Quota != nil
}

func quotaKey(key string, n int) string { return key + stepkey.Quota + strconv.Itoa(n) }

// quotaWaits counts the waits of an action that are over: all of the run, and those since a
// time, of which it also returns when the first began.
func (j *journal) quotaWaits(key string, since time.Time) (all, recent int, first time.Time) {
	for {
		st := j.steps[quotaKey(key, all+1)]
		if st == nil || st.rec.Status != flow.Completed {
			return all, recent, first
		}
		all++
		st.claimed = true
		if st.rec.Started.Before(since) {
			continue
		}
		if recent++; recent == 1 {
			first = st.rec.Started
		}
	}
}

// retriesOf is the number of an action's attempt, without those before which it waited for a
// quota: they are no retries.
func (s *scheduler) retriesOf(act *action) int {
	_, waits, _ := s.journal.quotaWaits(act.Key, act.started)
	return act.attempt - waits
}

// awaitQuota lets a failed action wait until its agent's quota is reset. If that is too late,
// it adds the reason to the failure and reports false.
func (s *scheduler) awaitQuota(act *action, r *flow.Result) bool {
	quota := *r.Failure.Quota
	all, recent, first := s.journal.quotaWaits(act.Key, act.started)
	if recent == 0 {
		first = s.now
	}
	until := quota.Reset
	if until.IsZero() && r.Failure.RetryAfter > 0 {
		until = s.now.Add(r.Failure.RetryAfter)
	}
	if !until.After(s.now) {
		wait := cmp.Or(quota.FirstWait, firstQuotaWait)
		until = s.now.Add(min(wait<<min(recent, 10), max(wait, longestQuotaWait)))
	}
	refuse := func(format string, args ...any) bool {
		failed := *r.Failure
		failed.Quota = nil
		failed.Message += fmt.Sprintf(format, args...)
		r.Failure = &failed
		return false
	}
	last := first.Add(quota.MaxWait)
	switch {
	case quota.MaxWaits > 0 && recent >= quota.MaxWaits:
		return refuse("; the prompt has waited %d times, and may not wait more often", recent)
	case quota.MaxWait > 0 && until.After(last): // in UTC, so that each machine that replays it says the same
		return refuse("; it isn't reset before %s, the end of the longest wait that `on_quota` allows", last.UTC().Format(time.RFC3339))
	}
	act.attempt++
	act.spent = r.Meta
	s.journal.putRecord(act.step, flow.Record{
		Key: act.Key, Kind: act.Payload.Kind(), Status: flow.Waiting, Reason: act.runningReason(), Failure: r.Failure,
		Attempt: act.attempt, Meta: act.spent, Started: act.started,
	})
	s.askForQuota(act, quota.Agent, all+1, until.Add(cmp.Or(quota.Delay, s.quotaDelay())).Sub(s.now))
	return true
}

// resumeQuotaWait continues the wait that an earlier process left, or performs the action if
// the wait was over before that process could.
func (s *scheduler) resumeQuotaWait(act *action, left flow.Record) {
	act.attempt, act.started, act.decided = max(left.Attempt, 1), left.Started, decisionCount(left.Reason)
	over, _, _ := s.journal.quotaWaits(act.Key, act.started)
	open, ok := s.journal.ensureStep(quotaKey(act.Key, over+1)).interruptedRecord()
	if !ok {
		s.enqueueAction(act)
		return
	}
	s.askForQuota(act, left.Failure.Quota.Agent, over+1, open.Deadline.Sub(s.now))
}

// askForQuota asks the n-th question of an action for its agent's quota.
func (s *scheduler) askForQuota(act *action, agent string, n int, wait time.Duration) {
	act.state = undecided
	node := s.nodeOf(act).Key
	s.setNodeStatus(act, node, flow.Waiting)
	key := quotaKey(act.Key, n)
	over := s.askQuestion(flow.Question{
		Key: key, Message: agent, Wait: flow.WaitQuota, Choices: []string{kernel.ChoiceWake}, Timeout: max(wait, 0),
	}, s.journal.ensureStep(key), act.scope)
	over.OnSettle(func() {
		switch {
		case act.state != undecided: // cancelled with the question
		case over.Result().Status != flow.Completed:
			s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
		default:
			s.setNodeStatus(act, node, flow.Running)
			s.enqueueAction(act)
		}
	})
}

// quotaDelay spreads the attempts of many runs that wait for the same reset, if nobody has put them
// in order. It depends on the run alone, so that a replay decides alike.
func (s *scheduler) quotaDelay() time.Duration {
	h := fnv.New32a()
	h.Write([]byte(s.info.ID))
	return time.Duration(h.Sum32()%uint32(quotaSpread/time.Second)) * time.Second
}
