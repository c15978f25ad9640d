//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// All of the code is copied.
func TestInterpreterIsWhole(t *testing.T) {
	if code := interpreterCode(); !bytes.Contains(code[:], []byte("end.")) {
		t.Error("the code is longer than interpreterSize")
	}
}

// Calls get results of earlier ones, jump, and say which of them failed.
func TestCalls(t *testing.T) {
	l := newListIn(firstRegion)
	begin := l.skip()
	handler := l.next()
	l.call(about{}, unix.SYS_WRITE, 1, firstRegion, answerSize)
	l.exit(7)
	begin.land()
	l.store(faultHandler, handler)
	l.store(answerValue, 42)
	opened := l.call(about{}, unix.SYS_OPENAT, here, l.text(t.TempDir()+"/../001"), unix.O_PATH, 0)
	l.call(about{}, unix.SYS_FCHDIR, opened)
	l.onZero().land()
	l.call(about{}, unix.SYS_CHDIR, l.text("/missing"))
	failed := l.onFault()
	l.exit(8) // is skipped
	failed.land()
	l.call(about{}, unix.SYS_CHDIR, l.text("/missing"))
	l.ignoring()
	written := l.call(about{}, unix.SYS_WRITE, 1, l.text("text"), 4)
	l.call(about{}, unix.SYS_WRITE, 1, l.text("longer"), written)
	l.call(about{"open", "/missing", "target"}, unix.SYS_OPENAT, here, l.text("/missing"), 0, 0)

	program, err := executable()
	if err != nil {
		t.Fatal(err)
	}
	calls, err := l.pack()
	if err != nil {
		t.Fatal(err)
	}
	defer calls.Close()
	var out bytes.Buffer
	c := exec.Command("/proc/self/fd/4")
	c.ExtraFiles, c.Stdout, c.Stderr = []*os.File{calls, program}, &out, os.Stderr
	_ = c.Run()
	text, answer, ok := bytes.Cut(out.Bytes(), []byte("textlong"))
	if c.ProcessState.ExitCode() != 7 || len(text) > 0 || !ok || len(answer) != answerSize {
		t.Fatalf("%v, %q", c.ProcessState, out.Bytes())
	}
	if value, err := l.readAnswer(answer); value != 42 || err == nil || err.Error() != "target: open /missing: no such file or directory" {
		t.Errorf("%d, %v", value, err)
	}
}
