package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// seat is a program at a terminal of its own, as a person has it.
type seat struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File // what is written to it is typed

	mu     sync.Mutex
	shown  bytes.Buffer
	stdout bytes.Buffer
	grown  chan struct{} // holds a token when more is shown
	exited chan error
}

// sit starts a program in a folder; its standard input and standard error are a
// terminal, its standard output is kept apart.
func sit(t *testing.T, dir string, environ []string, args ...string) *seat {
	t.Helper()
	keys, tty := pty.Pair(t)
	defer tty.Close()
	s := &seat{t: t, keys: keys, grown: make(chan struct{}, 1), exited: make(chan error, 1)}
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Args, s.cmd.Dir = args, dir
	s.cmd.Env = append(append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "TERM=xterm", "NO_COLOR=1"), environ...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, &s.stdout, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Skipf("no session with a terminal can be made here: %v", err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	go s.read()
	go func() { s.exited <- s.cmd.Wait() }()
	return s
}

func (s *seat) read() {
	var piece [4096]byte
	for {
		n, err := s.keys.Read(piece[:])
		s.mu.Lock()
		s.shown.Write(piece[:n])
		s.mu.Unlock()
		select {
		case s.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return // nobody has the terminal open any more
		}
	}
}

// sees waits until what is shown since the last call holds a pattern, and
// returns it.
func (s *seat) sees(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		text := strings.ReplaceAll(s.shown.String(), "\r\n", "\n")
		found := re.MatchString(text)
		if found {
			s.shown.Reset()
		}
		s.mu.Unlock()
		if found {
			return text
		}
		select {
		case <-s.grown:
		case <-limit:
			s.t.Fatalf("%q does not come; shown is:\n%s", pattern, text)
		}
	}
}

func (s *seat) types(text string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// exits wants an exit code.
func (s *seat) exits(code int) {
	s.t.Helper()
	select {
	case <-s.exited:
		if got := s.cmd.ProcessState.ExitCode(); got != code {
			s.t.Errorf("exit code %d, want %d; shown is:\n%s", got, code, s.shown.String())
		}
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end; shown is:\n%s", s.shown.String())
	}
}

const prompt = `\[a\]pprove or \[r\]eject \(Ctrl-D leaves the question open\): $`

func TestAskedAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), nil, "ship", "run")
	if text := s.sees(prompt); !strings.Contains(text, "? gate#1 of run ship-") || !strings.Contains(text, "\n  Ship it?\n  See $(the notes).\n") {
		t.Errorf("shown: %q", text)
	}
	s.types("a few things are missing\n")
	s.sees(`please answer by one of these words or letters alone(.|\n)*` + prompt)
	s.types("a\n")
	s.sees(`anything to say\? \(Enter for nothing\): $`)
	s.types("well done\n")
	s.sees(`✓ gate#1 .*: approve by .* from .*, /dev/pts/[0-9]+: well done\n`)
	s.exits(0)
	if got := s.stdout.String(); got != "published: well done\n" {
		t.Errorf("standard output: %q", got)
	}
}

func TestRejectedAtTheTerminal(t *testing.T) {
	s := sit(t, t.TempDir(), nil, "ship", "run", "--quiet")
	s.sees(prompt)
	s.types("R\n")
	s.sees("anything to say")
	s.types("\n")
	s.sees("was rejected by ")
	s.exits(4)
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
	s.sees(prompt)
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
	s.types("a\n")
	if text := s.sees("anything to say"); strings.Contains(text, "side") || strings.Contains(text, "\x1b") {
		t.Errorf("shown while the person types: %q", text)
	}
	s.types("\n")
	s.sees("✓ side (.|\n)*✓ gate#1 ")
	s.exits(0)
}

// The answer of another process ends the prompt.
func TestAnsweredElsewhereWhileAsked(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.sees(prompt)
	s.types("app") // and is not done when the answer comes
	out, err := programIn(t, dir, "ship", "approve", "-m", "from elsewhere")
	if err != nil || !strings.Contains(out, "answered: approve\nthe run ") { // "goes on in" or "has gone on": it may be over

		t.Errorf("%v: %s", err, out)
	}
	s.sees("`gate#1` of run ship-[a-z0-9]+ was answered already: .* from .*, command line: approve: from elsewhere\n")
	s.exits(0)
	if got := s.stdout.String(); got != "published: from elsewhere\n" {
		t.Errorf("standard output: %q", got)
	}
}

// The end of the input leaves the question open; the run pauses, and a later
// process asks again.
func TestLeftAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.sees(prompt)
	s.types("\x04")
	s.sees("the question stays open\n(.|\n)*is paused:\n  gate#1 asks:(.|\n)*approve: .*ship approve ship-")
	s.exits(3)
	s = sit(t, dir, nil, "ship", "resume")
	s.sees(prompt)
	s.types("approve\n\n")
	s.exits(0)
	s = sit(t, dir, nil, "ship", "run", "--no-ask")
	s.sees("is paused:")
	s.exits(3)
	// A process that the run itself started asks nobody: its own keystrokes would
	// be the answer.
	out, err := programIn(t, dir, "ship", "list", "-n", "1", "--status", "paused")
	if err != nil {
		t.Fatal(out)
	}
	id := regexp.MustCompile(`ship-[a-z0-9]{6}`).FindString(out)
	s = sit(t, dir, []string{"WFC_RUN_ID=" + id}, "ship", "resume", id)
	if text := s.sees("is paused:"); strings.Contains(text, "[a]pprove") {
		t.Errorf("the run may answer itself: %q", text)
	}
	s.exits(3)
}

func TestInterruptedWhileAsked(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.sees(prompt)
	s.types("\x03") // Ctrl-C
	s.sees("ship: cancelling; once more to end at once\n")
	s.exits(130)
	if out, _ := programIn(t, dir, "ship", "status"); !strings.Contains(out, ": cancelled (cancelled by signal SIGINT)") {
		t.Errorf("%s", out)
	}
}

// A run that is killed while it asks keeps its question.
func TestKilledWhileAsked(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "ship", "run")
	s.sees(prompt)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	if out, err := programIn(t, dir, "ship", "status"); err != nil || !strings.Contains(out, ": interrupted\n") || !strings.Contains(out, "gate#1 asks:") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := programIn(t, dir, "ship", "approve", "latest", "go"); err != nil || !strings.Contains(out, "published: go\n") {
		t.Errorf("%v: %s", err, out)
	}
}
