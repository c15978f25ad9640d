// Command service continues the runs that an earlier process left, starts the runs in its
// arguments, and prints how each run ended. With HOLD set, its agent never answers.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"example.com/outside/draft"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine/local"
)

func main() {
	if err := serve(context.Background(), os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, start []string) error {
	e, err := draft.Open(ctx, embedding.Options{AgentFuncs: map[string]embedding.AgentFunc{"": answer}})
	if err != nil {
		return err
	}
	defer e.Shutdown(ctx)
	var ids []string
	err = e.ResumeAll(ctx, func(id string, err error) {
		fmt.Println("resumed", id, err)
		ids = append(ids, id)
	})
	if err != nil {
		return err
	}
	for _, topic := range start {
		inputs, err := json.Marshal(draft.Inputs{Arguments: topic})
		if err != nil {
			return err
		}
		if _, err := e.RunAsync(ctx, &draft.Workflow, inputs, local.Options{ID: topic}); err != nil {
			return err
		}
		ids = append(ids, topic)
	}
	for _, id := range ids {
		status, err := e.Wait(ctx, id)
		if err != nil {
			return err
		}
		fmt.Println(id, status.Status, string(status.Outputs))
	}
	return nil
}

func answer(ctx context.Context, r *agent.Request) (string, error) {
	fmt.Println("asked", r.RunID, r.Key)
	if os.Getenv("HOLD") == r.Key {
		<-ctx.Done()
	}
	return r.Key + " about " + r.RunID, ctx.Err()
}
