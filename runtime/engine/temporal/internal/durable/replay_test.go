package durable_test

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Code of this build continues the histories of runs that an earlier build began: it gives
// the same commands in the same order. A real server wrote the histories in testdata, those
// of samples by
//
//	make record-temporal
//
// and gate.json by a binary with a gate between two nodes. NAME-2.json is the second workflow
// of the run of sample NAME.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	samples := trial.Samples()
	samples["gate"] = gateBinary()
	replayed := map[string]bool{}
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".json")
		name, _, _ := strings.Cut(base, "-")
		replayed[name] = true
		t.Run(base, func(t *testing.T) {
			r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: claim.Converter(nil, nil)})
			if err != nil {
				t.Fatal(err)
			}
			def := samples[name]
			if def == nil {
				t.Fatal("there is no such sample")
			}
			r.RegisterWorkflowWithOptions(durable.Workflow(def, claim.Converter(nil, nil)), workflow.RegisterOptions{Name: def.Name})
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			history, err := client.HistoryFromJSON(bytes.NewReader(text), client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
			began := history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
			err = r.ReplayWorkflowHistoryWithOptions(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), history, worker.ReplayWorkflowHistoryOptions{
				OriginalExecution: workflow.Execution{ID: began.GetWorkflowId()}, // ids of children begin with it
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		if !replayed[name] {
			t.Errorf("testdata has no history of %s", name)
		}
	}
}

// gateBinary is the workflow of gate.json.
func gateBinary() *flow.Definition {
	def := &flow.Definition{Name: "hello", Flow: func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "gate", bash(c, "a")))
		return nil, flow.Settle(c)
	}}
	keys := []string{"a", "gate", "b"}
	for i, key := range keys {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "bash", After: keys[max(i-1, 0):i]})
	}
	return def
}
