//go:build unix

package lango

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/examples/digest/digest"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

// desk is an agent that answers each step when the test lets it. Unless it is held,
// it answers at once.
type desk struct {
	mu      sync.Mutex
	held    map[string]chan struct{}
	failing map[string]error
	prompts map[string]string
	// asked gets the steps in the order in which they are asked, left those whose
	// context ended before the answer.
	asked, left chan string
	// request is the value that the caller's context had.
	request any
}

type requestKey struct{}

func newDesk(held ...string) *desk {
	d := &desk{held: map[string]chan struct{}{}, failing: map[string]error{}, prompts: map[string]string{}, asked: make(chan string, 99), left: make(chan string, 99)}
	for _, step := range held {
		d.held[step] = make(chan struct{})
	}
	return d
}

// Capabilities implements agent.Agent.
func (*desk) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent.
func (d *desk) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	d.mu.Lock()
	wait, fails := d.held[r.Key], d.failing[r.Key]
	d.prompts[r.Key], d.request = r.Text, ctx.Value(requestKey{})
	d.mu.Unlock()
	d.asked <- r.Key
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			d.left <- r.Key
			return nil, ctx.Err()
		}
	}
	return &agent.Reply{Text: "result of " + r.Key}, fails
}

// let answers a step that is held, now and from now on.
func (d *desk) let(step string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.held[step])
	delete(d.held, step)
}

func (d *desk) prompt(step string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.prompts[step]
}

// next is the next step that the agent is asked for.
func next(t *testing.T, from chan string) string {
	t.Helper()
	select {
	case step := <-from:
		return step
	case <-time.After(patience):
		t.Fatal("no step comes")
		return ""
	}
}

// office is an engine that keeps its runs in a database on disk, with its store.
type office struct {
	*local.Engine
	folder state.Folder
}

func newOffice(t *testing.T, d *desk) *office {
	t.Helper()
	folder := state.Folder{Path: t.TempDir()}
	kept, err := entstore.OpenState(t.Context(), folder.Path)
	if err != nil {
		t.Fatal(err)
	}
	agents := map[string]agent.Agent{}
	for _, name := range digest.Workflow.Agents {
		agents[name] = d
	}
	e, err := local.New(local.Config{
		Store: kept, State: folder.Path, Performers: []engine.Performer{agent.New(agent.Options{Agents: agents}), deliver.New()}, Environ: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.Shutdown(context.Background()), kept.Close()); err != nil {
			t.Error(err)
		}
	})
	return &office{e, folder}
}

