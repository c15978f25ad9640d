package gates_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// adopts reports whether this process is the parent of the orphans below it.
func adopts(t *testing.T) bool {
	t.Helper()
	var is int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	return is != 0
}

// A program that embeds an engine, or the command line, keeps its own ways.
func TestEmbeddingAdoptsNothing(t *testing.T) {
	h := newHome(t)
	t.Chdir(h.dir)
	t.Setenv("WFC_STATE", h.path("state"))
	st := memory.New()
	e, err := local.New(local.Config{Store: st, State: h.path("other"), Performers: []engine.Performer{&shell.Performer{}}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := e.Run(context.Background(), gated(), nil, local.Options{}); err != nil {
		t.Fatal(r, err)
	}
	var out bytes.Buffer
	p := cli.Program{Definition: gated(), Performers: []engine.Performer{&shell.Performer{}}, OpenStore: memory.OpenState}
	if code := cli.Run(p, []string{"run"}, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}); code != runerr.ExitPaused {
		t.Fatalf("%d: %s", code, out.String())
	}
	if adopts(t) {
		t.Error("the process has become the parent of orphans")
	}
}

// adopter adopts orphans that end, and wants none of them to stay behind as what
// the system calls a zombie.
func adopter() {
	process.AdoptOrphans(true)
	end, err := process.Run(context.Background(), &process.Command{
		Path: "/bin/sh", Args: []string{"-c", `for i in 1 2 3; do setsid sh -c 'sleep 0.1' >/dev/null 2>&1 & done; (setsid sh -c 'sleep 0.2 &' >/dev/null 2>&1)`}, Env: os.Environ(),
	})
	if err != nil || end.ExitCode != 0 {
		fmt.Println(end, err)
		os.Exit(1)
	}
	for range 2000 {
		lists, _ := filepath.Glob("/proc/self/task/*/children")
		var pids []string
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			pids = append(pids, strings.Fields(string(text))...)
		}
		if len(pids) <= 1 {
			os.Exit(0) // no child is left, dead or alive, but the watcher
		}
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Println("zombies are left")
	os.Exit(1)
}

func TestOrphansAreReaped(t *testing.T) {
	if code, out := newHome(t).calls(nil, "adopter"); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
}
