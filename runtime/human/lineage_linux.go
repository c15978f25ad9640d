package human

import (
	"bytes"
	"os"
	"strconv"
)

// lineage returns this process and those that it descends from, the nearest
// first.
func lineage() []ancestor {
	var list []ancestor
	for pid := os.Getpid(); pid > 0; pid = parent(pid) {
		environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ") // other users' cannot be read
		list = append(list, ancestor{pid, environ})
	}
	return list
}

// parent is the number of the process that started another, or that took its
// place when it ended; 0 is none.
func parent(pid int) int {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The second field is the program's name in parentheses and may hold
	// anything; the parent is the second one after it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(string(fields[1]))
	return n
}
