package process

import (
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outputPipe returns a pipe for an output of a program. os.Pipe makes both ends
// ready for waiting; of the one that only the program uses that would be undone
// at once, which takes as many system calls again.
func outputPipe() (ours, theirs *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	if err := syscall.SetNonblock(ends[0], true); err != nil {
		syscall.Close(ends[0])
		syscall.Close(ends[1])
		return nil, nil, os.NewSyscallError("setnonblock", err)
	}
	return os.NewFile(uintptr(ends[0]), "output"), os.NewFile(uintptr(ends[1]), "output"), nil
}

// KeepPrivate keeps the memory, the first environment and the open files of this
// process from other processes of the same user, unless those may administer the
// system. Programs that it starts are as always.
func KeepPrivate() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// KeepTerminals keeps the terminals that this process has open, beside its standard
// streams, from the programs that it starts: its parent may have left one open. Programs
// inherit other files as always. It is for programs that wfc generates.
func KeepTerminals() {
	for _, fd := range numbersIn("/proc/self/fd") {
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// reapAfter is the time from the end of a child to the look for adopted ones
// that have ended. A short run ends before it comes to that.
const reapAfter = time.Second

// AdoptOrphans makes this process the parent of the processes whose own parent
// has ended, among those that descend from it: one that daemonizes itself stays
// a descendant of the process that works on the run. It is for programs that
// wfc generates; a program that embeds an engine never calls it. Calling it
// again does nothing. watch starts the process that ends commands if this one dies, beside the opening
// of the store; otherwise, the first command that is in no container starts it.
func AdoptOrphans(watch bool) {
	adopt()
	if watch && adopts.Load() {
		go startWatcher()
	}
}

// adopts says that this process adopts orphans.
var adopts atomic.Bool

var adopt = sync.OnceFunc(func() {
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return // a very old kernel: the orphans become those of process 1
	}
	adopts.Store(true)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go func() {
		for range ended {
			// Until then nobody needs the signal, and taking note of one for each child
			// costs a thread's wake-up.
			signal.Stop(ended)
			time.Sleep(reapAfter)
			select {
			case <-ended: // it came before Stop
			default:
			}
			signal.Notify(ended, syscall.SIGCHLD) // before the look: none falls between
			children.reapAdopted()
		}
	}()
})

// reapAdopted waits for adopted processes that have ended. The registry lists the children that
// this program started itself; those that it started without the registry are in its own
// session.
func (r *registry) reapAdopted() {
	session, err := unix.Getsid(0)
	if err != nil {
		return
	}
	r.starting.Lock()
	defer r.starting.Unlock()
	for _, pid := range childrenOf()(os.Getpid()) {
		if p, err := readStat(pid); err == nil && p.state == 'Z' && p.session != session && !r.hasPID(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
}
