//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

func TestProbe(t *testing.T) {
	if missing := sandbox.Probe(); len(missing) > 0 {
		testkit.SkipSandbox(t, fmt.Sprintf("%+v", missing))
	}
}

// sh runs a script in a new box and returns what it prints.
func sh(t *testing.T, p *sandbox.Policy, script string) string {
	t.Helper()
	return shIn(t, open(t), p, script)
}

// open opens a box.
func open(t *testing.T) *sandbox.Box {
	t.Helper()
	b, err := sandbox.OpenBox()
	if err != nil {
		testkit.SkipSandbox(t, err.Error())
	}
	t.Cleanup(func() { b.Close(func() {}) })
	return b
}

// shIn runs a script in a box and returns what it prints.
func shIn(t *testing.T, b *sandbox.Box, p *sandbox.Policy, script string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: "/", Env: os.Environ(), Stdout: w, Stderr: w}
	proc, err := b.Start(c, p, sandbox.Network{}, 0)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, _ = out.ReadFrom(r)
	if code, _ := proc.Wait(); code != 0 {
		out.WriteString("status ")
	}
	return strings.TrimSpace(out.String())
}

func TestASmallWorld(t *testing.T) {
	home, tree := t.TempDir(), t.TempDir()
	if err := os.WriteFile(home+"/secret", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &sandbox.Policy{Home: home, WorkTree: tree}
	for script, want := range map[string]string{
		"cat " + home + "/secret":                          "cat: " + home + "/secret: No such file or directory\nstatus",
		"echo x >" + home + "/own && cat " + home + "/own": "x",
		"echo x >" + tree + "/own && cat " + tree + "/own": "x",
		"touch /usr/own 2>/dev/null":                       "status",
		"grep -c . /proc/net/dev":                          "3",
		"cat /proc/1/environ >/dev/null 2>&1":              "status",
	} {
		if got := sh(t, p, script); got != want {
			t.Errorf("%s: %s", script, got)
		}
	}
	if text, err := os.ReadFile(tree + "/own"); err != nil || string(text) != "x\n" {
		t.Errorf("%q, %v", text, err)
	}
	p.ReadOnly = true
	if got := sh(t, p, "touch "+tree+"/other 2>/dev/null"); got != "status" {
		t.Errorf("a read-only work tree was written: %s", got)
	}
}

// A program sees changes that it made to a private copy, and nobody else does.
func TestPrivateCopy(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/old", []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{dir, dir + "/old"} {
		p := &sandbox.Policy{Private: []string{private}}
		if got := sh(t, p, "cd "+dir+"; cat old; echo ' new' >old; cat old"); got != "old new" {
			t.Errorf("%s: %s", private, got)
		}
		if text, _ := os.ReadFile(dir + "/old"); string(text) != "old" {
			t.Errorf("%s: %q", private, text)
		}
	}
}

// What a program leaves in its own folders, no later program of the box finds.
func TestEveryProgramHasItsOwn(t *testing.T) {
	home, cache, tree := t.TempDir(), t.TempDir(), t.TempDir()
	p := &sandbox.Policy{Home: home, Private: []string{cache}, WorkTree: tree}
	b := open(t)
	for i := range 4 {
		for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm", home, cache} {
			if got := shIn(t, b, p, "[ ! -e "+dir+"/left ] && echo x >"+dir+"/left && cat "+dir+"/left"); got != "x" {
				t.Errorf("program %d in %s: %s", i, dir, got)
			}
		}
	}
}

// What hides a file is there again if somebody outside has replaced the file.
func TestReplacedHidden(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only an administrator can read such files")
	}
	const path = "/etc/.wfc-test-hidden"
	write := func() {
		if err := errors.Join(os.WriteFile(path+".new", []byte("secret"), 0o600), os.Rename(path+".new", path)); err != nil {
			testkit.SkipSandbox(t, err.Error())
		}
	}
	write()
	t.Cleanup(func() { os.Remove(path) })
	b := open(t)
	for range 3 {
		if got := shIn(t, b, &sandbox.Policy{}, "cat "+path); got != "" {
			t.Errorf("%q", got)
		}
		write()
	}
}

