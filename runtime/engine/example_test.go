package engine_test

import (
	"context"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// approver answers every question of a run. A program would ask a person, in another
// goroutine, and call r.Answer later.
type approver struct{}

func (approver) Ask(_ context.Context, q engine.Question, r engine.Replier) {
	fmt.Println(q.Message, q.Choices)
	if err := r.Answer(store.Answer{Choice: "approve", By: "example"}); err != nil {
		fmt.Println("not answered:", err)
	}
}

// An Asker lets a program answer the questions of the runs that it starts.
func ExampleAsker() {
	deploy := flow.Definition{
		Name:  "deploy",
		Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}},
		Flow: func(c *flow.Context) (any, error) {
			flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
				return steps.Approval{Message: "Deploy now?"}.Run(c)
			}})
			return nil, flow.Settle(c)
		},
	}
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	e, err := local.New(local.Config{Store: memory.New(), State: folder, Asker: approver{}})
	if err != nil {
		panic(err)
	}
	defer e.Shutdown(context.Background())
	result, err := e.Run(context.Background(), &deploy, nil, local.Options{WorkDir: folder})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Status)
	// Output:
	// Deploy now? [approve reject]
	// completed
}
