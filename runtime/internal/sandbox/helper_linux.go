//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A helper is a process that performs lists of calls. It is no Go program, whose start and end would
// take longer than all that is to be done: it has a few pages of memory, of which a fork is cheap,
// and none of this process, so no secrets. It ends when its socket is closed, so at the latest with this process.
type helper struct {
	socket *os.File
	lists  []*list // of which no answer has come
}

// The open files of a helper.
const (
	socketFile    = 100 // with it, it gets lists and answers
	processesFile = 101 // /proc outside
	outsideFile   = 102 // the namespace of mounts outside
	ownFile       = 103 // its own one
	mountsFile    = 104 // its mountinfo
	programsFile  = 105 // the namespace of processes of the box
	heldFile      = 106 // a /proc that a child has made
	gotFile       = 3   // the list that it gets, and after it the files that come with it
	sentFile      = 200 // the files that it sends
)

// executable is the program of helpers, open.
var executable = sync.OnceValues(func() (*os.File, error) {
	const executableFlag, address = 0x10, 0x400000 // MFD_EXEC
	fd, err := unix.MemfdCreate("wfc-sandbox", unix.MFD_CLOEXEC|executableFlag)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("wfc-sandbox", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	const headers = 64 + 2*56
	const size = headers + interpreterSize
	var elf []byte
	for _, word := range []uint64{
		0x10102464c457f, 0, 2 | elfMachine<<16 | 1<<32, address + headers, 64, 0, 64<<32 | 56<<48, 2, // of 64 bits, with two segments
		1 | 5<<32, 0, address, address, size, size, 0x10000, // to be read and executed
		0x6474e551 | 6<<32, 0, 0, 0, 0, 0, 16, // the stack is not executed
	} {
		elf = binary.LittleEndian.AppendUint64(elf, word)
	}
	_, err = unix.Write(fd, append(elf, interpreterCode()[:]...))
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "helper"), nil
})

// service is where helpers answer that a call has failed, where they do that and end, and where they wait for a list.
type service struct{ faults, ends, receive uint64 }

// served are the calls of all helpers.
var served = sync.OnceValue(func() service {
	_, s := serve()
	return s
})

// receive adds that a helper waits for a list.
func (l *list) receive() { l.goTo(served().receive) }

// serve returns the calls with which all helpers get lists.
func serve() (l *list, s service) {
	l = newListIn(firstRegion)
	begin := l.skip()
	s.faults = l.next()
	l.sendAnswer(socketFile)
	l.store(firstRegion, 0)
	on := l.skip()
	s.ends = l.next()
	l.sendAnswer(socketFile)
	over := l.skip()
	begin.land()
	l.store(faultHandler, s.faults)
	start := l.skip()
	on.land()
	s.receive = l.next()
	l.call(about{call: "close_range"}, unix.SYS_CLOSE_RANGE, gotFile, socketFile-1, 0)
	const room = 4096
	message := l.message(l.numbers(l.reserve(8), 8), l.reserve(room), room)
	l.store(message+40, room) // the last message has changed it
	l.call(about{call: "recvmsg"}, unix.SYS_RECVMSG, socketFile, message, unix.MSG_CMSG_CLOEXEC)
	ended, failed := l.onZero(), l.onFault()
	l.call(about{call: "mmap"}, unix.SYS_MMAP, secondRegion, regionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED, gotFile, 0)
	l.closeFile(gotFile)
	l.last().ifZero = secondRegion + headerSize
	ended.land()
	failed.land()
	over.land()
	// The run's process ends now, and to take this apart would take processors from that.
	l.sleep(endsLater)
	l.call(about{}, unix.SYS_WAIT4, all, 0, 0, 0) // until it has no children: their ends are ignored
	l.ignoring()
	l.exit(0)
	start.land()
	return l, s
}

// endsLater is the time from the end of a run to that of its helpers, in milliseconds.
const endsLater = 20

// all stands for all processes, and for all files above a number.
const all = math.MaxUint64

