//go:build linux && (amd64 || arm64)

package sandbox

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A room is a helper with the file system for one program, as far as that is known. A box makes the
// next one while the last program runs, for a program with the same early mounts.
type room struct {
	*helper
	ready  func() error // waits until its template is there
	files  *files
	early  []mount
	places string
}

// A template is a helper with the file system of which rooms get copies.
type template struct {
	*helper
	ready func() error // waits until it is there
}

// newTemplate begins to make a template. The first helper has what only the first one needs.
func (f *First) newTemplate(isFirst bool) (*template, error) {
	base, err := system()
	if err != nil {
		return nil, err
	}
	l := newFork()
	l.store(faultHandler, served().ends) // no program starts in what was made in part
	if !f.lacks("mounts") {
		l.makeTemplate(base, isFirst)
	}
	l.answer(0)
	l.receive()
	h, err := f.fork(l)
	if err != nil {
		return nil, err
	}
	t := &template{h, sync.OnceValue(func() error {
		for range 2 {
			if _, _, err := h.answer(); err != nil {
				return err
			}
		}
		return nil
	})}
	l = newList()
	if !f.lacks("mounts") {
		l.hide("/dev/null", f.search().list...) // beside the helper
	}
	l.answer(0)
	l.receive()
	if err := t.post(l); err != nil {
		return nil, cmp.Or(t.ready(), err) // it has ended
	}
	return t, nil
}

// ensureTemplate returns the template for programs with mounts at some places. b.mu is held.
func (b *Box) ensureTemplate(places string) (*template, error) {
	if t := b.templates[places]; t != nil {
		return t, nil
	}
	t, err := b.unused, error(nil)
	if b.unused = nil; t == nil {
		t, err = b.newTemplate(false)
	}
	if err != nil {
		return nil, err
	}
	b.templates[places] = t
	b.keepHelper(t.helper)
	return t, nil
}

// newRoom begins to make a room. b.mu is held.
func (b *Box) newRoom(early []mount, places string) (*room, error) {
	t, err := b.ensureTemplate(places)
	if err != nil {
		return nil, err
	}
	base, err := system()
	if err != nil {
		return nil, err
	}
	r := &room{ready: t.ready, files: &files{}, early: early, places: places}
	l := newFork()
	if !b.lacks("mounts") {
		r.files.copyTemplate(l, base, early)
	}
	l.answer(0)
	l.receive()
	if r.helper, err = t.fork(l); err == nil {
		b.keepHelper(r.helper)
	}
	return r, err
}

// takeRoom returns a room for a program.
func (b *Box) takeRoom(p *plan) (*room, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return nil, errors.New("the sandbox has ended")
	}
	r := b.spare
	b.spare = nil
	if r != nil && r.places == p.places && slices.Equal(r.early, p.early) {
		return r, nil
	}
	if r != nil {
		b.dropHelper(r.helper)
	}
	return b.newRoom(p.early, p.places)
}

