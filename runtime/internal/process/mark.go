package process

import (
	"os"
	"strconv"
	"strings"
)

// Mark tells this process from every other one, also of other machines and of
// other times. It is one line, or "" when this system does not say enough.
func Mark() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	pid := os.Getpid()
	id, err := identity(pid)
	if err != nil {
		return ""
	}
	return strconv.Itoa(pid) + " " + strconv.Quote(host) + " " + id
}

// Gone reports whether the process that has a mark is known to have ended. Of a
// process on another machine, or in a part of this one that cannot be seen from
// here, that is never known.
func Gone(mark string) bool {
	host, err := os.Hostname()
	if err != nil {
		return false
	}
	number, rest, _ := strings.Cut(mark, " ")
	id, here := strings.CutPrefix(rest, strconv.Quote(host)+" ")
	pid, err := strconv.Atoi(number)
	return err == nil && here && gone(pid, id)
}
