//go:build linux && (amd64 || arm64)

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
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
			list = append(list, mount{Kind: readOnly, Source: path, Target: path})
		default:
			if to, err := os.Readlink(path); err == nil {
				list = append(list, mount{Kind: link, Source: to, Target: path})
			}
		}
	}
	for _, path := range []string{"/sys/devices/system/cpu", "/run/current-system", "/var/lib/dpkg"} {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, addTargetLink(mount{Kind: readOnly, Source: path, Target: path}, real)...)
		}
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		list = append(list, mount{Kind: device, Source: "/dev/" + name, Target: "/dev/" + name})
	}
	return append(list,
		mount{Kind: terminals, Target: "/dev/pts"}, mount{Kind: link, Source: "pts/ptmx", Target: "/dev/ptmx"}, mount{Kind: empty, Target: "/dev/shm"},
		mount{Kind: link, Source: "/proc/self/fd", Target: "/dev/fd"}, mount{Kind: link, Source: "/proc/self/fd/0", Target: "/dev/stdin"},
		mount{Kind: link, Source: "/proc/self/fd/1", Target: "/dev/stdout"}, mount{Kind: link, Source: "/proc/self/fd/2", Target: "/dev/stderr"},
		mount{Kind: processes, Target: "/proc"}, mount{Kind: empty, Target: "/tmp"}, mount{Kind: empty, Target: "/var/tmp"}, mount{Kind: link, Source: "/run", Target: "/var/run"}), nil
})

// writable are the paths that every program may write, beside those of its policy.
var writable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/pts", "/dev/shm", "/tmp", "/var/tmp"}

// A plan is what a program sees beside the base, and may write.
type plan struct {
	// early can be mounted before late is known.
	early, late []mount
	places      string // where they are on the root
	writes      []string
}

