package wire

import "github.com/wfc-lang/wfc/runtime/flow"

// Names of search attributes, which are also those in the memo.
const (
	// AttributeStatus is the status of the run: a keyword.
	AttributeStatus = "WfcStatus"
	// AttributeWaiting lists what the run waits for: keywords such as `person: gate#1`.
	AttributeWaiting = "WfcWaitingFor"
	// AttributeCost is the cost in US dollars: a double. It is that of the last change of
	// the status.
	AttributeCost = "WfcCostUSD"
	// MemoQuestions are the open questions; only the memo has them.
	MemoQuestions = "WfcQuestions"
	// MemoStep is the step that began a child run; only the memo has it.
	MemoStep = "WfcStep"
)

// Waits says whom or what a question waits for: person, event or time.
func Waits(q *flow.Question) string {
	switch q.Wait {
	case flow.WaitTime:
		return "time"
	case flow.WaitEvent:
		return "event"
	}
	return "person"
}
