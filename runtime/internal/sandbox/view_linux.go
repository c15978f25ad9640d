//go:build linux && (amd64 || arm64)

package sandbox

import (
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// A view is what a program would see in the sandbox. It is for one goroutine.
type view struct {
	mounts []mount
	writes []string
	// made are the files that the program has made in folders that would begin empty.
	made   map[string]bool
	buffer [4096]byte // what is read from a program's memory
}

// newView returns what a program with a policy would see. temporary is its folder for temporary
// files, or "".
func newView(p *Policy, program, temporary string) (*view, error) {
	base, err := system()
	if err != nil {
		return nil, err
	}
	plan, err := p.planProgram(program)
	if err != nil {
		return nil, err
	}
	mounts, writes := slices.Concat(base, mountsOf("", findMasks("").list), plan.early, plan.late), plan.writes
	if filepath.IsAbs(temporary) {
		temporary = RealPath(filepath.Clean(temporary))
		// What lies deeper lies on top.
		at := slices.IndexFunc(mounts, func(m mount) bool { return isBelow(m.Target, temporary) })
		if at < 0 {
			at = len(mounts)
		}
		mounts, writes = slices.Concat(mounts[:at], []mount{{Kind: empty, Target: temporary}}, mounts[at:]), append(writes, temporary)
	}
	return &view{mounts: mounts, writes: writes, made: map[string]bool{}}, nil
}

// needless are folders that programs look at, but do without.
var needless = []string{"/sys/fs/cgroup", "/sys/kernel/mm", "/run/systemd/resolve"}

// refusesAccess reports whether the sandbox would refuse to read or write a path without links. A new
// one is made.
func (v *view) refusesAccess(path string, write, isNew bool) bool {
	in := func(folder string) bool { return path == folder || isBelow(path, folder) }
	// The folders that lead to what is shown are there.
	if slices.ContainsFunc(needless, in) || !write && slices.ContainsFunc(v.mounts, func(m mount) bool { return isBelow(m.Target, path) }) {
		return false
	}
	for _, m := range slices.Backward(v.mounts) {
		if !in(m.Target) {
			continue
		}
		switch m.Kind {
		case readOnly:
			return write
		case readWrite:
			return write && !slices.ContainsFunc(v.writes, in)
		case home:
			return path != m.Target || write
		case hidden:
			return true
		case empty:
			for at := path; at != m.Target; at = filepath.Dir(at) {
				if v.made[at] || isNew && filepath.Dir(at) == m.Target && at == path {
					v.made[at] = true
					return false
				}
			}
			return path != m.Target
		}
		return false
	}
	return true
}

// readProcessMemory reads memory of a process into the buffer.
func (v *view) readProcessMemory(pid int, at uint64, size int) error {
	n, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &v.buffer[0], Len: uint64(size)}}, []unix.RemoteIovec{{Base: uintptr(at), Len: size}}, 0)
	if err == nil && n < size {
		err = unix.EFAULT
	}
	return err
}

// readString reads a string of a process, which ends with a zero.
func (v *view) readString(pid int, at uint64) (string, error) {
	var text []byte
	for len(text) <= len(v.buffer) {
		size := len(v.buffer) - int(at%uint64(len(v.buffer))) // the next page may not be there
		if err := v.readProcessMemory(pid, at, size); err != nil {
			return "", err
		}
		if end := slices.Index(v.buffer[:size], 0); end >= 0 {
			return string(append(text, v.buffer[:end]...)), nil
		}
		text, at = append(text, v.buffer[:size]...), at+uint64(size)
	}
	return "", unix.ENAMETOOLONG
}
