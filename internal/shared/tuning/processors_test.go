package tuning_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/tuning"
)

// more is more threads than a machine has.
const more = 1 << 30

func TestScarce(t *testing.T) {
	if tuning.Look(true, more) {
		t.Error("without threads that can run, processors are scarce")
	}
	if tuning.Look(false, -more) {
		t.Error("without other runs, processors are scarce")
	}
	skipUnknown(t)
	if !tuning.Look(true, -more) || !tuning.Scarce(true, more) {
		t.Error("beside many threads, processors are not scarce, or not until the next look")
	}
}

// Go gets one processor after enough looks, and all of them again after as many.
func TestAdapt(t *testing.T) {
	skipUnknown(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	t.Setenv("GOMAXPROCS", "3")
	tuning.Adapt() // does nothing
	looks := func(crowded bool, before, after int) {
		t.Helper()
		for i := range tuning.Enough {
			if n := runtime.GOMAXPROCS(0); n != before {
				t.Fatalf("after %d looks, Go has %d processors", i, n)
			}
			tuning.Look(crowded, -more)
		}
		if n := runtime.GOMAXPROCS(0); n != after {
			t.Fatalf("after all looks, Go has %d processors", n)
		}
	}
	looks(true, 3, 3)
	t.Setenv("GOMAXPROCS", "")
	tuning.Adapt()
	looks(true, 3, 1)
	looks(false, 1, 3)
	for range 2 * tuning.Enough { // no two in a row
		tuning.Look(true, -more)
		tuning.Look(false, -more)
	}
	looks(true, 3, 1)
	looks(false, 1, 3)
}

func skipUnknown(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/loadavg"); err != nil {
		t.Skip("this system does not tell how many threads can run")
	}
}
