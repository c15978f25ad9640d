//go:build !linux

package testsuite

import (
	"errors"
	"os/exec"
)

func ownMounts(*exec.Cmd) {}

func readOnly(string) error { return errors.ErrUnsupported }
