package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// alive reports whether a group has a member that runs. Asking the kernel is
// not enough: members that have ended but whose parent has not taken note of it
// count there, and in a container without an init process nobody ever does.
func alive(group int) bool {
	return syscall.Kill(-group, 0) != syscall.ESRCH && len(members(group)) > 0
}

// members returns the processes of a group that run.
func members(group int) []int {
	var found []int
	for _, p := range processes() {
		if p.group == group && p.state != 'Z' && p.state != 'X' {
			found = append(found, p.pid)
		}
	}
	return found
}

// markedGroups returns the groups in which processes work for one of the steps
// of a run, as their environment shows, with the key of that step; groups that
// are known are left out.
func markedGroups(runID string, keys []string, known map[int]bool) map[int]string {
	found := map[int]string{}
	for _, p := range processes() {
		if known[p.group] || p.state == 'Z' || p.state == 'X' {
			continue
		}
		env, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
		if err != nil || !hasVariable(env, runIDVariable, runID) {
			continue
		}
		for _, key := range keys {
			if hasVariable(env, stepKeyVariable, key) {
				found[p.group] = key
			}
		}
	}
	return found
}

// marked returns those members of a group whose environment shows that they
// work for a step of a run.
func marked(group int, o Owner) []int {
	var found []int
	for _, pid := range members(group) {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err == nil && hasVariable(env, runIDVariable, o.RunID) && hasVariable(env, stepKeyVariable, o.Key) {
			found = append(found, pid)
		}
	}
	return found
}

func hasVariable(environ []byte, name, value string) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == name+"="+value {
			return true
		}
	}
	return false
}
