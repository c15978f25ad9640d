package human

import (
	"bytes"
	"os"
)

// runVariable tells a process for which run it works.
const runVariable = "WFC_RUN_ID"

// StartedBy reports whether this process was started by a run, so that no person
// speaks through it: its environment says so, or one of the processes that it
// descends from does, or is the one that works on the run, whose number is
// holder (0 is unknown). The processes before this one are known on Linux only,
// and as long as none of them has ended.
func StartedBy(run string, holder int) bool {
	if os.Getenv(runVariable) == run {
		return true
	}
	marked := []byte(runVariable + "=" + run)
	for i, p := range lineage() {
		if i > 0 && p.pid == holder {
			return true
		}
		for entry := range bytes.SplitSeq(p.environ, []byte{0}) {
			if bytes.Equal(entry, marked) {
				return true
			}
		}
	}
	return false
}

// ancestor is a process with the environment that it was started with, or nil
// when that cannot be read.
type ancestor struct {
	pid     int
	environ []byte
}