// firstList returns the calls of the first helper, from which all others and the programs descend. bound says
// that it bounds their capabilities.
func firstList(limits []limit, bound bool) *list {
	l, s := serve()
	const processesSocket = gotFile + 2
	l.call(about{call: "dup3"}, unix.SYS_DUP3, gotFile+1, socketFile, unix.O_CLOEXEC)
	// What this process has open is not for others, and it may have that from a shell.
	l.call(about{call: "close_range"}, unix.SYS_CLOSE_RANGE, socketFile+1, math.MaxUint32, 0)
	l.call(about{call: "prctl PR_SET_NAME"}, unix.SYS_PRCTL, unix.PR_SET_NAME, l.text("wfc-sandbox"))
	// Programs ignore no signal, although this process may.
	for signal := range uint64(64) {
		l.handleSignal(signal+1, 0)
		l.ignoring() // of SIGKILL and SIGSTOP
	}
	const ignored = 1
	l.handleSignal(uint64(unix.SIGCHLD), ignored)
	if bound {
		l.boundCapabilities()
	}
	for _, one := range limits {
		l.call(about{call: "setrlimit"}, unix.SYS_PRLIMIT64, 0, uint64(one.Resource), l.numbers(one.Most, one.Most), 0)
	}
	l.mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "")
	l.openAs(processesFile, here, "/proc", unix.O_PATH)
	l.openAs(outsideFile, here, "/proc/self/ns/mnt", unix.O_RDONLY)
	// The helpers stay outside of the box's namespace of processes.
	l.inChild(waitsForChild, func() {
		l.call(about{call: "unshare"}, unix.SYS_UNSHARE, unix.CLONE_NEWPID)
		l.call(about{call: "clone"}, unix.SYS_CLONE, unix.CLONE_PARENT|uint64(unix.SIGCHLD), 0, 0, 0, 0)
		first := l.onZero()
		l.openAs(programsFile, here, "/proc/self/ns/pid_for_children", unix.O_RDONLY)
		l.inChild(waitsForChild, l.makeProcesses) // for the first template
		l.exit(0)
		first.land()
		l.call(about{call: "dup3"}, unix.SYS_DUP3, processesSocket, socketFile, unix.O_CLOEXEC)
		l.closeFile(processesSocket)
		l.serveProcesses(limits)
	})
	l.store(faultHandler, s.faults)
	l.answer(0)
	l.goTo(s.receive)
	return l
}

// waitsForChild says that a child has the memory and the open files of its parent, which waits for its end.
const waitsForChild = unix.CLONE_VM | unix.CLONE_VFORK | unix.CLONE_FILES

// inChild adds that a child performs calls and ends. If one fails, this helper ends as well.
func (l *list) inChild(flags uint64, add func()) {
	l.call(about{call: "clone"}, unix.SYS_CLONE, flags|uint64(unix.SIGCHLD), 0, 0, 0, 0)
	child := l.onZero()
	done := l.skip()
	failed := l.next()
	l.sendAnswer(socketFile)
	parent := l.call(about{}, unix.SYS_GETPPID)
	apart := l.onZero() // it is in another namespace
	l.call(about{}, unix.SYS_KILL, parent, uint64(unix.SIGKILL))
	apart.land()
	l.exit(1)
	child.land()
	l.store(faultHandler, failed)
	add()
	l.exit(0)
	done.land()
	l.store(faultHandler, served().ends) // the child may share the memory
}

// exit adds the end of a process.
func (l *list) exit(code uint64) { l.call(about{}, unix.SYS_EXIT_GROUP, code) }

// newFork returns a list for a helper that forks: the new one, which has a socket of its own, performs
// what is added.
func newFork() *list {
	l := newList()
	call := l.next()
	made := l.call(about{call: "clone"}, unix.SYS_CLONE, uint64(unix.SIGCHLD), 0, 0, 0, 0)
	child, failed := l.onZero(), l.onFault()
	l.receive()
	failed.land() // then the old one answers
	l.store(firstRegion, call)
	l.store(firstRegion+8, made)
	l.sendAnswer(gotFile + 1)
	l.store(firstRegion, 0)
	l.receive()
	child.land()
	l.call(about{call: "dup3"}, unix.SYS_DUP3, gotFile+1, socketFile, unix.O_CLOEXEC)
	l.closeFile(gotFile + 1)
	return l
}

