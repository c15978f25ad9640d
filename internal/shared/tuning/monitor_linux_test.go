package tuning_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/tuning"
)

// A program that calls QuietMonitor has one thread of the policy SCHED_BATCH, which is neither the
// first one nor one that starts programs: those have the usual policy.
func TestQuietMonitor(t *testing.T) {
	if os.Getenv("WFC_TEST_QUIET") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestQuietMonitor$", "-test.v")
		cmd.Env = append(os.Environ(), "WFC_TEST_QUIET=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	tuning.QuietMonitor()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var policies []string
	for _, thread := range threads {
		policies = append(policies, policyOf(t, "/proc/self/task/"+thread.Name()+"/stat"))
	}
	const usual, batch = "0", "3"
	if list := strings.Join(policies, " "); policies[0] != usual || strings.Count(list, batch) != 1 {
		t.Errorf("the policies of threads are %s", list)
	}
	for range 20 { // by any thread
		out, err := exec.Command("cat", "/proc/self/stat").Output()
		if err != nil {
			t.Fatal(err)
		}
		if policy := policyIn(string(out)); policy != usual {
			t.Fatalf("a program that was started has the policy %s", policy)
		}
	}
}

func policyOf(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return policyIn(string(text))
}

// policyIn returns the policy of a line of /proc/PID/stat: its 41st field.
func policyIn(line string) string {
	return strings.Fields(line[strings.LastIndexByte(line, ')')+1:])[41-3]
}
