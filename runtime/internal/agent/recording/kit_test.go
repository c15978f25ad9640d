package recording_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// said is what a fake agent does in a turn.
type said struct {
	reply agent.Reply
	err   error
}

// fake is a kind of agent that does one thing after the other.
type fake struct {
	native bool

	mu    sync.Mutex
	turns []said
	asked int
}

func (f *fake) kind() agent.Kind {
	return agent.Kind{Name: "claude", Open: func(settings.Agent) (agent.Agent, error) { return f, nil }}
}

func (f *fake) Capabilities() agent.Capabilities { return agent.Capabilities{Structured: f.native} }

func (f *fake) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.turns[min(f.asked, len(f.turns)-1)]
	f.asked++
	r.Output([]byte(t.reply.Text))
	reply := t.reply
	return &reply, t.err
}

func text(s string) said {
	return said{reply: agent.Reply{Text: s, Meta: flow.Meta{CostUSD: 0.25, InputTokens: 10, OutputTokens: 5, Turns: 1, Session: "s-" + s}}}
}

// world is where turns are recorded and replayed.
type world struct {
	t    *testing.T
	file string
	dir  string // the run's folder
	fake *fake
	tape tape.Tape

	mu       sync.Mutex
	warnings []string
	shown    strings.Builder
}

func newWorld(t *testing.T, turns ...said) *world {
	return &world{t: t, file: filepath.Join(t.TempDir(), "turns.jsonl"), dir: t.TempDir(), fake: &fake{turns: turns}, tape: tape.Tape{Workflow: "w", Fingerprint: "f"}}
}

// record and replay are a process of a run, with a recorder or a player of its
// own.
func (w *world) record() engine.PromptPerformer {
	tape := w.tape
	tape.Record = w.file
	return w.process(&tape, w.fake.kind())
}

func (w *world) replay() engine.PromptPerformer {
	tape := w.tape
	tape.Replay = w.file
	// No agent of the kind is there.
	return w.process(&tape)
}

func (w *world) process(with *tape.Tape, kinds ...agent.Kind) engine.PromptPerformer {
	w.t.Helper()
	p, err := prompts.Opener(structured.Check, kinds...)(engine.Agents{})
	if err == nil {
		p, err = p.(tape.Taker).Taped(engine.Agents{List: []settings.Agent{{Name: "bot", Kind: "claude", Model: "big"}}}, with)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// ask performs an attempt at a step.
func (w *world) ask(p engine.PromptPerformer, step string, attempt int, prompt flow.Prompt) flow.Result {
	prompt.Agent = "bot"
	if prompt.Text == "" {
		prompt.Text = "do " + step
	}
	return p.Perform(w.t.Context(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-1", Workflow: "w"}, Action: flow.Action{Key: step, Payload: prompt}, Number: attempt, RunDir: w.dir,
		Log: slog.New(slog.DiscardHandler),
		Output: func(_ string, piece []byte) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.shown.Write(piece)
		},
		Warn: func(message string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.warnings = append(w.warnings, message)
		},
	})
}

// askIn performs a step of a run, each in its own folder.
func (w *world) askIn(p engine.PromptPerformer, run, step string) flow.Result {
	return p.Perform(w.t.Context(), &engine.Attempt{
		Info: &flow.RunInfo{ID: run, Workflow: "w"}, Action: flow.Action{Key: step, Payload: flow.Prompt{Agent: "bot", Text: "do " + step}}, Number: 1,
		RunDir: filepath.Join(w.dir, run), Log: slog.New(slog.DiscardHandler), Output: func(string, []byte) {},
	})
}

// lines decodes the recording: one JSON object a line.
func (w *world) lines() []map[string]any {
	w.t.Helper()
	text, err := os.ReadFile(w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []map[string]any
	for line := range strings.Lines(string(text)) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			w.t.Fatalf("%s: %v", line, err)
		}
		list = append(list, v)
	}
	return list
}

// as returns a result without the mark of what was replayed.
func as(r flow.Result) string {
	r.Meta.Replayed = flow.Usage{}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}
