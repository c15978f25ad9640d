package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lineage returns this process and those that it descends from, the nearest
// first: nothing when the system does not show them. They are counted as the
// process file system counts them, which may be that of another PID namespace.
func Lineage() []Ancestor {
	if !isOnProc("/proc") {
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
		if err == nil && (s.number != pid || !isOnProc("/proc/"+strconv.Itoa(pid)+"/stat")) || err != nil && list == nil {
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

// isOnProc reports whether a file is of a process file system, and none that somebody has mounted
// in its place. Another process's file may be: its number tells.
func isOnProc(path string) bool {
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

// listProcesses are all processes that are to be seen.
func listProcesses() []numbered {
	var list []numbered
	for _, pid := range numbersIn("/proc") {
		if s, err := readStat(pid); err == nil {
			list = append(list, numbered{pid, s})
		}
	}
	return list
}

// numbersIn returns the names in a folder of the system that are numbers.
func numbersIn(folder string) (list []int) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // a part of the list is better than none
	for _, name := range names {
		if number, err := strconv.Atoi(name); err == nil {
			list = append(list, number)
		}
	}
	return list
}

// adoptedSurvivors are the descendants that this process has adopted and that live.
func adoptedSurvivors() []survivor {
	space := Namespace()
	list := liveLeftovers(nil, true)
	for i := range list {
		if other, err := os.Readlink("/proc/" + strconv.Itoa(list[i].PID) + "/ns/pid"); err == nil && other != space {
			list[i].Space = other
		}
	}
	return list
}

// liveLeftovers are the processes that live of those with the tags, which are of commands that
// have ended. If this process adopts orphans, these are its descendants; those of unknown
// origin are among them if unknown is true. Descendants of a process with a tag that have
// another one, of a run that it started, are like that process.
func liveLeftovers(tags map[uint64]*owned, unknown bool) []survivor {
	base := tagBase()
	if !adopts.Load() {
		if len(tags) == 0 {
			return nil
		}
		return taggedProcesses(func(pid int) (uint64, bool) {
			tag := tagOf(pid)
			return tag, tags[tag] != nil
		})
	}
	type relative struct {
		pid   int
		ended bool // it is to be ended unless it has a tag that is known
	}
	var open []relative
	for _, pid := range adoptedOrphans() {
		open = append(open, relative{pid, unknown})
	}
	if len(open) == 0 {
		return nil // nearly always
	}
	var list []survivor
	next := childrenOf()
	for ; len(open) > 0; open = open[1:] {
		r := open[0]
		tag := tagOf(r.pid)
		if tags[tag] != nil {
			r.ended = true
		} else if tag/tagRoom == base/tagRoom && base > 0 {
			r.ended = !isOwned(tag)
		}
		for _, pid := range next(r.pid) {
			open = append(open, relative{pid, r.ended})
		}
		if r.ended {
			list = appendAlive(list, r.pid, tag)
		}
	}
	return list
}

// adoptedOrphans are the orphans that this process has adopted and that run. They are children of its
// first thread, which the kernel prefers. A process that starts another one and ends at once
// is in the list after that, as a dead one: only without those is it certain that none run.
func adoptedOrphans() []int {
	session, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	children.starting.Lock() // now the registry has all that this program has started
	defer children.starting.Unlock()
	for quiet, try := 0, 0; quiet < 2 && try < 1000; try++ {
		quiet++
		var list []int
		for _, pid := range firstChildren() {
			if children.hasPID(pid) {
				continue // before a look at it, which takes longer: nearly always it is the watcher
			}
			s, err := readStat(pid)
			switch {
			case err != nil || s.session == session:
			case s.state == 'Z' || s.state == 'X':
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
				quiet = 0
			default:
				list = append(list, pid)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// firstChildren are the children of this process's first thread, or those of all threads.
func firstChildren() []int {
	self := os.Getpid()
	list, err := threadChildren(self, strconv.Itoa(self))
	if err != nil {
		return childrenOf()(self)
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
	for _, p := range listProcesses() {
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
		some, _ := threadChildren(pid, thread.Name()) // it may have ended
		list = append(list, some...)
	}
	return list
}

// threadChildren are the children of one thread, from the kernel's list.
func threadChildren(pid int, thread string) ([]int, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + thread + "/children")
	var list []int
	for field := range bytes.FieldsSeq(text) {
		if n, err := strconv.Atoi(string(field)); err == nil {
			list = append(list, n)
		}
	}
	return list, err
}

// commandLine is the command line of a process, or its name.
func commandLine(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err == nil && len(text) == 0 {
		text, _ = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	}
	return strings.TrimSpace(string(bytes.ReplaceAll(text, []byte{0}, []byte(" "))))
}

// isGroupAlive reports whether a group has a member that runs. Asking the kernel is
// not enough: members that have ended but whose parent has not taken note of it
// count there, and in a container without an init process nobody ever does.
func isGroupAlive(group int) bool {
	for range 2 { // one that ends may have started another one during the look
		if syscall.Kill(-group, 0) == syscall.ESRCH {
			return false
		}
		if len(groupMembers(group)) > 0 {
			return true
		}
	}
	return false
}

// groupMembers returns the processes of a group that run.
func groupMembers(group int) []int {
	var found []int
	for _, p := range listProcesses() {
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
	for _, p := range listProcesses() {
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

// markedMembers returns those members of a group whose environment shows that they
// work for a step of a run.
func markedMembers(group int, o Owner) []survivor {
	var found []survivor
	for _, pid := range groupMembers(group) {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err == nil && hasVariable(env, runIDVariable, o.RunID) && hasVariable(env, stepKeyVariable, o.Key) {
			found = appendAlive(found, pid, 0)
		}
	}
	return found
}
