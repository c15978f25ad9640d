package process_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A process has ended when it has, not when its parent takes note.
func TestGoneBeforeItsParentKnows(t *testing.T) {
	cmd, mark, end := markedChild(t)
	_ = end()
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if !process.Gone(mark) {
		t.Errorf("%q counts as alive", mark)
	}
	_ = cmd.Wait()
}
