//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Output that comes before the release is taken after it, and the timeout begins with it.
func TestHold(t *testing.T) {
	hold := process.NewHold()
	c := script(t, "echo before >&2; read line <&3; exec 3<&-; echo after; sleep 20")
	c.Hold, c.Timeout = hold, 100*time.Millisecond
	released := make(chan struct{})
	var order []string
	c.Output = func(_ string, piece []byte) {
		select {
		case <-released:
			order = append(order, strings.TrimSpace(string(piece)))
		default:
			t.Errorf("%q before the release", piece)
		}
	}
	time.AfterFunc(150*time.Millisecond, func() { // longer than the timeout
		close(released)
		hold.Release()
	})
	end := run(t, t.Context(), c)
	if !errors.Is(end.Stopped, context.DeadlineExceeded) || string(end.Stdout) != "after\n" || len(order) != 2 {
		t.Errorf("%+v, %q", end, order)
	}
}

// A program whose starter dies before the release reads the end of the pipe.
func TestHoldIsDropped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "done")
	hold := process.NewHold()
	c := script(t, "read line <&3 || exit 126; touch '"+file+"'")
	c.Hold = hold
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	end := run(t, ctx, c)
	if end.Stopped == nil {
		t.Errorf("%+v", end)
	}
	hold.Release() // after the end it does nothing
	if _, err := os.Stat(file); err == nil {
		t.Error("it did something")
	}
}
