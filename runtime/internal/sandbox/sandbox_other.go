//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Main becomes an observed program if this process was started as one, which it is not here.
func Main() {}

// Probe returns the layers of the sandbox that are missing here.
func Probe() []Missing { return unsupportedLayers() }

// Weaknesses returns the layers that this machine has only in part.
func Weaknesses() []Missing { return nil }

func unsupportedLayers() []Missing {
	return []Missing{{"system", "the sandbox needs Linux on amd64 or arm64, and this is " + runtime.GOOS + " on " + runtime.GOARCH, "set `sandbox: off`, or run on Linux"}}
}

var errUnsupported = errors.New("this system has no sandbox")

// A Box cannot be opened here.
type Box struct{}

// A First cannot be started here.
type First struct{}

// Launch fails.
func Launch(Limits, string, func(func() (int, error)) error) (*First, error) {
	return nil, errUnsupported
}

// Open is not called.
func (*First) Open(*Policy) (*Box, error) { return nil, errUnsupported }

// Close does nothing.
func (*Box) Close(func()) {}

// Hold is not called.
func (*Box) Hold(bool) (bool, error) { return false, errUnsupported }

// A Network cannot be made here.
type Network struct{}

// Network fails.
func (*Box) Network(...int) (Network, []net.Listener, error) { return Network{}, nil, errUnsupported }

// Listen fails.
func (*Box) Listen(Network) (net.Listener, error) { return nil, errUnsupported }

// A Process cannot be started here.
type Process struct{}

// PID is not called.
func (*Process) PID() int { return 0 }

// Wait is not called.
func (*Process) Wait() (exitCode int, signal string) { return -1, "" }

// Start fails.
func (*Box) Start(*exec.Cmd, *Policy, Network, uint64) (*Process, error) { return nil, errUnsupported }

// A folder is where paths begin.
type folder string

var wholeSystem folder

func (f *folder) folder(path string) *folder {
	in := folder(filepath.Join(string(*f), path))
	return &in
}

func (f *folder) has(name string) bool {
	_, err := os.Lstat(filepath.Join(string(*f), name))
	return err == nil
}

func (*folder) close() {}

func missingForObserving() []Missing { return unsupportedLayers() }

// An Observer cannot be used here.
type Observer struct {
	Saw   func(Access)
	Proxy int
}

// Wait does nothing.
func (*Observer) Wait() {}

// Start fails.
func (*Observer) Start(*exec.Cmd, *Policy, string, func(*exec.Cmd, func() error) error) error {
	return errUnsupported
}
