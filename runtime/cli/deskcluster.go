package cli

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/store"
)

// clusterFlags name the namespaces whose runs the pages of serve show besides those of stores.
type clusterFlags struct {
	at         cluster.Connection
	namespaces []string
}

// namespacePlaces returns the places that the flags name.
func (p servedPages) namespacePlaces(d *runDesk, f clusterFlags) (list []*place, err error) {
	if f.at.Address == "" && len(f.namespaces) == 0 {
		return nil, nil
	}
	var opener cluster.Opener
	for _, one := range p.clusters {
		opener, _ = one.(cluster.Opener)
	}
	if opener == nil {
		return nil, usageError("this program cannot read a cluster: `wfc serve --temporal ADDRESS` can")
	}
	if len(f.namespaces) == 0 {
		f.namespaces = []string{""}
	}
	for _, name := range f.namespaces {
		b := &clusterBackend{call: d.call, opener: opener, at: f.at}
		b.at.Namespace = name
		one, err := d.clusterPlace(b)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// clusterPlace returns the place with the runs of a namespace.
func (d *runDesk) clusterPlace(b *clusterBackend) (*place, error) {
	folder, err := d.stateFolder()
	if err != nil {
		return nil, err
	}
	own := *b
	own.at.Remember = true
	at := own.connection()
	p := d.placeOf(at.Address+"/"+at.Namespace, "", folder, own.openStoreFor)
	p.Name, p.Project = "Temporal namespace "+at.Namespace+" at "+at.Address, "Temporal namespace "+at.Namespace
	return p, nil
}

// openStoreFor opens the cluster's store for a call of the pages, and makes the commands that they name
// find the cluster.
func (b *clusterBackend) openStoreFor(ctx context.Context, c *call) (store.Store, error) {
	own := *b
	own.call, c.backend = c, &own
	return own.connectStore(ctx, state.Folder{})
}

// startOnCluster starts a run of this program for a person, as the command run does without flags of
// its own, and returns its id.
func (d *runDesk) startOnCluster(ctx context.Context, o *openPlace, in *inputs, values json.RawMessage, who actions.Actor) (id string, err error) {
	b := *d.backend.(*clusterBackend)
	b.placing = placeFlags{deadWorker: "fail"}
	n := b.newRun()
	n.inputs = values
	if n.flags.runSettings, err = d.withGates(n.flags.runSettings, who, false); err != nil {
		return "", err
	}
	if n.graph, err = d.graphOptions(&n.task, n.flags.runSettings, in); err != nil {
		return "", err
	}
	if err := b.placeRun(ctx, n); err != nil {
		return "", err
	}
	start, err := b.startOf(n)
	if err != nil {
		return "", err
	}
	return start.Run.ID, o.cluster().Start(ctx, *start)
}

// cluster returns the cluster of a place, or nil.
func (o *openPlace) cluster() cluster.Cluster {
	c, _ := o.store.(cluster.Cluster)
	return c
}

// askWorker returns the definition that a worker of a run knows, or nil. It is kept for the time
// without workers.
func (o *openPlace) askWorker(run *store.Run) *flow.Definition {
	c := o.cluster()
	if c == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), retryPlace)
	defer stop()
	def, err := c.Description(ctx, run.ID)
	if err != nil || def.Fingerprint != run.Fingerprint {
		return nil
	}
	_ = o.folder.KeepDefinition(def.Fingerprint, func() ([]byte, error) { return json.Marshal(def) })
	return def
}

// missingOf says what a page cannot show of a run.
func (o *openPlace) missingOf(ctx context.Context, id string) (list []string) {
	c := o.cluster()
	if c == nil {
		return nil
	}
	if why, err := c.Missing(ctx, id); err == nil && why != "" {
		list = append(list, why)
	}
	return append(list, "The cluster has no artifacts: they stay with the worker, or on the run's branch.")
}

// clusterLog returns the last lines of the log of a run.
func (d *runDesk) clusterLog(ctx context.Context, o *openPlace, ref desk.Ref, q desk.LogQuery) (*desk.Log, error) {
	list := &desk.Log{}
	lines := &logTail{}
	if err := o.cluster().Logs(ctx, cluster.Logs{Run: ref.ID, State: o.folder}, lines); err != nil {
		return &desk.Log{Missing: "This machine has no log of the run: workers keep logs, unless --blobs names a folder that all machines share."}, nil
	}
	for _, text := range lines.kept {
		if l, ok := d.readLogLine(text, q.Step); ok {
			list.Lines = append(list.Lines, l)
		}
	}
	if lines.dropped {
		list.Lines = append([]desk.LogLine{{Text: "The log begins earlier; `logs` shows all of it."}}, list.Lines...)
	}
	return list, nil
}

// A logTail keeps the end of a log.
type logTail struct {
	kept    [][]byte
	size    int
	dropped bool
}

// Write takes a line.
func (t *logTail) Write(line []byte) (int, error) {
	t.kept, t.size = append(t.kept, bytes.Clone(line)), t.size+len(line)
	for t.size > logPart {
		t.size -= len(t.kept[0])
		t.kept, t.dropped = t.kept[1:], true
	}
	return len(line), nil
}
