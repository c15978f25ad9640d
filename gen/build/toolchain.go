package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// minimumGo is the oldest Go release that compiles the runtime; it repeats the
// go line of go.mod, and a test keeps the two the same.
const minimumGo = "go1.26"

// toolchain is a usable go command.
type toolchain struct {
	path string
	// version is what `go env GOVERSION` prints, such as go1.26.8.
	version string
}

// findToolchain finds the go command on PATH or in GOROOT and checks its age.
func findToolchain(ctx context.Context, environ []string) (*toolchain, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		root := os.Getenv("GOROOT")
		if root == "" {
			root = "/usr/local/go"
		}
		path, err = exec.LookPath(filepath.Join(root, "bin", "go"))
	}
	if err != nil {
		return nil, fmt.Errorf("building a workflow needs the Go toolchain, %s or newer: no `go` on PATH; install it from your system's packages or https://go.dev/dl, or build on another machine and copy the binary, which needs no Go", minimumGo)
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
	cmd.Env = environ
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s env GOVERSION: %w: %s", path, err, bytes.TrimSpace(stderr.Bytes()))
	}
	t := &toolchain{path: path, version: strings.TrimSpace(string(out))}
	if version.IsValid(t.version) && version.Compare(t.version, minimumGo) < 0 {
		return nil, fmt.Errorf("building a workflow needs %s or newer: %s is %s", minimumGo, path, t.version)
	}
	return t, nil
}

// run runs the go command in dir. What it prints goes to printed; when it fails
// the error says why in words that help.
func (t *toolchain) run(ctx context.Context, dir string, environ []string, printed *output, args ...string) error {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir = dir
	cmd.Env = environ
	cmd.Stdout = printed
	cmd.Stderr = printed
	err := cmd.Run()
	printed.flush()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return explain(printed.String(), err)
	}
	return err
}

// goEnviron returns the environment for the go command: the user's, less what
// would change how a workflow is built, and with a build cache of wfc's own, so
// that cleaning the user's does not cost the next run half a minute.
func goEnviron(base []string, gocache, goos, goarch string) []string {
	drop := map[string]bool{
		"GOFLAGS": true, "GOWORK": true, "GO111MODULE": true, "GOEXPERIMENT": true, "CGO_ENABLED": true,
		"GOCACHE": true, "GOOS": true, "GOARCH": true, "GOTOOLCHAIN": true, "GOENV": true, "PWD": true,
	}
	var env []string
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if !drop[name] {
			env = append(env, kv)
		}
	}
	env = append(env, "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOCACHE="+gocache)
	if goos != "" {
		env = append(env, "GOOS="+goos)
	}
	if goarch != "" {
		env = append(env, "GOARCH="+goarch)
	}
	return env
}