// begin begins a run and returns its id.
func (o *office) begin(t *testing.T) string {
	t.Helper()
	id, err := o.RunAsync(t.Context(), &digest.Workflow, nil, local.Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// end waits for the end of a run.
func (o *office) end(t *testing.T, id string, want flow.Status) *local.RunStatus {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	s, err := o.Wait(ctx, id)
	if err != nil || s.Status != want {
		t.Fatalf("%+v, %v", s, err)
	}
	return s
}

// states are the states of the workflow's steps, in its order.
func states(s *local.RunStatus) string {
	var list []string
	for _, r := range s.Steps[:len(digest.Workflow.Nodes)] {
		list = append(list, r.Key+" "+string(r.Status))
	}
	return strings.Join(list, ", ")
}

func stepWithDependencies(t *testing.T) {
	d := newDesk("changes", "issues")
	o := newOffice(t, d)
	id := o.begin(t)
	if first := []string{next(t, d.asked), next(t, d.asked)}; slices.Contains(first, "risks") {
		t.Errorf("asked first: %v", first)
	}
	d.let("changes")
	if step := next(t, d.asked); step != "risks" {
		t.Errorf("asked after `changes`: %s", step)
	}
	d.let("issues")
	o.end(t, id, flow.Completed)
	if got := d.prompt("risks"); !strings.HasSuffix(got, "\nresult of changes\n") {
		t.Errorf("the prompt is %q", got)
	}
}

func stepWithoutDependencies(t *testing.T) {
	d := newDesk("changes", "issues")
	o := newOffice(t, d)
	id := o.begin(t)
	both := []string{next(t, d.asked), next(t, d.asked)} // nothing has been answered
	if slices.Sort(both); !slices.Equal(both, []string{"changes", "issues"}) {
		t.Errorf("asked at once: %v", both)
	}
	d.let("changes")
	d.let("issues")
	o.end(t, id, flow.Completed)
}

func persistence(t *testing.T) {
	d := newDesk("risks")
	o := newOffice(t, d)
	id := o.begin(t)
	for next(t, d.asked) != "risks" { // what completed before it has been committed
	}
	other, err := entstore.OpenState(t.Context(), o.folder.Path) // as another process has it
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	rows, err := other.Steps(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; len(rows) != 4 || r.Key != "changes" || r.Status != flow.Completed || r.Text != "result of changes" || r.Finished.IsZero() {
		t.Errorf("%+v", rows)
	}
	if r := rows[2]; r.Status != flow.Running || r.Text != "" {
		t.Errorf("%+v", r)
	}
	d.let("risks")
	o.end(t, id, flow.Completed)
}

func parentCompletes(t *testing.T) {
	d := newDesk("changes")
	o := newOffice(t, d)
	request, ends := context.WithCancel(context.WithValue(t.Context(), requestKey{}, "request 7"))
	id, err := o.RunAsync(request, &digest.Workflow, nil, local.Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	next(t, d.asked)
	ends()
	d.let("changes")
	s := o.end(t, id, flow.Completed)
	if got := states(s); got != "changes completed, issues completed, risks completed, digest completed" {
		t.Error(got)
	}
	if d.request != "request 7" {
		t.Errorf("the request's value is %v", d.request)
	}
}

func runAsyncReturns(t *testing.T) {
	d := newDesk("changes", "issues")
	o := newOffice(t, d)
	id := o.begin(t) // nothing can have ended yet
	s, err := o.Status(t.Context(), id)
	if err != nil || id == "" || len(s.Steps) != 4 {
		t.Fatalf("%q: %+v, %v", id, s, err)
	}
	if later := states(s); !strings.HasSuffix(later, "risks pending, digest pending") {
		t.Error(later)
	}
	if _, err := o.RunAsync(t.Context(), &digest.Workflow, nil, local.Options{WorkDir: "/no/such/folder"}); err == nil {
		t.Error("a run begins that cannot work anywhere")
	}
	if list, err := o.ListRuns(t.Context(), store.Filter{}); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	d.let("changes")
	d.let("issues")
	o.end(t, id, flow.Completed)
}

func progressIsQueryable(t *testing.T) {
	d := newDesk("risks")
	d.failing["digest"] = errors.New("out of paper")
	o := newOffice(t, d)
	id := o.begin(t)
	for next(t, d.asked) != "risks" {
	}
	s, err := o.Status(t.Context(), id)
	if err != nil || s.Status != flow.Running || !strings.Contains(states(s), "risks running, digest pending") {
		t.Errorf("%+v, %v", s, err)
	}
	d.let("risks")
	s = o.end(t, id, flow.Failed)
	if r := s.Steps[3]; r.Status != flow.Failed || !strings.Contains(r.Failure.Message, "out of paper") {
		t.Errorf("%+v", r)
	}
	delete(d.failing, "digest")
	r, err := o.Resume(t.Context(), &digest.Workflow, id, local.Options{})
	if err != nil || r.Status != flow.Completed {
		t.Errorf("%+v, %v", r, err)
	}
	if s := o.end(t, id, flow.Completed); s.Steps[3].Text != "result of digest" {
		t.Errorf("%+v", s.Steps[3])
	}
}

func runWorkflow(t *testing.T) {
	d := newDesk()
	o := newOffice(t, d)
	out, err := digest.Run(t.Context(), o.Engine, digest.Inputs{}, func(opt *local.Options) { opt.WorkDir = t.TempDir() })
	if err != nil || out.Digest != "result of digest" {
		t.Fatalf("%+v, %v", out, err)
	}
	if order := []string{next(t, d.asked), next(t, d.asked), next(t, d.asked), next(t, d.asked)}; order[3] != "digest" || slices.Index(order, "risks") < slices.Index(order, "changes") {
		t.Errorf("the order is %v", order)
	}
	if list, err := o.ListRuns(t.Context(), store.Filter{Workflow: "digest"}); err != nil || len(list) != 1 || list[0].Status != flow.Completed {
		t.Errorf("%+v, %v", list, err)
	}
}

func cancelRunning(t *testing.T) {
	d := newDesk("risks")
	o := newOffice(t, d)
	id := o.begin(t)
	for next(t, d.asked) != "risks" {
	}
	if err := o.Cancel(t.Context(), id, "ann"); err != nil {
		t.Fatal(err)
	}
	if step := next(t, d.left); step != "risks" {
		t.Errorf("%s was ended", step)
	}
	s := o.end(t, id, flow.Cancelled)
	if got := states(s); !strings.HasSuffix(got, "risks cancelled, digest skipped") {
		t.Error(got)
	}
}

func workflowStatus(t *testing.T) {
	d := newDesk("issues")
	d.failing["risks"] = errors.New("no idea")
	o := newOffice(t, d)
	id := o.begin(t)
	for next(t, d.asked) != "risks" {
	}
	d.let("issues")
	s := o.end(t, id, flow.Failed)
	if got := states(s); got != "changes completed, issues completed, risks failed, digest skipped" {
		t.Error(got)
	}
	if s.Workflow != "digest" || s.ID != id || s.Error == "" {
		t.Errorf("%+v", s)
	}
}

func gracefulShutdown(t *testing.T) {
	d := newDesk("changes", "issues")
	o := newOffice(t, d)
	for range 2 {
		o.begin(t)
	}
	for range 4 {
		next(t, d.asked)
	}
	if err := o.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(d.left) != 4 || len(o.Live()) != 0 {
		t.Errorf("%d of 4 steps were ended; %v go on", len(d.left), o.Live())
	}
	if _, err := o.RunAsync(t.Context(), &digest.Workflow, nil, local.Options{}); !errors.Is(err, local.ErrShutdown) {
		t.Errorf("a run begins after that: %v", err)
	}
}

func startedAt(t *testing.T) {
	o := newOffice(t, newDesk())
	before := time.Now().Add(-time.Second)
	id := o.begin(t)
	o.end(t, id, flow.Completed)
	s, err := o.Status(t.Context(), id)
	if err != nil || s.StartedAt.Before(before) || s.StartedAt.After(time.Now().Add(time.Second)) {
		t.Errorf("%v, %v", s.StartedAt, err)
	}
}

func startedAtInLists(t *testing.T) {
	o := newOffice(t, newDesk())
	want := map[string]time.Time{}
	for range 3 {
		id := o.begin(t)
		want[id] = o.end(t, id, flow.Completed).StartedAt
	}
	list, err := o.ListRuns(t.Context(), store.Filter{})
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, r := range list {
		if r.StartedAt.IsZero() || !r.StartedAt.Equal(want[r.ID]) {
			t.Errorf("%s began at %v, want %v", r.ID, r.StartedAt, want[r.ID])
		}
	}
}
