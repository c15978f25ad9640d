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

// payloadName is the name of the file in the folder of a run with the payload that started it.
const payloadName = "payload.json"

// actorVariable is the environment variable by which a server that starts, resumes or cancels a run
// for a person tells who that is. No process of the run gets it.
const actorVariable = "WFC_ACTS_FOR"

// takeActor returns the person whom the environment names, or nil. One without a name says that the
// command continues a run after an answer, which says who gave it.
func takeActor() *actions.Actor {
	text := os.Getenv(actorVariable)
	os.Unsetenv(actorVariable) // nothing makes that fail
	var by actions.Actor
	if text == "" || json.Unmarshal([]byte(text), &by) != nil {
		return nil
	}
	return &by
}

// actor is who starts, resumes or cancels a run by this command.
func (c *call) actor() actions.Actor {
	if c.actsFor != nil && c.actsFor.Name != "" && human.AnyRun() == "" {
		return *c.actsFor
	}
	p := c.person()
	return actions.Actor{Name: p.Name, From: p.From}
}

// actorEnviron names a person in the environment of a program that acts for them.
func actorEnviron(by actions.Actor) []string {
	return []string{actorVariable + "=" + string(plain.MustEncodeJSON(by))}
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
