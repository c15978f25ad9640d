package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
)

func TestInspect(t *testing.T) {
	for _, test := range []struct {
		name                        string
		path                        string
		thorough, key               bool
		installed, signedIn, usable engine.Verdict
		version, says, tip          string
	}{
		{name: "at a glance", installed: "yes", signedIn: "unknown", version: "0.169.0"},
		{name: "a key", key: true, installed: "yes", signedIn: "yes", usable: "yes", version: "0.169.0"},
		{name: "thorough", thorough: true, installed: "yes", signedIn: "yes", usable: "yes", version: "0.169.0"},
		{name: "signed out", path: fakeagent.Program(t, "codex", fakeagent.Behaviour{Fault: fakeagent.SignedOut}), thorough: true,
			installed: "yes", signedIn: "no", usable: "no", version: "0.169.0", says: "it is not signed in", tip: "codex login"},
		{name: "its own trouble", path: script(t, "echo 'Error checking login status: x' >&2; exit 1"), thorough: true, installed: "yes", signedIn: "unknown", version: "0.169.0"},
		{name: "too old", path: fakeagent.Program(t, "codex", fakeagent.Behaviour{Version: "0.99.0"}), installed: "yes", usable: "no", version: "0.99.0",
			says: "is version 0.99.0, and wfc needs 0.100.0 or newer", tip: "npm install"},
		{name: "not installed", path: filepath.Join(t.TempDir(), "none"), installed: "no", usable: "no", says: "does not exist", tip: "npm install -g @openai/codex"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.path == "" {
				test.path = fakeagent.Program(t, "codex", fakeagent.Behaviour{})
			}
			q := &engine.Inspection{Environ: os.Environ(), WorkDir: t.TempDir(), Thorough: test.thorough}
			s := engine.AgentState{Name: "codex", Credentials: []engine.Credential{{Name: "CODEX_API_KEY", Set: test.key}}}
			converse(t, test.path).open().(agent.Inspector).Inspect(t.Context(), q, &s)
			if s.Installed != test.installed || s.SignedIn != test.signedIn || s.Usable != test.usable || s.Version != test.version {
				t.Errorf("got %+v", s)
			}
			if !strings.Contains(s.Problem, test.says) || test.says == "" && s.Problem != "" || !strings.Contains(s.Hint, test.tip) {
				t.Errorf("problem %q, hint %q", s.Problem, s.Hint)
			}
		})
	}
}
