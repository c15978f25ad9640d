//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Box holds the programs of one run. Its methods are safe for concurrent use.
type Box struct {
	*First

	mu      sync.Mutex
	proxied net.Listener // in network 0, until somebody has it
	last    uint64
	waiting map[uint64]chan answered
	over    error // why it takes no more orders
	running int   // the programs that run, or are to start
	left    bool  // a program has left others running, as far as is known
}

type answered struct {
	answer
	pid   int
	files []int
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

// A First is the first process of a box that is to be opened.
type First struct {
	process *os.Process
	orders  *net.UnixConn

	closing sync.Once
}

// Launch starts the first process of a box, with limits. keep calls start, and may keep note of the process.
func Launch(l Limits, keep func(start func() (pid int, err error)) error) (*First, error) {
	return launchFirst(l, namespaces, nil, keep)
}

// namespaces are those of the first process.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// launchFirst starts the first process with an environment, in new namespaces.
func launchFirst(l Limits, namespaces uintptr, environ []string, keep func(start func() (pid int, err error)) error) (*First, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "orders"), os.NewFile(uintptr(pair[1]), "orders")
	defer theirs.Close() // only the process has it, and its end is noticed
	defer ours.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	f := &First{}
	err = keep(func() (int, error) {
		pid, err := startInNamespaces(namespaces, []*os.File{null, null, null, theirs}, []string{mainName}, environ)
		if err == nil {
			f.process, _ = os.FindProcess(pid) // on Linux, it always succeeds
		}
		return pid, err
	})
	if err != nil {
		return nil, fmt.Errorf("start the first process of the sandbox: %w", err)
	}
	if err := f.giveLimits(ours, l); err != nil {
		_ = f.process.Kill()
		_, _ = f.process.Wait()
		return nil, err
	}
	return f, nil
}

// giveLimits gives the process its first order, over a socket.
func (f *First) giveLimits(orders *os.File, l Limits) error {
	if err := unix.SetsockoptInt(int(orders.Fd()), unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		return os.NewSyscallError("setsockopt SO_PASSCRED", err)
	}
	c, err := net.FileConn(orders)
	if err != nil {
		return err
	}
	f.orders = c.(*net.UnixConn)
	err = f.sendOrder(&order{Limits: l.resourceLimits()})
	if err != nil {
		f.orders.Close()
	}
	return err
}

// Close ends the process; closing it again waits for that.
func (f *First) Close() {
	f.closing.Do(func() {
		f.orders.Close()
		_, _ = f.process.Wait() // it has nothing to say
	})
}

// sendOrder sends an order.
func (f *First) sendOrder(o *order, files ...*os.File) error {
	text, err := packOrder(o)
	if err != nil {
		return err
	}
	defer text.Close()
	fds := []int{int(text.Fd())}
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	return sendMessage(f.orders, []byte{'o'}, 0, fds...)
}

// Open makes a box, whose first program will probably have the policy. A file that only the user can
// write keeps what is known of the system's folders for the next box, unless it is "".
func (f *First) Open(p *Policy, known string) (*Box, error) {
	b := &Box{First: f, waiting: map[uint64]chan answered{}}
	if err := b.prepareFirstProgram(p, known); err != nil {
		f.Close()
		return nil, fmt.Errorf("make the sandbox: %w", err)
	}
	go b.dispatchAnswers()
	return b, nil
}

// prepareFirstProgram makes the box ready for its first program.
func (b *Box) prepareFirstProgram(p *Policy, known string) error {
	o := &order{Next: true, Masks: masks(known)}
	if next, err := p.planProgram(""); err == nil { // the start of a program says it
		o.Early, o.Places = next.early, next.places
	}
	unsent := b.sendOrder(o)
	message, _, files, err := receiveMessage(b.orders) // also if it has ended, and says why
	var ready answer
	if err == nil {
		err = decodeMessage(message, &ready)
	}
	if err != nil {
		return errors.Join(unsent, err)
	}
	if ready.Fault != "" {
		return errors.New(ready.Fault)
	}
	f := os.NewFile(uintptr(files[0]), "port")
	defer f.Close()
	if unsent != nil {
		return unsent
	}
	b.proxied, err = net.FileListener(f)
	return err
}

