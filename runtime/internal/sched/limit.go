package sched

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A limit counts the cost of all ended attempts at actions, in all processes of the run.
// Once it is reached, no action that could cost more begins; running actions continue to
// their end, because they are paid for. The run itself ends only when the limit blocks an
// action and nothing runs any more: a run that needs no more actions completes.
//
// A later process counts the journal's attempts. An attempt that its process did not live
// to commit is not in the journal, nor is its result, so it is performed, and counted,
// again.
//
// A limit is reached, too, once a turn has used what nobody knows: then nothing says how much
// is left.

// The names of the limits, as the reasons of the ends of runs have them.
const (
	LimitCost   = "max_cost"
	LimitTokens = "max_tokens"
)

// CostLimit names the limit in US dollars under which a run of a workflow is, or is "".
func CostLimit(l settings.Limits, def *flow.Definition, o *flow.GraphOptions) string {
	switch {
	case l.CostUSD > 0:
		return limitSettings[LimitCost]
	case o != nil && o.Limits != nil && o.Limits.CostUSD > 0, (o == nil || o.Limits == nil) && def.Graph != nil && def.Graph.Limits.CostUSD > 0:
		return "`limits.max_cost_dollars` (`--max-cost`)"
	}
	return ""
}

// limitSettings are the places in which people set them.
var limitSettings = map[string]string{
	LimitCost:   "`limits.cost_usd` (`--max-cost`)",
	LimitTokens: "`limits.tokens` (`--max-tokens`)",
}

// An account is what the actions of a run have cost in all processes.
type account struct {
	used flow.Meta
	// limit is what ended the run because of its costs, or nil.
	limit *kernel.LimitError
}

// EventWarning is the type of events about problems that do not stop the run.
const EventWarning = "warning"

// EventResumed is the type of events that say who has resumed a run. The message is the person and
// the place.
const EventResumed = "run_resumed"

// A Logged signal adds an event to the run's journal.
type Logged struct{ Event flow.Event }

func (Logged) isSignal() {}

// Reached returns the limit that the usage reaches, or nil.
func Reached(l settings.Limits, used flow.Meta) *kernel.LimitError {
	tokens := used.InputTokens + used.OutputTokens
	switch {
	case l.CostUSD > 0 && (used.CostUSD+format.TinyCost >= l.CostUSD || used.Unpriced != ""):
		return kernel.CostReached(LimitCost, limitSettings[LimitCost], used.CostUSD, l.CostUSD, used.Unpriced)
	case l.Tokens > 0 && (tokens >= l.Tokens || used.Uncounted != ""):
		return &kernel.LimitError{
			Limit: LimitTokens, Setting: limitSettings[LimitTokens], Used: plain.Thousands(tokens) + " tokens", Max: plain.Thousands(l.Tokens) + " tokens",
			Unknown: used.Uncounted,
		}
	}
	return nil
}

// Used is the cost of the actions of a run, given its steps. It skips the steps of nodes
// that consist of parts, which repeat the cost of the parts.
func Used(steps []flow.Record) flow.Meta {
	var sum flow.Meta
	for _, r := range steps {
		if r.Attempt > 0 {
			sum = sum.Plus(costOnly(r.Meta))
		}
	}
	return sum
}

// Remaining returns what is left of limits. A run that reaches what is left also reaches the whole,
// although sums of costs are not exact. Nothing that is left is no limit, so there is always a little:
// so much less than TinyCost that runs in runs in runs add up to less, too.
func Remaining(l settings.Limits, used flow.Meta) settings.Limits {
	if l.CostUSD > 0 {
		l.CostUSD = max(l.CostUSD-used.CostUSD, 0) + format.TinyCost/1000
	}
	if l.Tokens > 0 {
		l.Tokens = max(l.Tokens-used.InputTokens-used.OutputTokens, 1)
	}
	return l
}

// countCost counts the cost of an attempt, or what a child has cost so far, and warns of a limit
// that is reached because nobody knows the cost.
func (s *scheduler) countCost(act *action, m flow.Meta) {
	cost := costOnly(m)
	if act.child && cost == (flow.Meta{}) {
		return // nobody could ask the child
	}
	before := s.used
	s.used = s.used.Plus(cost)
	if act.child {
		s.used = subtractCost(s.used, act.spent) // both are of the whole run
		act.spent = cost
	}
	warn := func(limit, why, ways string) {
		s.journalWarning(act.Key, fmt.Sprintf("%s, so the limit %s counts as reached; %s", why, limitSettings[limit], ways))
	}
	if s.opt.Limits.CostUSD > 0 && before.Unpriced == "" && s.used.Unpriced != "" {
		warn(LimitCost, s.used.Unpriced, kernel.WaysToPrice)
	}
	if s.opt.Limits.Tokens > 0 && before.Uncounted == "" && s.used.Uncounted != "" {
		warn(LimitTokens, s.used.Uncounted, "limit the cost or the time of the run instead")
	}
}

func (s *scheduler) journalWarning(key, message string) {
	s.journal.addEvent(flow.Event{Time: s.now, Type: EventWarning, Key: key, Message: message})
}

// subtractCost returns a cost without a part of it.
func subtractCost(all, part flow.Meta) flow.Meta {
	all.CostUSD -= part.CostUSD
	all.InputTokens -= part.InputTokens
	all.OutputTokens -= part.OutputTokens
	all.Turns -= part.Turns
	return all
}

// mayStart reports whether an action may begin.
func (s *scheduler) mayStart(act *action) bool {
	if _, free := act.Payload.(interface{ Repeatable() }); free {
		return true // it only writes down how far the run has come
	}
	if _, asks := act.Payload.(flow.Prompt); !asks && act.scope.isWithin(&s.cleanup) {
		return true // the run ends with this, and no agent is asked
	}
	return Reached(s.opt.Limits, s.used) == nil
}

// atLimit reports whether a limit ends the run: it blocks an action or a question, and nothing
// runs any more. An answer would only lead to what the limit blocks.
func (s *scheduler) atLimit() bool {
	as := &s.actions
	if s.limit != nil || as.running > as.idle {
		return false
	}
	reached := Reached(s.opt.Limits, s.used)
	if reached == nil {
		return false
	}
	kept := as.resting > 0 || s.questions.anyOutside(&s.cleanup)
	for _, act := range as.queue[as.head:] {
		if act.state == queued {
			if s.mayStart(act) {
				return false
			}
			kept = true
		}
	}
	if kept {
		s.limit = reached
	}
	return kept
}

// atLimitToo makes the limit the reason of the end of a step whose scope was
// cancelled because of it.
func (s *scheduler) atLimitToo(r *flow.Record) {
	if s.limit != nil && (r.Reason == kernel.SkipCancelled || r.Status == flow.Cancelled && r.Reason == "") {
		r.Reason = kernel.SkipLimit
	}
}

// fillAtLimit begins the actions that may begin although a limit is reached.
func (s *scheduler) fillAtLimit() {
	as := &s.actions
	as.queue = slices.DeleteFunc(as.queue[as.head:], func(act *action) bool { return act.state != queued })
	as.head = 0
	for _, act := range as.queue {
		if s.mayStart(act) && s.takeSlot(act) {
			s.startAttempt(act)
		}
	}
}
