//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Box holds the programs of one run. Its methods are safe for concurrent use.
type Box struct {
	*First

	mu        sync.Mutex
	proxied   net.Listener // in network 0, until somebody has it
	nets      map[uint64]*inside
	templates map[string]*template
	spare     *room // for the next program, or nil
	many      bool  // a program has started
	last      uint64
	closing   sync.Once
	helpers   map[*helper]bool
	over      bool
	running   int  // the programs that run, or are to start
	left      bool // a program has left others running, as far as is known
}

// A limit is one of a process; see setrlimit(2).
type limit struct {
	Resource int
	Most     uint64
}

func (l Limits) resourceLimits() []limit {
	list := []limit{{unix.RLIMIT_CORE, 0}}
	for resource, most := range map[int]uint64{unix.RLIMIT_NPROC: l.Processes, unix.RLIMIT_DATA: l.Memory, unix.RLIMIT_FSIZE: l.File} {
		if most > 0 {
			list = append(list, limit{resource, most})
		}
	}
	return list
}

// A First has the first processes of a box that is to be opened.
type First struct {
	*helper
	pid    int
	layers []string // that tests leave out
	first  *helper  // of the namespace of processes
	unused *template
	search func() *maskSearch // for what only some users may read

	signaling sync.Mutex
	asked     bool // whether programs are left, and the answer has not been read
}

// lacks reports whether a layer of the sandbox is left out.
func (f *First) lacks(layer string) bool { return slices.Contains(f.layers, layer) }

// Launch starts the first processes of a box, with limits. A file that only the user can write keeps
// what is known of the system's folders for the next box, unless it is "". keep calls start, and may
// keep note of the process of which all others descend.
func Launch(l Limits, known string, keep func(start func() (pid int, err error)) error) (*First, error) {
	return launchFirst(l, namespaces, nil, known, keep)
}

// namespaces are those of the first process.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// launchFirst starts the first processes of a box without some layers, in new namespaces.
func launchFirst(limits Limits, namespaces uintptr, without []string, known string, keep func(start func() (pid int, err error)) error) (*First, error) {
	ours, theirs, err := newSocket()
	if err != nil {
		return nil, err
	}
	defer theirs.Close() // only the process has it, and its end is noticed
	calls := firstList(limits.resourceLimits())
	f := &First{helper: &helper{socket: ours, lists: []*list{calls}}, layers: without, first: &helper{lists: []*list{calls}}}
	f.search = sync.OnceValue(func() *maskSearch { return findMasks(known) })
	var end, null *os.File
	if f.first.socket, end, err = newSocket(); err == nil {
		defer end.Close()
		null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0)
	}
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer null.Close()
	text, err := calls.pack()
	if err == nil {
		defer text.Close()
		err = keep(func() (_ int, err error) {
			f.pid, err = startInNamespaces(namespaces, null, null, null, text, theirs, end)
			return f.pid, err
		})
	}
	if err == nil {
		l := newList() // it has network 0 itself
		l.makeNetwork(!f.lacks("network"), []int{0})
		err = f.post(l)
	}
	if err == nil {
		f.unused, err = f.newTemplate()
	}
	if err == nil {
		return f, nil
	}
	f.closeAll(nil)
	return nil, fmt.Errorf("start the first process of the sandbox: %w", err)
}

// closeAll closes the sockets of helpers, and waits for their ends.
func (f *First) closeAll(helpers map[*helper]bool) {
	f.first.socket.Close()
	f.socket.Close()
	if f.unused != nil {
		f.unused.socket.Close()
	}
	for h := range helpers {
		h.socket.Close()
	}
	for f.pid > 0 {
		if _, err := syscall.Wait4(f.pid, nil, 0, nil); err != unix.EINTR { // it has nothing to say
			break
		}
	}
}

// Open makes a box, whose first program will probably have the policy.
func (f *First) Open(p *Policy) (*Box, error) {
	f.search().keep()
	b := &Box{First: f, nets: map[uint64]*inside{}, templates: map[string]*template{}, helpers: map[*helper]bool{}}
	if err := b.prepareFirstProgram(p); err != nil {
		b.Close(func() {})
		return nil, fmt.Errorf("make the sandbox: %w", err)
	}
	return b, nil
}

