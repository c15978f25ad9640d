package testsuite_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// workerVariable makes this test binary a worker, for the tests of the file that it names.
const workerVariable = "WFC_TESTSUITE_WORKER"

func TestMain(m *testing.M) {
	if path := os.Getenv(workerVariable); path != "" {
		if err := work(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The mutants of the workflow `mutable`.
const (
	harmless = iota + 1
	wrong
	crashes
	hangs
	endlessProgram
)

var mutant int

// mutable is a workflow whose flow has the fault of the selected mutant.
func mutable() *flow.Definition {
	return &flow.Definition{
		Name: "mutable", Source: "mutable.yaml", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}},
		Flow: func(c *flow.Context) (any, error) {
			script := "echo one"
			switch mutant {
			case wrong:
				script = "echo two"
			case crashes:
				os.Exit(7)
			case hangs:
				time.Sleep(time.Hour)
			case endlessProgram:
				script = "echo $$ > \"$OUT\"; while :; do :; done"
			}
			flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: script})
				return r.Text, err
			}})
			return nil, flow.Settle(c)
		},
	}
}

func mutableSource(path string) []testsuite.Source {
	return []testsuite.Source{{Source: testjob.Source{Path: path, Shown: "mutable.test.yaml", Workflow: "mutable"}, Definition: mutable()}}
}

func work(path string) error {
	in := json.NewDecoder(os.Stdin)
	var request struct{}
	if err := in.Decode(&request); err != nil {
		return err
	}
	choose := func(n int) []int {
		mutant = n
		return []int{1}
	}
	return testsuite.Work(in, os.Stdout, mutableSource(path), testsuite.Options{}, map[string]testsuite.Select{"mutable": choose})
}

// TestBrokenWorkers: a mutant that ends the process of its tests, or that hangs in it, is
// killed, and the mutants after it run in another process.
func TestBrokenWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for workers that hang")
	}
	dir := t.TempDir()
	path, out := filepath.Join(dir, "mutable.test.yaml"), filepath.Join(dir, "pid")
	text := "tests:\n  - {name: it says one, env: {OUT: " + out + "}, expect: {nodes: {a: one}}}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(workerVariable, path)
	t.Setenv("TMPDIR", dir)
	want := []string{crashes - 1: testsuite.ByCrash, hangs - 1: testsuite.ByLimit, endlessProgram - 1: testsuite.ByLimit, harmless - 1: "", wrong - 1: testsuite.ByTest}
	var mutants []testjob.Mutant
	for _, id := range []int{crashes, hangs, endlessProgram, harmless, wrong} {
		mutants = append(mutants, testjob.Mutant{Workflow: "mutable", ID: id, Places: []int{1}})
	}
	verdicts, _, err := testsuite.Mutate(mutableSource(path), testsuite.Options{Parallel: 1, Patience: 5 * time.Second}, mutants, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v.Killed != want[v.ID-1] {
			t.Errorf("mutant %d: killed by %q (%q), want %q", v.ID, v.Killed, v.By, want[v.ID-1])
		}
	}
	if entries, err := filepath.Glob(filepath.Join(dir, "wfc-*")); err != nil || len(entries) > 0 {
		t.Errorf("%v stay in the folder of temporary files (%v)", entries, err)
	}
	pid, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	// A process that nobody has waited for is a zombie.
	stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat"))
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("the program of a worker that hung still runs: %s", stat)
	}
}
