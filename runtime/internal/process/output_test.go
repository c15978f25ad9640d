//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A consumer sees what the program prints before it ends, unmasked, and more of
// it than would be kept.
func TestConsume(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	c := script(t, `echo "$MY_TOKEN"; read answer <"$GATE"; head -c 100000 /dev/zero; echo "$MY_TOKEN" >&2`)
	c.Env = append(c.Env, "GATE="+gate, "MY_TOKEN=secret-value")
	c.Limits.Output = 1000
	got, shown := 0, ""
	c.Consume = func(piece []byte) error {
		if got == 0 {
			if string(piece) != "secret-value\n" {
				t.Errorf("got %q first", piece)
			}
			go os.WriteFile(gate, []byte("go on\n"), 0)
		}
		got += len(piece)
		return nil
	}
	c.Output = func(stream string, piece []byte) { shown += stream + ":" + string(piece) }
	end := run(t, t.Context(), c)
	if got != len("secret-value\n")+100000 || end.Overflow != 0 || end.Stdout != nil || end.Consumed != nil || end.ExitCode != 0 {
		t.Errorf("consumed %d bytes: %+v", got, end)
	}
	if shown != "stderr:***\n" {
		t.Errorf("shown %q", shown)
	}
}

// A failure without words on standard error is explained by standard output, without secrets.
func TestLastWordsOnStandardOutput(t *testing.T) {
	c := script(t, `echo "key secret-value"; exit 3`)
	c.Env = append(c.Env, "MY_TOKEN=secret-value")
	if end := run(t, t.Context(), c); end.Printed != "key ***" || string(end.Stdout) != "key secret-value\n" {
		t.Errorf("got %q", end.Printed)
	}
	for _, source := range []string{"echo fine", "echo out; echo err >&2; exit 3"} {
		if end := run(t, t.Context(), script(t, source)); end.Printed != "" {
			t.Errorf("%s: got %q", source, end.Printed)
		}
	}
}

func TestAConsumerThatRefuses(t *testing.T) {
	c := script(t, `while :; do echo line; done`)
	refused, calls := errors.New("not this"), 0
	c.Consume = func([]byte) error {
		calls++
		return refused
	}
	end := run(t, t.Context(), c)
	if !errors.Is(end.Consumed, refused) || calls != 1 || end.Signal == "" || end.Stopped != nil {
		t.Errorf("%d calls, %+v", calls, end)
	}
}

func TestAConsumedProgramIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := script(t, `echo ready; while :; do sleep 0.01; done`)
	c.Consume = func([]byte) error { cancel(); return nil }
	if end := run(t, ctx, c); !errors.Is(end.Stopped, context.Canceled) || end.Consumed != nil {
		t.Errorf("%+v", end)
	}
}

func TestMaskStream(t *testing.T) {
	var out strings.Builder
	write, flush := process.MaskStream([]string{"A_TOKEN=secret-value"}, func(piece []byte) { out.Write(piece) })
	for _, piece := range []string{"a sec", "ret-va", "lue b secret"} {
		write([]byte(piece))
	}
	flush()
	if out.String() != "a *** b secret" {
		t.Errorf("got %q", out.String())
	}
}

// talk runs a shell script with which feed talks; lines takes what it prints.
func talk(ctx context.Context, t *testing.T, script string, feed func(ctx context.Context, w io.Writer), lines chan<- string) *process.End {
	t.Helper()
	end, err := process.Run(ctx, &process.Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Feed: feed, Limits: process.Limits{Grace: 50 * time.Millisecond},
		Consume: func(piece []byte) error {
			for line := range bytes.Lines(piece) {
				lines <- string(bytes.TrimSpace(line))
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// What a program prints on standard output before it prints on standard error is taken before.
func TestOutputsInOrder(t *testing.T) {
	written := filepath.Join(t.TempDir(), "written")
	if err := syscall.Mkfifo(written, 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	begun := false
	_, err := process.Run(t.Context(), &process.Command{
		Path: "/bin/sh", Args: []string{"-c", `echo begin; echo 1; echo one >&2; echo 2; echo two >&2; : >"$0"`, written}, Env: os.Environ(),
		Consume: func(piece []byte) error {
			if !begun { // the program prints all while wfc takes nothing
				begun = true
				if _, err := os.ReadFile(written); err != nil {
					return err
				}
			}
			got = append(got, strings.Fields(string(piece))...)
			return nil
		},
		Output: func(_ string, piece []byte) { got = append(got, strings.Fields(string(piece))...) },
	})
	if err != nil || len(got) != 5 || slices.Index(got, "2") > slices.Index(got, "one") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFeedAnswersWhatTheProgramSays(t *testing.T) {
	lines := make(chan string, 10)
	end := talk(t.Context(), t, `echo name?; read n; echo "hello $n"; read m && echo more; exit 3`, func(_ context.Context, w io.Writer) {
		if q := <-lines; q != "name?" {
			t.Errorf("the program said %q", q)
		}
		fmt.Fprintln(w, "world")
		if a := <-lines; a != "hello world" {
			t.Errorf("the program said %q", a)
		}
	}, lines)
	// The program's second read saw the end of its input.
	if end.ExitCode != 3 || len(lines) != 0 || end.Stopped != nil {
		t.Errorf("%+v, %d more lines", end, len(lines))
	}
}

func TestFeedIsToldOfTheEnd(t *testing.T) {
	lines := make(chan string, 10)
	var failed error
	talk(t.Context(), t, "echo last words", func(ctx context.Context, w io.Writer) {
		<-ctx.Done()
		if said := <-lines; said != "last words" {
			t.Errorf("the output was not taken before the end was told: %q", said)
		}
		_, failed = fmt.Fprintln(w, "too late")
	}, lines)
	if failed == nil {
		t.Error("a write after the end did not fail")
	}
}

func TestFeedOfAProgramThatDoesNotReadEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines := make(chan string, 10)
	var failed error
	end := talk(ctx, t, "exec sleep 600", func(_ context.Context, w io.Writer) {
		time.AfterFunc(10*time.Millisecond, cancel)
		_, failed = w.Write(make([]byte, 1<<22)) // more than a pipe holds
	}, lines)
	if failed == nil || end.Stopped == nil {
		t.Errorf("the write ended with %v and the program with %+v", failed, end)
	}
}
