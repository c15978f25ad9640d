//go:build unix

package agentlab

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
)

// processes returns the processes of the cell that still run, with their
// command lines, on systems that tell.
func (l *lab) processes() map[int]string {
	list := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte(cell+"="+l.dir+"\x00")) {
			continue // it has ended, or it is another's
		}
		words, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && len(words) > 0 {
			list[id] = strings.TrimSpace(string(bytes.ReplaceAll(words, []byte{0}, []byte{' '})))
		}
	}
	return list
}

// gone wants every process of the cell to have ended, and ends those that have
// not.
func (l *lab) gone() {
	l.Helper()
	var left map[int]string
	for range 50 {
		if left = l.processes(); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond) // a program that was ended needs a moment to be gone
	}
	for id, words := range left {
		l.Errorf("still running: %s", words)
		_ = syscall.Kill(id, syscall.SIGKILL)
	}
}

// tidy removes the cell's folder, unless the cell has failed.
func (l *lab) tidy() {
	for _, s := range l.strays {
		l.Logf("refused on its way to another machine: %s", s)
	}
	if l.Failed() {
		l.Logf("everything of this cell is in %s", l.dir)
		return
	}
	if err := os.RemoveAll(l.dir); err != nil {
		l.Error(err)
	}
}

// goVariables are the variables by which the go command works outside the cell's
// home folder.
var goVariables = sync.OnceValues(func() ([]string, error) {
	names := []string{"GOPATH", "GOMODCACHE", "GOROOT", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "CGO_ENABLED"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, err
	}
	var list []string
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		list = append(list, names[i]+"="+value)
	}
	return list, nil
})

func goEnvironment(t *testing.T) []string {
	t.Helper()
	list, err := goVariables()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wfcCache returns wfc's cache of compiled packages, which all cells share.
func wfcCache(t *testing.T) string {
	t.Helper()
	dir, err := build.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
