package process_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// lifeline returns the path of a pipe, and its end for reading, which ends with the last
// process that holds the other one.
func lifeline(t *testing.T) (path string, pipe *os.File) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	return path, pipe
}

func held(t *testing.T, pipe *os.File) bool {
	t.Helper()
	_, err := syscall.Read(int(pipe.Fd()), make([]byte, 1))
	return err != nil
}

// daemon leaves its parent, group, session and environment, and says up once it has. It reads
// first, so that it does nothing before its start is complete.
const daemon = `read -r go; exec 9>"$ALIVE"; gone=$( (trap '' TERM HUP
env -i setsid sh -c 'exec >/dev/null 2>&1; sleep 600; :' &) </dev/null ); echo up; `

func command(path, script string) *process.Command {
	return &process.Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"ALIVE=" + path, "PATH=" + os.Getenv("PATH")},
		Stdin: []byte("go\n"),
		Owner: process.Owner{RunID: "w-abc123", Key: "serve"}, Limits: process.Limits{Grace: 50 * time.Millisecond},
	}
}

// A command that is cancelled, times out or prints too much leaves nothing behind.
func TestStoppedCommandsLeaveNothing(t *testing.T) {
	for name, change := range map[string]func(c *process.Command, cancel func()){
		"cancelled": func(c *process.Command, cancel func()) { c.Output = func(string, []byte) { cancel() } },
		"timed out": func(c *process.Command, _ func()) { c.Timeout = 300 * time.Millisecond },
		"too much":  func(c *process.Command, _ func()) { c.Limits.Output = 1 },
		"refused": func(c *process.Command, _ func()) {
			c.Consume = func([]byte) error { return io.ErrUnexpectedEOF }
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, pipe := lifeline(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := command(path, daemon+"sleep 600")
			change(c, cancel)
			if _, err := process.Run(ctx, c); err != nil {
				t.Fatal(err)
			}
			if held(t, pipe) {
				t.Error("the daemon goes on")
			}
		})
	}
}

// A command that ends by itself may leave a server for later steps, until the run ends. The
// process need not adopt orphans for that.
func TestEndLeftovers(t *testing.T) {
	path, pipe := lifeline(t)
	end, err := process.Run(t.Context(), command(path, daemon))
	if err != nil || end.ExitCode != 0 {
		t.Fatal(end, err)
	}
	if !held(t, pipe) {
		t.Fatal("the daemon does not live")
	}
	if list := process.EndLeftovers("w-abc124"); len(list) > 0 || !held(t, pipe) {
		t.Errorf("another run ended %+v", list)
	}
	list := process.EndLeftovers("w-abc123")
	if len(list) == 0 {
		t.Error("nothing was ended")
	}
	for _, l := range list {
		if l.Key != "serve" || l.RunID != "w-abc123" || !l.Ended || !strings.Contains(l.Command, "sleep") {
			t.Errorf("%+v", l)
		}
	}
	if held(t, pipe) {
		t.Error("the daemon goes on")
	}
	if list := process.EndLeftovers("w-abc123"); len(list) > 0 {
		t.Errorf("again: %+v", list)
	}
}

// A process dies at any moment, so also between the start of a command and its hard limit.
// What the command has started by then has its tag as a soft limit only.
func TestEndSurvivorsWithASoftLimit(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	path, pipe := lifeline(t)
	c := exec.Command(bash, "-c", `ulimit -S -x 123456789; exec 9>"$ALIVE"; echo up; exec sleep 600`)
	c.Env = append(os.Environ(), "ALIVE="+path)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	up, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, identity, err := process.Identities(func() (int, error) { err := c.Start(); return c.Process.Pid, err })
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.Wait() }()
	_, _ = up.Read(make([]byte, 3))
	// The command itself, of the number 2^22, has ended; it came before this process.
	line := fmt.Sprintf(`{"pid":4194304,"key":"serve","identity":%q,"run_id":"w-abc123","tag":123456789}`+"\n", identity+"0")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "procs"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, err := process.EndSurvivors(dir)
	if err != nil || !slices.Equal(ended, []string{"serve"}) || held(t, pipe) {
		t.Errorf("ended %v, %v; held: %v", ended, err, held(t, pipe))
		_ = c.Process.Kill()
	}
}
