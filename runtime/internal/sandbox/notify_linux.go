//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An observed program runs in no sandbox. A filter of system calls, which its processes
// inherit, has the kernel notify this process of the calls that name files and addresses, and
// wait for an answer. This process looks at what such a call names, and the answer is always
// to continue.
//
// Only the program itself can have the filter, and Go runs nothing between fork and exec. So
// this program starts once more, sets the filter on a thread, hands over the descriptor for the
// notifications, and executes the program from that thread, as the same process.

// observedName is the name as which this program starts an observed one. Its arguments are the
// number of its socket, the program's path, and what the program has as arguments.
const observedName = "wfc-observed"

// An Observer sees what the programs of a step do.
type Observer struct {
	// Saw is called for each access, possibly often and from several goroutines at once.
	Saw func(Access)
	// Proxy is the port of the proxy for the programs, or 0.
	Proxy int

	programs sync.WaitGroup
	mu       sync.Mutex
	own      map[string]bool // the ports and abstract sockets on which the programs listen
}

// Wait waits until no process of the programs runs.
func (o *Observer) Wait() { o.programs.Wait() }

// Start starts a command and observes it by the policy that it would have in the sandbox.
// temporary is its folder for temporary files, or "". start starts the command that it is given,
// and calls then when that is started.
func (o *Observer) Start(cmd *exec.Cmd, p *Policy, temporary string, start func(c *exec.Cmd, then func() error) error) error {
	if missing := missingForObserving(); len(missing) > 0 {
		return errors.New(missing[0].String())
	}
	seen, err := newView(p, cmd.Path, temporary)
	if err != nil {
		return err
	}
	ours, theirs, err := newSocket()
	if err != nil {
		return err
	}
	defer ours.Close()
	defer theirs.Close()
	again := &exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{observedName, strconv.Itoa(3 + len(cmd.ExtraFiles)), cmd.Path}, cmd.Args...),
		Dir: cmd.Dir, Env: cmd.Env, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr,
		ExtraFiles: append(slices.Clip(cmd.ExtraFiles), theirs), SysProcAttr: cmd.SysProcAttr,
	}
	return start(again, func() error {
		theirs.Close()
		return o.followStart(ours, again.Process.Pid, seen)
	})
}

// followStart takes the notifications of a program that starts, and returns when it is executed.
func (o *Observer) followStart(c *os.File, pid int, seen *view) error {
	files, err := receiveStartMessage(c)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return errors.New("a program that is to be observed ended before its start")
	}
	// Reading at an address that is not there fails otherwise if this process may read at all.
	if err := seen.readProcessMemory(pid, 1, 1); !errors.Is(err, unix.EFAULT) {
		unix.Close(files[0])
		return fmt.Errorf("this machine cannot report: to look into programs is not permitted (%w); the kernel's parameter kernel.yama.ptrace_scope must be 0 or 1", err)
	}
	_ = unix.IoctlSetInt(files[0], unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP) // since Linux 6.6
	o.programs.Go(func() { o.answerNotifications(files[0], seen) })
	if err := sendMessage(c, []byte{'o'}); err != nil {
		return fmt.Errorf("start an observed program: %w", err)
	}
	_, err = receiveStartMessage(c)
	return err
}

// receiveStartMessage returns what a program says that starts: files, an error, or nothing when it is
// executed.
func receiveStartMessage(c *os.File) (files []int, err error) {
	var message [largest]byte
	n, files, err := receiveMessage(c, message[:])
	if err != nil {
		return files, nil
	}
	var a answer
	switch err := decodeMessage(message[:n], &a); {
	case err != nil || a.Fault == "":
		return files, err
	case a.Errno != 0 && a.Fault == a.Errno.Error():
		return files, a.Errno
	}
	return files, errors.New(a.Fault)
}

