//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Output that comes before the release is taken after it, and the timeout begins with it.
func TestHold(t *testing.T) {
	hold := process.NewHold()
	c := script(t, "echo before >&2; read line <&3; exec 3<&-; echo after; sleep 20")
	c.Hold, c.Timeout = hold, 100*time.Millisecond
	var released atomic.Int64 // the time, in nanoseconds
	c.Output = func(_ string, piece []byte) {
		if released.Load() == 0 {
			t.Errorf("%q before the release", piece)
		}
	}
	time.AfterFunc(150*time.Millisecond, func() { // longer than the timeout
		released.Store(time.Now().UnixNano())
		hold.Release()
	})
	end := run(t, t.Context(), c)
	worked := time.Since(time.Unix(0, released.Load()))
	if !errors.Is(end.Stopped, context.DeadlineExceeded) || released.Load() == 0 || worked < c.Timeout {
		t.Errorf("%+v, %v after the release", end, worked)
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
