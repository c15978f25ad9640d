//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mainName is the name as which this program is the first process of a box.
const mainName = "wfc-sandbox"

// Main is the first process of a box, or becomes an observed program, if this process was started as
// one, and does not return then. A program that uses boxes calls it before anything else.
func Main() {
	prepared.Store(true)
	switch {
	case len(os.Args) == 1 && os.Args[0] == mainName && os.Getpid() == 1:
		// This goroutine has a thread of its own while packages are initialized.
		go func() { os.Exit(serveOrders()) }()
		select {}
	case len(os.Args) > 3 && os.Args[0] == observedName:
		os.Exit(becomeObserved(os.Args[1:]))
	}
}

// prepared says that Main was called: only then can this program be started once more as the
// first process of a box.
var prepared atomic.Bool

// A starter is the first process of a box.
type starter struct {
	orders *net.UnixConn
	// mu is held while a program starts, until its start is told: then its end is not told
	// before, and the soft limit that it inherits is its own.
	mu    sync.Mutex
	known map[int]program
	nets  map[uint64]int // the networks, open
	masks []mount        // for every program
	spare *room          // for the next program, or nil
	many  bool           // a program has started
	// catching ends before the first program starts.
	catching sync.WaitGroup

	making    sync.Mutex
	templates map[string]*template // by their places
	unused    *template            // without places yet
}

// A room is a thread with a file system for one program, as far as that is known. The starter
// makes the next one while the last program runs, for a program with the same early mounts.
type room struct {
	early  []mount
	places string
	enter  chan func(f *files, err error)
}

// newRoom makes a room; s.mu is held. What is sent to enter is called on its thread, with its file system, or
// why it could not be made.
func (s *starter) newRoom(early []mount, places string) *room {
	r, masks := &room{early, places, make(chan func(*files, error))}, s.masks
	go func() {
		runtime.LockOSThread() // the thread ends with the room
		var f *files
		err := layer("mounts", func() error {
			t, err := s.ensureTemplate(places)
			if err != nil {
				return err
			}
			parts, err := findMountSources(early)
			if err != nil {
				return err
			}
			defer closeParts(parts)
			f, err = t.enterCopy(masks, parts)
			return err
		})
		if use := <-r.enter; use != nil {
			use(f, err)
		} else if f != nil {
			unix.Close(f.namespace)
		}
	}()
	return r
}

// ensureTemplate returns the template for programs with mounts at some places.
func (s *starter) ensureTemplate(places string) (*template, error) {
	s.making.Lock()
	defer s.making.Unlock()
	if t := s.templates[places]; t != nil {
		return t, nil
	}
	t, err := s.unused, error(nil)
	if s.unused = nil; t == nil {
		t, err = makeTemplate()
	}
	if err == nil {
		s.templates[places] = t
	}
	return t, err
}

func makeTemplate() (*template, error) {
	base, err := system()
	if err != nil {
		return nil, err
	}
	return runOnOwnThread(func() (*template, error) { return newTemplate(base) })
}

// takeRoom returns a room for a program.
func (s *starter) takeRoom(o *order) *room {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.spare
	s.spare = nil
	if r != nil && r.places == o.Places && slices.Equal(r.early, o.Early) {
		return r
	}
	if r != nil {
		go func() { r.enter <- nil }()
	}
	return s.newRoom(o.Early, o.Places)
}

// A program runs.
type program struct {
	order uint64
	// mounts is its namespace of mounts, open: to take it apart takes time, for which the end of
	// the program need not wait.
	mounts int
}

// serveOrders follows orders until nobody can give any more.
func serveOrders() int {
	s := &starter{known: map[int]program{}, nets: map[uint64]int{}, templates: map[string]*template{}}
	s.catching.Go(s.catchSignals)
	// What the run's process has open is not for the programs, and it may have that from a shell.
	if err := unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 1
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	prepared := s.prepareBox()
	f := os.NewFile(3, "orders")
	c, err := net.FileConn(f)
	f.Close()
	if err != nil {
		return 1
	}
	s.orders = c.(*net.UnixConn)
	o, _, err := s.receiveOrder()
	if err != nil {
		return 1
	}
	err = limitSelf(o.Limits)
	port, err2 := prepared()
	if err = errors.Join(err, err2); err != nil {
		s.sendAnswer(answer{Fault: faultText(err), Errno: errorErrno(err)}, 0)
		return 1
	}
	s.sendAnswer(answer{}, 0, port)
	unix.Close(port)
	for {
		o, files, err := s.receiveOrder()
		if err != nil {
			break
		}
		if o.Next {
			s.mu.Lock()
			s.masks = o.Masks
			s.spare = s.newRoom(o.Early, o.Places)
			s.mu.Unlock()
			continue
		}
		go s.followOrder(o, files)
	}
	if unix.Kill(-1, unix.SIGTERM) == unix.ESRCH {
		// The run's process ends now, and to take this one apart would take processors from that.
		time.Sleep(20 * time.Millisecond)
		return 0
	}
	// The programs may clean up; what is left ends with this process.
	_ = unix.Kill(-1, unix.SIGCONT)
	for range 100 {
		if unix.Kill(-1, 0) != nil {
			break
		}
		s.reapPrograms()
		time.Sleep(10 * time.Millisecond)
	}
	return 0
}