// A later box hides what has become secret since an earlier one, although it reads only folders that
// have changed.
func TestHiddenSinceEarlierBox(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only an administrator can read such files")
	}
	folder, err := os.MkdirTemp("/etc", ".wfc-test-")
	if err != nil {
		testkit.SkipSandbox(t, err.Error())
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	known := t.TempDir() + "/known"
	write := func(path string, mode os.FileMode) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	make := func(path string, mode os.FileMode) {
		t.Helper()
		if err := errors.Join(os.Mkdir(path, 0o755), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	tick := func() {
		var now, info unix.Stat_t
		for first := true; first || info.Ctim == now.Ctim; first = false {
			write(known+".tick", 0o600)
			if err := unix.Stat(known+".tick", &info); err != nil {
				t.Fatal(err)
			}
			if first {
				now = info
			}
		}
	}
	expect := func(names ...string) {
		t.Helper()
		tick()
		for range 2 { // by the file, too
			var got []string
			for _, path := range sandbox.Masks(known) {
				if name, ok := strings.CutPrefix(path, folder+"/"); ok {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, names) {
				t.Errorf("%q, not %q", got, names)
			}
		}
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(folder+"/a", 0o644)
	write(folder+"/b", 0o600)
	make(folder+"/c", 0o755)
	write(folder+"/c/d", 0o644)
	expect("b")
	write(folder+"/a", 0o640)
	write(folder+"/b", 0o644)
	write(folder+"/c/d", 0o600)
	expect("a", "c/d")
	write(folder+"/c/e", 0o600)
	expect("a", "c/d", "c/e")
	if err := errors.Join(os.Remove(folder+"/a"), os.Chmod(folder+"/c", 0o700)); err != nil {
		t.Fatal(err)
	}
	make(folder+"/f", 0o755)
	write(folder+"/f/g", 0o600)
	expect("c", "f/g")
	if err := os.WriteFile(known, []byte("no listing"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("c", "f/g")
}

// Hold knows what programs have left running, also after others that left nothing.
func TestProgramsThatAreLeft(t *testing.T) {
	b := open(t)
	tree := t.TempDir()
	p := &sandbox.Policy{WorkTree: tree}
	expect := func(want bool) {
		t.Helper()
		for _, hold := range []bool{true, false} {
			if any, err := b.Hold(hold); any != want || err != nil {
				t.Fatalf("%t, %v", any, err)
			}
		}
	}
	expect(false)
	shIn(t, b, p, "true")
	expect(false)
	shIn(t, b, p, "true")
	shIn(t, b, p, "cd "+tree+"; mkfifo pipe; cat pipe </dev/null >/dev/null 2>&1 &")
	shIn(t, b, p, "true")
	expect(true)
	expect(true)
	if err := os.WriteFile(tree+"/pipe", nil, 0o600); err != nil { // the program ends
		t.Fatal(err)
	}
	for any := true; any; {
		shIn(t, b, p, "true")
		var err error
		if any, err = b.Hold(false); err != nil {
			t.Fatal(err)
		}
	}
	expect(false)
}

// The first process shares the memory of this one until it is executed. That leaves nothing behind.
func TestLaunchLeavesCallerDumpable(t *testing.T) {
	// Starting a program as another user, as other tests do, has changed it.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	open(t)
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); dumpable != 1 || err != nil {
		t.Errorf("%d, %v", dumpable, err)
	}
}

// Programs ignore no signal, although this process or its parent may.
func TestSignalsAreNotIgnored(t *testing.T) {
	list := []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT, syscall.SIGWINCH, syscall.Signal(40), syscall.Signal(64)}
	signal.Ignore(list...)
	defer signal.Reset(list...)
	got := sh(t, &sandbox.Policy{}, "while read -r name mask; do [ $name != SigIgn: ] || echo $mask; done </proc/self/status")
	mask, err := strconv.ParseUint(got, 16, 64)
	const cannot = 7 << 31 // signals of the C library
	if err != nil || mask&^cannot != 0 {
		t.Errorf("%s, %v", got, err)
	}
}

// A program sees the folders that are there when it starts, also in the place of others.
func TestReplacedFolders(t *testing.T) {
	top := t.TempDir()
	read, cache, later := top+"/read", top+"/cache", top+"/later"
	p := &sandbox.Policy{Read: []string{read, later}, Private: []string{cache}}
	write := func(path, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(read+"/file", "1")
	write(cache+"/file", "1")
	b := open(t)
	show := "cat " + read + "/file " + cache + "/file; [ ! -e " + later + " ] || cat " + later + "/file"
	if got := shIn(t, b, p, show); got != "11" {
		t.Error(got)
	}
	for i, dir := range []string{read, cache, read, cache} {
		if err := os.Rename(dir, fmt.Sprintf("%s/old%d", top, i)); err != nil {
			t.Fatal(err)
		}
		write(dir+"/file", fmt.Sprint(i+2))
		want := []string{"21", "23", "43", "45"}[i]
		for range 2 {
			if got := shIn(t, b, p, show); got != want {
				t.Errorf("%d: %s, want %s", i, got, want)
			}
		}
	}
	write(later+"/file", "6")
	if got := shIn(t, b, p, show); got != "456" {
		t.Error(got)
	}
	if err := os.RemoveAll(read); err != nil {
		t.Fatal(err)
	}
	if got := shIn(t, b, p, "ls "+read+" 2>/dev/null; cat "+later+"/file"); got != "6" {
		t.Error(got)
	}
}

func BenchmarkStart(b *testing.B) {
	box, err := sandbox.OpenBox()
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close(func() {})
	for b.Loop() {
		p, err := box.Start(&exec.Cmd{Path: "/bin/true", Args: []string{"true"}, Dir: "/"}, &sandbox.Policy{Home: "/root"}, sandbox.Network{}, 0)
		if err != nil {
			b.Fatal(err)
		}
		p.Wait()
	}
}

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		_ = exec.Command("/bin/true").Run()
	}
}

func BenchmarkObserved(b *testing.B) {
	o := &sandbox.Observer{Saw: func(sandbox.Access) {}}
	for b.Loop() {
		var c *exec.Cmd
		err := o.Start(&exec.Cmd{Path: "/bin/true", Args: []string{"true"}, Dir: "/"}, &sandbox.Policy{Home: "/root"}, "", func(cmd *exec.Cmd, then func() error) error {
			c = cmd
			if err := c.Start(); err != nil {
				return err
			}
			return then()
		})
		if err != nil {
			b.Fatal(err)
		}
		_ = c.Wait()
	}
}

// A program whose file system was made in part does not start.
func TestFaultOfRoom(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "echo started"}, Dir: "/", Env: os.Environ()}
	err = open(t).StartWithFault(c, &sandbox.Policy{}, w)
	w.Close()
	if err == nil || !strings.Contains(err.Error(), "/etc/none") {
		t.Errorf("the fault is %v", err)
	}
	if said, err := io.ReadAll(r); err != nil || len(said) > 0 {
		t.Errorf("the program says %q: %v", said, err)
	}
}
