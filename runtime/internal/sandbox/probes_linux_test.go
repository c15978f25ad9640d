//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// A probe is an attack of a program in a box. It is tried in the box, where it must fail, and
// without the layers that hold it, where it must succeed: a probe that fails for another reason
// proves nothing.
type probe struct {
	name string
	// by are the layers that hold it, with + between them: each of them alone does. The layer
	// "all" is held by namespaces of which one cannot be left out alone: without it, the
	// program runs in no box.
	by string
	// attack is performed by a process in the box. Its error says why it failed.
	attack func(w *world) error
	// root says that only an administrator can do it at all.
	root bool
}

// A world is what probes attack: stand-ins for what people have.
type world struct {
	Home, Outside, Work, ReadWork, Read, Cache string
	TCP, UDP, Unix, Abstract, DNS              string
	// Victim is a process outside, and Neighbour one of another program in the same box. At
	// Address each has a secret.
	Victim, Neighbour int
	Address           uintptr
	// Setuid is a program that belongs to another user, with the bit that makes it run so.
	Setuid string
	// Shared is the number of a segment of shared memory.
	Shared int
}

const secret = "the secret of a person"

// The environment variables of a process that is a part of a test.
const (
	probeVariable  = "WFC_TEST_PROBE"
	worldVariable  = "WFC_TEST_WORLD"
	victimVariable = "WFC_TEST_VICTIM"
)

// secretInMemory is at the same address in every process of this program.
var secretInMemory = [32]byte{}

func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		os.Exit(victim())
	}
	if os.Getenv(probeVariable) == whoAmI {
		fmt.Println("user", os.Geteuid())
		os.Exit(0)
	}
	if name := os.Getenv(probeVariable); name != "" {
		os.Exit(try(name))
	}
	os.Exit(m.Run())
}

// try performs an attack. The exit code is 0 if it succeeds.
func try(name string) int {
	var w world
	if err := json.Unmarshal([]byte(os.Getenv(worldVariable)), &w); err != nil {
		fmt.Println(err)
		return 3
	}
	for _, p := range probes() {
		if p.name != name {
			continue
		}
		if err := p.attack(&w); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	fmt.Println("no such probe")
	return 3
}

// victim is a process with a secret in its memory, which ends with its input.
func victim() int {
	copy(secretInMemory[:], secret)
	_ = unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0) // systems without Yama do not need it
	fmt.Println(address())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// TestProbesAsAnotherUser performs the probes as a user who does not administer the system.
func TestProbesAsAnotherUser(t *testing.T) { testkit.RepeatAsNobody(t, "^TestProbes$") }

// TestProbes performs the probes as the user of the test.
func TestProbes(t *testing.T) {
	if missing := sandbox.Probe(); len(missing) > 0 {
		testkit.SkipSandbox(t, fmt.Sprintf("there is no sandbox here: %v", missing))
	}
	l := newLab(t)
	tried, left := 0, 0
	for i, p := range probes() {
		if testing.Short() && i%10 > 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			if p.root && os.Getuid() != 0 {
				left++
				t.Skip("only an administrator can do it without the sandbox")
			}
			tried++
			if ok, said := l.try(t, "", p.name); ok {
				t.Errorf("it succeeds in the sandbox")
			} else if testing.Verbose() {
				t.Logf("in the sandbox: %s", said)
			}
			if ok, said := l.try(t, p.by, p.name); !ok {
				t.Errorf("without %s, it fails for another reason: %s", p.by, said)
			}
			layers := strings.Split(p.by, "+")
			for i := range layers {
				if rest := slices.Delete(slices.Clone(layers), i, i+1); len(rest) > 0 {
					if ok, _ := l.try(t, strings.Join(rest, "+"), p.name); ok {
						t.Errorf("%s alone does not hold it", layers[i])
					}
				}
			}
		})
	}
	t.Logf("%d probes as user %d, and %d that only an administrator can do without the sandbox", tried, os.Getuid(), left)
}

// A lab has the boxes in which probes are tried, by the layers that they lack.
type lab struct {
	world
	t     *testing.T
	dir   string
	boxes map[string]*room
}

// A room is a box with a neighbour in it.
type room struct {
	box       *sandbox.Box
	neighbour int
}

