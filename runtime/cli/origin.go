package cli

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/human"
)

// payloadName is the name of the file beside a run with the payload that started it.
const payloadName = "payload.json"

// starterVariable is the environment variable by which a server that starts a run for a person tells
// who that is. No process of the run gets it.
const starterVariable = "WFC_STARTED_BY"

// takeStarter returns the person whom the environment names, or nil.
func takeStarter() *actions.Starter {
	text := os.Getenv(starterVariable)
	os.Unsetenv(starterVariable) // nothing makes that fail
	var s actions.Starter
	if text == "" || json.Unmarshal([]byte(text), &s) != nil || s.Name == "" {
		return nil
	}
	return &s
}

// starter is who starts a run by this command.
func (c *call) starter() actions.Starter {
	if c.startedBy != nil && human.AnyRun() == "" {
		return *c.startedBy
	}
	p := c.person()
	return actions.Starter{Name: p.Name, From: p.From}
}

// triggerOf returns what a run was started by, or nil. kept are the settings that are kept with
// it, and beside is the run's folder, or "" if the payload's file does not matter.
func triggerOf(kept json.RawMessage, beside string) *document.Trigger {
	t := keptSetting[*document.Trigger](kept, "trigger")
	if path := filepath.Join(beside, payloadName); t != nil && beside != "" && isFile(path) {
		t.PayloadFile = path
	}
	return t
}

// describeTrigger describes in a line what a run was started by; of nil it is "".
func describeTrigger(t *document.Trigger) string {
	if t == nil {
		return ""
	}
	return plain.Line(t.Name + prefixNonEmpty(", event ", t.Event) + prefixNonEmpty(", delivery ", plain.Clip(t.Delivery, 80)))
}
