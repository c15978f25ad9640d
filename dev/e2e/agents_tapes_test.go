//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// recordings replays a recorded run without any agent, tells when a prompt is
// not the recorded one, and fails then when it is to be strict.
func recordings(t *testing.T, binary string) {
	m := newTeam(t, binary, nil)
	tape := filepath.Join(t.TempDir(), "tape")
	recorded := m.asks(0, "run", "one", "crash", "--agent", m.worker("openai"), "--record", tape)
	text, err := os.ReadFile(tape)
	if err != nil || strings.Contains(string(text), fakeagent.Key) || strings.Count(string(text), `"step":`) < 4 {
		t.Errorf("the recording is %v\n%s", err, text)
	}
	m.says(2, "run", "one", "crash", "--record", tape)
	if !strings.Contains(m.stderr, "a recording has only one run") {
		t.Errorf("recording again says %q", m.stderr)
	}

	for _, kind := range []string{"claude", "codex", "acp", "command"} {
		m.removeProgram(kind)
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"} {
		m.set(name, "")
	}
	turns := m.turns("openai")
	again := m.asks(0, "run", "one", "crash", "--replay", tape, "--replay-strict")
	if string(again.Outputs) != string(recorded.Outputs) || len(again.Warnings) != 0 {
		t.Errorf("replayed, the outputs are %s, want %s; warnings %+v", again.Outputs, recorded.Outputs, again.Warnings)
	}
	if again.Turns != 0 || again.CostUSD != 0 || again.Replayed.Turns != 4 || again.Replayed.InputTokens != 400 {
		t.Errorf("replayed, %d turns cost $%v; %+v", again.Turns, again.CostUSD, again.Replayed)
	}
	if s := again.step(t, "classify").Meta.Session; s != recorded.step(t, "classify").Meta.Session {
		t.Errorf("replayed, the session is %q", s)
	}

	changed := m.asks(0, "run", "one", "hang", "--replay", tape)
	if string(changed.Outputs) != string(recorded.Outputs) || len(changed.Warnings) != 1 {
		t.Fatalf("of a changed prompt, the outputs are %s; warnings %+v", changed.Outputs, changed.Warnings)
	}
	if w := changed.Warnings[0]; w.Key != "classify" || !strings.Contains(w.Message, "hang") || !strings.Contains(w.Message, "crash") {
		t.Errorf("of a changed prompt, it warns: %+v", w)
	}
	strict := m.asks(1, "run", "one", "hang", "--replay", tape, "--replay-strict")
	if n := strict.step(t, "classify"); n.Status != flow.Failed || n.Error.Reason != "replay" {
		t.Errorf("of a changed prompt, `classify` is %s: %+v", n.Status, n.Error)
	}
	if strict = m.asks(1, "run", "all", "--replay", tape); strict.step(t, "ask-google").Error.Reason != "replay" {
		t.Errorf("of a turn that was not recorded: %+v", strict.step(t, "ask-google").Error)
	}
	if m.turns("openai") != turns {
		t.Error("an agent was asked in a replay")
	}
}

// agentVariables gives each agent the variables that it needs, and none of the
// other secrets; scripts get all.
func agentVariables(t *testing.T, binary string) {
	m := newTeam(t, binary, nil)
	m.set("OTHER_SECRET_TOKEN", "hush-hush-1")
	m.set("ASK_TOKEN", "hush-hush-2")
	m.set("CODEX_API_KEY", "hush-hush-3")
	m.set("PLAIN", "as it is")
	r := m.asks(0, "run", "all")
	environs := map[string][]string{"command": lines(t, filepath.Join(filepath.Dir(m.programs["command"]), "environ"))}
	for _, kind := range []string{"claude", "codex", "acp"} {
		environs[kind] = m.prompts(kind)[0].Environ
	}
	own := map[string][]string{
		"claude": {"ANTHROPIC_API_KEY"}, "codex": {"CODEX_API_KEY", "OPENAI_API_KEY"},
		"acp": {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CODEX_API_KEY"}, "command": {"ASK_TOKEN"},
	}
	for kind, environ := range environs {
		names := map[string]bool{}
		for _, e := range environ {
			name, _, _ := strings.Cut(e, "=")
			names[name] = true
		}
		for _, name := range []string{"OTHER_SECRET_TOKEN", "ASK_TOKEN", "CODEX_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"} {
			want := strings.Contains(strings.Join(own[kind], " "), name)
			if names[name] != want {
				t.Errorf("%s gets %s: %v, want %v", kind, name, names[name], want)
			}
		}
		for _, name := range []string{"PLAIN", "PATH", "HOME", "WFC_RUN_ID", "WFC_STEP_KEY"} {
			if !names[name] {
				t.Errorf("%s does not get %s", kind, name)
			}
		}
	}
	if got := strings.Join(m.traces(), ""); !strings.Contains(got, "secret hush-hush-1\n") {
		t.Errorf("the script saw %q", got)
	}
	logs := m.says(0, "logs") + m.says(0, "status") + string(r.Outputs)
	for _, secret := range []string{"hush-hush", fakeagent.Key} {
		if strings.Contains(logs, secret) {
			t.Errorf("%q is shown:\n%s", secret, logs)
		}
	}
	if !strings.Contains(logs, "OTHER_SECRET_TOKEN") {
		t.Errorf("the log does not say what agents did not get:\n%s", logs)
	}
}
