package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// seat is a program at a terminal of its own, whose standard output is kept apart.
type seat struct {
	*pty.Seat
	stdout *bytes.Buffer
}

// sit starts a program in a folder, at a terminal.
func sit(t *testing.T, dir string, environ []string, args ...string) *seat {
	t.Helper()
	var stdout bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir, cmd.Stdout = args, dir, &stdout
	cmd.Env = append(append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "TERM=xterm", "NO_COLOR=1"), environ...)
	return &seat{pty.Sit(t, cmd), &stdout}
}

const prompt = `\[a\]pprove or \[r\]eject \(Ctrl-D leaves the question open\): $`

func TestAskedAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), nil, "ship", "run")
	if text := s.Sees(prompt); !strings.Contains(text, "? gate#1 of run ship-") || !strings.Contains(text, "\n  │ Ship it?\n  │ See $(the notes).\n") {
		t.Errorf("shown: %q", text)
	}
	s.Types("a few things are missing\n")
	s.Sees(`please answer with one of these words or letters alone(.|\n)*` + prompt)
	s.Types("a\n")
	s.Sees(`anything to say\? \(Enter for nothing\): $`)
	s.Types("well done\n")
	s.Sees(`✓ gate#1 .*: approve by .* from .*, /dev/pts/[0-9]+: well done\n`)
	s.Exits(0)
	if got := s.stdout.String(); got != "published: well done\n" {
		t.Errorf("standard output: %q", got)
	}
}

// A result can't look like lines of wfc where both are at one terminal.
func TestResultAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	environ := append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "TERM=xterm", "NO_COLOR=1")
	paused := exec.Command(os.Args[0])
	paused.Args, paused.Dir, paused.Env = []string{"ship", "run", "--no-ask"}, dir, environ
	_ = paused.Run() // it waits for an answer
	answered := exec.Command(os.Args[0])
	answered.Args, answered.Dir, answered.Env = []string{"ship", "approve", "latest", "-m", "all\nin total: $0.00"}, dir, environ
	s := pty.Sit(t, answered)
	if text := s.Sees(`│ published: all\n│ in total: \$0\.00\n`); strings.Contains(text, "\npublished") {
		t.Errorf("shown: %q", text)
	}
	s.Exits(0)
}

func TestRejectedAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), nil, "ship", "run", "--quiet")
	s.Sees(prompt)
	s.Types("R\n")
	s.Sees("anything to say")
	s.Types("\n")
	s.Sees("was rejected by ")
	s.Exits(4)
}

// What ends while a question is asked is shown after the answer, and nothing is
// drawn into what is typed.
func TestQuestionHasTheTerminalAlone(t *testing.T) {
	dir := t.TempDir()
	hold := filepath.Join(dir, "hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := sit(t, dir, nil, "ship", "run")
	s.Sees(prompt)
	await(t, filepath.Join(dir, "held")) // the other branch runs
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	for { // until it has ended, as the journal has it
		if out, err := programIn(t, dir, "ship", "status"); err != nil {
			t.Fatal(out)
		} else if strings.Contains(out, "✓  side") {
			break
		}
	}
	s.Types("a\n")
	if text := s.Sees("anything to say"); strings.Contains(text, "side") || strings.Contains(text, "\x1b") {
		t.Errorf("shown while the person types: %q", text)
	}
	s.Types("\n")
	s.Sees("✓ side (.|\n)*✓ gate#1 ")
	s.Exits(0)
}

// The answer of another process ends the prompt.
func TestAnsweredElsewhereWhileAsked(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.Sees(prompt)
	s.Types("app") // and is not done when the answer comes
	out, err := programIn(t, dir, "ship", "approve", "-m", "from elsewhere")
	if err != nil || !strings.Contains(out, "answered: approve\nthe run ") { // "continues in" or "has used the answer": it may be over

		t.Errorf("%v: %s", err, out)
	}
	s.Sees("`gate#1` of run ship-[a-z0-9]+ was answered already: .* from .*, command line: approve: from elsewhere\n")
	s.Exits(0)
	if got := s.stdout.String(); got != "published: from elsewhere\n" {
		t.Errorf("standard output: %q", got)
	}
}

// The end of the input leaves the question open; the run pauses, and a later
// process asks again.
func TestLeftAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.Sees(prompt)
	s.Types("\x04")
	s.Sees("the question stays open\n(.|\n)*is paused:\n  gate#1 asks:(.|\n)*approve: .*ship approve ship-")
	s.Exits(3)
	s = sit(t, dir, nil, "ship", "resume")
	s.Sees(prompt)
	s.Types("approve\n\n")
	s.Exits(0)
	s = sit(t, dir, nil, "ship", "run", "--no-ask")
	s.Sees("is paused:")
	s.Exits(3)
	// A process that the run itself started asks nobody: its own keystrokes would
	// be the answer.
	out, err := programIn(t, dir, "ship", "list", "-n", "1", "--status", "paused")
	if err != nil {
		t.Fatal(out)
	}
	id := regexp.MustCompile(`ship-[a-z0-9]{6}`).FindString(out)
	s = sit(t, dir, []string{"WFC_RUN_ID=" + id}, "ship", "resume", id)
	if text := s.Sees("is paused:"); strings.Contains(text, "[a]pprove") {
		t.Errorf("the run may answer itself: %q", text)
	}
	s.Exits(3)
}

