package growth_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/growth"
	"github.com/wfc-lang/wfc/internal/shared/state"
	_ "github.com/wfc-lang/wfc/runtime/store/entstore" // the driver for growth.Age
)

// mostForOutput is the number of bytes that a command may allocate for a byte of a step's
// output, which is in the program, in the step and in the summary of the run. Inlining saves one of
// the copies, but programs are counted without; see counting.
// mostForDocument is that of commands that print it as one document, twice:
// encoding/json makes its buffer a quarter larger each time that it is full.
const (
	mostForOutput   = 8.5
	mostForDocument = 30
)

// TestRunGrowth runs workflows of some size and of four times that, asks for the runs by
// each command, and counts the statements and the bytes that these allocate. Memory that
// is in use at one time is at most that.
func TestRunGrowth(t *testing.T) {
	runner := counting(t, "./runner")
	for _, s := range []struct {
		shape string
		n     int
		code  int // of the run
	}{
		{"chain", 500, 0}, {"wide", 500, 0}, {"layers", 500, 0}, {"iterations", 500, 0},
		{"gates", 250, 3}, {"output", 10_000, 0}, {"runs", 100, 0},
	} {
		t.Run(s.shape, func(t *testing.T) {
			t.Parallel()
			small, large := t.TempDir(), t.TempDir()
			for _, c := range []struct {
				code int
				args []string
			}{
				{s.code, []string{"run"}}, {0, []string{"status"}}, {0, []string{"status", "--json"}}, {0, []string{"list", "-n", "0"}},
				{0, []string{"list", "--json"}}, {0, []string{"logs"}}, {0, []string{"logs", "--json"}},
				{0, []string{"prune", "--keep", "5", "--dry-run"}}, {0, []string{"prune", "--keep", "5"}},
			} {
				few, fewBytes := command(t, runner, small, s.shape, s.n, c.code, c.args)
				many, manyBytes := command(t, runner, large, s.shape, 4*s.n, c.code, c.args)
				growth, memory := float64(many)/float64(few), float64(manyBytes)/float64(fewBytes)
				t.Logf("%q: %d statements, %d kB for %d; %.2f times as many, %.2f times the memory for %d", c.args, few, fewBytes/1000, s.n, growth, memory, 4*s.n)
				if s.shape == "output" {
					perByte := float64(manyBytes-fewBytes) / float64(3*s.n*len("0123456789 \"quoted\" text\n"))
					t.Logf("%q: %.1f bytes for a byte of the output", c.args, perByte)
					most := mostForOutput
					if slices.Contains(c.args, "--json") && c.args[0] != "logs" {
						most = mostForDocument
					}
					if perByte > most {
						t.Errorf("%q allocates %.1f bytes for a byte of the output", c.args, perByte)
					}
				}
				if growth > tolerance || memory > tolerance {
					t.Errorf("%q: four times the size is %.2f times the work and %.2f times the memory", c.args, growth, memory)
				}
			}
		})
	}
}

// command runs a command of the program of a shape and returns the statements that it
// executes and the bytes that it allocates.
func command(t *testing.T, runner, state, shape string, n, code int, args []string) (statements, bytes int64) {
	t.Helper()
	cmd := exec.Command(runner, append([]string{shape, strconv.Itoa(n)}, args...)...)
	cmd.Dir = state
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(state, "state"))
	return allocating(t, cmd, code)
}

// allocating is executed, and also returns the bytes that the command allocates.
func allocating(t *testing.T, cmd *exec.Cmd, code int) (statements, bytes int64) {
	t.Helper()
	allocated := filepath.Join(t.TempDir(), "allocated")
	cmd.Env = append(cmd.Environ(), "ALLOCATED="+allocated)
	statements = executed(t, cmd, code)
	text, err := os.ReadFile(allocated)
	if err != nil {
		t.Fatal(err)
	}
	if bytes, err = strconv.ParseInt(string(text), 10, 64); err != nil {
		t.Fatal(err)
	}
	return statements, bytes
}

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