// receiveOrder returns the next order, with its files, which are open.
func (s *starter) receiveOrder() (*order, []int, error) {
	_, _, files, err := receiveMessage(s.orders)
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, errors.New("an order without its text")
	}
	o, err := unpackOrder(files[0])
	return o, files[1:], err
}

// catchSignals catches the signals that would end this process, and those that it may ignore as its
// parent did: the programs would ignore them as well. Go handles all others from the start.
func (s *starter) catchSignals() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go func() {
		for range ended {
			s.reapPrograms()
		}
	}()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTERM,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT)
}

// prepareBox begins to make what all programs need, and returns a function that waits for network 0. Its
// socket listens on the loopback device.
func (s *starter) prepareBox() (ready func() (socket int, err error)) {
	if err := mountFilesystem("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return func() (int, error) { return -1, err }
	}
	s.making.Lock()
	go func() {
		defer s.making.Unlock()
		_ = layer("mounts", func() (err error) {
			s.unused, err = makeTemplate()
			return err // a room says it
		})
	}()
	var sockets []int
	var err error
	var making sync.WaitGroup
	making.Go(func() { sockets, err = s.makeNetwork(0, []int{0}) })
	return func() (int, error) {
		if making.Wait(); err != nil {
			return -1, err
		}
		return sockets[0], nil
	}
}

// limitSelf sets the limits of this process, which programs inherit.
func limitSelf(list []limit) error {
	for _, l := range list {
		if err := unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: l.Most, Max: l.Most}); err != nil {
			return os.NewSyscallError("setrlimit "+strconv.Itoa(l.Resource), err)
		}
		if l.Resource == unix.RLIMIT_NPROC && os.Getuid() == 0 {
			// The limit does not count for administrators. Since Linux 6.14, a namespace has a
			// largest number; elsewhere theirs is the machine's.
			if fd, err := unix.Open("/proc/sys/kernel/pid_max", unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
				_, _ = unix.Write(fd, strconv.AppendUint(nil, l.Most, 10))
				unix.Close(fd)
			}
		}
	}
	return nil
}

func (s *starter) sendAnswer(a answer, pid int, files ...int) {
	_ = sendMessage(s.orders, encodeMessage(&a), pid, files...) // if nobody listens, the box ends soon
}

// reapPrograms tells the ends of programs, and waits for what others have left.
func (s *starter) reapPrograms() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ends []answer
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			for _, a := range ends {
				a.Empty = errors.Is(err, syscall.ECHILD)
				s.sendAnswer(a, 0)
			}
			return
		}
		if p, ok := s.known[pid]; ok {
			delete(s.known, pid)
			ends = append(ends, answer{ID: p.order, Ended: true, Status: status})
			go unix.Close(p.mounts)
		}
	}
}

// followOrder follows one order.
func (s *starter) followOrder(o *order, open []int) {
	defer func() {
		for _, f := range open {
			unix.Close(f)
		}
	}()
	if o.Signal > 0 {
		err := unix.Kill(-1, o.Signal)
		s.sendAnswer(answer{ID: o.ID, Fault: faultText(err), Errno: errorErrno(err)}, 0)
		return
	}
	if len(o.Ports) > 0 {
		sockets, err := s.makeNetwork(o.ID, o.Ports)
		s.sendAnswer(answer{ID: o.ID, Fault: faultText(err), Errno: errorErrno(err)}, 0, sockets...)
		for _, f := range sockets {
			unix.Close(f)
		}
		return
	}
	var parts []part
	err := layer("mounts", func() (err error) {
		parts, err = findMountSources(o.Mounts)
		return err
	})
	if err != nil {
		s.sendAnswer(answer{ID: o.ID, Fault: faultText(err), Errno: errorErrno(err)}, 0)
		return
	}
	own, pid, started := -1, 0, make(chan error)
	start := func() (int, error) {
		attr := &syscall.ProcAttr{Dir: o.Dir, Env: o.Env, Sys: &syscall.SysProcAttr{Setsid: true}}
		for _, f := range open {
			attr.Files = append(attr.Files, uintptr(f))
		}
		s.catching.Wait()
		defer softLocks(o.Tag)()
		return syscall.ForkExec(o.Path, o.Args, attr)
	}
	s.takeRoom(o).enter <- func(f *files, err error) {
		if f != nil {
			own = f.namespace
		}
		if err == nil {
			err = s.containThread(o, f, parts)
		}
		s.mu.Lock()
		if err == nil {
			pid, err = start()
		}
		started <- err
	}
	err = <-started
	if pid > 0 {
		s.known[pid] = program{o.ID, own}
	} else if own >= 0 {
		unix.Close(own)
	}
	s.sendAnswer(answer{ID: o.ID, Fault: faultText(err), Errno: errorErrno(err)}, pid)
	// After a single program, there may be no other one.
	if s.spare == nil && s.many {
		s.spare = s.newRoom(o.Early, o.Places)
	}
	s.many = true
	s.mu.Unlock()
	closeParts(parts)
}

