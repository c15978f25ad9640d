package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/perform"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// Work implements cluster.Cluster. A worker polls three queues: the one that all workers
// share, its own for runs whose files it has, and one on which it only answers that it
// lives.
func (c *Client) Work(ctx context.Context, w cluster.Worker) error {
	c.addAttributes(ctx)
	name := workerName()
	own, probe := c.queue+"@"+name, c.queue+"@"+name+"/probe"
	p := &perform.Worker{
		Workflow: c.def, Performers: w.Performers, State: w.State, WorkDir: w.WorkDir, Queue: own, Probe: probe, Name: name,
		Environ: w.Environ, Scripts: w.Scripts, Secrets: w.Secrets, Ended: c.Ended, Limits: w.Limits,
	}
	log, err := c.openLog(w.State, name)
	if err != nil {
		return err
	}
	defer log.close()
	p.Log = log
	stopped := make(chan error, 1)
	fatal := func(err error) {
		select {
		case stopped <- err:
		default:
		}
	}
	var workers []worker.Worker
	for _, queue := range append([]string{c.queue, own, probe}, c.tagQueues(w.Tags)...) {
		opt := c.workerOptions(w, name, queue == c.queue)
		opt.OnFatalError = fatal
		workers = append(workers, c.worker(queue, opt, p))
	}
	for i, each := range workers {
		if err := each.Start(); err != nil {
			for _, started := range workers[:i] {
				started.Stop()
			}
			return fmt.Errorf("start a worker: %w", err)
		}
	}
	health, err := serveHealth(w.Health, fatal)
	if err == nil {
		if w.Ready != nil {
			w.Ready()
		}
		err = c.untilDone(ctx, w, stopped)
	}
	// The shared queue first: what is on this worker's own may still be asked about.
	for _, each := range workers {
		each.Stop()
	}
	health()
	return err
}

func (c *Client) worker(queue string, opt worker.Options, p *perform.Worker) worker.Worker {
	w := worker.New(c.temporal, queue, opt)
	for _, def := range definitions(c.def) {
		if opt.DisableWorkflowWorker {
			break
		}
		w.RegisterWorkflowWithOptions(durable.Workflow(def), workflow.RegisterOptions{Name: def.Name})
	}
	for name, f := range p.Activities() {
		w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return w
}

func (c *Client) workerOptions(w cluster.Worker, name string, shared bool) worker.Options {
	return worker.Options{
		Identity:                           name,
		MaxConcurrentActivityExecutionSize: cmp.Or(w.MaxActions, 4*runtime.NumCPU()),
		DisableWorkflowWorker:              !shared,
		WorkerStopTimeout:                  w.Grace,
		// A cancellation reaches an action with its next sign of life.
		DefaultHeartbeatThrottleInterval: 2 * time.Second, MaxHeartbeatThrottleInterval: 2 * time.Second,
		DeploymentOptions: worker.DeploymentOptions{
			UseVersioning: true, Version: c.version(), DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		},
	}
}

// untilDone waits for the end of a worker's work.
func (c *Client) untilDone(ctx context.Context, w cluster.Worker, stopped <-chan error) error {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-stopped:
			return fmt.Errorf("the worker has stopped: %w", err)
		case <-tick.C:
			if !w.Drain {
				continue
			}
			open, err := c.openRuns(ctx)
			if err != nil {
				w.Log.Warn("the open runs of this build cannot be counted", "error", err)
			} else if open == 0 {
				return nil
			}
		}
	}
}

// openRuns counts the runs that are pinned to this build and have not ended.
func (c *Client) openRuns(ctx context.Context) (int64, error) {
	v := c.version()
	r, err := c.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: c.namespace,
		Query:     "ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = " + quoted(v.DeploymentName+":"+v.BuildID),
	})
	if err != nil {
		return 0, err
	}
	return r.GetCount(), nil
}

// tagQueues returns the queues of the steps and runs that need tags, all of which the worker
// has.
func (c *Client) tagQueues(tags []string) []string {
	var queues []string
	add := func(needed []string) {
		queue := wire.TagQueue(c.queue, needed)
		lacks := func(tag string) bool { return !slices.Contains(tags, tag) }
		if len(needed) > 0 && !slices.ContainsFunc(needed, lacks) && !slices.Contains(queues, queue) {
			queues = append(queues, queue)
		}
	}
	for _, def := range definitions(c.def) {
		add(wire.RunTags(def))
		for _, n := range def.Nodes {
			add(n.Tags)
		}
	}
	return queues
}

// definitions returns a workflow and those that its runs can begin, each once.
func definitions(def *flow.Definition) []*flow.Definition {
	var list []*flow.Definition
	seen := map[string]bool{}
	var add func(d *flow.Definition)
	add = func(d *flow.Definition) {
		if seen[d.Name] {
			return
		}
		seen[d.Name] = true
		list = append(list, d)
		for _, child := range d.Children {
			add(child)
		}
	}
	add(def)
	return list
}

// workerName is a name that no other worker has: that of the machine, and random digits.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	var b [4]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(b[:]))
}

var errNoLog = errors.New("there is no log of it here: logs are in the folder of --blobs, or on the worker")
