package deliver_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// say performs bash steps: a script is what it gives, or fails while there is a
// file of that name.
type say struct{ dir string }

func (say) Kind() string { return "bash" }

func (s say) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	text := call.Action.Payload.(flow.Bash).Script
	if _, err := os.Stat(filepath.Join(s.dir, text)); !errors.Is(err, os.ErrNotExist) {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "there is a file " + text}}
	}
	return flow.Result{Status: flow.Completed, Text: text}
}

// digest is a workflow of two steps, whose first and whose result are delivered.
func digest() *flow.Definition {
	step := func(c *flow.Context, key string, after ...flow.AnyTask) *flow.Task[string] {
		return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: key})
			return r.Text, err
		}})
	}
	return &flow.Definition{
		Name: "digest", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "fetch", Kind: "bash"}, {Key: "write", Kind: "bash", After: []string{"fetch"}}},
		Flow: func(c *flow.Context) (any, error) {
			fetch := step(c, "fetch")
			flow.Deliver(c, fetch, "webhook:ci")
			write := step(c, "write", fetch)
			err := flow.Settle(c)
			if err == nil {
				flow.DeliverResult(c, "Workflow 'digest' completed.\n\n"+write.Final().Text)
			}
			return nil, err
		},
	}
}

// Requirement 002, step-level and workflow-level delivery: what a step gave is
// delivered besides being stored, the result when all steps have completed; once
// each, however often the run is resumed; and a channel that fails is to be seen
// in the run's status and fails nothing.
func TestDeliveriesOfARun(t *testing.T) {
	ci, room := serve(t, ok), serve(t, answer{status: 403, body: "action_prohibited"})
	dir := t.TempDir()
	st := memory.New()
	defer st.Close()
	e, err := local.New(local.Config{
		Store: st, State: t.TempDir(), Performers: []engine.Performer{say{dir}, deliver.NewPerformer()},
		Environ: []string{"WFC_WEBHOOK_CI_URL=" + ci.URL, "WFC_SLACK_URL=" + room.URL + "/secret-secret-secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "write")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opt := local.Options{WorkDir: dir, DeliverTo: []string{"slack:C1"}}
	r, err := e.Run(t.Context(), digest(), nil, opt)
	if err != nil || r.Status != flow.Failed || len(ci.got()) != 1 || len(room.got()) != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	r, err = e.Resume(t.Context(), digest(), r.ID, local.Options{})
	if err != nil || r.Status != flow.Completed {
		t.Fatalf("%+v %v", r, err)
	}
	if l := ci.got(); len(l) != 1 || l[0].body["text"] != "fetch" || l[0].body["run"] != r.ID {
		t.Errorf("%+v", l)
	}
	if l := room.got(); len(l) != 1 || l[0].body["text"] != "Workflow 'digest' completed.\n\nwrite" || l[0].body["channel"] != "C1" {
		t.Errorf("%+v", l)
	}
	status, err := e.Status(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]flow.Record{}
	for _, s := range status.Steps {
		seen[s.Key] = s
	}
	if s := seen["fetch/deliver"]; s.Status != flow.Completed || s.Text != "webhook:ci" || s.Kind != "deliver" {
		t.Errorf("%+v", s)
	}
	if s := seen["/deliver"]; s.Status != flow.Failed || s.Failure.Message != "not delivered to slack:C1: it answers with 403: action_prohibited" {
		t.Errorf("%+v", s)
	}
}

func TestWrongPayload(t *testing.T) {
	r := deliver.NewPerformer().Perform(t.Context(), &engine.Attempt{Info: &flow.RunInfo{}, Action: flow.Action{Payload: flow.Bash{}}, Log: slog.New(slog.DiscardHandler)})
	if r.Status != flow.Failed || !strings.Contains(r.Failure.Message, "not a delivery") {
		t.Errorf("%+v", r)
	}
}
