package temporal_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	wfcProgram    = flag.String("wfc", "", "`FILE` of the wfc binary")
	serverProgram = flag.String("server", "", "`FILE` of the server; see the folder server")
)

// world is a server on loopback, with binaries of workflows and their workers.
type world struct {
	t       *testing.T
	dir     string
	address string
	server  *exec.Cmd
	// said is what the last program said until it was ready.
	said string
	// environ are further variables of its programs.
	environ []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if *wfcProgram == "" {
		t.Fatal("give -wfc; `make test-temporal` does")
	}
	return newServer(t)
}

// newServer starts a server.
func newServer(t *testing.T) *world {
	t.Helper()
	if *serverProgram == "" {
		t.Fatal("give -server; `make test-temporal` does")
	}
	w := &world{t: t, dir: t.TempDir(), address: fmt.Sprintf("127.0.0.1:%d", port(t))}
	w.startServer()
	return w
}

func port(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startServer starts the server, or one that goes on with its database.
func (w *world) startServer() {
	w.t.Helper()
	_, p, _ := net.SplitHostPort(w.address)
	w.server = w.start("ready", *serverProgram, "-db", filepath.Join(w.dir, "temporal.db"), "-port", p)
}

// kill ends a process at once, as a power failure would.
func (w *world) kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// start starts a program and returns when one of its lines contains a word.
func (w *world) start(ready, program string, args ...string) *exec.Cmd {
	w.t.Helper()
	cmd := w.command(program, args...)
	read, write, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	write.Close()
	w.t.Cleanup(func() { w.kill(cmd) })
	lines := bufio.NewScanner(read)
	var said strings.Builder
	for lines.Scan() {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), ready) {
			w.said = said.String()
			go func() {
				for lines.Scan() {
				}
			}()
			return cmd
		}
	}
	w.t.Fatalf("%s ended before it was ready:\n%s", filepath.Base(program), said.String())
	return nil
}

func (w *world) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+w.address, "WFC_TEMPORAL_BLOBS="+filepath.Join(w.dir, "blobs"), "WFC_STATE="+filepath.Join(w.dir, "state"))
	cmd.Env = append(cmd.Env, w.environ...)
	return cmd
}

// build builds the binary of a workflow.
func (w *world) build(name, yaml string, flags ...string) string {
	w.t.Helper()
	file, out := filepath.Join(w.dir, name+".yaml"), filepath.Join(w.dir, name)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(*wfcProgram, append([]string{"build", "--engine", "temporal", file, "-o", out}, flags...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("build: %v\n%s", err, text)
	}
	return out
}

// worker starts a worker.
func (w *world) worker(program string, args ...string) *exec.Cmd {
	w.t.Helper()
	return w.start("ready for steps", program, append([]string{"worker", "--grace", "1s"}, args...)...)
}

// call calls a program and returns its standard output and its exit code.
func (w *world) call(program string, args ...string) (string, int) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	cmd := w.command(program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-ctx.Done():
		w.kill(cmd)
		w.t.Fatalf("%s %v does not end\n%s%s", filepath.Base(program), args, out.String(), errs.String())
	}
	w.t.Logf("%s %s: exit code %d\n%s%s", filepath.Base(program), strings.Join(args, " "), cmd.ProcessState.ExitCode(), out.String(), errs.String())
	return out.String(), cmd.ProcessState.ExitCode()
}

// run is what `status --json` says of a run.
type run struct {
	ID                     string `json:"run_id"`
	Status, Summary, Error string
	Nodes                  []struct{ Key, Status, Text string }
}

func (w *world) status(program, id string) run {
	w.t.Helper()
	out, _ := w.call(program, "status", id, "--json")
	var r run
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		w.t.Fatalf("status: %v\n%s", err, out)
	}
	return r
}

// until waits until a run has a status.
func (w *world) until(program, id, status string) run {
	w.t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); ; {
		r := w.status(program, id)
		if r.Status == status {
			return r
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("run %s is %s, not %s", id, r.Status, status)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// appears waits for a file.
func (w *world) appears(path string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s does not appear", path)
		}
	}
}
