package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// gated is the workflow of the Go program with an engine that scripts call as `service`.
var gated = flow.Definition{
	Name: "gated", Fingerprint: "f1",
	Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "end", Kind: "go", After: []string{"gate"}}},
	Flow: func(c *flow.Context) (any, error) {
		gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Ship it?", Capture: true}.Run(c)
		}})
		flow.Spawn(c, flow.Node[string]{Key: "end", Kind: "go", After: flow.After(gate), Run: func(*flow.Context) (string, error) { return gate.Final().Text, nil }})
		return nil, flow.Settle(c)
	},
}

// serviceMain starts a run, which pauses, or continues runs and prints how they end.
func serviceMain() {
	ctx := context.Background()
	e, err := embedding.Open(ctx, embedding.Options{Workflows: []*flow.Definition{&gated}, OpenStore: entstore.OpenState})
	if err == nil && os.Args[1] == "run" {
		var r *local.Result
		if r, err = e.Run(ctx, &gated, json.RawMessage(`{}`), local.Options{}); err == nil {
			fmt.Println(r.ID, r.Status)
		}
	} else if err == nil {
		var ids []string
		err = e.ResumeAll(ctx, func(id string, err error) { ids = append(ids, id) })
		for _, id := range ids {
			s, err := e.Wait(ctx, id)
			fmt.Println(id, s.Status, err)
		}
	}
	if err == nil {
		err = e.Shutdown(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
