package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/perform"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Work implements cluster.Cluster. A worker polls three queues: the one that all workers
// share, its own for runs whose files it has, and one on which it only answers that it
// lives.
func (c *Client) Work(ctx context.Context, w cluster.Worker) error {
	if err := sandbox.Check(&w.Sandbox); err != nil {
		return err
	}
	c.addAttributes(ctx)
	name := workerName()
	own, probe := c.queue+"@"+name, c.queue+"@"+name+"/probe"
	p := &perform.Worker{
		Workflow: c.def, Performers: w.Performers, State: w.State, WorkDir: w.WorkDir, Queue: own, Probe: probe, Name: name,
		Environ: w.Environ, Scripts: w.Scripts, Secrets: w.Secrets, Sandbox: w.Sandbox, Ended: c.Ended, Grace: w.Grace, Limits: w.Limits,
	}
	log := c.openLog(w.State, name)
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
		workers = append(workers, c.newWorker(queue, opt, p))
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
	// All queues of actions at once: none gives out more, and their actions share the grace
	// period. Until these have ended, the worker answers that it lives.
	var actions sync.WaitGroup
	for i, each := range workers {
		if i != probing {
			actions.Go(each.Stop)
		}
	}
	actions.Wait()
	workers[probing].Stop()
	health()
	return err
}

// probing is the index of the worker that only answers that this process lives.
const probing = 2

// reporting is how long actions that are ended after the grace period have to stop their
// programs, and the worker to notify the cluster.
const reporting = 15 * time.Second

func (c *Client) newWorker(queue string, opt worker.Options, p *perform.Worker) worker.Worker {
	w := worker.New(c.temporal, queue, opt)
	for _, def := range flow.Reachable(c.def) {
		if opt.DisableWorkflowWorker {
			break
		}
		w.RegisterWorkflowWithOptions(durable.Workflow(def, c.converter), workflow.RegisterOptions{Name: def.Name})
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
		WorkerStopTimeout:                  w.Grace + reporting,
		// A cancellation reaches an action with its next sign of life.
		DefaultHeartbeatThrottleInterval: 2 * time.Second, MaxHeartbeatThrottleInterval: 2 * time.Second,
		DeploymentOptions: worker.DeploymentOptions{
			UseVersioning: true, Version: c.deploymentVersion(), DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		},
	}
}

// untilDone returns when the worker is to end: ctx has ended, the worker has stopped by itself,
// or it drains and its build has no open run.
func (c *Client) untilDone(ctx context.Context, w cluster.Worker, stopped <-chan error) error {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for {
		if w.Drain && ctx.Err() == nil {
			open, err := c.openRuns(ctx)
			switch {
			case err == nil && open == 0:
				return nil
			case err != nil && ctx.Err() == nil:
				w.Log.Warn("cannot count the open runs of this build", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-stopped:
			return fmt.Errorf("the worker has stopped: %w", err)
		case <-tick.C:
		}
	}
}

// countEvery is how often a draining worker counts the open runs of its build.
const countEvery = time.Second

// openRuns counts the runs that are pinned to this build and have not ended.
func (c *Client) openRuns(ctx context.Context) (int64, error) {
	v := c.deploymentVersion()
	r, err := c.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: c.namespace,
		Query:     "ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = " + quoteString(v.DeploymentName+":"+v.BuildID),
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
	for _, def := range flow.Reachable(c.def) {
		add(wire.RunTags(def))
		for _, n := range def.Nodes {
			add(n.WorkerTags)
		}
	}
	return queues
}

// workerName returns a unique name for a worker: the name of the machine, the id of the process
// and random digits.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	var b [4]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(b[:]))
}

// serveHealth answers requests for /healthz at an address until stop is called. If the address
// is "", it does nothing. It calls fatal if it can no longer answer.
func serveHealth(address string, fatal func(error)) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return func() {}, fmt.Errorf("--health: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fatal(fmt.Errorf("the health endpoint: %w", err))
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // the process ends anyway
	}, nil
}
