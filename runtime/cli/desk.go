package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A runDesk is the desk.Desk of the command serve. It reads with the code of list, status, waiting
// and logs, and acts with that of the commands that people type.
type runDesk struct {
	*call
	// wfcProgram is the path of the program wfc that this program serves for, or "".
	wfcProgram string
	// account adds the state folders of the account as they appear.
	account bool

	mu          sync.Mutex
	places      []*place
	listed      time.Time // when the folders of the account were last listed
	definitions map[string]*flow.Definition
}

var _ desk.Desk = (*runDesk)(nil)

// A place is a state folder, a database or a cluster with runs. It is opened when somebody first
// looks at it, and again after a while if that fails.
type place struct {
	desk.Place
	// open opens it.
	open func(ctx context.Context) (*openPlace, error)

	mu     sync.Mutex
	opened *openPlace
	failed error
	again  time.Time
}

// An openPlace is a place whose store is open.
type openPlace struct {
	*place
	call   *call
	folder state.Folder
	store  store.Store
	index  runstore.Index
	// database is the URL of the database that has the runs, or "".
	database string
	// whole reads steps with all that they have, heads without their texts, and open only those
	// that run or wait.
	whole, heads, unfinished *local.Engine
}

// retryPlace is how long a place that could not be opened is left alone.
const retryPlace = 5 * time.Second

// newPlace returns a place that a command line names: the path of a state folder, the URL of a
// database, or "" for what this program itself would use.
func (d *runDesk) newPlace(name string) (*place, error) {
	p := d.program
	switch {
	case name == "" && !d.backend.keepsRunsInFolder() && d.program.Cluster != nil:
		return d.clusterPlace(d.backend.(*clusterBackend))
	case name == "":
		folder, err := d.stateFolder()
		if err != nil {
			return nil, err
		}
		of, database := folder.Path, ""
		if b, ok := d.backend.(*localBackend); ok && p.OpenDatabase != nil {
			database = b.databaseURL()
			of = shownURL(database)
		}
		return d.placeOf(of, database, folder, func(ctx context.Context, _ *call) (store.Store, error) { return d.backend.connectStore(ctx, folder) }), nil
	case strings.Contains(name, "://"):
		if p.OpenDatabase == nil {
			return nil, usageError("this program cannot read PostgreSQL: `wfc serve --store URL` can")
		}
		if _, err := databaseurl.Parse(name); err != nil {
			return nil, usageError("--store: %v", err)
		}
		folder, err := d.stateFolder()
		if err != nil {
			return nil, err
		}
		return d.placeOf(shownURL(name), name, folder, func(ctx context.Context, _ *call) (store.Store, error) { return p.OpenDatabase(ctx, name) }), nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	if p.OpenStore == nil {
		return nil, usageError("this program cannot read state folders: `wfc serve --store FOLDER` can")
	}
	folder := state.Folder{Path: path}
	return d.placeOf(path, "", folder, func(ctx context.Context, c *call) (store.Store, error) {
		if _, err := os.Stat(folder.Database()); err != nil {
			return nil, fmt.Errorf("%s has no runs", path)
		}
		return p.OpenStore(ctx, path)
	}), nil
}

func (d *runDesk) placeOf(name, database string, folder state.Folder, connect func(context.Context, *call) (store.Store, error)) *place {
	p := &place{Place: desk.Place{Key: keyOf(name), Name: name, Project: folder.Project()}}
	if database != "" { // it has runs of many projects
		if u, err := databaseurl.Parse(database); err == nil {
			p.Project = u.Tables().String()
		}
	}
	p.open = func(ctx context.Context) (*openPlace, error) {
		c := d.typedElsewhere(folder)
		st, err := connect(ctx, c)
		if err != nil {
			return nil, err
		}
		o := &openPlace{place: p, call: c, folder: folder, store: st, index: runstore.IndexOf(st), database: database}
		for _, e := range []struct {
			to **local.Engine
			of store.Store
		}{{&o.whole, st}, {&o.heads, partialStore(st, o.index, false)}, {&o.unfinished, partialStore(st, o.index, true)}} {
			if *e.to, err = c.newEngine(e.of, folder, setup{}); err != nil {
				return nil, errors.Join(err, st.Close())
			}
		}
		return o, nil
	}
	return p
}

// keyOf names a place or a workflow in addresses.
func keyOf(name string) string {
	return runid.Hash(10, name)
}

// partialStore returns a store whose Steps leaves out the texts of steps and, with open, all
// steps but those that run or wait.
func partialStore(s store.Store, x runstore.Index, open bool) store.Store {
	p := partial{x, open}
	if shared, ok := s.(runstore.Store); ok {
		return struct {
			partial
			sharedStore
		}{p, sharedStore{shared}}
	}
	return struct {
		partial
		plainStore
	}{p, plainStore{s}}
}

type (
	partial struct {
		index runstore.Index
		open  bool
	}
	// The stores below one level deeper, so that the method of partial counts.
	plainStore  struct{ store.Store }
	sharedStore struct{ runstore.Store }
)

// Steps replaces the method of store.Store.
func (p partial) Steps(ctx context.Context, id string) ([]flow.Record, error) {
	return p.index.StepHeads(ctx, id, p.open)
}

// ready returns the open place.
func (p *place) ready(ctx context.Context) (*openPlace, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened != nil {
		return p.opened, nil
	}
	if p.failed != nil && time.Now().Before(p.again) {
		return nil, p.failed
	}
	// Whoever looks first may leave, and the others still want the place.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), retryPlace)
	defer stop()
	p.opened, p.failed = p.open(ctx)
	p.again = time.Now().Add(retryPlace)
	return p.opened, p.failed
}

func (p *place) problem() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil || p.opened != nil {
		return ""
	}
	return p.failed.Error()
}

