//go:build unix

package e2e

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// everyKind runs the workflow with each kind of agents behind the agent that it
// asks: the outputs are the same, and what is one conversation goes on.
func everyKind(t *testing.T, binary string) {
	replies := filepath.Join(t.TempDir(), "replies.json")
	text := `{"classify": [{"structured": ` + opinion + `}], "*": ["` + words + `"]}`
	if err := os.WriteFile(replies, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	recording := filepath.Join(t.TempDir(), "recording")
	outputs := map[string]string{}
	for _, kind := range append(append([]string{}, teamKinds...), "scripted", "replay") {
		m := newTeam(t, binary, nil)
		args := []string{"run", "one", "parser crash"}
		switch kind {
		case "scripted":
			args = append(args, "--agent", "worker=scripted:"+replies)
		case "replay":
			m.set("PATH", "/usr/bin:/bin") // there are no agents
			args = append(args, "--replay", recording)
		case "claude":
			args = append(args, "--agent", m.worker(kind), "--record", recording)
		case "codex": // without a model, its turns have no price for the project's limit
			args = append(args, "--agent", m.worker(kind), "--max-cost=0")
		default:
			args = append(args, "--agent", m.worker(kind))
		}
		r := m.asks(0, args...)
		if r.Status != flow.Completed {
			t.Errorf("%s: the run is %s", kind, r.Status)
		}
		r.completed(t, "classify", opinion)
		r.completed(t, "explain", words)
		r.completed(t, "mend", words)
		r.completed(t, "mend#2", words)
		outputs[kind] = string(r.Outputs)
		if outputs[kind] == "" || outputs[kind] != outputs["claude"] {
			t.Errorf("%s: the outputs are %s, want %s", kind, outputs[kind], outputs["claude"])
		}
		if m.programs[kind] != "" || m.servers[kind] != nil {
			conversation(t, m, kind, r)
		}
		m.gone()
	}
}

// conversation wants the turns of a run to have been the four that there are, of
// which the second goes on with the first, and the last with the third.
func conversation(t *testing.T, m *team, kind string, r *runOf) {
	t.Helper()
	turns := m.prompts(kind)
	if len(turns) != 4 {
		t.Fatalf("%s was asked %d times", kind, len(turns))
	}
	for i, want := range []string{
		"Is this a bug or a feature? one parser crash", "Explain this bug, of which you are sure by 0.75.", "Mend it: " + words, "Mend it: " + words,
	} {
		if !strings.Contains(turns[i].Prompt, want) {
			t.Errorf("%s: turn %d is %q", kind, i, turns[i].Prompt)
		}
	}
	first := r.step(t, "classify").Meta.Session
	if first == "" || r.step(t, "mend#1").Meta.Session == "" {
		t.Errorf("%s: no session is told", kind)
	}
	if m.servers[kind] == nil {
		for i, want := range []string{"", first, "", r.step(t, "mend#1").Meta.Session} {
			if turns[i].Session != want {
				t.Errorf("%s: turn %d goes on with %q, want %q", kind, i, turns[i].Session, want)
			}
		}
		return
	}
	// A service is told everything that was said before.
	for i, want := range []bool{false, true, false, true} {
		got := strings.Contains(string(turns[i].Body), `"assistant"`) || strings.Contains(string(turns[i].Body), `"role":"model"`)
		if got != want {
			t.Errorf("%s: an earlier answer is in turn %d: %v", kind, i, got)
		}
	}
}

// allKinds asks an agent of each kind in one run: they agree, and the run tells
// which model each had, in which session, and what that cost.
func allKinds(t *testing.T, binary string) {
	m := newTeam(t, binary, nil)
	r := m.asks(0, "run", "all")
	if r.Status != flow.Completed || r.Turns != len(teamKinds) || r.Input != 700 || r.Output != 140 || math.Abs(r.CostUSD-7*0.014) > 1e-9 {
		t.Errorf("the run is %s: %d turns, %d and %d tokens, $%v", r.Status, r.Turns, r.Input, r.Output, r.CostUSD)
	}
	for _, kind := range teamKinds {
		n := r.completed(t, "ask-"+kind, opinion)
		model := map[string]string{"acp": "vendor/big", "claude": "claude-fake-1", "anthropic": "claude-opus-5-5"}[kind]
		if model == "" {
			model = "m-" + kind
		}
		if n.Meta.Model != model || n.Meta.Session == "" || n.Meta.Turns != 1 || math.Abs(n.Meta.CostUSD-0.014) > 1e-9 || n.Meta.InputTokens != 100 || n.Meta.OutputTokens != 20 {
			t.Errorf("%s: %+v", kind, n.Meta)
		}
		if m.servers[kind] == nil && n.Meta.Session != "session-of-"+kind {
			t.Errorf("%s: the session is %q", kind, n.Meta.Session)
		}
		if kind == "claude" {
			model = "m-claude" // what was asked for; the answer tells the whole name
		}
		if turn := m.prompts(kind)[0]; turn.Model != model && kind != "command" {
			t.Errorf("%s was asked for model %q", kind, turn.Model)
		}
	}
	status := m.says(0, "status")
	for _, want := range []string{"ask-openai", "$0.014", "100 tokens in, 20 out"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
	m.gone()
}

// of returns a change of the behaviour of one kind of agents, or of all.
func of(kind string, change func(b *fakeagent.Behaviour)) func(string, *fakeagent.Behaviour) {
	return func(k string, b *fakeagent.Behaviour) {
		if kind == "" || kind == k {
			change(b)
		}
	}
}
