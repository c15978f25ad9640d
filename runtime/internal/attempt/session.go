package attempt

import (
	"strconv"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// SessionKey returns the key under which the session of an action's agent is kept for the
// next run of the workflow, or "" if it is not kept. Agents do not know each other's
// sessions, so each has its own.
func SessionKey(a flow.Action) string {
	p, ok := a.Payload.(flow.Prompt)
	if !ok || !p.Persist {
		return ""
	}
	return strconv.Quote(p.Agent) + " " + a.Key
}

// Continue returns an action with the session that the last run of the workflow left, if the
// action continues that. find returns the session of a key, or "".
func Continue(a flow.Action, find func(key string) (string, error)) (flow.Action, error) {
	key := SessionKey(a)
	p, _ := a.Payload.(flow.Prompt)
	if key == "" || p.Session != "" || p.FreshSession || p.Fork {
		return a, nil
	}
	session, err := find(key)
	p.Session = session
	a.Payload = p
	return a, err
}
