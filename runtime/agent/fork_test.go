package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// forgetful is an agent that cannot copy sessions.
type forgetful struct{ agent.Agent }

func (f forgetful) Capabilities() agent.Capabilities {
	c := f.Agent.Capabilities()
	c.Forks = false
	return c
}

// A prompt that works on a copy of a session fails if there is no session, or if its agent
// cannot copy one: it never starts without the session that it needs.
func TestForks(t *testing.T) {
	for _, test := range []struct {
		name    string
		prompt  flow.Prompt
		cannot  bool
		status  flow.Status
		message string
	}{
		{"a copy", flow.Prompt{Text: "x", Session: "s1", Fork: true}, false, flow.Completed, ""},
		{"no session", flow.Prompt{Text: "x", Fork: true}, false, flow.Failed, "agent `bot` reported no session there"},
		{"another agent", flow.Prompt{Text: "x", Session: "s1", Fork: true}, true, flow.Failed, "which agent `bot` cannot make"},
		{"no copy", flow.Prompt{Text: "x", Session: "s1"}, true, flow.Completed, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, `{}`, false)
			if test.cannot {
				s.agent = forgetful{s.agent}
			}
			got := s.perform(context.Background(), test.prompt)
			message := ""
			if got.Failure != nil {
				message = got.Failure.Message
			}
			if got.Status != test.status || !strings.Contains(message, test.message) {
				t.Errorf("the turn is %s: %s", got.Status, message)
			}
			if asked := len(s.turns()); asked > 0 != (test.status == flow.Completed) {
				t.Errorf("%d turns", asked)
			}
		})
	}
}

// An agent that is asked again for a better reply still works on the copy.
func TestForkIsCorrected(t *testing.T) {
	s := newStage(t, `{"a":["prose","{\"t\":\"x\"}"]}`, true)
	got := s.perform(context.Background(), flow.Prompt{Text: "x", Session: "s1", Fork: true, Schema: []byte(schema)})
	turns := s.turns()
	if got.Status != flow.Completed || len(turns) != 2 || turns[1].Session != "s1" || turns[1].FreshSession {
		t.Errorf("%s after the turns %+v", got.Status, turns)
	}
}
