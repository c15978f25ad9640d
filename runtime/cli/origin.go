package cli

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/document"
)

// A triggerOrigin says what a run was started by. It is kept with the run's settings.
type triggerOrigin struct {
	Name     string    `json:"name"`
	Event    string    `json:"event,omitempty"`
	Delivery string    `json:"delivery,omitempty"`
	Received time.Time `json:"received,omitzero"`
}

// payloadName is the name of the file beside a run with the payload that started it.
const payloadName = "payload.json"

// triggerOf returns what a run was started by, or nil; kept are the settings that are kept with
// it.
func triggerOf(kept json.RawMessage) *triggerOrigin {
	var s struct {
		Trigger *triggerOrigin `json:"trigger"`
	}
	if json.Unmarshal(kept, &s) != nil {
		return nil // settings of another kind of caller
	}
	return s.Trigger
}

// document is the origin in the JSON of a run; beside is the run's folder.
func (t *triggerOrigin) document(beside string) *document.Trigger {
	if t == nil {
		return nil
	}
	d := &document.Trigger{Name: t.Name, Event: t.Event, Delivery: t.Delivery, Received: t.Received}
	if path := filepath.Join(beside, payloadName); isFile(path) {
		d.PayloadFile = path
	}
	return d
}

// String describes the origin in a line; of nil it is "".
func (t *triggerOrigin) String() string {
	if t == nil {
		return ""
	}
	return plain.Line(t.Name + prefixNonEmpty(", event ", t.Event) + prefixNonEmpty(", delivery ", plain.Clip(t.Delivery, 80)))
}
