//go:build unix

package process_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

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