func TestInterruptedWhileAsked(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.Sees(prompt)
	s.Types("\x03") // Ctrl-C
	s.Sees("ship: cancelling; once more to end at once\n")
	s.Exits(130)
	if out, _ := programIn(t, dir, "ship", "status"); !strings.Contains(out, ": cancelled (cancelled by signal SIGINT)") {
		t.Errorf("%s", out)
	}
}

// A run that is killed while it asks keeps its question.
func TestKilledWhileAsked(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.Sees(prompt)
	if err := s.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.Exited
	if out, err := programIn(t, dir, "ship", "status"); err != nil || !strings.Contains(out, ": interrupted\n") || !strings.Contains(out, "gate#1 asks:") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := programIn(t, dir, "ship", "approve", "latest", "go"); err != nil || !strings.Contains(out, "published: go\n") {
		t.Errorf("%v: %s", err, out)
	}
}

const reviewPrompt = `\[a\]ccept or \[e\]dit or \[r\]eject or \[f\]eedback \(Ctrl-D leaves the question open\): $`

// A person at the terminal has an output made again, edits it wrongly, goes on with
// what that was, and is done. Ctrl-C in the editor is the editor's.
func TestReviewedAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, []string{"VISUAL=", "EDITOR=editor"}, "draft", "run")
	if text := s.Sees(reviewPrompt); !strings.Contains(text, "\n  `plan` says:\n  │ text: draft 1 []\n  │ n: 1\n") {
		t.Errorf("shown: %q", text)
	}
	s.Types("f\n")
	s.Sees(`which changes do you want\?.*: $`)
	s.Types("more detail\n")
	if text := s.Sees(reviewPrompt); !strings.Contains(text, "\n  │ text: draft 2 [more detail]\n  │ n: 2\n") {
		t.Errorf("shown: %q", text)
	}
	s.Types("e\n")
	s.Sees(`editing # is the output of step .plan. right\?~# The saved file is the output.*~text: draft 2 \[more detail\]~n: 2~`)
	s.Types("\x03")
	await(t, filepath.Join(dir, "signals"))
	s.Types("n: 2/n: two\n")
	s.Sees("the edit cannot be used: .*`n` must be an(.|\n)*" + reviewPrompt)
	s.Types("e\n")
	s.Sees(`editing .*~n: two~`)
	s.Types("two/3\n")
	s.Exits(0)
	if got := s.stdout.String(); got != `{"text":"draft 2 [more detail]","n":3,"approved":true}`+"\n" {
		t.Errorf("standard output: %q", got)
	}
}

// An editor that ends by Ctrl-C is all that ends by it.
func TestEditorInterrupted(t *testing.T) {
	s := sit(t, t.TempDir(), []string{"VISUAL=editor quits"}, "draft", "run")
	s.Sees(reviewPrompt)
	s.Types("e\n")
	s.Sees("editing .*~\n")
	s.Types("\x03")
	s.Sees("the editor `editor quits`: exit status 1\n(.|\n)*" + reviewPrompt)
	s.Types("r\n\n")
	s.Exits(4)
}

