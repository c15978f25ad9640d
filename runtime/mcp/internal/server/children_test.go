package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// calling runs a workflow with a gate and a wait.
func calling() *flow.Definition {
	inner := &flow.Definition{Name: "inner", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "deploy", Kind: "wait"}}}
	inner.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Ship it?"}.Run(c)
		}})
		flow.Spawn(c, flow.Node[string]{Key: "deploy", Kind: "wait", Run: func(c *flow.Context) (string, error) {
			return steps.Wait{Event: "deployed", EventTimeout: time.Hour}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	def := &flow.Definition{Name: "calling", Fingerprint: "c1", Nodes: []flow.NodeInfo{{Key: "call", Kind: "workflow", Workflow: "inner"}}, Children: []*flow.Definition{inner}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "call", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Child{Workflow: "inner"})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	return def
}

// The status of a run shows its children, with the commands that end their waits; a child
// has a status of its own.
func TestStatusShowsChildren(t *testing.T) {
	s := serve(t, program(calling()))
	id := s.run(args{})
	d := s.until(id, flow.Paused)
	if len(d.Children) != 1 || len(d.Questions) != 0 {
		t.Fatalf("%+v", d)
	}
	child := d.Children[0]
	if child.ID != id+"--call" || child.Parent.Run != id || child.Parent.Step != "call" || child.Status != flow.Paused {
		t.Errorf("%+v", child)
	}
	if len(child.Questions) != 1 || !strings.Contains(child.Questions[0].Commands[0], "approve "+child.ID+" --node gate") {
		t.Errorf("questions %+v", child.Questions)
	}
	if len(child.Waits) != 1 || child.Waits[0].Event != "deployed" || !strings.Contains(child.Waits[0].Command, "signal "+child.ID+" deployed") {
		t.Errorf("waits %+v", child.Waits)
	}
	own := s.status(child.ID)
	if own.Parent == nil || own.Parent.Run != id || len(own.Nodes) < 2 || len(own.Waits) != 1 {
		t.Errorf("%+v", own)
	}
}