// startIn has a program start in a room, and returns its number outside of the box.
func (b *Box) startIn(r *room, cmd *exec.Cmd, p *plan, n Network, tag uint64, files []*os.File) (pid int, err error) {
	l := newList()
	if !b.lacks("mounts") {
		r.files.finishMounts(l, p.late, b.search().list)
	}
	b.mu.Lock()
	network := b.nets[n.id]
	b.mu.Unlock()
	if network == nil {
		return 0, errors.New("the sandbox has no such network")
	}
	if network.process > 0 { // the room is in the network of the run's process
		process := l.call(about{call: "pidfd_open"}, unix.SYS_PIDFD_OPEN, network.process, 0)
		l.call(about{call: "setns"}, unix.SYS_SETNS, process, unix.CLONE_NEWNET)
		l.closeFile(process)
	}
	// Other programs of the box do not look into the memory, which it shares with the program until that is executed.
	l.call(about{call: "prctl PR_SET_DUMPABLE"}, unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0)
	l.call(about{call: "setns"}, unix.SYS_SETNS, programsFile, unix.CLONE_NEWPID)
	l.handleSignal(uint64(unix.SIGCHLD), 0)
	begin := l.skip()
	failed := l.next()
	l.sendAnswer(socketFile)
	l.exit(1)
	begin.land()
	l.store(faultHandler, failed)
	made := l.call(about{call: "clone"}, unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_VFORK|uint64(unix.SIGCHLD), 0, 0, 0, 0)
	child := l.onZero()
	l.store(faultHandler, served().ends)
	l.answer(made)
	l.call(about{call: "wait4"}, unix.SYS_WAIT4, made, answerValue, 0, 0)
	l.sendAnswer(socketFile)
	l.receive()
	child.land()
	l.becomeProgram(b.First, cmd, p.writes, tag, len(files))
	if err := r.post(l, files...); err != nil {
		return 0, cmp.Or(r.ready(), err) // it has ended
	}
	if err := r.ready(); err != nil {
		return 0, err
	}
	if _, _, err := r.answer(); err != nil {
		return 0, err
	}
	value, _, err := r.answer()
	return int(value), err
}

// becomeProgram adds that a process gives up what a program is not to have, and executes one.
func (l *list) becomeProgram(f *First, cmd *exec.Cmd, writes []string, tag uint64, files int) {
	l.call(about{call: "setsid"}, unix.SYS_SETSID)
	for i := range uint64(files) {
		l.call(about{call: "dup3"}, unix.SYS_DUP3, gotFile+1+i, i, 0)
	}
	if tag > 0 {
		l.softLocks(tag)
	}
	for _, layer := range []struct {
		name string
		add  func()
	}{
		{"capabilities", l.dropCapabilities},
		{"privileges", func() {
			l.call(about{call: "prctl PR_SET_NO_NEW_PRIVS"}, unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		}},
		{"landlock", func() { l.restrictFiles(writes) }},
		{"seccomp", l.restrictCalls},
	} {
		if !f.lacks(layer.name) {
			layer.add()
		}
	}
	// The errors are those of the system.
	if cmd.Dir != "" {
		l.call(about{}, unix.SYS_CHDIR, l.text(cmd.Dir))
	}
	l.call(about{}, unix.SYS_EXECVE, l.text(cmd.Path), l.texts(cmd.Args), l.texts(cmd.Env))
}

// softLocks adds that the soft limit becomes the tag of a program.
func (l *list) softLocks(tag uint64) {
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_LOCKS, &now) == nil {
		l.call(about{call: "setrlimit"}, unix.SYS_PRLIMIT64, 0, unix.RLIMIT_LOCKS, l.numbers(min(tag, now.Max), now.Max), 0)
		l.ignoring()
	}
}

// knownCapabilities are those of the system.
var knownCapabilities = sync.OnceValue(func() (list []uint64) {
	for capability := uintptr(0); capability <= 63; capability++ {
		if _, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, capability, 0, 0, 0); err != nil {
			break
		}
		list = append(list, uint64(capability))
	}
	return list
})

