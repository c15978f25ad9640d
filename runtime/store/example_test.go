package store_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A question has one answer: the first one counts.
func ExampleStore() {
	ctx := context.Background()
	var runs store.Store = memory.New()
	defer runs.Close()

	question := &flow.Question{Key: "gate#1", Message: "Deploy now?", Choices: []string{"approve", "reject"}}
	run := store.Run{RunInfo: flow.RunInfo{ID: "deploy-k3x9qz", Workflow: "deploy"}, Status: flow.Paused}
	steps := []flow.Record{{Key: "gate#1", Kind: "question", Status: flow.Waiting, Question: question}}
	if err := runs.CreateRun(ctx, run, steps); err != nil {
		panic(err)
	}
	for _, choice := range []string{"approve", "reject"} {
		err := runs.Answer(ctx, run.ID, store.Answer{Key: "gate#1", Choice: choice, By: "ann", Given: time.Now()})
		fmt.Println(choice, errors.Is(err, store.ErrAnswered))
	}
	// Output:
	// approve false
	// reject true
}