// addPlace adds a place unless the desk has it.
func (d *runDesk) addPlace(p *place) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.ContainsFunc(d.places, func(other *place) bool { return other.Key == p.Key }) {
		d.places = append(d.places, p)
	}
}

// allPlaces returns the places, with the state folders of projects that have had their first run
// meanwhile.
func (d *runDesk) allPlaces() []*place {
	d.mu.Lock()
	due := d.account && time.Since(d.listed) > retryPlace
	if due {
		d.listed = time.Now()
	}
	d.mu.Unlock()
	if due {
		paths, _ := state.All() // what cannot be listed has no runs to show
		for _, path := range paths {
			if !isFile((state.Folder{Path: path}).Database()) {
				continue
			}
			if p, err := d.newPlace(path); err == nil {
				d.addPlace(p)
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.places)
}

// Places implements desk.Desk.
func (d *runDesk) Places() []desk.Place {
	places := d.allPlaces()
	list := make([]desk.Place, len(places))
	for i, p := range places {
		list[i] = p.Place
		list[i].Problem = d.maskSecrets(p.problem())
	}
	return list
}

// find returns the open place of a key.
func (d *runDesk) find(ctx context.Context, key string) (*openPlace, error) {
	for _, p := range d.allPlaces() {
		if p.Key == key {
			return p.ready(ctx)
		}
	}
	return nil, fmt.Errorf("place %s: %w", key, store.ErrNotFound)
}

// gather calls read for the places of a query at once, and returns what it returns with the reasons
// why places can't be read.
func gather[T any](ctx context.Context, d *runDesk, key string, read func(o *openPlace) (T, error)) (list []T, problems []string) {
	var wait sync.WaitGroup
	places := slices.DeleteFunc(d.allPlaces(), func(p *place) bool { return key != "" && p.Key != key })
	list, problems = make([]T, len(places)), make([]string, len(places))
	for i, p := range places {
		wait.Go(func() {
			o, err := p.ready(ctx)
			if err == nil {
				list[i], err = read(o)
			}
			if err != nil {
				problems[i] = d.maskSecrets(p.Name + ": " + err.Error())
			}
		})
	}
	wait.Wait()
	return list, slices.DeleteFunc(problems, func(s string) bool { return s == "" })
}

// session returns what commands need to show a run of a workflow.
func (o *openPlace) session(def *flow.Definition, e *local.Engine) *session {
	c := o.call.typedElsewhere(o.folder)
	c.program.Definition = def
	return &session{call: c, engine: e, store: o.store, folder: o.folder}
}

// definition returns the description of the workflow of a run. Without one, the nodes are the
// steps that contain the others.
func (d *runDesk) definition(o *openPlace, run *store.Run, steps []flow.Record) (def *flow.Definition, kept bool) {
	d.mu.Lock()
	def = d.definitions[run.Fingerprint]
	d.mu.Unlock()
	if def != nil {
		return def, true
	}
	if def = o.keptDefinition(run.Fingerprint); def == nil {
		def = o.askWorker(run)
	}
	if def != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.definitions[run.Fingerprint] = def
		return def, true
	}
	def = &flow.Definition{Name: run.Workflow, Fingerprint: run.Fingerprint}
	keys := stepkey.KeysOf(steps)
	for _, s := range steps {
		if keys.Outermost(s.Key) == s.Key {
			def.Nodes = append(def.Nodes, flow.NodeInfo{Key: s.Key, Kind: s.Kind})
		}
	}
	return def, false
}

// keptDefinition returns the description of a workflow that a state folder keeps, or nil.
func (o *openPlace) keptDefinition(fingerprint string) *flow.Definition {
	def := &flow.Definition{}
	text, err := o.folder.Definition(fingerprint)
	if err != nil || json.Unmarshal(text, def) != nil || def.Fingerprint != fingerprint {
		return nil
	}
	return def
}

// Runs implements desk.Desk.
func (d *runDesk) Runs(ctx context.Context, q desk.Query) (*desk.Page, error) {
	one := q.RunQuery
	if q.Limit > 0 {
		one.Limit++ // whether there are more
	}
	found, problems := gather(ctx, d, q.Place, func(o *openPlace) ([]desk.Row, error) {
		rows, err := o.rows(ctx, one)
		if err == nil && q.Search != "" && o.cluster() != nil {
			err = errors.New("a cluster finds runs only by the beginning of their id or workflow, in the same case")
		}
		return rows, errors.Join(err, o.addSpending(ctx, rows))
	})
	page := &desk.Page{Rows: slices.Concat(found...), Problems: problems}
	sort.SliceStable(page.Rows, func(i, j int) bool {
		a, b := &page.Rows[i], &page.Rows[j]
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID)) < 0
	})
	if q.Limit > 0 && len(page.Rows) > q.Limit {
		page.Rows = page.Rows[:q.Limit]
		last := page.Rows[len(page.Rows)-1]
		page.Next = &runstore.RunCursor{Created: last.Created, ID: last.ID}
	}
	return page, nil
}

