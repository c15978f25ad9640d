package gates_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// With `gates: terminal` no command line alone answers: the person types at a
// terminal what is to be done.
func TestTerminalGates(t *testing.T) {
	h := newHome(t)
	if code, out := h.calls(nil, "seated", "run"); code != 3 {
		t.Fatalf("%d: %s", code, out)
	}
	for _, args := range [][]string{{"approve"}, {"approve", "latest", "--token", "x"}, {"reject", "latest", "no"}, {"answer", "latest", "--choice", "approve"}} {
		if code, out := h.calls(nil, append([]string{"seated"}, args...)...); code != 1 || !strings.Contains(out, "takes answers at a terminal only (`gates: terminal`)") {
			t.Errorf("%v: %d: %s", args, code, out)
		}
	}
	h.unanswered("seated", "latest")
	s := h.sits(nil, "seated", "approve", "latest", "fine")
	s.Sees("Really[?](.|\n)*type `approve` to confirm .*: $")
	s.Types("y\n")
	s.Sees("type `approve` to confirm .*: $")
	s.Types("\x04")
	s.Sees("not confirmed: the question stays open")
	s.Exits(1)
	s = h.sits(nil, "seated", "approve", "latest", "fine")
	s.Sees("type `approve` to confirm .*: $")
	s.Types("approve\n")
	s.Sees("answered: approve")
	s.Exits(0)
	// At the run's own terminal it is asked as always.
	s = h.sits(nil, "seated", "run")
	s.Sees(prompt)
	s.Types("a\n\n")
	s.Exits(0)
	if _, out := h.calls(nil, "seated", "info"); !strings.Contains(out, "gates        terminal\n") {
		t.Errorf("%s", out)
	}
}

// A terminal that is not the controlling one may belong to anybody.
func TestTerminalGatesNeedTheControllingTerminal(t *testing.T) {
	h := newHome(t)
	_, tty := pty.Pair(t)
	path, err := exec.LookPath("seated")
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: path, Args: []string{"seated", "run"}, Dir: h.dir, Env: h.environ(), Stdin: tty, Stderr: tty}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v", err)
	}
}

