package memory_test

import (
	"context"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A run is there with its steps once CreateRun returns.
func Example() {
	ctx := context.Background()
	runs := memory.New()
	defer runs.Close()

	run := store.Run{RunInfo: flow.RunInfo{ID: "release-k3x9qz", Workflow: "release"}, Status: flow.Running}
	steps := []flow.Record{{Key: "build", Kind: "bash", Status: flow.Pending}}
	if err := runs.CreateRun(ctx, run, steps); err != nil {
		fmt.Println(err)
		return
	}
	done := flow.Batch{
		Steps: []flow.Record{{Key: "build", Kind: "bash", Status: flow.Completed, Text: "ok"}},
		Run:   &flow.RunState{Status: flow.Completed},
	}
	if err := runs.Commit(ctx, "release-k3x9qz", done); err != nil {
		fmt.Println(err)
		return
	}
	list, err := runs.Runs(ctx, store.Filter{Workflow: "release"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range list {
		fmt.Println(r.ID, r.Status)
	}
	// Output: release-k3x9qz completed
}
