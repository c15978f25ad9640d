package cli

import (
	"encoding/json"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/document"
)

// payloadName is the name of the file beside a run with the payload that started it.
const payloadName = "payload.json"

// triggerOf returns what a run was started by, or nil. kept are the settings that are kept with
// it, and beside is the run's folder, or "" if the payload's file does not matter.
func triggerOf(kept json.RawMessage, beside string) *document.Trigger {
	var s struct {
		Trigger *document.Trigger `json:"trigger"`
	}
	if json.Unmarshal(kept, &s) != nil || s.Trigger == nil {
		return nil // nothing, or settings of another kind of caller
	}
	if path := filepath.Join(beside, payloadName); beside != "" && isFile(path) {
		s.Trigger.PayloadFile = path
	}
	return s.Trigger
}

// describeTrigger describes in a line what a run was started by; of nil it is "".
func describeTrigger(t *document.Trigger) string {
	if t == nil {
		return ""
	}
	return plain.Line(t.Name + prefixNonEmpty(", event ", t.Event) + prefixNonEmpty(", delivery ", plain.Clip(t.Delivery, 80)))
}
