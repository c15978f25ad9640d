package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// stat is what /proc/PID/stat says, as far as it is of use here.
type stat struct {
	state byte
	group int
	// start is when the process started, in clock ticks since the boot.
	start string
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The second field is the program's name in parentheses and may hold
	// anything, parentheses and blanks too.
	rest := text[bytes.LastIndexByte(text, ')')+1:]
	fields := strings.Fields(string(rest))
	const state, group, start = 0, 2, 19
	if len(fields) <= start {
		return stat{}, fmt.Errorf("read /proc/%d/stat: it has %d fields after the name", pid, len(fields))
	}
	g, err := strconv.Atoi(fields[group])
	if err != nil {
		return stat{}, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
	}
	return stat{state: fields[state][0], group: g, start: fields[start]}, nil
}

// place tells this boot of this machine, and the namespace in which it numbers
// processes, from others: ticks and numbers mean nothing elsewhere.
var place = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space
})

// identity tells a process from all others that ever had its number.
func identity(pid int) (string, error) {
	s, err := readStat(pid)
	if err != nil {
		return "", err
	}
	return place() + " " + s.start, nil
}
