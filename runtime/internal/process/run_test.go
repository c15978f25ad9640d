//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// script is a command that runs a script of the system's shell.
func script(t testing.TB, text string) *process.Command {
	t.Helper()
	path, err := process.LookPath("sh", "", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return &process.Command{Path: path, Args: []string{"-c", text}, Env: os.Environ()}
}

func run(t testing.TB, ctx context.Context, c *process.Command) *process.End {
	t.Helper()
	end, err := process.Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func TestRunReportsTheEnd(t *testing.T) {
	for _, test := range []struct {
		name, script string
		stdin        []byte
		want         process.End
	}{
		{name: "success", script: "echo out; echo err >&2", want: process.End{Stdout: []byte("out\n"), Stderr: "err"}},
		{name: "exit code", script: "exit 7", want: process.End{ExitCode: 7}},
		{name: "signal", script: "kill -KILL $$", want: process.End{ExitCode: -1, Signal: "SIGKILL"}},
		{name: "null device as input", script: "cat; echo end", want: process.End{Stdout: []byte("end\n")}},
		{name: "input", script: "cat", stdin: []byte("a\nb"), want: process.End{Stdout: []byte("a\nb")}},
		{name: "input nobody reads", script: "echo x", stdin: make([]byte, 1<<20), want: process.End{Stdout: []byte("x\n")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := script(t, test.script)
			c.Stdin = test.stdin
			end := run(t, t.Context(), c)
			if string(end.Stdout) != string(test.want.Stdout) || end.Stderr != test.want.Stderr ||
				end.ExitCode != test.want.ExitCode || end.Signal != test.want.Signal || end.Stopped != nil || end.Lingered {
				t.Errorf("got %+v, want %+v", end, test.want)
			}
		})
	}
}

func TestRunTellsTheProgramWhoseItIs(t *testing.T) {
	c := script(t, `echo "$WFC_RUN_ID $WFC_STEP_KEY"`)
	dir := t.TempDir()
	c.Env = append(c.Env, "WFC_RUN_ID=other")
	c.Owner = process.Owner{Dir: dir, RunID: "w-abc123", Key: "gate/rework#1"}
	end := run(t, t.Context(), c)
	if !strings.HasPrefix(string(end.Stdout), "w-abc123 gate/rework#1\n") {
		t.Errorf("the script saw %q", end.Stdout)
	}
	// Nothing is left to be ended.
	if ended, err := process.EndSurvivors(dir); err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v", ended, err)
	}
}

func TestRunShowsOutputAsItComes(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	// The script goes on only once its first line has been seen.
	c := script(t, `echo first; read answer <"$GATE"; echo "$answer" >&2`)
	c.Env = append(c.Env, "GATE="+gate)
	var got []string
	c.Output = func(stream string, piece []byte) {
		got = append(got, stream+":"+string(piece))
		if len(got) == 1 {
			go os.WriteFile(gate, []byte("second\n"), 0)
		}
	}
	run(t, t.Context(), c)
	if want := []string{"stdout:first\n", "stderr:second\n"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// until cancels a context when the output holds a text.
func until(c *process.Command, text string, cancel func()) {
	var seen strings.Builder
	c.Output = func(_ string, piece []byte) {
		seen.Write(piece)
		if strings.Contains(seen.String(), text) {
			cancel()
		}
	}
}

func TestRunKillsAGroupThatRefusesToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := script(t, `trap '' TERM; sh -c 'trap "" TERM; echo $$; echo ready; while :; do sleep 1000; done' & wait; wait`)
	c.Limits.Grace = 50 * time.Millisecond
	until(c, "ready", cancel)
	end := run(t, ctx, c)
	if !errors.Is(end.Stopped, context.Canceled) || end.Signal != "SIGKILL" {
		t.Errorf("got %+v, want it cancelled by SIGKILL", end)
	}
	requireGone(t, firstNumber(t, end.Stdout))
}

func TestRunGivesTheWholeGroupTimeToCleanUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := filepath.Join(t.TempDir(), "cleaned")
	// The outer shell dies of the signal at once; the inner one takes a while.
	c := script(t, `sh -c 'trap "sleep 0.1; echo yes >\"$FILE\"; exit" TERM; echo ready; while :; do sleep 0.01; done'; true`)
	c.Env = append(c.Env, "FILE="+file)
	until(c, "ready", cancel)
	end := run(t, ctx, c)
	if end.Stopped == nil {
		t.Fatal("the command was not stopped")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "yes\n" {
		t.Errorf("the inner shell did not clean up: %q, %v", text, err)
	}
}

// An interrupted program may report before it ends; what it started ends with it, and so
// does one that ignores the interruption.
func TestRunInterrupts(t *testing.T) {
	for _, test := range []struct {
		name, script, want string
	}{
		{"reports", `trap 'echo reported; exit' INT; sh -c 'echo $$; exec sleep 1000' & wait`, "reported\n"},
		{"ignores it", `trap '' INT; trap 'echo terminated; exit' TERM; sh -c 'echo $$; exec sleep 1000' & wait`, "terminated\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := script(t, test.script)
			c.Interrupt, c.Limits.Grace = true, 3*time.Second // it must be long enough for a busy machine
			until(c, "\n", cancel)
			end := run(t, ctx, c)
			if !errors.Is(end.Stopped, context.Canceled) || !strings.HasSuffix(string(end.Stdout), test.want) {
				t.Errorf("got %+v: %s", end, end.Stdout)
			}
			requireGone(t, firstNumber(t, end.Stdout))
		})
	}
}

func TestRunTellsTimeoutFromCancellation(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	end := run(t, ctx, script(t, "while :; do sleep 0.01; done"))
	if !errors.Is(end.Stopped, context.DeadlineExceeded) {
		t.Errorf("got %v", end.Stopped)
	}
	result := process.Result("Bash node 'x'", end, nil, 20*time.Millisecond)
	if result.Failure == nil || result.Failure.Message != "Bash node 'x' timed out after 20ms" || result.Failure.Reason != "timeout" {
		t.Errorf("got %+v", result.Failure)
	}
	done, stop := context.WithCancel(t.Context())
	stop()
	if end := run(t, done, script(t, "echo ran")); end.Stopped == nil || len(end.Stdout) != 0 {
		t.Errorf("a command of a cancelled context ran: %+v", end)
	}
}

func TestRunEndsAProcessThatPrintsTooMuch(t *testing.T) {
	c := script(t, "while :; do echo 0123456789; done")
	c.Limits.Output = 1000
	end := run(t, t.Context(), c)
	if end.Overflow != 1000 || len(end.Stdout) != 1000 {
		t.Errorf("got overflow %d with %d bytes", end.Overflow, len(end.Stdout))
	}
	result := process.Result("Bash node 'x'", end, nil, 0)
	if result.Failure == nil || !strings.Contains(result.Failure.Message, "more than 1000 bytes came on standard output") || result.Text != "" {
		t.Errorf("got %+v", result)
	}
}

func TestRunEndsProcessesThatHoldTheOutput(t *testing.T) {
	c := script(t, `sleep 1000 & echo $!`)
	c.Limits.Linger = 20 * time.Millisecond
	end := run(t, t.Context(), c)
	if !end.Lingered || end.ExitCode != 0 {
		t.Errorf("got %+v", end)
	}
	requireGone(t, firstNumber(t, end.Stdout))
}

func TestRunLeavesServersAlone(t *testing.T) {
	end := run(t, t.Context(), script(t, `sleep 1000 >/dev/null 2>&1 & echo $!`))
	pid := firstNumber(t, end.Stdout)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil || end.Lingered {
		t.Errorf("the server is gone: %v, %+v", err, end)
	}
}

func TestRunMasksSecrets(t *testing.T) {
	c := script(t, `printf 'a s3cr'; printf '3t b\n'; echo "token s3cr3t" >&2`)
	c.Env = append(c.Env, "DEPLOY_TOKEN=s3cr3t")
	var mu sync.Mutex
	var shown strings.Builder
	c.Output = func(_ string, piece []byte) {
		mu.Lock()
		defer mu.Unlock()
		shown.Write(piece)
	}
	end := run(t, t.Context(), c)
	if strings.Contains(shown.String(), "s3cr3t") || end.Stderr != "token ***" {
		t.Errorf("shown %q, tail %q", shown.String(), end.Stderr)
	}
	if string(end.Stdout) != "a s3cr3t b\n" {
		t.Errorf("the output itself changed: %q", end.Stdout)
	}
}

func TestStderrTailIsLimited(t *testing.T) {
	end := run(t, t.Context(), script(t, `i=0; while [ $i -lt 3000 ]; do echo "é$i" >&2; i=$((i+1)); done; exit 1`))
	if n := len([]rune(end.Stderr)); n != 2000 || !strings.HasSuffix(end.Stderr, "é2999") {
		t.Errorf("%d characters, ends with %q", n, end.Stderr[len(end.Stderr)-10:])
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		name string
		c    process.Command
		want string
	}{
		{"missing", process.Command{Path: filepath.Join(dir, "no")}, "the program does not exist"},
		{"interpreter", process.Command{Path: write("i", "#!/no/such/interpreter\n", 0o700)}, "the interpreter that its first line names is missing: /no/such/interpreter"},
		{"Windows line ends", process.Command{Path: write("w", "#!/bin/sh\r\necho hi\r\n", 0o700)}, "its first line ends with a carriage return (a Windows line end)"},
		{"not a program", process.Command{Path: write("n", "just text", 0o700)}, "`#!/usr/bin/env bash`"},
		{"no right", process.Command{Path: write("r", "#!/bin/sh\n", 0o600)}, "chmod +x"},
		{"folder", process.Command{Path: write("f", "#!/bin/sh\n", 0o700), Dir: filepath.Join(dir, "gone")}, "working directory " + filepath.Join(dir, "gone")},
		{"too large", process.Command{Path: write("l", "#!/bin/sh\n", 0o700), Args: []string{strings.Repeat("x", 8<<20)}}, "hand large values over in files"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := process.Run(t.Context(), &test.c)
			var start *process.StartError
			if !errors.As(err, &start) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestRunWaitsForABusyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = process.Run(t.Context(), &process.Command{Path: path})
	if err == nil {
		t.Skip("this system executes files that are being written to")
	}
	var start *process.StartError
	if !errors.As(err, &start) || start.Class() != "transient" || !strings.Contains(err.Error(), "still writing") {
		t.Errorf("got %v", err)
	}
	writer.Close()
	if end := run(t, t.Context(), &process.Command{Path: path}); end.ExitCode != 3 {
		t.Errorf("got %+v", end)
	}
}

// A folder of PATH that may not be searched is named if the program is in no other one.
func TestLookPathNamesFoldersThatCannotBeSearched(t *testing.T) {
	closed, open := filepath.Join(t.TempDir(), "closed"), t.TempDir()
	if err := os.Mkdir(closed, 0o000); err != nil {
		t.Fatal(err)
	}
	asOther(t, open)
	for name, mode := range map[string]os.FileMode{"there": 0o755, "plain": 0o644} {
		path := filepath.Join(open, name)
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"PATH=" + closed + string(filepath.ListSeparator) + open}
	for name, want := range map[string]string{
		"there": "",
		"gone":  "it is in no folder of PATH that can be searched, and " + closed + " cannot (permission denied)",
		"plain": "cannot start `plain`: it is not executable",
	} {
		_, err := process.LookPath(name, "", environ)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	if _, err := process.LookTool("gone", environ); err == nil || !strings.Contains(err.Error(), closed) {
		t.Errorf("got %v", err)
	}
}

func TestLookPathPassesOverRelativeFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("tool", []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := process.LookPath("tool", dir, []string{"PATH=.:"}); err == nil {
		t.Errorf("found %s", path)
	}
	for _, name := range []string{"./tool", filepath.Join(dir, "tool")} {
		if path, err := process.LookPath(name, dir, nil); err != nil || path != filepath.Join(dir, "tool") {
			t.Errorf("%s: got %q, %v", name, path, err)
		}
	}
	if _, err := process.LookPath("tool", "", []string{"PATH=" + dir, "PATH=/none"}); err == nil {
		t.Error("the earlier PATH counted")
	}
}

func firstNumber(t *testing.T, output []byte) int {
	t.Helper()
	line, _, _ := strings.Cut(string(output), "\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("no process number in %q", output)
	}
	return n
}

// requireGone fails unless the process has ended; one that nobody has taken
// note of counts as ended.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	if syscall.Kill(pid, 0) == nil {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && !strings.Contains(string(status), ") Z ") {
			t.Errorf("process %d is still there: %s", pid, status)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	c := script(b, "true")
	c.Owner = process.Owner{Dir: b.TempDir(), RunID: "r", Key: "k"}
	for b.Loop() {
		run(b, b.Context(), c)
	}
}
