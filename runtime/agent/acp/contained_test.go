package acp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

type container struct{ process.Container }

func (container) Start(*exec.Cmd, uint64, bool) (process.Contained, error) {
	return nil, errors.New("this is the container")
}

func (container) Folder() string { return "" }

// A program in the sandbox does not get out by requests to wfc.
func TestRequestsFromTheSandbox(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &agent.Request{WorkDir: dir, RunDir: dir, Environ: os.Environ(), Key: "a"}
	u := &turn{agent: &client{policy: mayAll}, request: r, name: "x", conn: newConnection(r.Environ), report: newReporter(r)}
	var err error
	if u.files, err = openFiles(dir, "", mayAll); err != nil {
		t.Fatal(err)
	}
	defer u.files.closeRoots()
	if text, err := u.files.readText(file, nil, nil); err != nil || text != "secret" {
		t.Errorf("without a sandbox: %q, %v", text, err)
	}
	u.containRequests(process.WithContainer(context.Background(), container{}))
	defer u.conn.stopWork()
	if text, err := u.files.readText(file, nil, nil); !errors.Is(err, errContained) {
		t.Errorf("it reads a file: %q, %v", text, err)
	}
	if err := u.files.writeText(file, "evil"); !errors.Is(err, errContained) {
		t.Errorf("it writes a file: %v", err)
	}
	if !process.IsContained(u.conn.work) {
		t.Error("commands that it requests run outside")
	}
}
