//go:build unix && !linux && !darwin

package process

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// processIdentity distinguishes a process from all others that ever had its number: it is the
// time of its start, to the second.
func processIdentity(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", fmt.Errorf("ask ps for process %d: %w", pid, err)
	}
	return strings.TrimSpace(string(out)), nil
}
