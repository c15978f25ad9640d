//go:build unix && !linux && !darwin

package process

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// identity tells a process from all others that ever had its number: by the
// time at which it started, to the second.
func identity(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", fmt.Errorf("ask ps for process %d: %w", pid, err)
	}
	return strings.TrimSpace(string(out)), nil
}
