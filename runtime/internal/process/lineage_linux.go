package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lineage returns this process and those that it descends from, the nearest
// first: nothing when the system does not show them. They are counted as the
// process file system counts them, which may be that of another PID namespace.
func Lineage() []Ancestor {
	if !genuine("/proc") {
		return nil
	}
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return nil
	}
	pid, err := strconv.Atoi(self)
	if err != nil {
		return nil
	}
	var list []Ancestor
	for pid > 0 {
		a := Ancestor{PID: pid}
		a.Environ, _ = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ") // other users' cannot be read
		s, err := readStat(pid)
		if err == nil && (s.number != pid || !genuine("/proc/"+strconv.Itoa(pid)+"/stat")) || err != nil && list == nil {
			return nil // somebody has put another file in its place
		}
		if err == nil {
			a.session, a.identity = s.session, place()+" "+s.start
		}
		list = append(list, a)
		pid = s.parent
	}
	return list
}

// genuine reports whether a file is the system's own, and none that somebody has
// mounted in its place.
func genuine(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && int64(fs.Type) == unix.PROC_SUPER_MAGIC
}

// LineageKnown reports whether the ancestors of a process are known here, and whether
// this system should give them.
func LineageKnown() (known, expected bool) { return len(Lineage()) > 0, true }

// Namespace names the PID namespace of this process, or is "".
func Namespace() string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return space
}

// numbered is a process with its number and what the system says of it.
type numbered struct {
	pid int
	stat
}

// processes are all processes that are to be seen.
func processes() []numbered {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // a part of the list is better than none
	var list []numbered
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil {
			list = append(list, numbered{pid, s})
		}
	}
	return list
}

// left are the descendants of this process that live.
func left() []survivor {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil // no child, so no descendant: that is nearly always so
	}
	var list []survivor
	space, self := Namespace(), os.Getpid()
	next := childrenOf()
	for open := next(self); len(open) > 0; open = open[1:] {
		pid := open[0]
		open = append(open, next(pid)...)
		p, err := readStat(pid)
		if err != nil || p.state == 'Z' || p.state == 'X' {
			continue
		}
		s := survivor{PID: pid, Identity: place() + " " + p.start}
		if other, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/pid"); err == nil && other != space {
			s.Space = other
		}
		list = append(list, s)
	}
	return list
}

// childrenOf returns a function that lists the children of a process: from the kernel's
// list or, where there is none, from all processes.
func childrenOf() func(pid int) []int {
	if _, err := os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err == nil {
		return listedChildren
	}
	known := map[int][]int{}
	for _, p := range processes() {
		known[p.parent] = append(known[p.parent], p.pid)
	}
	return func(pid int) []int { return known[pid] }
}

// listedChildren are the children of all threads of a process.
func listedChildren(pid int) []int {
	threads, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return nil
	}
	var list []int
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + thread.Name() + "/children")
		if err != nil {
			continue
		}
		for field := range bytes.FieldsSeq(text) {
			if n, err := strconv.Atoi(string(field)); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

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
		if err != nil || !has(env, runIDVariable, runID) {
			continue
		}
		for _, key := range keys {
			if has(env, stepKeyVariable, key) {
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
		if err == nil && has(env, runIDVariable, o.RunID) && has(env, stepKeyVariable, o.Key) {
			found = append(found, pid)
		}
	}
	return found
}
