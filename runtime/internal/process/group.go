package process

import (
	"os/exec"
	"sync"
	"time"
)

// lookAgain is the time between two looks at whether a group has ended.
const lookAgain = 5 * time.Millisecond

// stopGroup asks the group to end and kills it when it has not after the
// grace. exited, if not nil, is closed when its leader has ended; until then
// the group cannot have.
func stopGroup(group int, grace time.Duration, exited <-chan struct{}) {
	if !alive(group) {
		return
	}
	terminate(group)
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	if exited != nil {
		select {
		case <-exited:
		case <-deadline.C:
			kill(group)
			return
		}
	}
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for alive(group) {
		select {
		case <-look.C:
		case <-deadline.C:
			kill(group)
			return
		}
	}
}

// children are the processes that this package started and has not waited for
// yet. Whoever adopts the orphans of other processes must not take note of the
// end of one of these: os/exec does.
var children registry

// A registry is a set of process numbers.
type registry struct {
	// starting is held for reading while a process starts and its number is not
	// in the set yet.
	starting sync.RWMutex
	pids     sync.Map // of int to struct{}
}

// start starts a command, whose number is in the set until ended is called.
func (r *registry) start(cmd *exec.Cmd) error {
	r.starting.RLock()
	defer r.starting.RUnlock()
	err := cmd.Start()
	if err == nil {
		r.pids.Store(cmd.Process.Pid, struct{}{})
	}
	return err
}

func (r *registry) ended(pid int) { r.pids.Delete(pid) }

func (r *registry) has(pid int) bool {
	_, ok := r.pids.Load(pid)
	return ok
}

// RunApart runs a prepared command to its end, like cmd.Run, in a session of its
// own: the command and what it starts have no controlling terminal.
func RunApart(cmd *exec.Cmd) error {
	ownSession(cmd)
	if err := children.start(cmd); err != nil {
		return err
	}
	defer children.ended(cmd.Process.Pid)
	return cmd.Wait()
}
