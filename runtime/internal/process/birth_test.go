package process_test

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// What a starter knows of a process's start is what the system says of it
// later; otherwise a later process of the run would not know it again.
func TestBirth(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a program that sleeps")
	}
	for range 25 {
		var cmd *exec.Cmd
		recorded, found, err := process.Identities(func() (int, error) {
			cmd = exec.Command("sleep", "60")
			err := cmd.Start()
			return cmd.Process.Pid, err
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if err != nil || recorded == "" || recorded != found {
			t.Fatalf("recorded as %q, found as %q (%v)", recorded, found, err)
		}
	}
}