func newLab(t *testing.T) *lab {
	l := &lab{t: t, dir: t.TempDir(), boxes: map[string]*room{}}
	if real, err := filepath.EvalSymlinks(l.dir); err == nil {
		l.dir = real
	}
	for _, dir := range []struct {
		path *string
		name string
	}{{&l.Home, "home"}, {&l.Outside, "outside"}, {&l.Work, "work"}, {&l.ReadWork, "readwork"}, {&l.Read, "read"}, {&l.Cache, "home/cache"}} {
		*dir.path = filepath.Join(l.dir, dir.name)
		if err := os.MkdirAll(*dir.path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{l.Home + "/.ssh/id_ed25519", l.Outside + "/file", l.Read + "/file", l.ReadWork + "/file", l.Cache + "/package",
		l.Work + "/.git/config", l.Work + "/.git/hooks/pre-commit"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(secret), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(l.Outside+"/file", l.Work+"/link"), os.Symlink("../outside", l.Work+"/folder"),
		os.Symlink("../outside", l.Work+"/granted")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mknod(l.Work+"/null", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil && os.Getuid() == 0 {
		testkit.SkipSandbox(t, err.Error())
	}
	l.serve(t)
	l.Victim, l.Address = l.start(t)
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600|unix.IPC_CREAT)
	if err != nil {
		testkit.SkipSandbox(t, err.Error())
	}
	l.Shared = id
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	l.Setuid = os.Getenv(testkit.SetuidEnv)
	return l
}

// serve starts servers of this machine that say the secret to everybody.
func (l *lab) serve(t *testing.T) {
	t.Helper()
	answer := func(listener net.Listener, err error) net.Listener {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		go func() {
			for {
				c, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, secret)
				c.Close()
			}
		}()
		return listener
	}
	l.TCP = answer(net.Listen("tcp", "127.0.0.1:0")).Addr().String()
	l.Unix = filepath.Join(l.Outside, "socket")
	answer(net.Listen("unix", l.Unix))
	l.Abstract = fmt.Sprintf("@wfc-probe-%d", os.Getpid())
	answer(net.Listen("unix", l.Abstract))
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	go func() {
		var b [100]byte
		for {
			_, from, err := packets.ReadFrom(b[:])
			if err != nil {
				return
			}
			_, _ = packets.WriteTo([]byte(secret), from)
		}
	}()
	l.UDP = packets.LocalAddr().String()
}

// self is the command of this program with a part in the test.
func (l *lab) self(variable string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = "/proc/self/exe"
	}
	return &exec.Cmd{Path: path, Args: []string{"probe"}, Dir: "/", Env: []string{variable, "HOME=" + l.Home, "PATH=" + os.Getenv("PATH"), "GODEBUG=netdns=go", "SECRET=" + secret}}
}

// start starts a victim outside.
func (l *lab) start(t *testing.T) (pid int, at uintptr) {
	t.Helper()
	c := l.self(victimVariable + "=1")
	c.Dir = l.Outside
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err := errors.Join(err1, err2, c.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	var b [40]byte
	n, err := out.Read(b[:])
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.ParseUint(strings.TrimSpace(string(b[:n])), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid, uintptr(number)
}

// policy is that of the program under test.
func (l *lab) policy() *sandbox.Policy {
	return &sandbox.Policy{
		WorkTree: l.Work, Guarded: []string{".git/hooks", ".git/config"}, Home: l.Home, Read: []string{l.Read, l.ReadWork},
		Write: []string{l.Work + "/granted"}, Private: []string{l.Cache},
	}
}

// limits bound the programs in boxes.
var limits = sandbox.Limits{Processes: 400, Memory: 4 << 30, File: 1 << 20}

// room returns the box without some layers.
func (l *lab) room(t *testing.T, layers string) *room {
	t.Helper()
	if r := l.boxes[layers]; r != nil {
		return r
	}
	lim := limits
	if strings.Contains(layers, "limits") {
		lim = sandbox.Limits{}
	}
	box, err := sandbox.OpenWithout(lim, layers)
	if err != nil {
		t.Fatal(err)
	}
	r := &room{box: box}
	l.boxes[layers] = r
	in, feed, err1 := os.Pipe()
	out, into, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	c := l.self(victimVariable + "=1")
	c.Stdin, c.Stdout = in, into
	p, err := box.Start(c, l.policy(), sandbox.Network{}, 0)
	in.Close()
	into.Close()
	if err != nil {
		box.Close(func() {})
		t.Fatal(err)
	}
	l.t.Cleanup(func() {
		feed.Close()
		box.Close(func() {})
		p.Wait()
	})
	var b [40]byte
	_ = out.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := out.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	out.Close()
	r.neighbour = inside(p.PID())
	return r
}

// inside is the number of a process in its innermost namespace.
func inside(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return pid
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "NSpid:"); ok {
			list := strings.Fields(rest)
			n, _ := strconv.Atoi(list[len(list)-1])
			return n
		}
	}
	return pid
}

// try performs a probe in a box without some layers, and returns whether it succeeded and what
// it said.
func (l *lab) try(t *testing.T, without, name string) (bool, string) {
	t.Helper()
	c := l.self(probeVariable + "=" + name)
	w := l.world
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.Stdout, c.Stderr = out, out
	code := 0
	if without == "all" {
		w.Neighbour = w.Victim
		c.Env = append(c.Env, worldVariable+"="+w.text())
		_ = c.Run()
		out.Close()
		code = c.ProcessState.ExitCode()
	} else {
		room := l.room(t, without)
		w.Neighbour = room.neighbour
		c.Env = append(c.Env, worldVariable+"="+w.text())
		p, err := room.box.Start(c, l.policy(), sandbox.Network{}, 0)
		out.Close()
		if err != nil {
			t.Fatalf("without %q: %v", without, err)
		}
		code, _ = p.Wait()
	}
	_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
	var said bytes.Buffer
	_, _ = said.ReadFrom(r)
	if code != 0 && code != 1 && !strings.Contains(name, "limit") {
		t.Errorf("without %q: exit code %d: %s", without, code, said.String())
	}
	return code == 0, strings.TrimSpace(said.String())
}

func (w *world) text() string {
	text, _ := json.Marshal(w)
	return string(text)
}
