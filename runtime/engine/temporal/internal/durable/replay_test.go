package durable_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// recordings are the flows of the histories in testdata, which a real server wrote; see
// test/temporal/history.
var recordings = map[string]func(c *flow.Context) (any, error){
	"gate": func(c *flow.Context) (any, error) {
		bash(c, "b", gate(c, "gate", bash(c, "a")))
		return nil, flow.Settle(c)
	},
}

// Code of this build goes on with the histories of runs that an earlier build began: it
// gives the same commands in the same order.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(recordings) {
		t.Fatalf("%d histories of %d flows: %v", len(files), len(recordings), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: claim.Converter(nil, nil)})
			if err != nil {
				t.Fatal(err)
			}
			def := &flow.Definition{Name: "hello", Flow: recordings[name]}
			for _, key := range []string{"a", "gate", "b"} {
				def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "bash"})
			}
			r.RegisterWorkflowWithOptions(durable.Workflow(def), workflow.RegisterOptions{Name: "hello"})
			if err := r.ReplayWorkflowHistoryFromJSONFile(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), file); err != nil {
				t.Error(err)
			}
		})
	}
}
