//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// OpenWithout opens a box that leaves out some layers, with + between their names.
func OpenWithout(l Limits, layers string) (*Box, error) {
	own, without := uintptr(namespaces), strings.Split(layers, "+")
	if slices.Contains(without, "messages") {
		own &^= unix.CLONE_NEWIPC
	}
	return openBox(launchFirst(l, own, without, "", startUnregistered))
}

// OpenBox opens a box.
func OpenBox() (*Box, error) { return openBox(Launch(Limits{}, "", startUnregistered)) }

func openBox(first *First, err error) (*Box, error) {
	if err != nil {
		return nil, err
	}
	return first.Open(&Policy{}, func() {})
}

// StartWithFault starts a command in a room of which a mount fails.
func (b *Box) StartWithFault(cmd *exec.Cmd, p *Policy, output *os.File) error {
	plan, err := p.planProgram(cmd.Path)
	if err != nil {
		return err
	}
	plan.early = append(plan.early, mount{Kind: readOnly, Source: "/usr", Target: "/etc/none"})
	r, err := b.takeRoom(plan)
	if err == nil {
		_, err = b.startIn(r, cmd, plan, Network{}, 0, []*os.File{output, output, output})
	}
	return err
}

// WithKernel calls a function as on a kernel with settings, by their names below /proc/sys, and a
// version of Landlock.
func WithKernel(settings map[string]string, landlock int, f func()) {
	setting, version := kernelSetting, landlockVersion
	defer func() { kernelSetting, landlockVersion = setting, version }()
	kernelSetting = func(name string) string { return settings[name] }
	landlockVersion = func() int { return landlock }
	f()
}

// NamespaceRemedy says what makes namespaces possible.
var NamespaceRemedy = namespaceRemedy

// Masks returns what is hidden of the system, and keeps what is known of it in a file. The last change is
// older than a tick of the clock.
func Masks(known string) (paths []string) {
	defer func(before time.Duration) { settled = before }(settled)
	settled = 0
	s := findMasks(known)
	s.keep()
	for _, m := range s.list {
		paths = append(paths, m.target)
	}
	return paths
}
