//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programIn runs one of the test's programs in a folder to its end.
func programIn(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = args, dir
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A definition need not declare nodes: its steps are those of its version all the same.
func TestStatusWithoutNodes(t *testing.T) {
	dir := t.TempDir()
	if out, err := programIn(t, dir, "bare", "run"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := programIn(t, dir, "bare", "status"); err != nil || !strings.Contains(out, " a ") || strings.Contains(out, "current version") {
		t.Errorf("%v: %s", err, out)
	}
}

// Of two answers at once, from two processes, one counts and the other is told.
func TestTwoAnswersAtOnce(t *testing.T) {
	dir := t.TempDir()
	if out, err := programIn(t, dir, "ship", "run"); exitCode(t, err) != 3 {
		t.Fatalf("%v: %s", err, out)
	}
	type end struct {
		out  string
		code int
	}
	ends := make(chan end, 4)
	for _, verb := range []string{"approve", "reject", "approve", "reject"} {
		go func() {
			out, err := programIn(t, dir, "ship", verb, "latest", "-m", "I "+verb)
			code := 0
			if err != nil {
				code = exitCode(t, err)
			}
			ends <- end{out, code}
		}()
	}
	won := 0
	for range cap(ends) {
		switch e := <-ends; {
		case e.code == 0 && strings.Contains(e.out, "published: I approve\n"), e.code == 4 && strings.Contains(e.out, ": I reject\n"):
			won++
		case e.code != 1 || !strings.Contains(e.out, "was answered already: "):
			t.Errorf("%d: %s", e.code, e.out)
		}
	}
	if won != 1 {
		t.Errorf("%d answers count", won)
	}
}

// A process that works on the run takes the answer, and the command ends with 0
// while the run goes on there.
func TestLiveHolderTakesTheAnswer(t *testing.T) {
	dir := t.TempDir()
	hold := filepath.Join(dir, "hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	live := exec.Command(os.Args[0])
	live.Args, live.Dir = []string{"ship", "run"}, dir
	live.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	var stdout bytes.Buffer
	live.Stdout = &stdout
	if err := live.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = live.Process.Kill() })
	await(t, filepath.Join(dir, "held"))
	out, err := programIn(t, dir, "ship", "approve", "--json", "-q")
	if err != nil || !strings.Contains(out, `"taken": true`) || !strings.Contains(out, `"holder": "process `) || !strings.Contains(out, `"status": "running"`) {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	if err := live.Wait(); err != nil || stdout.String() != "published: Approved\n" {
		t.Errorf("%v: %q", err, stdout.String())
	}
}

// A run that was killed while it waited, and something else ran, is answered
// while nobody runs it.
func TestKilledWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	hold := filepath.Join(dir, "hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	live := exec.Command(os.Args[0])
	live.Args, live.Dir = []string{"ship", "run"}, dir
	live.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	if err := live.Start(); err != nil {
		t.Fatal(err)
	}
	side := await(t, filepath.Join(dir, "held"))
	_ = live.Process.Kill()
	_ = live.Wait()
	if out, err := programIn(t, dir, "ship", "approve", "--no-resume"); err != nil || !strings.Contains(out, "the answer is recorded; `") {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	if out, err := programIn(t, dir, "ship", "resume"); err != nil || !strings.Contains(out, "published: Approved\n") {
		t.Errorf("%v: %s", err, out)
	}
	if !gone(side) {
		t.Error("the step of the killed process goes on")
	}
}
