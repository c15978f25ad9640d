package durable_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// With keys, steps, children, questions and new workflows of a run read each other's values.
func TestRunWithKeys(t *testing.T) {
	cipher, err := claim.Keys(strings.Repeat("A", 43) + "=")
	if err != nil {
		t.Fatal(err)
	}
	w := world(t, stage{}, "a ask<a b<ask", func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "ask", bash(c, "a")))
		return nil, flow.Settle(c)
	})
	w.Cipher = cipher
	must(t, flow.Paused)(w.Process())
	must(t, flow.Paused)(w.Process()) // in a new workflow
	must(t, flow.Completed)(w.Process(approve("ask#1")))
	if s := step(w, "b"); s.Text != "ran b" {
		t.Errorf("%+v", s)
	}
	w = family(t, stage{}, func(c *flow.Context) (any, error) {
		bash(c, "in")
		return nil, flow.Settle(c)
	})
	w.Cipher = cipher
	must(t, flow.Completed)(w.Process())
	if s := step(w, "b"); s.Status != flow.Completed {
		t.Errorf("%+v", s)
	}
}

// The result of another step, or of another attempt, is no result: the workflow task fails.
func TestResultOfAnotherStep(t *testing.T) {
	for of, want := range map[string]string{"a/1": "", "": "", "b/1": "that of b/1", "a/2": "that of a/2"} {
		w := world(t, stage{}, "a", func(c *flow.Context) (any, error) {
			bash(c, "a")
			return nil, flow.Settle(c)
		})
		w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
			env.OnActivity(wire.Perform, mock.Anything, mock.Anything).Return(&wire.Report{Of: of, Result: &wire.Result{Status: flow.Completed}}, nil)
		}
		if end, err := w.Process(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v %v", of, end, err)
		}
	}
}

// broken is a cipher that fails for some values.
type broken struct {
	claim.Cipher
	fails func(plain []byte) bool
}

func (b *broken) Seal(plain, place []byte) ([]byte, error) {
	if b.fails(plain) {
		return nil, errors.New("no entropy")
	}
	return b.Cipher.Seal(plain, place)
}

// memoOf runs a workflow that asks a person, and returns its memo and its error.
func memoOf(cipher claim.Cipher) (memo map[string]*commonpb.Payload, err error) {
	def := &flow.Definition{Name: "demo", Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: "ask", Kind: "approval"}}, Flow: func(c *flow.Context) (any, error) {
		gate(c, "ask")
		return nil, flow.Settle(c)
	}}
	values := claim.Encoding(nil, cipher)
	suite := &testsuite.WorkflowTestSuite{}
	env := suite.NewTestWorkflowEnvironment()
	env.SetDataConverter(values)
	env.RegisterWorkflowWithOptions(durable.Workflow(def, values), workflow.RegisterOptions{Name: def.Name})
	memo = map[string]*commonpb.Payload{}
	env.OnUpsertMemo(mock.Anything).Return(nil).Run(func(args mock.Arguments) {
		for name, v := range args.Get(0).(map[string]any) {
			memo[name] = v.(converter.RawValue).Payload()
		}
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(wire.Suspend, nil) }, time.Hour)
	env.ExecuteWorkflow(def.Name, wire.Start{Kept: wire.Kept{Run: flow.RunInfo{Workflow: "demo"}, Options: wire.Options{Workspace: wire.WorkspaceNone}, Place: &wire.Place{}}})
	return memo, env.GetWorkflowError()
}

// The memo of a run is encrypted, whatever the server can do, and belongs to its run. If it
// cannot be encrypted, the workflow task fails.
func TestMemo(t *testing.T) {
	cipher, err := claim.Keys(strings.Repeat("A", 43) + "=")
	if err != nil {
		t.Fatal(err)
	}
	memo, err := memoOf(cipher)
	if err != nil || len(memo) < 2 {
		t.Fatalf("%v: %v", err, memo)
	}
	for name, p := range memo {
		if string(p.GetMetadata()["encoding"]) != "wfc/sealed" || bytes.Contains(p.GetData(), []byte("ship it?")) {
			t.Errorf("%s is %v", name, p)
		}
	}
	questions := func(id string) (list []flow.Question, err error) {
		place := converter.WorkflowSerializationContext{Namespace: "default-test-namespace", WorkflowID: id}
		err = converter.WithDataConverterSerializationContext(claim.Encoding(nil, cipher), place).FromPayload(memo[wire.MemoQuestions], &list)
		return list, err
	}
	if list, err := questions("default-test-workflow-id"); err != nil || len(list) != 1 || list[0].Message != "ship it?" {
		t.Errorf("%v %v", list, err)
	}
	if list, err := questions("another"); err == nil {
		t.Errorf("another run has the questions %v", list)
	}
	memo, err = memoOf(&broken{cipher, func(plain []byte) bool { return bytes.Contains(plain, []byte("ship it?")) }})
	if err == nil || !strings.Contains(err.Error(), "for the memo: encrypt a value: no entropy") || bytes.Contains(memo[wire.MemoQuestions].GetData(), []byte("ship it?")) {
		t.Errorf("%v: %v", err, memo)
	}
}
