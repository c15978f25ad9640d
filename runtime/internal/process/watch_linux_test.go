package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// box is a container that holds nothing.
type box struct{}

func (box) Folder() string { return "" }

func (box) Start(cmd *exec.Cmd, tag uint64, _ bool) (process.Contained, error) {
	return process.StartObserved(cmd, tag, func() error { return nil })
}

// A container ends with this process, so its commands need no watcher; others do.
func TestContainedCommandsNeedNoWatcher(t *testing.T) {
	if os.Getenv("WFC_TEST_WATCHER") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), "WFC_TEST_WATCHER=1") // in a process that has no watcher yet
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	for _, c := range []struct {
		ctx      context.Context
		watchers int
	}{{process.WithContainer(t.Context(), box{}), 0}, {t.Context(), 1}} {
		end, err := process.Run(c.ctx, &process.Command{
			Path: "/bin/sh", Args: []string{"-c", "exit 3"}, Owner: process.Owner{RunID: "w-abc123", Key: "a"},
		})
		if err != nil || end.ExitCode != 3 {
			t.Fatalf("%+v, %v", end, err)
		}
		if n := watchers(t); n != c.watchers {
			t.Errorf("%d watchers instead of %d", n, c.watchers)
		}
	}
}

// watchers counts the watchers of this process.
func watchers(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		status, _ := os.ReadFile(file) // other processes may end meanwhile
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) && strings.Contains(string(line), "wfc-watcher") {
			n++
		}
	}
	return n
}