// prepareFirstProgram makes the box ready for its first program.
func (b *Box) prepareFirstProgram(p *Policy) error {
	var unmade error
	usual := *p
	usual.Guarded, usual.GuardedFiles, usual.Programs = nil, nil, nil // they are mounted when the program is known

	if next, err := usual.planProgram(""); err == nil { // the start of a program says it
		b.mu.Lock()
		b.spare, unmade = b.newRoom(next.early, next.places)
		b.mu.Unlock()
	}
	_, _ = knownCapabilities(), filter() // the first program needs them
	for _, h := range []*helper{b.helper, b.first} {
		if _, _, err := h.answer(); err != nil {
			return err
		}
	}
	if unmade != nil {
		return unmade
	}
	list, err := b.addNetwork(0, b.helper, []int{0})
	if err == nil {
		b.proxied = list[0]
	}
	return err
}

// keepHelper notes a helper, which ends with the box at the latest. b.mu is held.
func (b *Box) keepHelper(h *helper) {
	if b.helpers[h] = true; b.over {
		h.socket.Close()
	}
}

// dropHelper ends a helper. b.mu is held.
func (b *Box) dropHelper(h *helper) {
	delete(b.helpers, h)
	h.socket.Close()
}

// Close ends everything in the box. ended is called when all its processes have ended; if no
// program is left, Close does not wait for that.
func (b *Box) Close(ended func()) {
	if l := b.takeListener(); l != nil {
		l.Close()
	}
	any, err := b.signal(0)
	b.mu.Lock()
	b.over = true
	helpers := maps.Clone(b.helpers)
	b.mu.Unlock()
	end := func() {
		b.closing.Do(func() { b.closeAll(helpers) })
		ended()
	}
	if any || err != nil {
		end()
	} else {
		go end()
	}
}

// signal sends a signal to all programs, and reports whether there are any.
func (b *Box) signal(signal syscall.Signal) (any bool, err error) {
	b.signaling.Lock()
	defer b.signaling.Unlock()
	if b.asked {
		if any, err = b.findLeft(); err != nil {
			return true, err
		}
	}
	b.mu.Lock()
	any = b.running > 0 || b.left
	b.mu.Unlock()
	if !any {
		return false, nil
	}
	if err := b.sendSignal(signal); err != nil {
		return true, err
	}
	return b.findLeft()
}

// sendSignal has the first process of the programs send a signal to all others. b.signaling is held.
func (b *Box) sendSignal(signal syscall.Signal) error {
	_, err := b.first.socket.Write(binary.NativeEndian.AppendUint64(nil, uint64(signal)))
	if err != nil {
		return fmt.Errorf("the sandbox has ended: %w", err)
	}
	return nil
}

// findLeft reads whether there were programs to get a signal. b.signaling is held.
func (b *Box) findLeft() (any bool, err error) {
	b.asked = false
	result, _, err := b.first.answer()
	if err != nil {
		return true, err
	}
	switch errno := syscall.Errno(-result); errno {
	case 0:
		return true, nil
	case unix.ESRCH:
		b.mu.Lock()
		b.left = b.running > 0
		b.mu.Unlock()
		return false, nil
	default:
		return true, os.NewSyscallError("kill", errno)
	}
}

// noteEnd notes that a program has ended. It may have left others running: the answer is there when
// somebody needs it.
func (b *Box) noteEnd(r *room) {
	b.signaling.Lock()
	defer b.signaling.Unlock()
	b.mu.Lock()
	b.running--
	b.left = true
	b.dropHelper(r.helper)
	b.mu.Unlock()
	if b.asked {
		_, _, _ = b.first.answer() // it is about an earlier time
	}
	b.asked = b.sendSignal(0) == nil
}

// A Process is a program that was started in a box.
type Process struct {
	pid  int
	box  *Box
	room *room
}

// PID is the number of the process, outside of the box.
func (p *Process) PID() int { return p.pid }

// Wait waits for the end of the process. It is called once. What the end of the box ended was
// killed.
func (p *Process) Wait() (exitCode int, signal string) {
	status := syscall.WaitStatus(syscall.SIGKILL)
	if value, _, err := p.room.answer(); err == nil {
		status = syscall.WaitStatus(value)
	}
	p.box.noteEnd(p.room)
	if status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}

// Hold stops all programs of the box, or lets them go on, and reports whether there are any.
func (b *Box) Hold(hold bool) (any bool, err error) {
	if hold {
		return b.signal(unix.SIGSTOP)
	}
	return b.signal(unix.SIGCONT)
}