// nowhere wants a text in no file of the state folder.
func (h *home) nowhere(text string) {
	h.t.Helper()
	err := filepath.WalkDir(h.path("state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(content, []byte(text)) {
			h.t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		h.t.Error(err)
	}
}

// With `gates: token` the person who began the run is shown a token once, and
// nothing but that answers.
func TestShownToken(t *testing.T) {
	h := newHome(t)
	h.tries(`env >said; printf 'holder:' >>said; tr '\0' '\n' <"/proc/$holder/environ" >>said 2>/dev/null`)
	s := h.sits(nil, "secret", "run", "--json")
	shown := s.Sees("gate token of this run: [a-z0-9-]+\n(.|\n)*" + prompt)
	token := regexp.MustCompile(`gate token of this run: ([a-z0-9-]+)`).FindStringSubmatch(shown)[1]
	s.Types("a\n\n")
	s.Sees(`the gate token of this run \(Ctrl-D leaves the question open\): $`)
	s.Types("aaaaa-bbbbb-ccccc-ddddd\n")
	s.Sees(`that is not the token\n(.|\n)*: $`)
	s.Types("\x04")
	if text := s.Sees("gate token of run self-[a-z0-9]{6}: " + token); strings.Count(text, token) != 1 {
		t.Errorf("the document holds the token: %s", text)
	}
	s.Exits(3)
	if said := h.await("said"); strings.Contains(said, token) || strings.Contains(said, "GATE_TOKEN") {
		t.Errorf("a child sees the token: %s", said)
	}
	h.nowhere(token)
	for _, test := range []struct {
		environ []string
		args    []string
		want    string
	}{
		{nil, []string{"approve"}, "needs its gate token"},
		{nil, []string{"reject", "latest", "no"}, "needs its gate token"},
		{nil, []string{"answer", "latest", "--choice", "approve"}, "needs its gate token"},
		{nil, []string{"approve", "latest", "--token", "aaaaa-bbbbb-ccccc-ddddd"}, "this is not the gate token of run self-"},
		{h.token("aaaaa-bbbbb-ccccc-ddddd"), []string{"approve"}, "this is not the gate token of run self-"},
	} {
		if code, out := h.calls(test.environ, append([]string{"secret"}, test.args...)...); code != 1 || !strings.Contains(out, test.want) {
			t.Errorf("%v: %d: %s", test.args, code, out)
		}
	}
	// Resuming shows no token to whoever resumes, and asks for the first one.
	s = h.sits(nil, "secret", "resume")
	if text := s.Sees(prompt); strings.Contains(text, "gate token of") {
		t.Errorf("shown: %s", text)
	}
	s.Types("a\n\n")
	s.Sees("the gate token of this run")
	s.Types("\x04")
	s.Exits(3)
	if _, out := h.calls(nil, "secret", "status"); !strings.Contains(out, "answers with a wrong token: 3, the last on ") || !strings.Contains(out, "--token TOKEN") {
		t.Errorf("%s", out)
	}
	if code, out := h.calls(nil, "secret", "approve", "latest", "--token", token); code != 0 || strings.Contains(out, token) {
		t.Errorf("%d: %s", code, out)
	}
	h.nowhere(token)
}

// Where nobody attends, the token is the person's own.
func TestOwnToken(t *testing.T) {
	h := newHome(t)
	token := strings.Join([]string{"correct", "horse", "battery"}, "-") // not as one text in this program
	h.tries(`env >said`)
	code, out := h.calls(h.token(token), "secret", "run", "--jsonl")
	if code != 3 || strings.Contains(out, token) {
		t.Fatalf("%d: %s", code, out)
	}
	if said := h.await("said"); strings.Contains(said, token) {
		t.Errorf("a child sees the token: %s", said)
	}
	h.nowhere(token)
	if code, out := h.calls(h.token(token+"x"), "secret", "approve"); code != 1 {
		t.Errorf("%d: %s", code, out)
	}
	s := h.sits(nil, "secret", "approve", "latest")
	s.Sees("the gate token of this run .*: $")
	s.Types(token + "\n")
	s.Sees("answered: approve")
	s.Exits(0)
	if code, out := h.calls(h.token("short"), "secret", "run"); code != 2 || !strings.Contains(out, "at least 12 characters") {
		t.Errorf("%d: %s", code, out)
	}
	// Without one, the run says at once that nobody will be able to answer.
	code, out = h.calls(nil, "secret", "run")
	if code != 3 || !strings.Contains(out, "nobody at a terminal can see one") {
		t.Errorf("%d: %s", code, out)
	}
	if code, out := h.calls(nil, "secret", "approve", "latest", "--token", token); code != 1 || !strings.Contains(out, "nobody saw one when it started") {
		t.Errorf("%d: %s", code, out)
	}
}

// A token that comes from a descriptor is nowhere that a step can read: not in the environment
// of the run's process or of the shell above, and not in the descriptor.
func TestTokenFromADescriptor(t *testing.T) {
	h := newHome(t)
	token := strings.Join([]string{"correct", "horse", "battery"}, "-") // not as one text in this program
	for _, script := range []string{
		"WFC_GATE_TOKEN_FILE=<(cat typed; rm typed) secret run; true",
		"exec 7<typed; rm typed; WFC_GATE_TOKEN_FILE=/dev/fd/7 secret run 7<&7; true",
	} {
		if err := os.WriteFile(h.path("typed"), []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		h.tries(`exec >said 2>&1; env; cat /proc/$holder/environ /proc/$(cut -d' ' -f4 /proc/$holder/stat)/environ
[ ! -e /proc/self/fd/7 ] || cat /dev/fd/7; true`)
		_, out := h.calls(nil, "bash", "-c", script)
		if !strings.Contains(out, "is paused") || strings.Contains(out, "nobody at a terminal") {
			t.Fatalf("%s: %s", script, out)
		}
		if said := h.await("said"); strings.Contains(said, token) {
			t.Errorf("%s: a step sees the token", script)
		}
		h.nowhere(token)
		if code, out := h.calls(h.token(token), "secret", "approve", "latest", "--no-resume"); code != 0 {
			t.Errorf("%d: %s", code, out)
		}
	}
}

// A file with a token that cannot be used ends a command that needs one, and no other.
func TestTokenFiles(t *testing.T) {
	h := newHome(t)
	for name, test := range map[string]struct {
		mode       os.FileMode
		text, want string
	}{
		"open":  {0o604, "a token of some length", "every user may read or write"},
		"empty": {0o600, " \n", "is empty"},
		"gone":  {0, "", "no such file"},
	} {
		if test.mode > 0 {
			if err := os.WriteFile(h.path(name), []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(h.path(name), test.mode); err != nil {
				t.Fatal(err)
			}
		}
		environ := []string{"WFC_GATE_TOKEN_FILE=" + h.path(name)}
		if code, out := h.calls(environ, "secret", "run"); code != 2 || !strings.Contains(out, "WFC_GATE_TOKEN_FILE") || !strings.Contains(out, test.want) {
			t.Errorf("%s: %d: %s", name, code, out)
		}
		if code, out := h.calls(environ, "self", "run"); code != 3 {
			t.Errorf("%s: %d: %s", name, code, out)
		}
	}
}

// The mode is the one that the run was begun with, whatever program answers.
func TestModeBelongsToTheRun(t *testing.T) {
	h := newHome(t)
	h.calls(nil, "seated", "run")
	if code, out := h.calls(nil, "self", "approve"); code != 1 || !strings.Contains(out, "gates: terminal") {
		t.Errorf("%d: %s", code, out)
	}
	// Of a run that was begun without one, nobody has a token.
	h.calls(nil, "self", "run")
	if code, out := h.calls(nil, "secret", "approve", "latest"); code != 1 || !strings.Contains(out, "gates: terminal") {
		t.Errorf("%d: %s", code, out)
	}
}

// Nobody works on a run that has paused. When it left nothing behind, a person may
// answer it from another container; and with a token always.
func TestAnswersFromAnotherNamespace(t *testing.T) {
	mayUnshare(t, "unshare -p -f --mount-proc true")
	h := newHome(t)
	_, out := h.calls(nil, "self", "run")
	if code, out := h.calls(nil, "unshare", "-p", "-f", "--mount-proc", "self", "approve", runID(out)); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
	_, out = h.calls(h.token(t.Name()), "secret", "run")
	run := runID(out)
	if code, out := h.calls(nil, "unshare", "-p", "-f", "--mount-proc", "secret", "approve", run); code != 1 || !strings.Contains(out, "needs its gate token") {
		t.Errorf("%d: %s", code, out)
	}
	if code, out := h.calls(nil, "unshare", "-p", "-f", "--mount-proc", "secret", "approve", run, "--token", t.Name()); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
	// A program survives its run only if that and its watcher are killed.
	h.tries(`until self status $run | grep -q asks; do sleep 0.05; done; sleep 30 </dev/null >/dev/null 2>&1 & echo $! >server
for p in $(cat /proc/$holder/task/*/children); do grep -q wfc-watcher /proc/$p/cmdline && kill -9 $p; done; kill -9 $holder`)
	h.calls(nil, "self", "run", "--quiet")
	if code, out := h.calls(nil, "unshare", "-p", "-f", "--mount-proc", "self", "approve", "latest"); code != 1 || !strings.Contains(out, "left programs running in another PID namespace") {
		t.Errorf("%d: %s", code, out)
	}
	if _, out := h.calls(nil, "self", "status"); !regexp.MustCompile(`: interrupted(.|\n)*still running: process [0-9]+ of step try: sleep `).MatchString(out) {
		t.Errorf("%s", out)
	}
	h.calls(nil, "bash", "-c", "kill $(cat server)")
}
