package tuning

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// QuietMonitor keeps sysmon, the thread with which Go's runtime looks after the others every 20 µs,
// from taking a processor away from a program that works: it gets the policy SCHED_BATCH, by
// which a thread that wakes up waits for its turn. While a processor is free it runs as before.
// Eight runs at once otherwise lose a tenth of the processors to their eight monitors.
//
// Go tells nobody which thread that is: it is the first one that the runtime starts, and Linux
// lists threads in the order of their start. With any other one, as little would be lost: the
// threads and the programs that it starts get the usual policy.
func QuietMonitor() {
	if thread := secondThread(); thread > 0 {
		// A system that refuses this has a run that takes a little longer.
		_ = unix.SchedSetAttr(thread, &unix.SchedAttr{
			Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
		}, 0)
	}
}

// secondThread is the number of the second thread of this process, or 0.
func secondThread() int {
	dir, err := os.Open("/proc/self/task")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(2)
	if len(names) < 2 {
		return 0
	}
	thread, _ := strconv.Atoi(names[1])
	return thread
}
