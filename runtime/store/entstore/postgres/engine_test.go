package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// envFolder is the state folder of a process of this test that works on a run
// until it is killed.
const envFolder = "POSTGRES_TEST_FOLDER"

// steps performs bash steps: by default they complete with their key.
type steps struct {
	mu   sync.Mutex
	by   map[string]func(ctx context.Context) flow.Result
	done map[string]int
}

func (s *steps) Kind() string { return "bash" }

func (s *steps) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	s.mu.Lock()
	if s.done == nil {
		s.done = map[string]int{}
	}
	s.done[call.Action.Key]++
	do := s.by[call.Action.Key]
	s.mu.Unlock()
	if do != nil {
		return do(ctx)
	}
	return flow.Result{Status: flow.Completed, Text: call.Action.Key}
}

func (s *steps) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[key]
}

// chain is a workflow of steps that come one after the other; one whose key
// begins with ? asks a person.
func chain(keys ...string) *flow.Definition {
	def := &flow.Definition{Name: "demo", Fingerprint: "f1"}
	for i, key := range keys {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "bash", After: keys[max(0, i-1):i]})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var before flow.AnyTask
		for _, key := range keys {
			n := flow.Node[string]{Key: key, Kind: "bash", Run: func(c *flow.Context) (string, error) {
				if key[:1] == "?" {
					r, err := c.Ask("", flow.Question{Message: "well?"})
					return r.Text, err
				}
				r, err := c.Do(flow.Bash{Script: key})
				return r.Text, err
			}}
			if before != nil {
				n.After = append(n.After, before)
			}
			before = flow.Spawn(c, n)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// beside is a workflow of steps that run side by side.
func beside(keys ...string) *flow.Definition {
	def := &flow.Definition{Name: "demo", Fingerprint: "f1"}
	for _, key := range keys {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "bash"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		for _, key := range keys {
			flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: key})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	return def
}

func newEngine(t testing.TB, s store.Store, folder string, performer engine.Performer) *local.Engine {
	t.Helper()
	return polling(t, s, folder, performer, 10*time.Millisecond)
}

// polling returns an engine that looks at the store every so often.
func polling(t testing.TB, s store.Store, folder string, performer engine.Performer, poll time.Duration) *local.Engine {
	t.Helper()
	return engineWith(t, s, folder, performer, poll, []string{})
}

func engineWith(t testing.TB, s store.Store, folder string, performer engine.Performer, poll time.Duration, environ []string) *local.Engine {
	t.Helper()
	e, err := local.New(local.Config{
		Store: s, State: folder, Performers: []engine.Performer{performer}, Environ: environ, Poll: poll,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return e
}

// workForever runs a workflow whose second step never ends, and says so.
func workForever(url, folder string) {
	s, err := postgres.Open(context.Background(), url, long)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	stuck := &steps{by: map[string]func(context.Context) flow.Result{"b": func(context.Context) flow.Result {
		fmt.Println("working")
		select {}
	}}}
	e, err := local.New(local.Config{Store: s, State: folder, Performers: []engine.Performer{stuck}, Environ: []string{}})
	if err == nil {
		_, err = e.Run(context.Background(), chain("a", "b", "c"), nil, local.Options{ID: "demo-1", WorkDir: folder})
	}
	fmt.Println(err)
	os.Exit(1)
}

// A process is killed. Its run is taken over when its lease has ended, and not
// before; what it had done is not done again.
func TestKilledHolder(t *testing.T) {
	url, folder := schema(t), t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envStore+"="+url, envFolder+"="+folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "working\n" {
		t.Fatalf("the other process says %q (%v)", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	s, performer := openStore(t, url, long), &steps{}
	e := newEngine(t, s, folder, performer)
	_, err = e.Resume(t.Context(), chain("a", "b", "c"), "demo-1", local.Options{})
	var busy *local.BusyError
	if !errors.As(err, &busy) || busy.Left <= 0 || busy.Holder == "" {
		t.Fatalf("resumed beside a process that may live: %v", err)
	}
	if status, err := e.Status(t.Context(), "demo-1"); err != nil || status.Status != flow.Running {
		t.Errorf("a run that is leased is %v (%v)", status, err)
	}
	expire(t, url, "demo-1")
	status, err := e.Status(t.Context(), "demo-1")
	if err != nil || status.Status != flow.Interrupted || status.StartedAt.IsZero() {
		t.Errorf("a run whose lease has ended is %v (%v)", status, err)
	}
	r, err := e.Resume(t.Context(), chain("a", "b", "c"), "demo-1", local.Options{})
	if err != nil || r.Status != flow.Completed {
		t.Fatalf("%+v, %v", r, err)
	}
	if performer.count("a") != 0 || performer.count("b") != 1 || performer.count("c") != 1 {
		t.Errorf("performed %v", performer.done)
	}
}

// Two processes want one run.
func TestTwoResume(t *testing.T) {
	url := schema(t)
	failing := &steps{by: map[string]func(context.Context) flow.Result{"b": func(context.Context) flow.Result {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no"}}
	}}}
	r, err := newEngine(t, openStore(t, url, long), t.TempDir(), failing).Run(t.Context(), chain("a", "b"), nil, local.Options{WorkDir: t.TempDir()})
	if err != nil || r.Status != flow.Failed {
		t.Fatalf("%+v, %v", r, err)
	}
	proceed := make(chan struct{})
	errs, performed := make(chan error, 2), &steps{by: map[string]func(context.Context) flow.Result{"b": func(context.Context) flow.Result {
		<-proceed
		return flow.Result{Status: flow.Completed}
	}}}
	for range 2 {
		e := newEngine(t, openStore(t, url, long), t.TempDir(), performed)
		go func() {
			_, err := e.Resume(context.Background(), chain("a", "b"), r.ID, local.Options{})
			errs <- err
		}()
	}
	var busy *local.BusyError
	if err := <-errs; !errors.As(err, &busy) { // the other one is at work still
		t.Errorf("the second process: %v", err)
	}
	close(proceed)
	if err := <-errs; err != nil {
		t.Error(err)
	}
	if performed.count("a") != 0 || performed.count("b") != 1 {
		t.Errorf("performed %v", performed.done)
	}
}

// A process whose lease is lost ends its work, and the one that has taken the
// run over finishes it.
func TestLostWhileWorking(t *testing.T) {
	url, folder := schema(t), t.TempDir()
	begun := make(chan struct{})
	first := &steps{by: map[string]func(context.Context) flow.Result{"b": func(ctx context.Context) flow.Result {
		close(begun)
		<-ctx.Done()
		return flow.Result{Status: flow.Completed, Text: "too late"}
	}}}
	a := openStore(t, url, postgres.Options{Heartbeat: 20 * time.Millisecond, Expiry: time.Hour})
	ended := make(chan error, 1)
	go func() {
		_, err := newEngine(t, a, folder, first).Run(context.Background(), chain("a", "b", "c"), nil, local.Options{ID: "demo-1", WorkDir: folder})
		ended <- err
	}()
	<-begun
	b := openStore(t, url, long)
	var taken runstore.Lease
	for taken == nil {
		expire(t, url, "demo-1")
		if l, err := b.Lease(t.Context(), "demo-1", "another"); err == nil {
			taken = l
		}
	}
	if err := <-ended; !errors.Is(err, runstore.ErrLost) {
		t.Errorf("the run ended with %v", err)
	}
	taken.Release()
	second := &steps{}
	r, err := newEngine(t, b, t.TempDir(), second).Resume(t.Context(), chain("a", "b", "c"), "demo-1", local.Options{})
	if err != nil || r.Status != flow.Completed {
		t.Fatalf("%+v, %v", r, err)
	}
	if first.count("c") != 0 || second.count("a") != 0 || second.count("b") != 1 {
		t.Errorf("performed %v and %v", first.done, second.done)
	}
	list, err := b.Steps(t.Context(), "demo-1")
	if err != nil || len(list) != 3 || list[1].Text != "b" {
		t.Errorf("the steps are %v (%v)", list, err)
	}
}

// Many answer a question from several processes; one counts.
func TestOneAnswer(t *testing.T) {
	url := schema(t)
	asking := newEngine(t, openStore(t, url, long), t.TempDir(), &steps{})
	r, err := asking.Run(t.Context(), chain("a", "?gate", "c"), nil, local.Options{WorkDir: t.TempDir()})
	if err != nil || r.Status != flow.Paused {
		t.Fatalf("%+v, %v", r, err)
	}
	said := make(chan string)
	for i := range 6 {
		e := newEngine(t, openStore(t, url, long), t.TempDir(), &steps{})
		go func() {
			text := fmt.Sprint(i)
			err := e.Answer(context.Background(), r.ID, store.Answer{Key: "?gate", Text: text, By: text})
			if err != nil && !errors.Is(err, store.ErrAnswered) {
				t.Error(err)
			} else if err != nil {
				text = ""
			}
			said <- text
		}()
	}
	won := ""
	for range 6 {
		if text := <-said; text != "" && won != "" {
			t.Error("two answers count")
		} else if text != "" {
			won = text
		}
	}
	if r, err = asking.Resume(t.Context(), chain("a", "?gate", "c"), r.ID, local.Options{}); err != nil || r.Status != flow.Completed {
		t.Fatalf("%+v, %v", r, err)
	}
	list, err := openStore(t, url, long).Steps(t.Context(), r.ID)
	if err != nil || list[1].Text != won || won == "" {
		t.Errorf("the answer %q counts, and the step has %v (%v)", won, list, err)
	}
}

// The server crashes between two steps of a run and comes back: the run goes on,
// and performs each step once.
func TestRestartDuringRun(t *testing.T) {
	url := schema(t)
	restart := func(context.Context) flow.Result {
		server.Kill()
		if err := server.Run(); err != nil {
			t.Error(err)
		}
		return flow.Result{Status: flow.Completed}
	}
	performer := &steps{by: map[string]func(context.Context) flow.Result{"b": restart, "d": restart}}
	e := newEngine(t, openStore(t, url, postgres.Options{}), t.TempDir(), performer)
	r, err := e.Run(t.Context(), chain("a", "b", "c", "d", "e"), nil, local.Options{WorkDir: t.TempDir()})
	if err != nil || r.Status != flow.Completed {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if n := performer.count(key); n != 1 {
			t.Errorf("%s was performed %d times", key, n)
		}
	}
}