// runOnOwnThread calls a function on a thread of its own, which ends with it: what the thread gives up
// does not come back.
func runOnOwnThread[T any](f func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer close(done)
		result, err = f()
	}()
	<-done
	return result, err
}

// softLocks sets the soft limit that is the tag of a program, until the function is called.
func softLocks(tag uint64) func() {
	if tag == 0 {
		return func() {}
	}
	var before unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_LOCKS, &before)
	_ = unix.Setrlimit(unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: min(tag, before.Max), Max: before.Max})
	return func() { _ = unix.Setrlimit(unix.RLIMIT_LOCKS, &before) }
}

// containThread takes from the thread of a room what the program is not to have.
func (s *starter) containThread(o *order, f *files, parts []part) error {
	s.mu.Lock()
	network, apart := s.nets[o.Net]
	s.mu.Unlock()
	if apart {
		if err := unix.Setns(network, unix.CLONE_NEWNET); err != nil {
			return os.NewSyscallError("setns", err)
		}
	}
	for _, l := range []struct {
		name  string
		apply func() error
	}{
		{"mounts", func() error { return f.finishMounts(parts) }},
		{"capabilities", dropCapabilities},
		{"privileges", func() error {
			return os.NewSyscallError("prctl PR_SET_NO_NEW_PRIVS", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		}},
		{"landlock", func() error { return restrictFiles(o.Writes) }},
		{"seccomp", restrictCalls},
	} {
		if err := layer(l.name, l.apply); err != nil {
			return err
		}
	}
	return nil
}

// layer applies a layer of the sandbox. Tests leave some out.
var layer = func(_ string, apply func() error) error { return apply() }

// dropCapabilities gives up all capabilities of this thread and the ways to get new ones.
func dropCapabilities() error {
	for capability := uintptr(0); capability <= unix.CAP_LAST_CAP; capability++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return os.NewSyscallError("prctl PR_CAPBSET_DROP", err)
		}
	}
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7 // SECBIT_NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each locked
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_SECUREBITS", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_CAP_AMBIENT", err)
	}
	none := [2]unix.CapUserData{}
	return os.NewSyscallError("capset", unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]))
}

// makeNetwork makes a network with nothing but a loopback device, and returns sockets that listen
// there. The first process stays outside: the kernel makes a network as long as the program of
// this process starts, so it is made beside the mounts.
func (s *starter) makeNetwork(id uint64, ports []int) ([]int, error) {
	return runOnOwnThread(func() (sockets []int, err error) {
		if err := layer("network", func() error { return s.enterNewNetwork(id) }); err != nil {
			return nil, err
		}
		for _, port := range ports {
			fd, err := listenOnLoopback(port)
			if err != nil {
				return sockets, err
			}
			sockets = append(sockets, fd)
		}
		return sockets, nil
	})
}

// enterNewNetwork gives this thread a network.
func (s *starter) enterNewNetwork(id uint64) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	if err := startLoopback(); err != nil {
		return err
	}
	own, err := openThreadFile("ns/net")
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nets[id] = own
	return nil
}

// listenOnLoopback returns a socket that listens on the loopback device of this thread's network.
func listenOnLoopback(port int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err == nil {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("listen", err)
	}
	return fd, nil
}

// startLoopback starts the loopback device of this thread's network.
func startLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return os.NewSyscallError("ioctl SIOCSIFFLAGS", unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
}

// faultText is an error's text, shortened to what fits into a message.
func faultText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return text[:min(len(text), largest/4)]
}

func errorErrno(err error) (n syscall.Errno) {
	errors.As(err, &n)
	return n
}
