package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// At a terminal, a wait for an event is progress and no question; the event that another
// process reports ends it.
func TestEventAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, []string{"WAIT_EVENT=deployed"}, "waits", "run")
	text := s.Sees("◌ pause waits for the event `deployed` until (.|\n)*◌ pause/wait in [0-9]+m")
	if strings.Contains(text, "asks") || strings.Contains(text, "Ctrl-D") {
		t.Errorf("shown: %q", text)
	}
	run := regexp.MustCompile(`waits-[a-z0-9]{6}`).FindString(text)
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir, cmd.Env = []string{"waits", "signal", run, "deployed", "now"}, dir, append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "WAIT_EVENT=deployed")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "answered: signal\nthe run ") { // "continues in" or "has continued": it may be over
		t.Errorf("%v: %s", err, out)
	}
	s.Exits(0)
	if got := s.stdout.String(); !strings.Contains(got, `"payload":"now"`) {
		t.Errorf("standard output: %q", got)
	}
}

// The wait for a person is asked at the terminal.
func TestAttentionAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), []string{"WAIT_ATTENTION=Look at the disk."}, "waits", "run")
	s.Sees(`Look at the disk\.(.|\n)*\[w\]ake \(Ctrl-D leaves the question open\): $`)
	s.Types("w\n")
	s.Sees("anything to say")
	s.Types("\n")
	s.Exits(0)
}

// Decisions are offered by their names.
func TestDecisionAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), nil, "decides", "run")
	s.Sees(`\[a\]pprove or \[rev\]ise or \[rej\]ect \(Ctrl-D leaves the question open\): $`)
	s.Types("revise\n")
	s.Sees("anything to say")
	s.Types("shorter\n")
	s.Exits(0)
	if got := s.stdout.String(); got != "{\"decision\":\"revise\",\"text\":\"shorter\"}\n" {
		t.Errorf("standard output: %q", got)
	}
}

// The question of a child is asked at the terminal of its parent, by its own id.
func TestChildAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), nil, "release", "run")
	s.Sees(`✓ build › make (.|\n)*\? gate#1 of run release-[a-z0-9]{6}--build asks(.|\n)*` + prompt)
	s.Types("a\n")
	s.Sees("anything to say")
	s.Types("\n")
	s.Sees("✓ build › ship ")
	s.Exits(0)
}
