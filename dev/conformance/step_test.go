package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A runStep is what happens to a run after its process has ended: it is
// resumed, after somebody answered or not.
type runStep struct{ Choice, Text string }

// UnmarshalJSON reads {"resume": true}, or "approve" or "reject" with true or
// with what somebody said.
func (s *runStep) UnmarshalJSON(text []byte) error {
	var step map[string]any
	if err := json.Unmarshal(text, &step); err != nil {
		return err
	}
	if len(step) != 1 {
		return fmt.Errorf("the step %s is not one thing", text)
	}
	for name, value := range step {
		switch name {
		case "approve", "reject":
			s.Choice = name
			s.Text, _ = value.(string)
		case "resume":
		default:
			return fmt.Errorf("there is no step %q", name)
		}
	}
	return nil
}

// steps know which steps of a workflow's runs the engine records, and how.
type steps map[string]ir.Action

func newSteps(p *ir.Program) steps {
	s := steps{}
	for _, n := range p.Workflow.Body.All() {
		s[n.ID] = n.Action
	}
	return s
}

// rework ends the engine's names of the turns that follow a rejection.
const rework = ":on_reject"

// id is the engine's name for a step: what is a part of a node has the node's,
// except the turns that follow a rejection.
func (s steps) id(key string) string {
	if s[key] != nil {
		return key
	}
	for at, c := range key {
		if c != '#' && c != '/' || s[key[:at]] == nil {
			continue
		}
		if strings.HasPrefix(key[at:], "/rework#") {
			return key[:at] + rework
		}
		return key[:at]
	}
	return key
}

// recorded is how the engine records a step, if it does: it knows nothing of
// nodes that a cancelled run did not reach, of a cancel node that ran, of the
// iterations of loops, nor of gates that wait or were rejected.
func (s steps) recorded(r flow.Record) (id, form string, ok bool) {
	id = s.id(r.Key)
	if s[r.Key] == nil && !strings.HasSuffix(id, rework) {
		return "", "", false // a part of its node
	}
	if _, include := s[id].(*ir.Include); include {
		return "", "", false // the engine has only the nodes of its block
	}
	switch a := s[id]; r.Status {
	case flow.Pending, flow.Waiting:
		return "", "", false
	case flow.Skipped:
		if r.Reason == "run_cancelled" || r.Reason == "not_reached" {
			return "", "", false
		}
	case flow.Completed:
		if _, cancel := a.(*ir.Cancel); cancel {
			return "", "", false
		}
	case flow.Cancelled:
		switch a.(type) {
		case *ir.Loop, *ir.Approval:
			return "", "", false
		}
	}
	return id, nodeForm(string(r.Status), r.Text, r.Reason), true
}
