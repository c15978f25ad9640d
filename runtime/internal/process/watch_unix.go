//go:build unix

package process

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// A watcher is a shell that waits for the end of this process, on a pipe that only this
// process holds open. If this process dies without a word, even by SIGKILL, the shell ends
// the commands that it had started. It is a shell because that starts in a fraction of the
// time of this program. Without /bin/sh, nothing watches.
type watcher struct{ pipe *os.File }

// watcherPID is the number of the watcher, or 0.
var watcherPID atomic.Int64

//go:embed watch.sh
var watchScript string

// theWatcher starts with the first command.
var theWatcher = sync.OnceValue(func() *watcher {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	tag := ""
	if base := tagBase(); base > 0 {
		tag = strconv.FormatUint(base/tagRoom, 10)
	}
	path := slices.DeleteFunc(filepath.SplitList(searchPath(os.Environ())), func(dir string) bool { return !filepath.IsAbs(dir) })
	cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", watchScript, "wfc-watcher", tag}, Dir: "/", Stdin: r,
		Env: []string{"PATH=" + strings.Join(path, string(filepath.ListSeparator))}}
	ownSession(cmd)
	// Registered, it is no orphan that a run ends, also while it starts. Without a tag, it does
	// not get that of a command that starts now, and does not end itself.
	if err := children.startRegistered(cmd, 0); err != nil {
		w.Close()
		return nil
	}
	defer cmd.Process.Release()
	_ = setTag(cmd.Process.Pid, tagBase()-1) // it is not one of those that it ends
	watcherPID.Store(int64(cmd.Process.Pid))
	return &watcher{w}
})

// startWatcher starts the watcher, if it does not run yet.
func startWatcher() { theWatcher() }

// sendLine sends the watcher a line: `+ GROUP` and `- GROUP` where there are no tags, and `.` at
// the regular end of this process.
func (w *watcher) sendLine(line string) {
	if w != nil {
		_, _ = w.pipe.WriteString(line + "\n") // a watcher that was killed watches nothing
	}
}

// guardCommand has the watcher end a command that has just started, if this process dies; one in a
// container ends with that. It returns the tag of the command, or 0 if the command cannot have it.
func guardCommand(pid int, tag uint64, contained bool) uint64 {
	if tag > 0 && setTag(pid, tag) != nil {
		forgetTag(tag)
		tag = 0
	}
	if contained {
		return tag
	}
	if w := theWatcher(); tag == 0 {
		w.sendLine("+ " + strconv.Itoa(pid))
	}
	return tag
}

// unguardCommand notes that a command has ended.
func unguardCommand(pid int, tag uint64, contained bool) {
	if tag > 0 {
		markTagEnded(tag)
	} else if !contained && !isGroupAlive(pid) {
		theWatcher().sendLine("- " + strconv.Itoa(pid))
	}
}

// Leave tells the watcher that this process ends regularly, if nothing is left for it to end.
func Leave() { dismissWatcher() }

// LeaveForProgram is Leave for a process that becomes another program. It waits for the end of the
// watcher, which that program would take for what one of its steps left running.
func LeaveForProgram() {
	if dismissWatcher() {
		_, _ = syscall.Wait4(int(watcherPID.Load()), nil, 0, nil)
	}
}

// dismissWatcher tells the watcher to end, if it runs and nothing is left for it to end.
func dismissWatcher() (told bool) {
	owners.Lock()
	defer owners.Unlock()
	if told = len(owners.of) == 0 && watcherPID.Load() != 0; told {
		theWatcher().sendLine(".")
	}
	return told
}
