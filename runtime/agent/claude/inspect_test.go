package claude_test

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
	home := t.TempDir()
	account := t.TempDir()
	if err := os.WriteFile(filepath.Join(account, ".credentials.json"), []byte(`{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name               string
		behaviour          fakeagent.Behaviour
		absent, thorough   bool
		key                bool
		environ            string
		installed          engine.Verdict
		signedIn, usable   engine.Verdict
		version, says, tip string
	}{
		{name: "at a glance", installed: "yes", signedIn: "unknown", version: "2.1.330"},
		{name: "a key", key: true, installed: "yes", signedIn: "yes", usable: "yes", version: "2.1.330"},
		{name: "an account", environ: "CLAUDE_CONFIG_DIR=" + account, installed: "yes", signedIn: "yes", usable: "yes", version: "2.1.330"},
		{name: "a cloud", environ: "CLAUDE_CODE_USE_BEDROCK=1", installed: "yes", signedIn: "yes", usable: "yes", version: "2.1.330"},
		{name: "thorough", thorough: true, installed: "yes", signedIn: "yes", usable: "yes", version: "2.1.330"},
		{name: "signed out", thorough: true, behaviour: fakeagent.Behaviour{Fault: fakeagent.SignedOut}, installed: "yes", signedIn: "no", usable: "no",
			version: "2.1.330", says: "it is not signed in", tip: "claude auth login"},
		{name: "signed out, and the file of an account", thorough: true, environ: "CLAUDE_CONFIG_DIR=" + account, behaviour: fakeagent.Behaviour{Fault: fakeagent.SignedOut},
			installed: "yes", signedIn: "no", usable: "no", version: "2.1.330", says: "it is not signed in", tip: "claude auth login"},
		{name: "cannot say", thorough: true, behaviour: fakeagent.Behaviour{Version: "2.1.40", Fault: fakeagent.SignedOut}, installed: "yes", signedIn: "unknown", version: "2.1.40"},
		{name: "too old", behaviour: fakeagent.Behaviour{Version: "1.0.3"}, installed: "yes", usable: "no", version: "1.0.3", says: "is version 1.0.3, and wfc needs 2.1.0 or newer", tip: "npm install"},
		{name: "no version", behaviour: fakeagent.Behaviour{Version: "new"}, installed: "yes", signedIn: "unknown", version: "new (Claude Code)", says: "names no version"},
		{name: "not installed", absent: true, installed: "no", usable: "no", says: "does not exist; install it", tip: "npm install -g @anthropic-ai/claude-code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "none")
			if !test.absent {
				path = fakeagent.Program(t, "claude", test.behaviour)
			}
			q := &engine.Inspection{Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), test.environ}, WorkDir: t.TempDir(), Thorough: test.thorough}
			s := engine.AgentState{Name: "claude", Credentials: []engine.Credential{{Name: "ANTHROPIC_API_KEY", Set: test.key}}}
			converse(t, path).open().(agent.Inspector).Inspect(t.Context(), q, &s)
			if s.Installed != test.installed || s.SignedIn != test.signedIn || s.Usable != test.usable || s.Version != test.version {
				t.Errorf("got %+v", s)
			}
			if !strings.Contains(s.Problem, test.says) || test.says == "" && s.Problem != "" || !strings.Contains(s.Hint, test.tip) {
				t.Errorf("problem %q, hint %q", s.Problem, s.Hint)
			}
			if test.absent == (s.Program != "") {
				t.Errorf("program %q", s.Program)
			}
			if turns := 0; !test.absent && len(fakeagent.Turns(t, path)) != turns {
				t.Error("an inspection is no turn")
			}
		})
	}
}
