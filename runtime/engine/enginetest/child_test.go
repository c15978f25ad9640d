package enginetest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// kid asks a person and echoes the answer.
var kid = flow.Definition{
	Name:  "kid",
	Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "say", Kind: "bash", ArtifactType: "words", After: []string{"gate"}}},
	Flow: func(c *flow.Context) (any, error) {
		gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			r, err := c.Ask("#1", flow.Question{Message: "ok?", Choices: []string{"approve", "reject"}})
			if err == nil && r.Meta.Choice == "reject" {
				c.CancelRun("rejected")
				return "", flow.ErrCancelled
			}
			return r.Text, err
		}})
		flow.Spawn(c, flow.Node[string]{Key: "say", Kind: "bash", After: []flow.AnyTask{gate}, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: gate.Final().Text})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	},
}

// family is a workflow whose step c runs kid.
func family() *flow.Definition {
	return &flow.Definition{
		Name: "top", Children: []*flow.Definition{&kid},
		Nodes: []flow.NodeInfo{{Key: "c", Kind: "workflow"}},
		Flow: func(c *flow.Context) (any, error) {
			task := flow.Spawn(c, flow.Node[string]{Key: "c", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Child{Workflow: "kid"})
				return r.Text, err
			}})
			err := flow.Settle(c)
			return task.Final().Text, err
		},
	}
}

func newFamily(t *testing.T, child func(string, flow.Child) (*enginetest.Run, error)) *enginetest.Run {
	t.Helper()
	if child == nil {
		child = func(string, flow.Child) (*enginetest.Run, error) {
			return &enginetest.Run{Definition: &kid, Info: &flow.RunInfo{ID: "kid-1", ArtifactsDir: t.TempDir()}, Performers: []engine.Performer{echo{}}}, nil
		}
	}
	return &enginetest.Run{Definition: family(), Info: &flow.RunInfo{ID: "top-1"}, Performers: []engine.Performer{echo{}}, Child: child}
}

// A run pauses while its child waits for a person, and continues with the child's output.
func TestChild(t *testing.T) {
	run := newFamily(t, nil)
	if end, err := run.Continue(); err != nil || end.Status != flow.Paused {
		t.Fatalf("%+v %v", end, err)
	}
	child := run.Children["c"]
	if child == nil || child.End().Status != flow.Paused {
		t.Fatalf("the child is %+v", child)
	}
	child.Answer("gate#1", flow.Result{Status: flow.Completed, Text: "hello", Meta: flow.Meta{Choice: "approve"}})
	end, err := run.Continue()
	if err != nil || end.Status != flow.Completed || string(end.Outputs) != `"hello"` {
		t.Fatalf("%+v %v", end, err)
	}
	kept, err := os.ReadFile(filepath.Join(child.Info.ArtifactsDir, "nodes", "say.md"))
	if err != nil || string(kept) != "hello" {
		t.Errorf("the artifact is %q %v", kept, err)
	}
}

// A child that a person cancels fails its step.
func TestCancelledChild(t *testing.T) {
	run := newFamily(t, nil)
	if _, err := run.Continue(); err != nil {
		t.Fatal(err)
	}
	run.Children["c"].Answer("gate#1", flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "reject"}})
	end, err := run.Continue()
	if err != nil || end.Status != flow.Failed || !strings.Contains(end.Error, "rejected") {
		t.Errorf("%+v %v", end, err)
	}
}

// A child that cannot begin fails its step.
func TestChildThatCannotBegin(t *testing.T) {
	run := newFamily(t, func(string, flow.Child) (*enginetest.Run, error) { return nil, errors.New("no room") })
	end, err := run.Continue()
	if err != nil || end.Status != flow.Failed || !strings.Contains(end.Error, "no room") {
		t.Errorf("%+v %v", end, err)
	}
}
