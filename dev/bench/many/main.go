//go:build unix

// Command many runs a chain of bash nodes many times at once in one process, as a program that
// embeds an engine does:
//
//	many FOLDER RUNS NODES
//
// The folder has the state of the runs. The runs are kept there in SQLite or, if
// WFC_DATABASE_URL is set, in PostgreSQL.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "many: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: many FOLDER RUNS NODES")
	}
	runs, runsErr := strconv.Atoi(args[1])
	nodes, nodesErr := strconv.Atoi(args[2])
	if err := errors.Join(runsErr, nodesErr); err != nil {
		return err
	}
	options := embedding.Options{
		OpenStore: entstore.OpenState, Performers: []engine.Performer{&shell.Performer{}}, Defaults: settings.Project{State: args[0]},
	}
	if os.Getenv("WFC_DATABASE_URL") != "" {
		options.OpenDatabase = postgres.OpenURL
	}
	e, err := embedding.Open(context.Background(), options)
	if err != nil {
		return err
	}
	def := chain(nodes)
	results := make(chan error, runs)
	for range runs {
		go func() {
			r, err := e.Run(context.Background(), def, nil, local.Options{})
			if err == nil && r.Status != flow.Completed {
				err = fmt.Errorf("the run %s is %s: %s", r.ID, r.Status, r.Error)
			}
			results <- err
		}()
	}
	for range runs {
		err = errors.Join(err, <-results)
	}
	return errors.Join(err, e.Shutdown(context.Background()))
}

// chain is a workflow of bash nodes, each of which needs the one before.
func chain(nodes int) *flow.Definition {
	def := &flow.Definition{Name: "chain", Fingerprint: "chain"}
	for i := range nodes {
		n := flow.NodeInfo{Key: fmt.Sprintf("n%d", i), Kind: "bash"}
		if i > 0 {
			n.After = []string{def.Nodes[i-1].Key}
		}
		def.Nodes = append(def.Nodes, n)
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var after []flow.AnyTask
		for _, n := range def.Nodes {
			after = []flow.AnyTask{flow.Spawn(c, flow.Node[string]{Key: n.Key, Kind: n.Kind, After: after, Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Bash{Script: "true"}))
			}})}
		}
		return nil, flow.Settle(c)
	}
	return def
}
