package tuning

import (
	"os"

	"golang.org/x/sys/unix"
)

// QuietMonitor keeps sysmon, the thread with which Go's runtime looks after the others every 20 µs,
// from taking a processor away from a program that works: it gets the policy SCHED_BATCH, by
// which a thread that wakes up waits for its turn. While a processor is free it runs as before.
// Eight runs at once otherwise lose a tenth of the processors to their eight monitors.
//
// Go tells nobody which thread that is. It is the first one that the runtime starts, so it has
// one of the next numbers after the process's own. With any other thread, as little would be lost:
// the threads and the programs that it starts get the usual policy.
func QuietMonitor() {
	self := os.Getpid()
	for thread := self + 1; thread <= self+nextNumbers; thread++ {
		if unix.Tgkill(self, thread, 0) == nil { // it sends nothing to a thread of this process
			// A system that refuses this has a run that takes a little longer.
			_ = unix.SchedSetAttr(thread, &unix.SchedAttr{
				Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
			}, 0)
			return
		}
	}
}

// nextNumbers is how many numbers may be those of other processes that started meanwhile.
const nextNumbers = 32
