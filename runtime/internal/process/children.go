package process

import (
	"os/exec"
	"sync"
)

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
