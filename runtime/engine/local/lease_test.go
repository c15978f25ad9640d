package local_test

import (
	"context"
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// shared is a store whose runs are leased. Once it hangs, it never returns from
// the method of that name and heeds no context.
type shared struct {
	store.Store
	lost  chan struct{}
	hangs string
	hung  chan struct{} // closed when it hangs
}

func (s *shared) Lease(context.Context, string, string) (runstore.Lease, error) { return s, nil }

func (s *shared) Leased(context.Context, string) (bool, string, error) { return true, "test", nil }

func (s *shared) Lost() <-chan struct{} { return s.lost }

func (s *shared) Release() {}

func (s *shared) hang(method string) {
	if s.hangs == method {
		close(s.hung)
		select {}
	}
}

func (s *shared) Generation(ctx context.Context) (int64, error) {
	s.hang("Version")
	return s.Store.Generation(ctx)
}

func (s *shared) Commit(ctx context.Context, id string, b flow.Batch) error {
	for _, step := range b.Steps {
		if step.Status == flow.Completed {
			s.hang("Commit")
		}
	}
	return s.Store.Commit(ctx, id, b)
}

// held performs steps that end when they are told to.
type held struct {
	begun, end, cancelled chan string
}

func (*held) Kind() string { return "bash" }

func (p *held) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	p.begun <- call.Action.Key
	select {
	case <-p.end:
		return flow.Result{Status: flow.Completed}
	case <-ctx.Done():
		p.cancelled <- call.Action.Key
		return flow.Result{Status: flow.Completed, Text: "too late"}
	}
}

// The loss of a lease ends what is performed and the run, though the store
// answers nothing.
func TestLeaseLostWhileTheStoreHangs(t *testing.T) {
	for _, method := range []string{"Version", "Commit"} {
		t.Run(method, func(t *testing.T) {
			s := &shared{Store: memory.New(), lost: make(chan struct{}), hangs: method, hung: make(chan struct{})}
			p := &held{begun: make(chan string, 2), end: make(chan string), cancelled: make(chan string, 2)}
			e, err := local.New(local.Config{Store: s, State: t.TempDir(), Performers: []engine.Performer{p}, Poll: 1})
			if err != nil {
				t.Fatal(err)
			}
			def := &flow.Definition{Name: "demo", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash"}}}
			def.Flow = func(c *flow.Context) (any, error) {
				for _, n := range def.Nodes {
					flow.Spawn(c, flow.Node[string]{Key: n.Key, Kind: "bash", Run: func(c *flow.Context) (string, error) {
						r, err := c.Do(flow.Bash{Script: "x"})
						return r.Text, err
					}})
				}
				return nil, flow.Settle(c)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := e.Run(context.Background(), def, nil, local.Options{WorkDir: t.TempDir()})
				ended <- err
			}()
			running := 2
			for range running {
				<-p.begun
			}
			if method == "Commit" {
				p.end <- ""
				running--
			}
			<-s.hung
			close(s.lost)
			for range running {
				<-p.cancelled
			}
			if err := <-ended; !errors.Is(err, runstore.ErrLost) {
				t.Errorf("the run ended with %v", err)
			}
		})
	}
}
