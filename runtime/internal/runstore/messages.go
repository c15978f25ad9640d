package runstore

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The boxes of messages.
const (
	// BoxNotice has the notices on their way to people.
	BoxNotice = "notice"
	// BoxTrigger has the events that arrived and start or continue runs.
	BoxTrigger = "trigger"
	// BoxApproval has the approvals of questions that several people have to answer. They stay
	// queued until their run is removed.
	BoxApproval = "approval"
)

// The states of a message.
const (
	// MessageQueued: a process will handle it once it is due.
	MessageQueued = "queued"
	// MessageDone: it was handled, or nobody needs it any more.
	MessageDone = "done"
	// MessageFailed: it could not be handled, and nobody tries again.
	MessageFailed = "failed"
)

// A Message is a message as a store keeps it.
type Message struct {
	flow.Message
	// ID is the number that the store gave it.
	ID int64
	// Box is one of the boxes above.
	Box string
	// RunID is the run that it is about, or "".
	RunID string
	// State is one of the states above.
	State string
	// Attempts counts the claims.
	Attempts int
	// Updated is the time of the last change.
	Updated time.Time
	// Problem says why the last attempt failed, or why nobody needs the message.
	Problem string
}

// A MessageFilter selects messages; zero fields select all.
type MessageFilter struct {
	Box, RunID, State string
	// Workflows selects the messages of these workflows.
	Workflows []string
}

// A Mailbox is a store that keeps messages. Batches put messages into its box of notices.
type Mailbox interface {
	// AddMessages queues messages, and reports for each whether it is new: a message whose key
	// its box knows changes nothing. Only the fields Box, RunID and those of flow.Message count.
	AddMessages(ctx context.Context, list []Message) (added []bool, err error)
	// Messages returns the selected messages in the order in which they came.
	Messages(ctx context.Context, f MessageFilter) ([]Message, error)
	// ClaimMessage gives a queued message to the caller until a time: it adds one to Attempts
	// and makes the message due then. It reports false if another process has changed the
	// message since the caller read it.
	ClaimMessage(ctx context.Context, m Message, now, until time.Time) (bool, error)
	// SettleMessage records what became of a claimed message: its State, Due and Problem. It
	// changes nothing if another process has claimed the message since.
	SettleMessage(ctx context.Context, m Message, now time.Time) error
	// DropMessages removes the settled messages of a workflow, "" for all, that have not changed
	// since a time and are about no run of the store.
	DropMessages(ctx context.Context, workflow string, since time.Time) error
}