// `answer RUN edit` opens an editor for the person who calls it.
func TestEditedByAnAnswer(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "draft", "run", "--no-ask")
	s.Sees("is paused:")
	s.Exits(3)
	s = sit(t, dir, []string{"VISUAL=sed -i s/draft/final/"}, "draft", "answer", "latest", "edit")
	s.Sees("answered: edit")
	s.Exits(0)
	if got := s.stdout.String(); got != `{"text":"final 1 []","n":1,"approved":true}`+"\n" {
		t.Errorf("standard output: %q", got)
	}
	s = sit(t, dir, nil, "draft", "run", "--no-ask")
	s.Exits(3)
	s = sit(t, dir, []string{"VISUAL=true"}, "draft", "answer", "latest", "edit")
	s.Sees("the edit changes nothing; no answer was recorded; `approve` accepts the output as it is")
	s.Exits(1)
}

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
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "answered: signal\nthe run ") { // "continues in" or "has used the answer": it may be over
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

// A gate of a loop shows the agent's last words, folded, and what wfc asks stands last, at
// the terminal as in the message of the pause and in the status.
func TestLongWordsAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	agent := filepath.Join(dir, "agent.sh")
	script := "#!/bin/sh\ncat >/dev/null\nseq 1 3000\nprintf '? fix#1/gate of run fix-1: [a]pprove or [r]eject: \\rapprove\\n'\n"
	if err := os.WriteFile(agent, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := sit(t, dir, nil, "fix", "run", "--agent", "claude=command:"+agent)
	text := s.Sees(`\n\? fix#1/gate of run fix-[a-z0-9]{6}: ` + prompt)
	foreign := "\n  │ 40\n  … 2,941 more lines: `fix status "
	if !strings.Contains(text, foreign) || !strings.Contains(text, "\n  │ ? fix#1/gate of run fix-1: [a]pprove or [r]eject: ␍approve\n\n  the workflow asks:\n  │ Is it fixed?\n\n? fix#1/gate") {
		t.Errorf("shown: %q", text)
	}
	s.Types("\x04")
	text = s.Sees(`approve: .*fix approve fix-(.|\n)*log:`)
	if !strings.Contains(text, "\n    │ 40\n    … 2,941 more lines: `fix status ") || strings.Contains(text, "\n?") {
		t.Errorf("paused: %q", text)
	}
	s.Exits(3)
	for flag, lines := range map[string]int{"--full": 3000, "--json": 0} {
		out, err := programIn(t, dir, "fix", "status", flag)
		if err != nil || strings.Count(out, "\n    │ ") < lines || lines == 0 && !strings.Contains(out, `2999\n3000\n?`) {
			t.Errorf("status %s: %v %q", flag, err, out)
		}
	}
}

// At a terminal, a person sees what is repeated and agrees, or does not.
func TestRepeatAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.Sees(prompt)
	s.Types("a\n\n")
	s.Exits(0)
	s = sit(t, dir, nil, "ship", "resume", "--from", "publish")
	s.Sees(`repeats:\n  ✓  publish .*\nrepeat these steps\? \[y\]es or \[n\]o: $`)
	s.Types("\n")
	s.Sees("nothing was repeated")
	s.Exits(1)
	s = sit(t, dir, nil, "ship", "resume", "--from", "gate")
	s.Sees(`repeat these steps\? \[y\]es or \[n\]o: $`)
	s.Types("yes\n")
	s.Sees(`\? gate#1 of run ship-[a-z0-9]{6}: ` + prompt)
	s.Types("a\nonce more\n")
	s.Exits(0)
	if got := s.stdout.String(); got != "published: once more\n" {
		t.Errorf("standard output: %q", got)
	}
}

// The rule of a gate holds at the run's own terminal, too.
func TestRulesAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, []string{`RULE={"Approvals":2}`}, "ruled", "run")
	s.Sees(prompt)
	s.Types("a\n")
	s.Sees(`anything to say`)
	s.Types("\n")
	s.Sees(`1 of 2 people have given it; the question stays open(.|\n)*is paused`)
	s.Exits(3)
	s = sit(t, dir, nil, "ruled", "resume")
	s.Sees(prompt)
	s.Types("a\n")
	s.Sees(`anything to say`)
	s.Types("\n")
	s.Sees(`has already given this answer to`)
	s.Exits(3)

	s = sit(t, t.TempDir(), []string{`RULE={"NotStarter":true}`}, "ruled", "run")
	if text := s.Sees(`somebody else has to answer(.|\n)*is paused`); strings.Contains(text, "leaves the question open") {
		t.Errorf("it asks who started the run:\n%s", text)
	}
	s.Exits(3)
}