// here stands for the folder of a process, as the folder of a path.
const here = ^uint64(99) // AT_FDCWD

// openAs adds that a path is opened with a number.
func (l *list) openAs(number, folder uint64, path string, flags uint64) {
	opened := l.call(about{call: "open", path: path}, unix.SYS_OPENAT, folder, l.text(path), flags|unix.O_CLOEXEC, 0)
	l.call(about{call: "dup3"}, unix.SYS_DUP3, opened, number, unix.O_CLOEXEC)
	l.closeFile(opened)
}

// handleSignal adds that a signal has its default effect, or is ignored.
func (l *list) handleSignal(signal, handler uint64) {
	l.call(about{call: "rt_sigaction"}, unix.SYS_RT_SIGACTION, signal, l.numbers(handler, 0, 0, 0), 0, 8)
}

// sleep adds a time of milliseconds.
func (l *list) sleep(milliseconds uint64) {
	l.call(about{}, unix.SYS_NANOSLEEP, l.numbers(0, milliseconds*1e6), 0)
	l.ignoring()
}

// message returns the address of a message.
func (l *list) message(vector, control, size uint64) uint64 {
	return l.numbers(0, 0, vector, 1, control, size, 0)
}

// answer adds that a value, or a result, is the answer.
func (l *list) answer(value uint64) {
	l.store(answerValue, value)
	l.sendAnswer(socketFile)
}

// sendAnswer adds that the answer is sent to a socket.
func (l *list) sendAnswer(socket uint64) {
	l.call(about{}, unix.SYS_SENDTO, socket, firstRegion, answerSize, unix.MSG_NOSIGNAL, 0, 0)
	l.ignoring() // the run may have ended
}

// answerFiles adds that open files are the answer.
func (l *list) answerFiles(numbers ...int) {
	control := syscall.UnixRights(numbers...)
	message := l.message(l.numbers(firstRegion, answerSize), l.bytes(control), uint64(len(control)))
	l.call(about{call: "sendmsg"}, unix.SYS_SENDMSG, socketFile, message, unix.MSG_NOSIGNAL)
}

// newSocket returns a socket, which blocks nothing, and the other end of it for a helper or an observed program.
func newSocket() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(pair[0]), "helper"), os.NewFile(uintptr(pair[1]), "helper"), nil
}

// send sends a list with files.
func (h *helper) send(l *list, files ...*os.File) error {
	text, err := l.pack()
	if err != nil {
		return err
	}
	defer text.Close()
	numbers := []int{int(text.Fd())}
	for _, f := range files {
		numbers = append(numbers, int(f.Fd()))
	}
	return sendMessage(h.socket, []byte{'l'}, numbers...)
}

// post sends a list to which the helper itself answers.
func (h *helper) post(l *list, files ...*os.File) error {
	h.lists = append(h.lists, l)
	return h.send(l, files...)
}

// fork has a helper fork, and returns the new one.
func (h *helper) fork(l *list) (*helper, error) {
	ours, theirs, err := newSocket()
	if err != nil {
		return nil, err
	}
	defer theirs.Close() // only the new one has it, so its end is noticed
	if err := h.send(l, theirs); err != nil {
		ours.Close()
		return nil, err
	}
	return &helper{socket: ours, lists: []*list{l}}, nil
}

// answer waits for the answer to the oldest list that has none, and returns its value and files.
func (h *helper) answer() (value uint64, files []int, err error) {
	var message [answerSize]byte
	n, files, err := receiveMessage(h.socket, message[:])
	if err == nil && n < len(message) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, fmt.Errorf("the sandbox has ended: %w", err)
	}
	l := &list{}
	if len(h.lists) > 0 {
		l, h.lists = h.lists[0], h.lists[1:]
	}
	value, err = l.readAnswer(message[:])
	return value, files, err
}
