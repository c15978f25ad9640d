package probes_test

import (
	"strings"
	"testing"
)

// TestSessions keeps a granted agent's conversations of a workflow from those of people and other
// projects: a step reads and writes its own in their place, also in the next run.
func TestSessions(t *testing.T) {
	needs(t)
	h := newHome(t, "state")
	h.write("home/.claude/projects/other/s.jsonl", secret)
	h.write("home/.claude/history.jsonl", secret)
	h.write("home/.claude/settings.json", "{}")
	h.write("work/try", `cd ~/.claude; grep -rq secret . && echo won >>"$D/work/proof"
ls projects projects/mine settings.json; cat history.jsonl
mkdir -p projects/mine && echo own >>projects/mine/s.jsonl && echo own >>history.jsonl`)
	h.write("work/later", `cat ~/.claude/projects/mine/s.jsonl ~/.claude/history.jsonl >>"$D/work/kept"`)
	run := func(flag string) {
		h.calls(nil, "bash", "-c", `self run --quiet --no-ask --grant claude $0; true`, flag)
	}
	run("")
	run("")
	if proof := h.read("work/proof"); proof != "" {
		t.Error("a step reads what a person has said to the agent")
	}
	if kept := h.read("work/kept"); kept != strings.Repeat("own\n", 2+4) {
		t.Errorf("kept: %q", kept)
	}
	if exists(h.path("home/.claude/projects/mine")) || h.read("home/.claude/history.jsonl") != secret {
		t.Error("a step writes where a person's next conversation begins")
	}
	run("--sandbox=off")
	if h.read("work/proof") == "" {
		t.Error("without the sandbox, a step does not read it either")
	}
}

// TestGitSettings shows steps the settings of git, unless they have a key.
func TestGitSettings(t *testing.T) {
	needs(t)
	for settings, want := range map[string]string{
		"[user]\n\tname = Ann\n": "Ann",
		"[user]\n\tname = Ann\n[http]\n\textraHeader = Authorization: Basic x\n":                                    "",
		"[user]\n\tname = Ann\n[url \"https://x-access-token:x@github.com/\"]\n\tinsteadOf = https://github.com/\n": "",
	} {
		h := newHome(t, "state")
		h.write("home/.gitconfig", settings)
		h.write("work/try", `grep -o Ann ~/.gitconfig >"$D/work/proof"`)
		h.calls(nil, "self", "run", "--quiet", "--no-ask")
		if got := strings.TrimSpace(h.read("work/proof")); got != want {
			t.Errorf("%q: a step reads %q, want %q", settings, got, want)
		}
	}
}

// TestRefusalsOfStepsThatComplete notes in the log what was refused to a step that completed.
func TestRefusalsOfStepsThatComplete(t *testing.T) {
	needs(t)
	h := newHome(t, "state")
	h.write("work/try", "("+connects("evil.example.com")+") 2>/dev/null; true")
	_, out := h.calls(nil, "bash", "-c", "self run --no-ask; self logs latest")
	if !strings.Contains(out, "✓ try") || !strings.Contains(out, "the sandbox refused evil.example.com:443") {
		t.Errorf("the log does not name the host:\n%s", out)
	}
}
