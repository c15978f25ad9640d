//go:build unix

package e2e

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A fault is a way in which agents go wrong in a run.
type fault struct {
	name string
	how  fakeagent.Fault
	// structured is what agents answer to the question about the issue, or "" for
	// what is right.
	structured string
	// times is how many turns of each agent go wrong; 0 means all.
	times int
	// events are the rows of the guide that describe it, by kind, or under "" for
	// all others. One without a row answers all the same.
	events map[string]string
	// says is what the failure says, by kind.
	says map[string]string
}

// Rows of the guide about several faults or kinds.
const (
	lostConnection    = "overload, a service error, or a lost connection"
	otherError        = "another error of a program, exit code, or a signal"
	breaksOff         = "the program ends in the middle of a turn"
	unreadableProgram = "unreadable answer of a program"
	unreadableService = "unreadable answer of a service"
	unreadableOwn     = "unreadable answer of your own program, or more than 64 MiB"
)

var allFaults = []fault{
	{
		name: "stalled", how: fakeagent.Stalled,
		events: map[string]string{"": "silent for too long, or too slow"},
		says:   map[string]string{"": "sent nothing for 5s"},
	},
	{
		name: "killed", how: fakeagent.Killed,
		events: map[string]string{
			"": lostConnection, "claude": otherError, "codex": otherError, "acp": otherError, "command": otherError,
		},
		says: map[string]string{"claude": "SIGKILL", "codex": "SIGKILL", "acp": "SIGKILL", "command": "SIGKILL", "": "connection"},
	},
	{
		name: "garbled", how: fakeagent.Garbled,
		events: map[string]string{
			"": unreadableService, "claude": unreadableProgram, "codex": unreadableProgram, "acp": unreadableProgram, "command": unreadableOwn,
		},
		says: map[string]string{"claude": "garbled", "codex": "garbled", "acp": "session/upd", "command": "cannot be read"},
	},
	{
		name: "truncated", how: fakeagent.Truncated,
		events: map[string]string{
			"": unreadableService, "claude": breaksOff, "codex": breaksOff, "acp": breaksOff, "command": unreadableOwn,
		},
	},
	{
		name: "rate-limited for ever", how: fakeagent.RateLimited,
		events: map[string]string{
			"": "rate limit", "command": "`transient` error of your own program, or exit code 75",
		},
		says: map[string]string{"claude": "429", "codex": "429", "acp": "429 Too Many Requests: slow down", "anthropic": "would exceed your rate limit",
			"openai": "Rate limit reached", "google": "exceeded your current quota", "command": "429 too many requests"},
	},
	{name: "rate-limited once", how: fakeagent.RateLimited, times: 1},
	{
		name: "over budget", how: fakeagent.OverBudget,
		events: map[string]string{"": "cost over `maxBudgetUsd`"},
		says:   map[string]string{"": "exceeded cost cap of $1.00: its agent has spent $1"},
	},
	{
		name: "an answer of another shape", structured: `{"kind":"chore","confidence":"high"}`,
		events: map[string]string{"": "the model's limit of tokens, or no answer that satisfies the schema"},
		says:   map[string]string{"": "got no structured answer that satisfies its output_format"},
	},
	{
		name: "signed out", how: fakeagent.SignedOut,
		events: map[string]string{
			"": "signed out, no key, or key refused", "command": "`fatal` error of your own program, or exit code 77",
		},
		says: map[string]string{"claude": "claude auth login", "codex": "codex login", "acp": "sign", "anthropic": "ANTHROPIC_API_KEY",
			"openai": "OPENAI_API_KEY", "google": "GEMINI_API_KEY", "command": "you are not signed in"},
	},
}