// A Network is where programs of a box have nothing but a loopback device.
type Network struct{ id uint64 }

// Network makes a network. The listeners are on the loopback device there, on the given ports;
// 0 is any. What serves them serves the programs in the network. There is at least one port.
func (b *Box) Network(ports ...int) (Network, []net.Listener, error) {
	if len(ports) == 1 && ports[0] == 0 {
		if l := b.takeListener(); l != nil {
			return Network{}, []net.Listener{l}, nil
		}
	}
	l := newFork()
	l.makeNetwork(!b.lacks("network"), ports)
	h, err := b.fork(l)
	if err != nil {
		return Network{}, nil, fmt.Errorf("make a network in the sandbox: %w", err)
	}
	b.mu.Lock()
	b.keepHelper(h)
	b.last++
	id := b.last
	b.mu.Unlock()
	list, err := b.addNetwork(id, h, ports)
	if err != nil {
		return Network{}, nil, fmt.Errorf("make a network in the sandbox: %w", err)
	}
	return Network{id}, list, nil
}

// An inside is a network, which a helper has.
type inside struct {
	*helper
	process uint64 // or 0 if the network is that of the run's process
	asking  sync.Mutex
}

// Listen returns another listener on the loopback device of a network.
func (b *Box) Listen(n Network) (net.Listener, error) {
	b.mu.Lock()
	at := b.nets[n.id]
	b.mu.Unlock()
	at.asking.Lock()
	defer at.asking.Unlock()
	l := newList()
	l.listen([]int{0})
	var list []net.Listener
	err := at.post(l)
	if err == nil {
		_, list, err = at.listeners(1)
	}
	if err != nil {
		return nil, fmt.Errorf("listen in a network in the sandbox: %w", err)
	}
	return list[0], nil
}

// listeners waits for an answer with sockets, and returns its value and the listeners.
func (h *helper) listeners(count int) (value uint64, list []net.Listener, err error) {
	value, files, err := h.answer()
	if err == nil && len(files) < count {
		err = errors.New("a network without its sockets")
	}
	for _, fd := range files {
		f := os.NewFile(uintptr(fd), "port")
		l, err2 := net.FileListener(f)
		f.Close()
		if err2 != nil {
			err = err2
			continue
		}
		list = append(list, l)
	}
	if err != nil {
		for _, l := range list {
			l.Close()
		}
		return 0, nil, err
	}
	return value, list, nil
}

// addNetwork waits for a network, and returns its listeners.
func (b *Box) addNetwork(id uint64, h *helper, ports []int) (list []net.Listener, err error) {
	process, list, err := h.listeners(len(ports))
	if err != nil {
		return nil, err
	}
	if b.lacks("network") {
		process = 0
	}
	b.mu.Lock()
	b.nets[id] = &inside{helper: h, process: process}
	b.mu.Unlock()
	return list, nil
}

// takeListener returns the listener of network 0, once.
func (b *Box) takeListener() net.Listener {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.proxied
	b.proxied = nil
	return l
}

// Start starts a command by a policy. Files that are nil are the null device. The tag is that of
// package process. The error is the system's if the program could not be executed.
func (b *Box) Start(cmd *exec.Cmd, p *Policy, n Network, tag uint64) (*Process, error) {
	plan, err := p.planProgram(cmd.Path)
	if err != nil {
		return nil, err
	}
	files := make([]*os.File, 3, 3+len(cmd.ExtraFiles))
	for i, f := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		file, ok := f.(*os.File)
		if !ok || file == nil {
			if file, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
				return nil, err
			}
			defer file.Close()
		}
		files[i] = file
	}
	files = append(files, cmd.ExtraFiles...)
	b.mu.Lock()
	b.running++
	b.mu.Unlock()
	r, err := b.takeRoom(plan)
	pid := 0
	if err == nil {
		pid, err = b.startIn(r, cmd, plan, n, tag, files)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.running--
		if r != nil {
			b.dropHelper(r.helper)
		}
		return nil, err
	}
	// After a single program, there may be no other one.
	if b.spare == nil && b.many && !b.over {
		b.spare, _ = b.newRoom(plan.early, plan.places) // the start of a program says it
	}
	b.many = true
	return &Process{pid, b, r}, nil
}
