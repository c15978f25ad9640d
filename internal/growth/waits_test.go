package growth_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/growth"
	"github.com/wfc-lang/wfc/runtime/state"
	_ "github.com/wfc-lang/wfc/runtime/store/entstore" // the driver for growth.Age
)

// mostAfterAMonth is how many times the statements of a command after a minute it may execute
// after a month: numbers of other lengths, and clocks that are looked at, make a small difference.
const mostAfterAMonth = 1.05

// A run at a gate has no process that gets old, and the commands on it read no more after 30
// days than after a minute.
func TestLongGate(t *testing.T) {
	runner := counting(t, "./runner")
	minute, month := t.TempDir(), t.TempDir()
	for dir, age := range map[string]time.Duration{minute: time.Minute, month: 30 * 24 * time.Hour} {
		folder := state.Folder{Path: filepath.Join(dir, "state")}
		cmd := exec.Command(runner, "gates", "20", "run")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "WFC_STATE="+folder.Path)
		executed(t, cmd, 3)
		if err := growth.Age(t.Context(), folder.Database(), age); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		code int
		args []string
	}{{0, []string{"status"}}, {0, []string{"list"}}, {3, []string{"resume"}}, {3, []string{"approve", "--node", "n7"}}} {
		young, _ := command(t, runner, minute, "gates", 20, c.code, c.args)
		old, _ := command(t, runner, month, "gates", 20, c.code, c.args)
		more := float64(old) / float64(young)
		t.Logf("%q: %d statements after a minute, %.3f times as many after 30 days", c.args, young, more)
		if more > mostAfterAMonth {
			t.Errorf("%q executes %.2f times the statements after 30 days", c.args, more)
		}
	}
}