// Close ends everything in the box. ended is called when its first process has ended; if no
// program is left, Close does not wait for that.
func (b *Box) Close(ended func()) {
	if l := b.takeListener(); l != nil {
		l.Close()
	}
	b.mu.Lock()
	any := b.running > 0 || b.left
	b.mu.Unlock()
	b.orders.Close()
	end := func() {
		b.First.Close()
		ended()
	}
	if any {
		end()
	} else {
		go end()
	}
}

// dispatchAnswers hands answers to those who wait for them.
func (b *Box) dispatchAnswers() {
	for {
		message, pid, files, err := receiveMessage(b.orders)
		var a answered
		if err == nil {
			err = decodeMessage(message, &a.answer)
		}
		b.mu.Lock()
		if err != nil {
			b.over = fmt.Errorf("the sandbox has ended: %w", err)
			for id, c := range b.waiting {
				delete(b.waiting, id)
				close(c)
			}
			b.mu.Unlock()
			return
		}
		a.pid, a.files = pid, files
		c := b.waiting[a.ID]
		if a.Ended {
			b.running--
			b.left = !a.Empty
		}
		if a.Ended || a.Fault != "" {
			delete(b.waiting, a.ID)
		}
		if c != nil {
			c <- a // it has room for the start and the end
		}
		b.mu.Unlock()
	}
}

// giveOrder gives an order, and returns its first answer and where the others come.
func (b *Box) giveOrder(o *order, files ...*os.File) (answered, chan answered, error) {
	c := make(chan answered, 2)
	b.mu.Lock()
	if b.over != nil {
		b.mu.Unlock()
		return answered{}, nil, b.over
	}
	b.last++
	o.ID = b.last
	b.waiting[o.ID] = c
	b.mu.Unlock()
	if err := b.sendOrder(o, files...); err != nil {
		b.forgetOrder(o)
		return answered{}, nil, fmt.Errorf("send an order to the sandbox: %w", err)
	}
	a, ok := <-c
	if !ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		return answered{}, nil, b.over
	}
	if a.Fault != "" {
		var err error = errors.New(a.Fault)
		if a.Errno != 0 {
			err = a.Errno
			if a.Fault != a.Errno.Error() {
				err = fmt.Errorf("%s (%w)", a.Fault, a.Errno)
			}
		}
		return a, nil, err
	}
	return a, c, nil
}

// forgetOrder waits for no more answers about an order.
func (b *Box) forgetOrder(o *order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, o.ID)
}

// A Process is a program that was started in a box.
type Process struct {
	pid   int
	ended chan answered
}

// PID is the number of the process, outside of the box.
func (p *Process) PID() int { return p.pid }

// Wait waits for the end of the process. It is called once. What the end of the box ended was
// killed.
func (p *Process) Wait() (exitCode int, signal string) {
	status := syscall.WaitStatus(syscall.SIGKILL)
	if a, ok := <-p.ended; ok {
		status = a.Status
	}
	if status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}

// Hold stops all programs of the box, or lets them go on, and reports whether there are any.
func (b *Box) Hold(hold bool) (any bool, err error) {
	b.mu.Lock()
	any = b.running > 0 || b.left
	b.mu.Unlock()
	if !any {
		return false, nil
	}
	o := &order{Signal: unix.SIGCONT}
	if hold {
		o.Signal = unix.SIGSTOP
	}
	_, _, err = b.giveOrder(o)
	if errors.Is(err, unix.ESRCH) {
		b.mu.Lock()
		b.left = b.running > 0
		b.mu.Unlock()
		return false, nil
	}
	b.forgetOrder(o) // it has no end
	return true, err
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
	o := &order{Ports: ports}
	a, _, err := b.giveOrder(o)
	if err != nil {
		return Network{}, nil, fmt.Errorf("make a network in the sandbox: %w", err)
	}
	b.forgetOrder(o) // it has no end
	var list []net.Listener
	for i, fd := range a.files {
		f := os.NewFile(uintptr(fd), "port "+strconv.Itoa(ports[i]))
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
		return Network{}, nil, err
	}
	return Network{o.ID}, list, nil
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
	o := &order{Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: cmd.Env, Tag: tag, Net: n.id,
		Early: plan.early, Mounts: plan.late, Places: plan.places, Writes: plan.writes}
	b.mu.Lock()
	b.running++
	b.mu.Unlock()
	a, c, err := b.giveOrder(o, files...)
	if err != nil {
		b.mu.Lock()
		b.running--
		b.mu.Unlock()
		return nil, err
	}
	return &Process{a.pid, c}, nil
}
