package local_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// talker is an agent whose sessions are counted: each turn ends in a new one.
type talker struct {
	mu    sync.Mutex
	turns int
	// heard are the turns: step, agent and session.
	heard []string
	fails bool
	// replays says that its turns come out of a recording.
	replays bool
}

func (*talker) Kind() string { return "prompt" }

func (a *talker) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := call.Action.Payload.(flow.Prompt)
	a.turns++
	a.heard = append(a.heard, fmt.Sprintf("%s %s<%s>", call.Action.Key, p.Agent, p.Session))
	r := flow.Result{Status: flow.Completed, Text: "ok", Meta: flow.Meta{Session: fmt.Sprintf("s%d", a.turns)}}
	if a.replays {
		r.Meta.Replayed.Turns = 1
	}
	if a.fails {
		r.Status, r.Failure = flow.Failed, &flow.Failure{Message: "no"}
	}
	return r
}

// talk makes a workflow of one prompt.
func talk(name, key string, p flow.Prompt) *flow.Definition {
	return &flow.Definition{Name: name, Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: key, Kind: "prompt"}}, Flow: func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: key, Kind: "prompt", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(p)
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}}
}

func TestSessionsGoOnInTheNextRun(t *testing.T) {
	w, agent := newWorld(t), &talker{}
	e := w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, agent) })
	turn := func(workflow, key string, p flow.Prompt, want string) {
		t.Helper()
		agent.heard = nil
		status := flow.Completed
		if agent.fails {
			status = flow.Failed
		}
		must(t, status)(e.Run(context.Background(), talk(workflow, key, p), nil, w.options()))
		if got := strings.Join(agent.heard, " "); got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	kept := flow.Prompt{Agent: "claude", Persist: true}
	turn("demo", "plan", kept, "plan claude<>")   // ends in s1
	turn("demo", "plan", kept, "plan claude<s1>") // s2
	turn("demo", "plan", flow.Prompt{Agent: "claude"}, "plan claude<>")
	turn("demo", "plan", kept, "plan claude<s2>") // s4
	// What is another step's, another agent's or another workflow's is not ours.
	turn("demo", "other", kept, "other claude<>")
	turn("demo", "plan", flow.Prompt{Agent: "codex", Persist: true}, "plan codex<>") // s6
	turn("else", "plan", kept, "plan claude<>")
	// A prompt that goes on with another one's session does so, and its end is
	// kept; one that begins anew likewise.
	turn("demo", "plan", flow.Prompt{Agent: "claude", Persist: true, Session: "given"}, "plan claude<given>") // s8
	turn("demo", "plan", flow.Prompt{Agent: "claude", Persist: true, FreshSession: true}, "plan claude<>")    // s9
	turn("demo", "plan", kept, "plan claude<s9>")                                                             // s10
	// A session out of a recording is not what the next run goes on with.
	agent.replays = true
	turn("demo", "plan", kept, "plan claude<s10>") // s11
	agent.replays = false
	turn("demo", "plan", kept, "plan claude<s10>") // s12
	agent.fails = true
	turn("demo", "plan", kept, "plan claude<s12>") // a failure's session is not kept
	agent.fails = false
	turn("demo", "plan", kept, "plan claude<s12>")
	turn("demo", "plan", flow.Prompt{Agent: "codex", Persist: true}, "plan codex<s6>")
}

// disturbed is a store that notes the order of what it is told, and fails when
// it is to.
type disturbed struct {
	store.Store
	told                         []string
	noCommit, noKeeping, noTruth bool
}

var errDisturbed = errors.New("disturbed")

func (s *disturbed) Commit(ctx context.Context, id string, b flow.Batch) error {
	for _, r := range b.Steps {
		if r.Status == flow.Completed {
			s.told = append(s.told, "completed "+r.Key)
			if s.noCommit {
				return errDisturbed
			}
		}
	}
	return s.Store.Commit(ctx, id, b)
}

func (s *disturbed) KeepSession(ctx context.Context, workflow, key, session string) error {
	s.told = append(s.told, "keep "+session)
	if s.noKeeping {
		return errDisturbed
	}
	return s.Store.KeepSession(ctx, workflow, key, session)
}

func (s *disturbed) Session(ctx context.Context, workflow, key string) (string, error) {
	if s.noTruth {
		return "", errDisturbed
	}
	return s.Store.Session(ctx, workflow, key)
}

// A session is kept when the step's completion is durable, and not before.
func TestSessionsAreKeptAfterTheCommit(t *testing.T) {
	def := talk("demo", "plan", flow.Prompt{Agent: "claude", Persist: true})
	for _, tt := range []struct {
		name string
		s    disturbed
		want string
		ends flow.Status
	}{
		{"undisturbed", disturbed{}, "completed plan, keep s1", flow.Completed},
		{"no commit", disturbed{noCommit: true}, "completed plan", ""},
		{"not kept", disturbed{noKeeping: true}, "completed plan, keep s1", flow.Completed},
		{"not read", disturbed{noTruth: true}, "", flow.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, s := newWorld(t), tt.s
			s.Store = w.store
			e := w.engine(t, func(c *local.Config) { c.Store, c.Performers = &s, append(c.Performers, &talker{}) })
			opt := w.options()
			opt.ID = "demo-1"
			r, err := e.Run(context.Background(), def, nil, opt)
			if (err != nil) != (tt.ends == "") || err == nil && r.Status != tt.ends {
				t.Fatalf("%+v %v", r, err)
			}
			if got := strings.Join(s.told, ", "); got != tt.want {
				t.Errorf("the store was told %q, want %q", got, tt.want)
			}
			if tt.s.noKeeping && !strings.Contains(readLog(t, w, "demo-1"), "was not kept for the next run") {
				t.Error("the log says nothing of it")
			}
		})
	}
}