// faults has agents of all kinds go wrong in the same way in one run. Each
// failure is what the guide says; the run can be resumed when the agents behave,
// and gives what an undisturbed one does.
func faults(t *testing.T, binary string) {
	for _, f := range allFaults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			m := newTeam(t, binary, f.behave)
			code, status := 1, flow.Failed
			if f.events == nil {
				code, status = 0, flow.Completed
			}
			r := m.asks(code, "run", "all", "--skip-agent-check")
			if r.Status != status {
				t.Errorf("the run is %s", r.Status)
			}
			for _, kind := range teamKinds {
				f.check(t, m, kind, r.step(t, "ask-"+kind))
			}
			m.gone()
			if f.events == nil {
				return
			}
			m.behave(nil)
			r = m.asks(0, "resume")
			if r.Status != flow.Completed {
				t.Errorf("after that the run is %s", r.Status)
			}
			for _, kind := range teamKinds {
				r.completed(t, "ask-"+kind, opinion)
				if got := m.turns(kind); got != 1 {
					t.Errorf("%s had %d turns in the resumed run", kind, got)
				}
			}
			if ways := slices.DeleteFunc(m.traces(), func(l string) bool { return l != "way\n" }); len(ways) != 1 {
				t.Errorf("what had completed was done again: %q", ways)
			}
			m.gone()
		})
	}
}

// killedRuns kills the process of a run in which programs of all kinds are in the middle of
// their turns: they end.
func killedRuns(t *testing.T, binary string) {
	if runtime.GOOS != "linux" {
		t.Skip("the test reads /proc")
	}
	m := newTeam(t, binary, func(_ string, b *fakeagent.Behaviour) { b.Fault = fakeagent.Stalled })
	cmd := m.Command(t.Context(), nil, "run", "all", "--skip-agent-check")
	cmd.Stdout, cmd.Stderr = nil, nil
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, path := range m.programs {
		for turns, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "turn*")); len(turns) == 0; {
			time.Sleep(10 * time.Millisecond)
			turns, _ = filepath.Glob(filepath.Join(filepath.Dir(path), "turn*"))
		}
	}
	if running := m.running(); len(running) < len(m.programs) {
		t.Errorf("%d programs run, want at least %d", len(running), len(m.programs))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 6000 {
		if len(m.running()) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	m.gone()
}

// behave makes an agent go wrong.
func (f *fault) behave(kind string, b *fakeagent.Behaviour) {
	b.Fault, b.Times = f.how, f.times
	if f.structured != "" {
		b.Structured = json.RawMessage(f.structured)
	}
	if f.how == fakeagent.OverBudget {
		switch kind {
		case "claude":
			b.CostUSD = 1.5 // it stops itself, and tells the cost
		case "codex":
			b.InputTokens = 1_000_000 // it knows no budget
		}
	}
}

// check compares how a step ended with the guide.
func (f *fault) check(t *testing.T, m *team, kind string, n nodeOf) {
	t.Helper()
	if f.events == nil {
		if n.Status != flow.Completed || n.Output != opinion {
			t.Errorf("%s: %s with %q: %v", kind, n.Status, n.Output, n.Error)
		}
		return
	}
	if n.Status != flow.Failed || n.Error == nil {
		t.Errorf("%s: the step is %s, its failure is %v", kind, n.Status, n.Error)
		return
	}
	p := promised(t, either(f.events, kind))
	if !slices.Contains(p.reasons, n.Error.Reason) {
		t.Errorf("%s: the reason is %q, and the guide says %q: %s", kind, n.Error.Reason, p.reasons, n.Error.Message)
	}
	if says := either(f.says, kind); !strings.Contains(n.Error.Message, says) {
		t.Errorf("%s: no %q in %q", kind, says, n.Error.Message)
	}
	if strings.Contains(n.Error.Message, fakeagent.Key) {
		t.Errorf("%s: the failure shows the key: %q", kind, n.Error.Message)
	}
	attempts, class := 1, flow.ClassFatal
	switch {
	case strings.HasPrefix(p.again, "yes"):
		attempts, class = 2, flow.ClassTransient
	case strings.HasPrefix(p.again, "no"):
	default: // by what it said, or when the workflow wants it
		class = flow.ClassUnknown
	}
	if n.Error.Class != class || n.Meta.Attempts != attempts {
		t.Errorf("%s: class %q after %d attempts, want %q after %d, for the guide says %q: %s",
			kind, n.Error.Class, n.Meta.Attempts, class, attempts, p.again, n.Error.Message)
	}
	unasked := f.how == fakeagent.SignedOut && kind == "acp" // it opens no session
	if got := m.turns(kind); got < attempts && !unasked {
		t.Errorf("%s was asked %d times in %d attempts", kind, got, attempts)
	}
}

// either returns what is said of a kind, or of all.
func either(table map[string]string, kind string) string {
	if text, ok := table[kind]; ok {
		return text
	}
	return table[""]
}
