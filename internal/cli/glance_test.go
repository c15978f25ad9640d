package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
)

// The doctor needs no Go, no cache and no network, and shows no key.
func TestDoctorBuildsNothing(t *testing.T) {
	dir := t.TempDir()
	fake := fakeagent.Program(t, "claude", fakeagent.Behaviour{Version: "2.1.150"})
	cache := filepath.Join(dir, "cache")
	telemetry := filepath.Join(dir, ".config", "go", "telemetry")
	if err := os.MkdirAll(telemetry, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(telemetry, "mode"), "off") // `go` would write there even after the test
	env := []string{
		"PATH=" + filepath.Join(dir, "nothing"), "GOROOT=", "WFC_CACHE=" + cache, "HOME=" + dir, "CLAUDE_CONFIG_DIR=" + dir,
		"ANTHROPIC_API_KEY=", "ANTHROPIC_AUTH_TOKEN=", "CLAUDE_CODE_OAUTH_TOKEN=", "OPENAI_API_KEY= ", "MY_KEY=sk-very-secret", "GEMINI_API_KEY=", "GOOGLE_API_KEY=",
	}
	write(t, filepath.Join(dir, "wfc.yaml"), "agents:\n  claude: {use: claude, program: '"+fake+"'}\n  follower: {use: claude}\n"+
		"  api: {use: openai}\n  gem: {use: google}\n  set: {use: openai, key_variable: MY_KEY}\n  own: {command: ['"+fake+"', --ask]}\n  lost: {command: [./nowhere]}\n")
	write(t, filepath.Join(dir, "flow.yaml"), askingFlow("claude", "follower", "api", "set", "gem", "own", "lost", "opencode"))
	code, out, messages := wfcCommand(t, dir, env, "doctor")
	if code != ExitFindings || messages != "" {
		t.Errorf("exit code %d\n%s", code, messages)
	}
	table := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"claude claude " + fake + " 2.1.150 yes ", "follower claude " + fake + " 2.1.150 yes ",
		"api openai - - yes no no", "api: there is no key to the OpenAI API", "api: → set the environment variable `OPENAI_API_KEY`",
		"set openai - - yes unknown unknown",
		"gem google - - yes no no", "gem: → set the environment variable `GEMINI_API_KEY` or `GOOGLE_API_KEY`",
		"own command " + fake + " - yes unknown unknown", "lost command - - no unknown no",
		"opencode acp - - no unknown no", "npm install -g opencode-ai",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "sk-very-secret") {
		t.Errorf("a key in\n%s", out)
	}
	if _, err := os.Stat(cache); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cache: %v", err)
	}
}

// A program that does not answer does not hold the doctor up.
func TestDoctorWaitsForNobody(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	dir := t.TempDir()
	slow := filepath.Join(dir, "slow")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "wfc.yaml"), "agents: {claude: {use: claude, program: '"+slow+"'}}\n")
	write(t, filepath.Join(dir, "flow.yaml"), askingFlow("claude"))
	code, out, messages := wfcCommand(t, dir, []string{"HOME=" + dir}, "doctor")
	if code != ExitClean || !strings.Contains(out, "claude: it did not report its version within 900ms; `wfc doctor --deep` waits longer") {
		t.Errorf("exit code %d\n%s%s", code, out, messages)
	}
}
