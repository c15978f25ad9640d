// Package inbox queues what arrives for the triggers of a workflow, and passes it on to those who
// start runs or report events. A delivery is queued once, by its id, and durably before
// Accept returns; the id of its run follows from the delivery, so that no crash starts a
// second one.
package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// A Delivery is what arrived: an authentic request, a changed file, or a new commit.
type Delivery struct {
	Trigger *trigger.Trigger
	// ID identifies the delivery among those of its trigger.
	ID string
	// Event is the name of the event, or "".
	Event string
	// Payload is a JSON document, which may have any content.
	Payload json.RawMessage
}

// A Receipt says what became of a delivery.
type Receipt struct {
	Outcome Outcome
	// Run is the id of the run that the delivery starts, or "".
	Run string
}

// An Outcome is what became of a delivery.
type Outcome string

// The outcomes.
const (
	// Queued: the delivery is in the store, and a worker will act on it.
	Queued Outcome = "queued"
	// Known: it was queued before.
	Known Outcome = "known"
	// Ignored: the condition of the trigger does not hold.
	Ignored Outcome = "ignored"
	// Foreign: it answers a run of another workflow.
	Foreign Outcome = "foreign"
)

// An Item is a queued delivery.
type Item struct {
	trigger.Request
	// ID, Event, Received and Payload are those of the delivery, the last byte for byte, and
	// Trigger is the name of its trigger.
	ID       string    `json:"id"`
	Trigger  string    `json:"trigger"`
	Event    string    `json:"on,omitempty"`
	Received time.Time `json:"received"`
	Payload  []byte    `json:"payload,omitempty"`
	// RunID is the id of the run that it starts, or "".
	RunID string `json:"-"`
}

// A Queue is the queue of a workflow.
type Queue struct {
	Box        runstore.Mailbox
	Definition *flow.Definition
	// Dir is the folder from which paths in inputs start.
	Dir string
	Log *slog.Logger
	// Foreign reports whether another workflow has a run. Its program takes the answers to it.
	Foreign func(ctx context.Context, run string) bool
	// Arrived is called after a delivery was queued; it may be nil.
	Arrived func()
}

// Accept queues a delivery. The error is a *trigger.MappingError if the payload doesn't fit.
func (q *Queue) Accept(ctx context.Context, d Delivery) (Receipt, error) {
	request, err := d.Trigger.Map(q.Definition, d.Payload, q.Dir)
	if err != nil {
		return Receipt{}, err
	}
	if request == nil {
		return Receipt{Outcome: Ignored}, nil
	}
	if request.Answer != nil && q.Foreign(ctx, request.Answer.Run) {
		return Receipt{Outcome: Foreign}, nil
	}
	now := time.Now().Round(0)
	item := Item{Request: *request, ID: d.ID, Trigger: d.Trigger.Name(), Event: d.Event, Received: now, Payload: d.Payload}
	body, err := json.Marshal(item)
	if err != nil {
		return Receipt{}, fmt.Errorf("the delivery cannot be kept: %w", err)
	}
	m := runstore.Message{Box: runstore.BoxTrigger, Message: flow.Message{
		Key: q.key(item.Trigger, d.ID), Workflow: q.Definition.Name, Event: d.Event, Target: item.Trigger, Body: body, Created: now, Due: now,
	}}
	if request.Event == "" && request.Answer == nil {
		m.RunID = RunID(q.Definition.Name, m.Key)
	}
	added, err := q.Box.AddMessages(ctx, []runstore.Message{m})
	if err != nil {
		return Receipt{}, fmt.Errorf("the delivery could not be queued: %w", err)
	}
	if !added[0] {
		return Receipt{Known, m.RunID}, nil
	}
	if q.Arrived != nil {
		q.Arrived()
	}
	return Receipt{Queued, m.RunID}, nil
}

// longestKey is the longest delivery id that a key contains as it is.
const longestKey = 200

// key is the key of a delivery in the box.
func (q *Queue) key(name, id string) string {
	key := strings.ToValidUTF8(q.Definition.Name+" "+name+" "+id, "\uFFFD")
	if len(id) > longestKey || strings.ContainsRune(key, 0) {
		key = fmt.Sprintf("%s %s sha256:%s", q.Definition.Name, name, runid.Hash(64, id))
	}
	return key
}

// RunID returns the id of the run that the delivery of a key starts.
func RunID(workflow, key string) string {
	return runid.Slug(workflow) + "-" + runid.Hash(16, key)
}