// becomeObserved sets the filter and executes the program that the arguments name. It returns
// if that fails.
func becomeObserved(args []string) int {
	socket, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	unix.CloseOnExec(socket)
	observer := os.NewFile(uintptr(socket), "observer")
	tell := func(err error, files ...int) {
		_ = sendMessage(observer, encodeMessage(&answer{Fault: faultText(err), Errno: errorErrno(err)}), files...)
	}
	filtered, failed, permitted := make(chan int), make(chan error), make(chan bool)
	go func() {
		runtime.LockOSThread() // for ever: nothing else may run under the filter
		listener, err := notifyCalls()
		if err != nil {
			failed <- err
			return
		}
		filtered <- listener
		<-permitted
		failed <- syscall.Exec(args[1], args[2:], os.Environ())
	}()
	select {
	case listener := <-filtered:
		tell(nil, listener)
		unix.Close(listener)
		if _, _, err := receiveMessage(observer, make([]byte, 1)); err != nil {
			return 2 // nobody answers notifications
		}
		permitted <- true
		tell(<-failed)
	case err := <-failed:
		tell(err)
	}
	return 2
}

// notifyCalls sets the filter on this thread, and returns the descriptor for notifications.
func notifyCalls() (int, error) {
	f := notifyFilter()
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	// Since Linux 5.19, a signal need not interrupt a call that would not be interrupted.
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	for {
		fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
		switch {
		case errno == 0:
			return int(fd), nil
		case errno == unix.EINVAL && flags != unix.SECCOMP_FILTER_FLAG_NEW_LISTENER:
			flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
		case errno == unix.EACCES:
			// Who does not administer the system may do it to programs that get no privileges.
			if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
				return -1, os.NewSyscallError("prctl PR_SET_NO_NEW_PRIVS", err)
			}
		case errno == unix.EBUSY:
			return -1, fmt.Errorf("the run is observed itself: %w", errno)
		default:
			return -1, os.NewSyscallError("seccomp", errno)
		}
	}
}

// notifyFilter is a filter that has the kernel notify of calls, and permits all others.
func notifyFilter() []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	give := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	f := []unix.SockFilter{load(callArch), equal(auditArch, 1, 0), give(unix.SECCOMP_RET_ALLOW), load(callNumber)}
	notify := func(call uint32) { f = append(f, equal(call, 0, 1), give(unix.SECCOMP_RET_USER_NOTIF)) }
	for _, op := range slices.Concat(operations, operationsHere) {
		notify(op.call)
	}
	for _, call := range socketCalls {
		notify(call)
	}
	// Programs send most with no address. Those addresses are not at a multiple of 4 GiB.
	return append(f, equal(unix.SYS_SENDTO, 0, 3), load(callArgs+4*8), equal(0, 1, 0), give(unix.SECCOMP_RET_USER_NOTIF), give(unix.SECCOMP_RET_ALLOW))
}

// A notification is the kernel's struct seccomp_notif, and a reply its struct
// seccomp_notif_resp.
type notification struct {
	ID         uint64
	PID, Flags uint32
	Number     uint32
	Arch       uint32
	_          uint64
	Args       [6]uint64
}

type reply struct {
	ID    uint64
	Value int64
	Error int32
	Flags uint32
}

// answerNotifications answers the notifications of a program until none of its processes runs.
func (o *Observer) answerNotifications(fd int, seen *view) {
	defer unix.Close(fd)
	control := func(request uint, at unsafe.Pointer) error {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(at)); errno != 0 {
			return errno
		}
		return nil
	}
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil || ready[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		if err := control(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
			continue // the process was ended meanwhile
		} else if err != nil {
			return
		}
		found := o.findRefusals(&n, seen)
		// A process that has ended since may have left its number to another one.
		if len(found) > 0 && control(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.ID)) == nil {
			for _, a := range found {
				o.Saw(a)
			}
		}
		r := reply{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		_ = control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // nobody waits for it if the process has ended
	}
}

// missingForObserving returns what this machine lacks to observe programs.
func missingForObserving() []Missing {
	if !prepared.Load() {
		return []Missing{{"program", "this program does not import runtime/sandbox, which a report needs", ""}}
	}
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))); errno != 0 {
		return []Missing{{"seccomp", "the kernel does not notify of system calls: " + errno.Error(), "use Linux 5.6 or later; in a container, permit the system call `seccomp`"}}
	}
	return nil
}
