package kernel

import (
	"slices"
	"strings"
	"unicode"
)

// Reasons for which a step is skipped.
const (
	// SkipRule: the trigger rule did not hold.
	SkipRule = "trigger_rule"
	// SkipFailure: an earlier step of the sequence failed, or any node of a flow that
	// halts on failure.
	SkipFailure = "earlier_failure"
	// SkipCondition: the condition was false.
	SkipCondition = "when_condition"
	// SkipCancelled: the run, or the part of it that has the step, was cancelled before
	// the step started.
	SkipCancelled = "run_cancelled"
	// SkipUnreached: the run ended before the step started.
	SkipUnreached = "not_reached"
	// SkipGiven: an input of the run replaced the step's output.
	SkipGiven = "given"
	// SkipLimit: the run reached a limit before the step started.
	SkipLimit = "run_limit"
	// SkipTimeout: the step reached its time limit, which skips it.
	SkipTimeout = "timeout"
)

// Reasons of the failures of prompts that engines treat in their own way.
const (
	// FailureTimeout: the prompt took too long.
	FailureTimeout = "timeout"
	// FailureQuota: the agent refused, because the account's plan or its rate of requests is used up
	// for now.
	FailureQuota = "quota"
)

// Outcomes of runs; see flow.RunState.
const (
	OutcomeSucceeded = "succeeded"
	OutcomeFailed    = "failed"
)

// Reasons for which a state graph ends or halts, besides the names of limits and the
// reasons of failures.
const (
	// ReasonCompleted: the walk reached the end.
	ReasonCompleted = "completed"
	// ReasonPromise: an agent said the agreed word; see flow.GraphOptions.Promise.
	ReasonPromise = "completion_promise"
	// ReasonNoEdge: no edge that leaves a node holds.
	ReasonNoEdge = "no_edge"
	// ReasonStopped: a person stopped the run.
	ReasonStopped = "stopped"
	// ReasonGoals: the run ended while none of its completion conditions holds.
	ReasonGoals = "no_goal"
	// ReasonUndetermined: the text of a node does not determine its output.
	ReasonUndetermined = "output_undetermined"
)

// States of a state graph's run as they are saved.
const (
	StateRunning   = "running"
	StateCompleted = "completed"
	StateFailed    = "failed"
	StateStopped   = "stopped"
	StateLimit     = "LIMIT_REACHED"
)

// Answers to gates and reviews. A gate has the first two choices; a review has
// ChoiceReject and the others.
const (
	ChoiceApprove  = "approve"
	ChoiceReject   = "reject"
	ChoiceAccept   = "accept"
	ChoiceEdit     = "edit"
	ChoiceFeedback = "feedback"
	ChoiceRerun    = "rerun"
)

// Answers to waits: ChoiceSignal for an event, ChoiceWake for attention. ChoiceExpired
// answers one whose time is over.
const (
	ChoiceSignal  = "signal"
	ChoiceWake    = "wake"
	ChoiceExpired = "expired"
)

// Reasons of the failures of actions that are runs, and of the nodes that begin them:
// InvalidInput is a value that is not a list of items, or does not have the type of an
// input.
const (
	ChildFailed    = "child"
	ChildCancelled = "child_cancelled"
	InvalidInput   = "input"
)

// AtLimit is the reason of the failure of an attempt that would go on if the run were not at one
// of its limits: it is tried again by a process with a higher one.
const AtLimit = "at_limit"

// NotSimulated is the reason of a failure of a run of another workflow, or of an item of a
// list, in a run that performs none: a fixture of archon. It fails the whole list.
const NotSimulated = "not_simulated"

// Start is the id of a state graph's start.
const Start = "START"

// A Repeatable payload belongs to an action that may be performed any number of times.
// After an interruption it is performed again, even if the policy for its node differs.
type Repeatable interface{ Repeatable() }

// A ChildRun payload belongs to an action that is a separate run. It takes no slot,
// because its steps do. It is performed again after an interruption, because its own
// journal says what is left to do. Its result has the cost of the whole run.
type ChildRun interface{ ChildRun() }

// cancelledBy begins the reason of a run that somebody cancelled from outside.
const cancelledBy = "cancelled"

// CancelReason returns the reason of a run that somebody cancels from outside; by may be "".
func CancelReason(by string) string {
	if by == "" {
		return cancelledBy
	}
	return cancelledBy + " by " + by
}

// CancelledOutside reports whether somebody cancelled a run from outside, and not the
// workflow itself, for example because a person rejected a question.
func CancelledOutside(reason string) bool {
	return reason == cancelledBy || strings.HasPrefix(reason, cancelledBy+" by ")
}

// Choices of interrupts in state graphs.
const (
	Continue = "yes"
	Stop     = "no"
	Skip     = "skip"
)

// interruptWords are the words that people answer interrupts with, by choice.
var interruptWords = [][]string{
	{Continue, "proceed", "continue"},
	{Stop, "stop", "cancel"},
	{Skip},
}

// Match returns the choice that an answer means: the choice itself, in any case; `y`
// and `n` for `yes` and `no`; or a prefix of exactly one choice.
func Match(answer string, choices []string) (choice string, ok bool) {
	if exact := strings.TrimSpace(answer); slices.Contains(choices, exact) {
		return exact, true
	}
	word := strings.ToLower(strings.TrimFunc(answer, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".!'\"`", r) }))
	if word == "" {
		return "", false
	}
	if long := map[string]string{"y": "yes", "n": "no"}[word]; long != "" && slices.Contains(choices, long) {
		return long, true
	}
	var begins []string
	for _, c := range choices {
		switch lower := strings.ToLower(c); {
		case lower == word:
			return c, true
		case strings.HasPrefix(lower, word):
			begins = append(begins, c)
		}
	}
	if len(begins) != 1 {
		return "", false
	}
	return begins[0], true
}

// MatchInterrupt returns the choice of an interrupt that an answer means, or "". skip
// allows Skip.
func MatchInterrupt(answer string, skip bool) string {
	rows := interruptWords
	if !skip {
		rows = rows[:2]
	}
	word, ok := Match(answer, slices.Concat(rows...))
	for _, row := range rows {
		if ok && slices.Contains(row, word) {
			return row[0]
		}
	}
	return ""
}

// MatchQuestion returns the choice that an answer to a question of a state graph means.
// The key of the question distinguishes interrupts from other questions.
func MatchQuestion(key, answer string, choices []string) (choice string, ok bool) {
	if !strings.Contains(key, "/before#") && !strings.Contains(key, "/after#") {
		return Match(answer, choices)
	}
	choice = MatchInterrupt(answer, slices.Contains(choices, Skip))
	return choice, choice != ""
}
