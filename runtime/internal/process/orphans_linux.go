package process

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reapAfter is the time from the end of a child to the look for adopted ones
// that have ended. A short run ends before it comes to that.
const reapAfter = time.Second

// AdoptOrphans makes this process the parent of the processes whose own parent
// has ended, among those that descend from it: one that daemonizes itself stays
// a descendant of the process that works on the run. It is for programs that
// wfc generates; a program that embeds an engine never calls it. Calling it
// again does nothing.
func AdoptOrphans() { adopt() }

var adopt = sync.OnceFunc(func() {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return // a very old kernel: the orphans become those of process 1
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go func() {
		for range ended {
			time.Sleep(reapAfter)
			select {
			case <-ended: // it came while this slept
			default:
			}
			children.reap()
		}
	}()
})

// reap takes note of the end of adopted processes. They are told from the
// children that this program started by the registry, and from those that it
// started past the registry by their session, which is this one.
func (r *registry) reap() {
	session, err := unix.Getsid(0)
	if err != nil {
		return
	}
	r.starting.Lock()
	defer r.starting.Unlock()
	for _, p := range processes() {
		if p.state == 'Z' && p.parent == os.Getpid() && p.session != session && !r.has(p.pid) {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
}
