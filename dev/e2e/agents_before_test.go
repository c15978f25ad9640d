//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// beforeRuns looks at agents before a run: when one could not answer, it says
// which and how that is mended, and nothing is recorded.
func beforeRuns(t *testing.T, binary string) {
	for _, test := range []struct {
		name string
		make func(m *team)
		want []string
		// node is the one that fails when the agents are not looked at.
		node, reason string
	}{
		{"no program", func(m *team) { m.removeProgram("claude") },
			[]string{"  worker (claude): ", "  by-claude (claude): ", "the program `claude` is not on PATH; install it with `npm install -g @anthropic-ai/claude-code`, or "}, "ask-claude", "start"},
		{"no program of another name", func(m *team) { m.removeProgram("acp") },
			[]string{"  by-acp (acp): ", "the program `acp` is not on PATH; set its path as `program`"}, "ask-acp", "start"},
		{"no program of one's own", func(m *team) { m.removeProgram("command") },
			[]string{"  by-command (command): ", "`ask`"}, "ask-command", "start"},
		{"an old version", func(m *team) { m.behave(of("codex", func(b *fakeagent.Behaviour) { b.Version = "0.20.0" })) },
			[]string{"  by-codex (codex): ", "0.20.0", "0.100.0"}, "ask-codex", "start"},
		{"no key", func(m *team) { m.set("OPENAI_API_KEY", "") },
			[]string{"  by-openai (openai): ", "OPENAI_API_KEY"}, "ask-openai", "agent"},
		{"no key by any name", func(m *team) { m.set("GEMINI_API_KEY", "") },
			[]string{"  by-google (google): ", "GEMINI_API_KEY", "GOOGLE_API_KEY"}, "ask-google", "agent"},
	} {
		m := newTeam(t, binary, nil)
		test.make(m)
		m.says(1, "run", "all")
		for _, want := range append(test.want, "these agents could not answer:", "--skip-agent-check starts the run anyway") {
			if !strings.Contains(m.stderr, want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, m.stderr)
			}
		}
		var list struct {
			Runs []json.RawMessage `json:"runs"`
		}
		if err := json.Unmarshal([]byte(m.says(0, "list", "--json")), &list); err != nil || list.Runs == nil || len(list.Runs) != 0 {
			t.Errorf("%s: there are runs: %s, %v", test.name, list.Runs, err)
		}
		if len(m.traces()) > 0 {
			t.Errorf("%s: a step was performed", test.name)
		}
		r := m.asks(1, "run", "all", "--skip-agent-check")
		if n := r.step(t, test.node); n.Status != flow.Failed || n.Error.Reason != test.reason || n.Error.Class != flow.ClassFatal {
			t.Errorf("%s: not looked at, `%s` is %s: %#v", test.name, test.node, n.Status, n.Error)
		}
	}
	m := newTeam(t, binary, nil)
	m.removeProgram("command")
	m.asks(0, "run", "one", "--agent", "by-command=scripted:"+emptyReplies(t))
}

// emptyReplies is a file without replies.
func emptyReplies(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replies.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// removeProgram takes a program off PATH.
func (m *team) removeProgram(kind string) {
	m.t.Helper()
	if err := os.Rename(m.programs[kind], filepath.Join(m.t.TempDir(), "elsewhere")); err != nil {
		m.t.Fatal(err)
	}
}

// agentsTold compares what info says of agents, before and after asking them.
func agentsTold(t *testing.T, binary string) {
	m := newTeam(t, binary, func(kind string, b *fakeagent.Behaviour) {
		if kind == "codex" || kind == "google" {
			b.Fault = fakeagent.SignedOut
		}
	})
	m.removeProgram("command")
	told := func(code int, args ...string) map[string]told {
		var d struct {
			Agents []told `json:"agents"`
		}
		if err := json.Unmarshal([]byte(m.says(code, append(args, "--json")...)), &d); err != nil {
			t.Fatal(err)
		}
		agents := map[string]told{}
		for _, a := range d.Agents {
			agents[a.Name] = a
		}
		return agents
	}
	static, asked := told(0, "info"), told(1, "info", "--check")
	for _, want := range []struct {
		name, kind, model, program, version string
		// installed, signed and usable are what asking finds out.
		installed, signed, usable engine.Verdict
		credential, node, problem string
	}{
		{"worker", "claude", "", "claude", "2.1.330", engine.Yes, engine.Yes, engine.Yes, "ANTHROPIC_API_KEY", "classify", ""},
		{"by-claude", "claude", "m-claude", "claude", "2.1.330", engine.Yes, engine.Yes, engine.Yes, "ANTHROPIC_API_KEY", "ask-claude", ""},
		{"by-codex", "codex", "m-codex", "codex", "0.169.0", engine.Yes, engine.No, engine.No, "", "ask-codex", "codex login"},
		{"by-acp", "acp", "big", "acp", "fake-acp 1.2.3", engine.Yes, engine.Unknown, engine.Yes, "", "ask-acp", ""},
		{"by-anthropic", "anthropic", "opus", "", "", engine.Yes, engine.Yes, engine.Yes, "ANTHROPIC_API_KEY", "ask-anthropic", ""},
		{"by-openai", "openai", "m-openai", "", "", engine.Yes, engine.Yes, engine.Yes, "OPENAI_API_KEY", "ask-openai", ""},
		{"by-google", "google", "m-google", "", "", engine.Yes, engine.No, engine.No, "GEMINI_API_KEY", "ask-google", "GEMINI_API_KEY"},
		{"by-command", "command", "", "", "", engine.No, engine.Unknown, engine.No, "", "ask-command", "ask"},
	} {
		s, a := static[want.name], asked[want.name]
		if s.Kind != want.kind || s.Model != want.model || !slices.Contains(s.Nodes, want.node) {
			t.Errorf("info: %+v", s)
		}
		if want.credential != "" && !slices.Contains(s.Credentials, engine.Credential{Name: want.credential, Set: true}) {
			t.Errorf("info: %s has %+v", want.name, s.Credentials)
		}
		if a.Installed != want.installed || a.SignedIn != want.signed || a.Usable != want.usable || a.Version != want.version {
			t.Errorf("info --check: %+v", a)
		}
		if want.program != "" && a.Program != m.programs[want.program] || !strings.Contains(a.Problem+a.Hint, want.problem) {
			t.Errorf("info --check: %+v", a)
		}
	}
	text := m.says(1, "info", "--check") + m.says(0, "info")
	for _, want := range []string{"AGENT", "USABLE", "by-anthropic (anthropic): model opus; ANTHROPIC_API_KEY set", "asked by ask-google"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, fakeagent.Key) {
		t.Errorf("a key is shown:\n%s", text)
	}
	for _, kind := range []string{"claude", "codex", "acp", "anthropic", "openai", "google"} {
		if n := m.turns(kind); n != 0 {
			t.Errorf("%s was asked for %d answers", kind, n)
		}
	}
}

// told is what info says of an agent.
type told struct {
	engine.AgentState
	Nodes []string `json:"nodes"`
}
