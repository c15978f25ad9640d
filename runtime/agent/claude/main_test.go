package claude_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestMain(m *testing.M) { fakeagent.Main(m) }

// A conversation is an agent, a request to it, and what came of it.
type conversation struct {
	t       *testing.T
	choice  settings.Agent
	request agent.Request
	// output, notes, warnings and spent are what the agent said, and pieces how.
	output, notes, warnings string
	pieces                  []string
	spent                   flow.Meta
}

// converse returns a conversation with the program at a path.
func converse(t *testing.T, path string) *conversation {
	c := &conversation{t: t, choice: settings.Agent{Name: "claude", Program: path, Args: []string{}}}
	c.request = agent.Request{
		Prompt: flow.Prompt{Agent: "claude", Text: "say hi"}, RunID: "w-abc123", Key: "fix#3", Attempt: 1,
		Environ: os.Environ(), RunDir: t.TempDir(), WorkDir: t.TempDir(),
		Output: func(piece []byte) {
			c.output += string(piece)
			if len(piece) > 0 {
				c.pieces = append(c.pieces, string(piece))
			}
		},
		Notes:      func(piece []byte) { c.notes += string(piece) },
		Warn:       func(message string) { c.warnings += message + "\n" },
		ReportCost: func(m flow.Meta) { c.spent = m },
	}
	return c
}

func (c *conversation) open() agent.Agent {
	c.t.Helper()
	a, err := claude.Kind().Open(c.choice)
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// ask takes a turn and checks that no file of it is left.
func (c *conversation) ask() (*agent.Reply, error) {
	c.t.Helper()
	return c.askIn(c.t.Context())
}

func (c *conversation) askIn(ctx context.Context) (*agent.Reply, error) {
	c.t.Helper()
	reply, err := c.open().Turn(ctx, &c.request)
	if left, _ := filepath.Glob(filepath.Join(c.request.RunDir, "claude-*")); len(left) > 0 {
		c.t.Errorf("files are left: %v", left)
	}
	return reply, err
}

// perform has the performer of prompts take the turn.
func (c *conversation) perform(total, idle time.Duration) flow.Result {
	c.t.Helper()
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"claude": c.open()}, CheckReply: structured.Check, IdleTimeout: idle})
	return p.Perform(c.t.Context(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "r", WorkDir: c.request.WorkDir}, Action: flow.Action{Key: "n", Payload: c.request.Prompt, Timeout: total},
		Number: 1, RunDir: c.request.RunDir, Environ: c.request.Environ, Log: slog.New(slog.DiscardHandler),
		Output: func(stream string, piece []byte) { c.output += stream + ":" + string(piece) },
	})
}

// script writes a program for the system's shell that says its version when it
// is asked, and else does what the script says.
func script(t *testing.T, text string) string {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the test's program is a shell script")
	}
	path := filepath.Join(t.TempDir(), "claude")
	text = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '2.1.119 (Claude Code)'; exit; fi\ncat >/dev/null\n" + text + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// prints writes a program that prints lines and exits with a code.
func prints(t *testing.T, exit string, lines ...string) string {
	t.Helper()
	return script(t, "cat <<'END'\n"+strings.Join(lines, "\n")+"\nEND\nexit "+exit)
}

// wantFailure checks a failure.
func wantFailure(t *testing.T, err error, class flow.Class, reason string, words ...string) {
	t.Helper()
	var f *flow.Failure
	if !errors.As(err, &f) {
		t.Fatalf("got %v, want a failure with %q", err, words)
	}
	if failures.Classify(err) != class || f.Reason != reason {
		t.Errorf("class %q reason %q, want %q %q: %v", failures.Classify(err), f.Reason, class, reason, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got %q, want %q in it", err.Error(), w)
		}
	}
}