// planProgram plans for a program with the policy.
func (p *Policy) planProgram(program string) (*plan, error) {
	base, err := system()
	if err != nil {
		return nil, err
	}
	writes, found := slices.Clone(writable), realPaths{}
	var own []mount
	var late []string // the targets of what may differ from program to program
	show := func(kind string, isLate bool, path, source string) error {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the sandbox cannot show %s: the path is not absolute", path)
		}
		path = filepath.Clean(path)
		at, err := found.find(path)
		real := at.real
		if errors.Is(err, fs.ErrNotExist) || err == nil && p.leadsOut(found, path, real) {
			return nil
		}
		if err == nil && source != "" {
			at, err = found.find(source)
		}
		if err != nil {
			return fmt.Errorf("the sandbox cannot show %s: %w", path, err)
		}
		mounts := addTargetLink(mount{kind, path, path, at.device, at.inode}, real)
		mounts[0].Source = at.real
		own = append(own, mounts...)
		if isLate {
			late = append(late, real, path)
		}
		if kind == readWrite || kind == private {
			writes = append(writes, real)
		}
		return nil
	}
	add := func(kind string, isLate bool, paths ...string) error {
		for _, path := range paths {
			if err := show(kind, isLate, path, ""); err != nil {
				return err
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
		if at, err := found.find(path); err == nil {
			own = append(own, mount{Kind: home, Target: at.real})
		}
	}
	folders, files := p.guardedPaths(found)
	for _, r := range p.Replaced {
		if err := show(readWrite, true, r.Path, r.By); err != nil {
			return nil, err
		}
	}
	err = errors.Join(add(readWrite, true, folders...), add(readOnly, false, p.Read...), add(private, false, p.Private...),
		add(tree, true, work...), add(readWrite, true, p.Write...), add(readOnly, true, files...))
	if err != nil {
		return nil, err
	}
	list := &plan{writes: writes}
	note := func(m mount) {
		if Within(m.Target, late...) {
			list.late = append(list.late, m)
		} else {
			list.early = append(list.early, m)
		}
	}
	if p.Home != "" && p.Home != "/" {
		note(mount{Kind: home, Target: p.Home})
		list.writes = append(list.writes, p.Home)
	}
	// What lies deeper lies on top.
	for depth, left := 0, len(own); left > 0; depth++ {
		for _, m := range own {
			if strings.Count(m.Target, "/") == depth {
				note(m)
				left--
			}
		}
	}
	list.late = withProgram(slices.Concat(base, list.early), list.late, program)
	list.notePlaces(base)
	return list, nil
}

// realPaths are the places to which the links of paths lead, as they were when they were first asked for.
type realPaths map[string]place

// A place is a path without links, and the file that is there.
type place struct {
	real          string
	device, inode uint64
}

// find looks at each part of the paths once: most paths of a plan have many in common.
func (r realPaths) find(path string) (p place, err error) {
	path = filepath.Clean(path)
	if p, ok := r[path]; ok {
		return p, nil
	}
	p.real = path
	if path != "/" {
		folder, err := r.find(filepath.Dir(path))
		if err != nil {
			return place{}, err
		}
		p.real = filepath.Join(folder.real, filepath.Base(path))
	}
	var info syscall.Stat_t
	err = syscall.Lstat(p.real, &info)
	if err == nil && info.Mode&syscall.S_IFMT == syscall.S_IFLNK {
		if p.real, err = filepath.EvalSymlinks(p.real); err == nil {
			err = syscall.Lstat(p.real, &info)
		}
	}
	if err != nil {
		return place{}, err
	}
	p.device, p.inode = info.Dev, info.Ino
	r[path] = p
	return p, nil
}

// notePlaces notes the places of the parts.
func (p *plan) notePlaces(base []mount) {
	all := slices.Concat(base, p.early, p.late)
	var places []string
	for _, m := range all[len(base):] {
		if !slices.ContainsFunc(all, func(other mount) bool { return other.Kind != link && isBelow(m.Target, other.Target) }) {
			places = append(places, m.Target)
			if m.Kind == link {
				places = append(places, m.Source)
			}
		}
	}
	p.places = strings.Join(places, "\x00")
}

// addTargetLink adds the link that leads to the target of a mount, if its path has one.
func addTargetLink(m mount, real string) []mount {
	if real == m.Target {
		return []mount{m}
	}
	l := mount{Kind: link, Source: real, Target: m.Target}
	m.Source, m.Target = real, real
	return []mount{m, l}
}

// leadsOut reports whether a path below a folder that programs may write leads out of that
// folder: a program may have put a link there.
func (p *Policy) leadsOut(found realPaths, path, real string) bool {
	for _, folder := range append([]string{p.WorkTree}, p.Write...) {
		if !isBelow(path, folder) {
			continue
		}
		if own, err := found.find(folder); err != nil || !isBelow(real, own.real) {
			return true
		}
	}
	return false
}

// guardedPaths returns the guarded files, and the folders that cannot be moved away: a mount is on
// each of them.
func (p *Policy) guardedPaths(found realPaths) (folders, files []string) {
	if p.ReadOnly {
		return nil, nil
	}
	around := func(path string) {
		for _, top := range append([]string{p.WorkTree}, p.Write...) {
			for dir := filepath.Dir(path); isBelow(dir, top); dir = filepath.Dir(dir) {
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
	guards := p.Found
	if guards == nil {
		guards = p.Guards()
	}
	for _, path := range slices.DeleteFunc(slices.Concat(guards, p.Programs), p.Grants) {
		// Of a link, both it and what it leads to are guarded, as far as that is possible.
		at, _ := found.find(path) // it may lead nowhere
		for _, path := range []string{path, cmp.Or(at.real, path)} {
			around(path)
			if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 && (isBelow(path, p.WorkTree) || Within(path, p.Write...)) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(folders)
	slices.Sort(files)
	return slices.Compact(folders), slices.Compact(files)
}

// withProgram shows a program that is not in what is shown. It may be "".
func withProgram(base, list []mount, program string) []mount {
	if program == "" {
		return list
	}
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return list // to start it fails
	}
	if !isPathMounted(slices.Concat(base, list), real) {
		list = append(list, mount{Kind: readOnly, Source: real, Target: real})
	}
	if real != program {
		list = append(list, mount{Kind: link, Source: real, Target: program})
	}
	return list
}

// isPathMounted reports whether a path is in the mounts.
func isPathMounted(list []mount, path string) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if m := list[i]; m.Target == path || isBelow(path, m.Target) {
			return m.Kind == readOnly || m.Kind == readWrite || m.Kind == private
		}
	}
	return false
}