// rows returns the selected runs of a place. The store cannot distinguish running and interrupted
// runs, so it's asked again until there are enough.
func (o *openPlace) rows(ctx context.Context, q runstore.RunQuery) ([]desk.Row, error) {
	want := q.Statuses
	q.Statuses = storedStatuses(want)
	var rows []desk.Row
	for {
		runs, err := o.index.PageRuns(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			r, err := o.asShown(ctx, r)
			if errors.Is(err, store.ErrNotFound) {
				continue // it was removed meanwhile
			} else if err != nil {
				return nil, err
			}
			if len(want) > 0 && !slices.Contains(want, r.Status) {
				continue
			}
			rows = append(rows, desk.Row{
				Ref: desk.Ref{Place: o.Key, ID: r.ID}, Project: o.Project, Workflow: r.Workflow, Status: r.Status, Created: r.Created, Finished: r.Finished,
				Note: o.call.maskSecrets(cmp.Or(r.Error, r.Reason, describeTrigger(triggerOf(r.Settings, "")))),
			})
		}
		if q.Limit == 0 || len(runs) < q.Limit || len(rows) >= q.Limit {
			return rows, nil
		}
		last := runs[len(runs)-1]
		q.After = &runstore.RunCursor{Created: last.Created, ID: last.ID}
	}
}

// storedStatuses are those by which a store finds runs.
func storedStatuses(want []flow.Status) []flow.Status {
	list := slices.Clone(want)
	if i := slices.Index(list, flow.Interrupted); i >= 0 {
		list[i] = flow.Running
	}
	return list
}

// asShown distinguishes an interrupted run from one that a process works on.
func (o *openPlace) asShown(ctx context.Context, r store.Run) (store.Run, error) {
	if r.Status != flow.Running || o.cluster() != nil {
		return r, nil
	}
	if holder, _ := o.whole.Holder(r.ID); holder != "" {
		return r, nil
	}
	r, err := runstore.Brief(ctx, o.store, r.ID) // it may have ended after it was listed
	if r.Status == flow.Running {
		r.Status = flow.Interrupted
	}
	return r, err
}

// addSpending adds the costs to rows of this place.
func (o *openPlace) addSpending(ctx context.Context, rows []desk.Row) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	spent, err := o.index.SpendingOf(ctx, ids)
	for i := range rows {
		rows[i].Spent = spent[rows[i].ID]
	}
	return err
}

// Generation implements desk.Desk. A sum differs if one of its parts grows.
func (d *runDesk) Generation(ctx context.Context, ref desk.Ref) (int64, error) {
	parts, problems := gather(ctx, d, ref.Place, func(o *openPlace) (int64, error) {
		if c := o.cluster(); c != nil {
			return c.Version(ctx, ref.ID)
		}
		n, err := o.store.Generation(ctx)
		if err == nil && ref.ID != "" {
			if info, err := os.Stat(o.logFile(ref.ID)); err == nil {
				n += info.Size()
			}
			if holder, _ := o.whole.Holder(ref.ID); holder != "" {
				n += 1 << 40
			}
		}
		return n, err
	})
	if len(problems) > 0 && len(problems) == len(d.Places()) {
		return 0, errors.New(problems[0])
	}
	sum := int64(len(problems)) << 50
	for _, n := range parts {
		sum += n
	}
	return sum, nil
}

// Sources implements desk.Desk.
func (d *runDesk) Sources(ctx context.Context) (list []serving.Source, problems []string) {
	list, problems = gather(ctx, d, "", func(o *openPlace) (serving.Source, error) {
		return serving.Source{Store: o.store, Runs: o.whole.ListRuns}, nil
	})
	return slices.DeleteFunc(list, func(s serving.Source) bool { return s.Store == nil }), problems
}

// logFile is the file with the log of a run, if this machine has it.
func (o *openPlace) logFile(id string) string { return o.folder.LogFile(id) }

// isMissing reports whether an error says that a file is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
