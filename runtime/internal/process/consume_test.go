//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
