package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/acp"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestMain(m *testing.M) { fakeagent.Main(m) }

// world is an agent with its program, and a request to it.
type world struct {
	t       *testing.T
	program string
	choice  settings.Agent
	request *agent.Request

	mu    sync.Mutex
	shown strings.Builder
	notes strings.Builder
	spent []flow.Meta
}

func newWorld(t *testing.T, b fakeagent.Behaviour, args ...string) *world {
	t.Helper()
	if args == nil {
		args = []string{}
	}
	w := &world{t: t, program: fakeagent.Program(t, "acp", b)}
	w.choice = settings.Agent{Name: "tester", Kind: "acp", Program: w.program, Args: args}
	w.request = &agent.Request{
		Prompt: flow.Prompt{Agent: "tester", Text: "hello"}, RunID: "w-abc123", Key: "fix#1", Attempt: 1,
		Environ: []string{"PATH=" + os.Getenv("PATH")}, RunDir: t.TempDir(), WorkDir: t.TempDir(),
	}
	w.request.Output = func(piece []byte) { w.add(&w.shown, piece) }
	w.request.Notes = func(piece []byte) { w.add(&w.notes, piece) }
	w.request.ReportCost = func(m flow.Meta) { w.spent = append(w.spent, m) }
	return w
}

func (w *world) add(to *strings.Builder, piece []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	to.Write(piece)
}

func (w *world) agent() *acp.Client {
	w.t.Helper()
	a, err := acp.New(w.choice)
	if err != nil {
		w.t.Fatal(err)
	}
	a.Limits = process.Limits{Grace: 200 * time.Millisecond}
	return a
}

// turn has the agent take a turn, which must end in good time.
func (w *world) turn() (*agent.Reply, error) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer stop()
	reply, err := w.agent().Turn(ctx, w.request)
	if ctx.Err() != nil {
		w.t.Fatalf("the turn does not end: %v", err)
	}
	w.gone()
	return reply, err
}

// gone checks that no process of the turn is left.
func (w *world) gone() {
	w.t.Helper()
	if ended, err := process.EndSurvivors(w.request.RunDir); err != nil || len(ended) > 0 {
		w.t.Errorf("processes were left running: %v %v", ended, err)
	}
}

// ask gives the agent a prompt that must succeed, and returns the reply.
func (w *world) ask(prompt string) string {
	w.t.Helper()
	w.request.Text = prompt
	reply, err := w.turn()
	if err != nil {
		w.t.Fatal(err)
	}
	return reply.Text
}

func (w *world) file(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.request.WorkDir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// fails checks a failure's class, reason and message.
func fails(t *testing.T, err error, class flow.Class, reason string, parts ...string) {
	t.Helper()
	var f *flow.Failure
	if !errors.As(err, &f) || failures.Classify(err) != class || f.Reason != reason {
		t.Errorf("got %+v (%q, %q), want class %q and reason %q", err, failures.Classify(err), reasonOf(f), class, reason)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message is %q, without %q", err, part)
		}
	}
}

func reasonOf(f *flow.Failure) string {
	if f == nil {
		return "no failure"
	}
	return f.Reason
}

func setOption(r *agent.Request, name, value string) {
	r.Options = append(r.Options, flow.Option{Name: name, Value: value})
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func engineChoice(name, program string) settings.Agent {
	return settings.Agent{Name: name, Kind: "acp", Program: program}
}
