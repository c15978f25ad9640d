//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// system is what every program sees: the system's folders for reading, and devices, terminals
// and processes of its own.
var system = sync.OnceValues(func() ([]mount, error) {
	var list []mount
	for _, name := range shownFolders {
		path := "/" + name
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("read the system's folders: %w", err)
		case info.IsDir():
			list = append(list, mount{readOnly, path, path})
		default:
			if to, err := os.Readlink(path); err == nil {
				list = append(list, mount{link, to, path})
			}
		}
	}
	if os.Getuid() == 0 {
		list = append(list, unreadable("/etc")...)
	}
	for _, path := range []string{"/sys/devices/system/cpu", "/run/current-system", "/var/lib/dpkg"} {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, through(mount{readOnly, path, path}, real)...)
		}
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		list = append(list, mount{device, "/dev/" + name, "/dev/" + name})
	}
	return append(list,
		mount{terminals, "", "/dev/pts"}, mount{link, "pts/ptmx", "/dev/ptmx"}, mount{empty, "", "/dev/shm"},
		mount{link, "/proc/self/fd", "/dev/fd"}, mount{link, "/proc/self/fd/0", "/dev/stdin"},
		mount{link, "/proc/self/fd/1", "/dev/stdout"}, mount{link, "/proc/self/fd/2", "/dev/stderr"},
		mount{processes, "", "/proc"}, mount{empty, "", "/tmp"}, mount{empty, "", "/var/tmp"}, mount{link, "/run", "/var/run"}), nil
})

// unreadable hides what only some users may read. An administrator may read it all.
func unreadable(folder string) []mount {
	var list []mount
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return nil // what cannot be read is not read inside either
		}
		info, err := e.Info()
		if err != nil || info.Mode().Perm()&0o004 != 0 {
			return nil
		}
		list = append(list, mount{hidden, "", path})
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return list
}

// writable are the paths that every program may write, beside those of its policy.
var writable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/pts", "/dev/shm", "/tmp", "/var/tmp"}

// plan returns the mounts for a program, after those of the base, and the paths that it may
// write.
func (p *Policy) plan(program string) ([]mount, []string, error) {
	base, err := system()
	if err != nil {
		return nil, nil, err
	}
	var list []mount
	writes := slices.Clone(writable)
	if p.Home != "" && p.Home != "/" {
		list = append(list, mount{home, "", p.Home})
		writes = append(writes, p.Home)
	}
	var own []mount
	add := func(kind string, paths ...string) error {
		for _, path := range paths {
			if !filepath.IsAbs(path) {
				return fmt.Errorf("the sandbox cannot show %s: the path is not absolute", path)
			}
			path = filepath.Clean(path)
			real, err := filepath.EvalSymlinks(path)
			if errors.Is(err, fs.ErrNotExist) || err == nil && p.leadsOut(path, real) {
				continue
			}
			if err != nil {
				return fmt.Errorf("the sandbox cannot show %s: %w", path, err)
			}
			own = append(own, through(mount{kind, path, path}, real)...)
			if kind == readWrite || kind == private {
				writes = append(writes, real)
			}
		}
		return nil
	}
	tree := readWrite
	if p.ReadOnly {
		tree = readOnly
	}
	var work []string
	if p.WorkTree != "" {
		work = append(work, p.WorkTree)
	}
	for _, path := range p.Hidden {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			own = append(own, mount{home, "", real})
		}
	}
	folders, files := p.guards()
	err = errors.Join(add(readWrite, folders...), add(readOnly, p.Read...), add(private, p.Private...), add(tree, work...),
		add(readWrite, p.Write...), add(readOnly, files...))
	if err != nil {
		return nil, nil, err
	}
	// What lies deeper lies on top.
	slices.SortStableFunc(own, func(a, b mount) int {
		return strings.Count(a.Target, "/") - strings.Count(b.Target, "/")
	})
	return withProgram(base, append(list, own...), program), writes, nil
}

// through adds the link that leads to the target of a mount, if its path has one.
func through(m mount, real string) []mount {
	if real == m.Target {
		return []mount{m}
	}
	return []mount{{m.Kind, real, real}, {link, real, m.Target}}
}

// leadsOut reports whether a path below a folder that programs may write leads out of that
// folder: a program may have put a link there.
func (p *Policy) leadsOut(path, real string) bool {
	for _, folder := range append([]string{p.WorkTree}, p.Write...) {
		if !below(path, folder) {
			continue
		}
		if own, err := filepath.EvalSymlinks(folder); err != nil || !below(real, own) {
			return true
		}
	}
	return false
}

// guards returns the guarded files, and the folders that cannot be moved away: a mount is on
// each of them.
func (p *Policy) guards() (folders, files []string) {
	if p.ReadOnly {
		return nil, nil
	}
	around := func(path string) {
		for _, top := range append([]string{p.WorkTree}, p.Write...) {
			for dir := filepath.Dir(path); below(dir, top); dir = filepath.Dir(dir) {
				folders = append(folders, dir)
			}
		}
	}
	for _, path := range p.Hidden {
		around(path)
	}
	for _, path := range p.Kept {
		around(filepath.Join(path, "any")) // the folder as well
	}
	for _, path := range p.Guards() {
		// Of a link, both it and what it leads to are guarded, as far as that is possible.
		for _, path := range []string{path, RealPath(path)} {
			around(path)
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 && (below(path, p.WorkTree) || Within(path, p.Write...)) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(folders)
	slices.Sort(files)
	return slices.Compact(folders), slices.Compact(files)
}

// withProgram shows a program that is not in what is shown.
func withProgram(base, list []mount, program string) []mount {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return list // to start it fails
	}
	if !shown(slices.Concat(base, list), real) {
		list = append(list, mount{readOnly, real, real})
	}
	if real != program {
		list = append(list, mount{link, real, program})
	}
	return list
}

// shown reports whether a path is in the mounts.
func shown(list []mount, path string) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if m := list[i]; m.Target == path || below(path, m.Target) {
			return m.Kind == readOnly || m.Kind == readWrite || m.Kind == private
		}
	}
	return false
}