// boundCapabilities adds that no program that is executed gets a capability by its file: not by a helper,
// and not by a process that it forks.
func (l *list) boundCapabilities() {
	for _, capability := range knownCapabilities() {
		l.call(about{call: "prctl PR_CAPBSET_DROP"}, unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
	}
}

// dropCapabilities adds that all capabilities are given up, and the ways to get new ones, beside boundCapabilities.
func (l *list) dropCapabilities() {
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 // SECBIT_NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each locked
	l.call(about{call: "prctl PR_SET_SECUREBITS"}, unix.SYS_PRCTL, unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0)
	l.call(about{call: "prctl PR_CAP_AMBIENT"}, unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	l.setCapabilities()
}

// setCapabilities adds that a process has none.
func (l *list) setCapabilities() {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	l.call(about{call: "capset"}, unix.SYS_CAPSET, structure(l, &header), l.reserve(int(2*unsafe.Sizeof(unix.CapUserData{}))))
}

// serveProcesses adds what the first process of the box's namespace of processes does, with whose end the
// kernel ends everything there: it sends the signals that it gets by its socket to all programs.
func (l *list) serveProcesses(limits []limit) {
	l.call(about{call: "prctl PR_SET_DUMPABLE"}, unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0)
	for _, one := range limits {
		if one.Resource == unix.RLIMIT_NPROC && os.Getuid() == 0 {
			// The limit does not count for administrators. Since Linux 6.14, a namespace has a
			// largest number; elsewhere theirs is the machine's.
			l.limitNumbers(one.Most)
		}
	}
	l.setCapabilities()
	l.answer(0)
	wait := l.next()
	l.call(about{}, unix.SYS_RECVFROM, socketFile, wait+entrySize+signalOffset, 8, 0, 0, 0)
	ended, failed := l.onZero(), l.onFault()
	l.answer(l.kill(0))
	l.goTo(wait)
	ended.land()
	failed.land()
	// The programs may clean up; what is left ends with this process.
	l.kill(uint64(unix.SIGTERM))
	gone := []jump{l.onFault()}
	l.kill(uint64(unix.SIGCONT))
	for pause := uint64(1); pause < 1000; pause *= 2 {
		l.sleep(pause)
		l.kill(0)
		gone = append(gone, l.onFault())
	}
	for _, j := range gone {
		j.land()
	}
	l.sleep(endsLater)
	l.exit(0)
}

// signalOffset is where a call of kill has its signal.
const signalOffset = uint64(unsafe.Offsetof(entry{}.args)) + 8

// kill adds that all programs get a signal.
func (l *list) kill(signal uint64) (result uint64) {
	result = l.call(about{}, unix.SYS_KILL, all, signal)
	l.ignoring()
	return result
}

// limitNumbers adds that processes have numbers up to a largest one, where that is possible.
func (l *list) limitNumbers(largest uint64) {
	text := strconv.AppendUint(nil, largest, 10)
	file := l.call(about{}, unix.SYS_OPENAT, here, l.text("/proc/sys/kernel/pid_max"), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	none := l.onFault()
	l.call(about{}, unix.SYS_WRITE, file, l.bytes(text), uint64(len(text)))
	l.ignoring()
	l.closeFile(file)
	none.land()
}

// makeNetwork adds that a helper gets a network with nothing but a loopback device, unless that is to be left out,
// and sends sockets that listen there on ports.
func (l *list) makeNetwork(apart bool, ports []int) {
	if apart {
		l.call(about{call: "unshare"}, unix.SYS_UNSHARE, unix.CLONE_NEWNET)
		device := l.bytes(append([]byte("lo\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), unix.IFF_UP|unix.IFF_RUNNING, 0))
		l.reserve(32) // more of the structure
		s := l.call(about{call: "socket"}, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		l.call(about{call: "ioctl SIOCSIFFLAGS"}, unix.SYS_IOCTL, s, unix.SIOCSIFFLAGS, device)
		l.closeFile(s)
	}
	l.listen(ports)
}

// listen adds that a helper sends sockets that listen on ports of its loopback device.
func (l *list) listen(ports []int) {
	var files []int
	for i, port := range ports {
		s := l.call(about{call: "socket"}, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		address := l.bytes([]byte{unix.AF_INET, 0, byte(port >> 8), byte(port), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
		l.call(about{call: "listen", path: "port " + strconv.Itoa(port)}, unix.SYS_BIND, s, address, 16)
		l.call(about{call: "listen", path: "port " + strconv.Itoa(port)}, unix.SYS_LISTEN, s, 128)
		l.call(about{call: "dup3"}, unix.SYS_DUP3, s, sentFile+uint64(i), unix.O_CLOEXEC)
		l.closeFile(s)
		files = append(files, sentFile+i)
	}
	l.store(answerValue, l.call(about{}, unix.SYS_GETPID))
	l.answerFiles(files...)
	for _, f := range files {
		l.closeFile(uint64(f))
	}
	l.receive()
}
