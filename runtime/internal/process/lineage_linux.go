package process

import (
	"bytes"
	"os"
	"strconv"

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

// LineageKnown reports whether this system tells from whom a process descends,
// and does so here.
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

// childrenOf returns what tells the children of a process: what the kernel lists
// of them or, where it does not, a look at all processes.
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
