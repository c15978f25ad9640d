package human_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/testkit/pty"
	"github.com/wfc-lang/wfc/runtime/internal/human"
)

// The test's own binary plays the processes that need a session of their own.
func TestMain(m *testing.M) {
	switch os.Getenv("HUMAN_TEST") {
	case "leader": // of a session, with a terminal: starts one in the background
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "HUMAN_TEST=background")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		_, open := human.Open(os.Stdin, os.Stderr)
		fmt.Println("leader", open)
		if err := cmd.Run(); err != nil {
			fmt.Println(err)
		}
		os.Exit(0)
	case "background":
		_, open := human.Open(os.Stdin, os.Stderr)
		fmt.Println("background", open)
		os.Exit(0)
	case "started":
		holder, _ := strconv.Atoi(os.Args[2])
		fmt.Println(human.StartedBy(os.Args[1], holder))
		os.Exit(0)
	}
	testkit.SeededMain(m)
}

func write(t *testing.T, f *os.File, text string) {
	t.Helper()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestTerminal(t *testing.T) {
	keys, tty := pty.Pair(t)
	term, ok := human.Open(tty, tty)
	if !ok {
		t.Fatal("it is not taken for a terminal")
	}
	ctx := context.Background()
	write(t, keys, "typed ahead\nbegun")
	term.Discard()
	write(t, keys, "käse\nnext\n")
	for _, want := range []string{"käse", "next"} {
		if line, err := term.ReadLine(ctx); err != nil || line != want {
			t.Errorf("%q %v, want %q", line, err, want)
		}
	}

	// A question that is withdrawn takes no line from the one after it.
	withdrawn, withdraw := context.WithCancel(ctx)
	read := make(chan error)
	go func() {
		_, err := term.ReadLine(withdrawn)
		read <- err
	}()
	write(t, keys, "half")
	withdraw()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	write(t, keys, " a line\n")
	if line, err := term.ReadLine(ctx); err != nil || line != "half a line" {
		t.Errorf("%q %v", line, err)
	}

	write(t, keys, "\x04") // Ctrl-D
	if _, err := term.ReadLine(ctx); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
	// Ctrl-D after some text does not end the line.
	write(t, keys, "some\x04 text\n")
	if line, err := term.ReadLine(ctx); err != nil || line != "some text" {
		t.Errorf("%q %v", line, err)
	}
	keys.Close() // the window is closed
	if _, err := term.ReadLine(ctx); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}

func TestWhatIsNoTerminal(t *testing.T) {
	_, tty := pty.Pair(t)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	if _, ok := human.Open(in, tty); ok {
		t.Error("a pipe is taken for a person")
	}
	if _, ok := human.Open(tty, out); ok {
		t.Error("a pipe is taken for a screen")
	}
	if _, ok := human.Open(strings.NewReader("a\n"), tty); ok {
		t.Error("a text is taken for a person")
	}
}

// A process in the background asks nobody, and is not stopped for trying.
func TestBackground(t *testing.T) {
	keys, tty := pty.Pair(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HUMAN_TEST=leader")
	cmd.Stdin, cmd.Stderr = tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no session with a terminal can be made here: %v", err)
	}
	go func() { _, _ = io.Copy(io.Discard, keys) }()
	var lines []string
	for s := bufio.NewScanner(stdout); s.Scan(); {
		lines = append(lines, s.Text())
	}
	if err := cmd.Wait(); err != nil || strings.Join(lines, ", ") != "leader true, background false" {
		t.Errorf("%q %v", lines, err)
	}
}

func TestStartedBy(t *testing.T) {
	const self = `"$0" "$1" "$2"`
	for _, c := range []struct {
		name, script, run string
		marked            bool // WFC_RUN_ID=r-1 in the environment
		holder            int
		want              string
	}{
		{"a person", self + `; true`, "r-1", false, 0, "false"},
		{"the run's process", self + `; true`, "r-1", true, 0, "true"},
		{"of another run", self + `; true`, "r-2", true, 0, "false"},
		{"of a run whose name begins so", self + `; true`, "r-", true, 0, "false"},
		{"the variable is removed", `env -u WFC_RUN_ID ` + self + `; true`, "r-1", true, 0, "true"},
		{"of a nested run", `WFC_RUN_ID=r-9 ` + self + `; true`, "r-1", true, 0, "true"},
		{"below the holder", `unset WFC_RUN_ID; exec ` + self, "r-1", true, os.Getpid(), "true"},
		{"a holder elsewhere", self + `; true`, "r-1", false, 1 << 30, "false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", c.script, os.Args[0], c.run, strconv.Itoa(c.holder))
			cmd.Env = append(os.Environ(), "HUMAN_TEST=started")
			if c.marked {
				cmd.Env = append(cmd.Env, "WFC_RUN_ID=r-1")
			}
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
				t.Errorf("%q %v, want %s", got, err, c.want)
			}
		})
	}
}
