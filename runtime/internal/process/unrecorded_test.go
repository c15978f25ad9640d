//go:build unix

package process_test

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A process that was started but not yet recorded when the run's process died
// is known by its environment alone.
func TestEndUnrecorded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the environment of other processes can be read on Linux only")
	}
	start := func(run, key string) (*exec.Cmd, chan error) {
		t.Helper()
		cmd := exec.Command("sleep", "600")
		cmd.Env = []string{"WFC_RUN_ID=" + run, "WFC_STEP_KEY=" + key}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd, done
	}
	const run = "unrecorded-test-7f3k2q"
	_, lost := start(run, "fetch")
	other, _ := start(run, "report")
	ended, err := process.EndUnrecorded(t.TempDir(), run, []string{"fetch", "plan"})
	if err != nil || !slices.Equal(ended, []string{"fetch"}) {
		t.Fatalf("ended %q, error %v", ended, err)
	}
	<-lost // hangs if it was not ended
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the process of a step that does not run any more was ended: %v", err)
	}
	if ended, err := process.EndUnrecorded(os.TempDir(), run, nil); ended != nil || err != nil {
		t.Errorf("without running steps: %q, %v", ended, err)
	}
}
