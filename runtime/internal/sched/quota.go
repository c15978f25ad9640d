package sched

import (
	"cmp"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

const (
	// firstQuotaWait is the wait if the agent doesn't say when it answers again. It doubles
	// with each wait, up to longestQuotaWait.
	firstQuotaWait   = 5 * time.Minute
	longestQuotaWait = time.Hour
)

// awaitsQuota reports whether a record is that of an action that waits for its agent's quota.
func awaitsQuota(rec flow.Record) bool {
	return rec.Status == flow.Waiting && rec.Failure != nil && rec.Failure.Quota != nil
}

// retriesOf is the number of an action's attempt, without those before which it waited for a
// quota: they are no retries.
func (s *scheduler) retriesOf(act *action) int {
	_, waits, _ := s.journal.endedWaits(act.Key, stepkey.Quota, act.started)
	return act.attempt - waits
}

// awaitQuota lets a failed action wait until its agent's quota is reset. If that is too late,
// it adds the reason to the failure and reports false.
func (s *scheduler) awaitQuota(act *action, r *flow.Result) bool {
	quota := *r.Failure.Quota
	_, recent, first := s.journal.endedWaits(act.Key, stepkey.Quota, act.started)
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
	w := &actionWait{s, act, stepkey.Quota}
	w.hold(r.Failure)
	w.sleep(flow.WaitQuota, quota.Agent, until.Add(quota.Delay).Sub(s.now))
	return true
}

// resumeQuotaWait continues the wait that an earlier process left, or performs the action if
// the wait was over before that process could.
func (s *scheduler) resumeQuotaWait(act *action, left flow.Record) {
	w := &actionWait{s, act, stepkey.Quota}
	st, _ := w.nextStep()
	open, ok := st.interruptedRecord()
	if !ok {
		s.enqueueAction(act)
		return
	}
	w.sleep(flow.WaitQuota, left.Failure.Quota.Agent, open.Deadline.Sub(s.now))
}
