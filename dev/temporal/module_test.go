package temporal_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// All recorded cases of all dialects give the same on a server as on the test engine.
func TestRecordedCases(t *testing.T) {
	t.Parallel()
	newServer(t).module("../conformance", "TestTemporalServer")
}

// 1,000 nodes, an output of 50 MB, and 1,000 runs on 50 queues.
func TestScale(t *testing.T) {
	t.Parallel()
	newServer(t).module("../../runtime/engine/temporal/internal/trial/served", "TestManyNodes|TestLargeOutput|TestManyRuns")
}

// A loop of 20,000 iterations.
func TestLongLoop(t *testing.T) {
	t.Parallel()
	newServer(t).module("../../runtime/engine/temporal/internal/trial/served", "TestManyIterations")
}

// The workflows whose histories the engine replays still run; see TestReplay.
func TestRecord(t *testing.T) {
	t.Parallel()
	newServer(t).module("../../runtime/engine/temporal/internal/trial/served", "TestRecord")
}

// module runs tests of another module with the server, those of a folder. They are there
// since they use internal packages.
func (w *world) module(folder, tests string) {
	w.t.Helper()
	blobs := filepath.Join(w.dir, "blobs")
	if err := os.MkdirAll(blobs, 0o700); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-count=1", "-v", "-timeout", "30m", "-run", "^("+tests+")$", ".")
	cmd.Dir = filepath.FromSlash(folder)
	cmd.Env = append(os.Environ(), "WFC_TEST_TEMPORAL="+w.address, "WFC_TEST_TEMPORAL_BLOBS="+blobs)
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	began := time.Now()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	failed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		subtest := strings.HasPrefix(strings.TrimSpace(line), "=== ") || strings.HasPrefix(line, "    --- PASS")
		failed = failed || strings.Contains(line, "--- FAIL")
		if failed || !subtest {
			w.t.Log(line)
		}
		if strings.Contains(line, "--- SKIP") {
			w.t.Errorf("the test did not run: %s", line)
		}
	}
	if err := cmd.Wait(); err != nil {
		w.t.Errorf("%s: %v", folder, err)
	}
	w.t.Logf("%s: %s", folder, time.Since(began).Round(time.Second))
}
