package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// The examples run this workflow, which greets somebody and then says goodbye.
// Programs have the Workflow, and a typed Run, of a package that `wfc gen` writes;
// it looks much like this.
var greeting = flow.Definition{
	Name:   "greeting",
	Inputs: []flow.InputInfo{{Name: "name", Type: "text", Default: `"world"`}},
	Nodes:  []flow.NodeInfo{{Key: "hello", Kind: "bash"}, {Key: "goodbye", Kind: "bash", After: []string{"hello"}}},
	Flow: func(c *flow.Context) (any, error) {
		var in struct {
			Name string `json:"name"`
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		say := func(key string, after ...flow.AnyTask) *flow.Task[string] {
			return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: key + ", " + in.Name})
				return r.Text, err
			}})
		}
		hello := say("hello")
		goodbye := say("goodbye", hello)
		err := flow.Settle(c)
		return map[string]string{"goodbye": goodbye.Final().Text}, err
	},
}

// echo performs bash steps without bash: each prints its script. A program has
// &shell.Performer{} here.
type echo struct {
	// wait, if set, is waited for first.
	wait chan struct{}
}

func (echo) Kind() string { return "bash" }

func (e echo) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	if e.wait != nil {
		select {
		case <-e.wait:
		case <-ctx.Done():
			return flow.Result{Status: flow.Cancelled}
		}
	}
	return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(flow.Bash).Script}
}

// exampleEngine makes an engine whose runs are kept in the process.
func exampleEngine(performer engine.Performer) (e *local.Engine, done func()) {
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		panic(err)
	}
	e, err = local.New(local.Config{Store: memory.New(), State: folder, Performers: []engine.Performer{performer}})
	if err != nil {
		panic(err)
	}
	return e, func() {
		_ = e.Shutdown(context.Background())
		os.RemoveAll(folder)
	}
}

func ExampleEngine_Run() {
	e, done := exampleEngine(echo{})
	defer done()

	result, err := e.Run(context.Background(), &greeting, json.RawMessage(`{"name": "Ann"}`), local.Options{})
	if err != nil {
		fmt.Println(err) // the engine could not run it
		return
	}
	fmt.Println(result.Status)
	fmt.Println(string(result.Outputs))

	_, err = e.Run(context.Background(), &greeting, json.RawMessage(`{"nmae": "Ann"}`), local.Options{})
	fmt.Println(err)
	// Output:
	// completed
	// {"goodbye":"goodbye, Ann"}
	// the inputs of workflow greeting: unknown input `nmae`
}

// A run outlives the request that has begun it.
func ExampleEngine_RunAsync() {
	proceed := make(chan struct{})
	e, done := exampleEngine(echo{wait: proceed})
	defer done()

	request, end := context.WithCancel(context.Background())
	id, err := e.RunAsync(request, &greeting, nil, local.Options{ID: "greeting-1"})
	end()
	if err != nil {
		fmt.Println(err)
		return
	}

	status, err := e.Status(context.Background(), id)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(id, status.Status, len(status.Steps), "steps")

	close(proceed)
	if status, err = e.Wait(context.Background(), id); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(id, status.Status, time.Since(status.StartedAt) < time.Minute)
	for _, step := range status.Steps {
		fmt.Println(step.Key, step.Status, step.Text)
	}
	// Output:
	// greeting-1 running 2 steps
	// greeting-1 completed true
	// hello completed hello, world
	// goodbye completed goodbye, world
}

// What has not begun when a run is cancelled is skipped.
func ExampleEngine_Cancel() {
	e, done := exampleEngine(echo{wait: make(chan struct{})})
	defer done()

	id, err := e.RunAsync(context.Background(), &greeting, nil, local.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := e.Cancel(context.Background(), id, "ann"); err != nil {
		fmt.Println(err)
		return
	}
	status, err := e.Status(context.Background(), id)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", status.Status, status.Reason)
	fmt.Println(status.Steps[1].Key, status.Steps[1].Status)
	// Output:
	// cancelled: cancelled by ann
	// goodbye skipped
}

// Shutdown stops runs where they are; another engine on the same store goes on
// with them, and performs nothing again that was completed.
func ExampleEngine_Resume() {
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	runs := memory.New() // a program would open one that outlives it
	newEngine := func(performer engine.Performer) *local.Engine {
		e, err := local.New(local.Config{Store: runs, State: folder, Performers: []engine.Performer{performer}})
		if err != nil {
			panic(err)
		}
		return e
	}

	first := newEngine(echo{wait: make(chan struct{})})
	id, err := first.RunAsync(context.Background(), &greeting, nil, local.Options{ID: "greeting-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := first.Shutdown(context.Background()); err != nil {
		fmt.Println(err) // the context ended before the runs did
		return
	}
	_, err = first.RunAsync(context.Background(), &greeting, nil, local.Options{})
	fmt.Println(errors.Is(err, local.ErrShutdown))

	second := newEngine(echo{})
	list, err := second.ListRuns(context.Background(), store.Filter{Workflow: "greeting", Limit: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range list {
		fmt.Println(run.ID, run.Status, !run.StartedAt.IsZero())
	}
	result, err := second.Resume(context.Background(), &greeting, id, local.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, string(result.Outputs))
	// Output:
	// true
	// greeting-1 interrupted true
	// completed {"goodbye":"goodbye, world"}
}
