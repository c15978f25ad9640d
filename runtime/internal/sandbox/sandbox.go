// Package sandbox starts the programs of steps so that they reach what they were given, and
// nothing else. It works on Linux; elsewhere Probe says why not.
//
// The programs of a run live in one box. Helpers, small processes without Go in new namespaces,
// perform the system calls that this process sends them. For each program, one of them
//
//   - builds a file system of what the program may see: the system, read-only; the work tree;
//     what was granted; an empty home and an empty /tmp, which end with the program. It copies the
//     mounts of the system from a template. What the last program saw besides, without the work
//     tree and what lies on it, the next one finds mounted already,
//   - enters a network namespace with nothing but a loopback device, on which a proxy listens
//     that this process serves, if hosts were granted,
//   - starts a child, which gives up all capabilities and the way to get new ones, restricts
//     itself by Landlock to reading, with exceptions, and by seccomp to calls that programs
//     need, and executes the program.
//
// Helpers are outside of the programs' namespace of processes, except its process 1, which ends
// when the run ends or dies: then the kernel ends everything in the namespace.
package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Policy says what a program may reach beside the system. Paths are absolute; those that do
// not exist are passed over.
type Policy struct {
	// WorkTree may be read, and written unless ReadOnly says no.
	WorkTree string
	ReadOnly bool
	// Guarded are patterns of files that may not be written, except where Write or Private names
	// them or a folder below the work tree around them: what people or later steps execute.
	// Relative ones are below the work tree.
	Guarded []string
	// GuardedFiles are single files like those of Guarded: absolute paths, not patterns. Programs are
	// files that may not be written or replaced either, but that others may replace meanwhile.
	GuardedFiles, Programs []string
	// Found are the guarded paths that exist, if somebody has just looked, or nil.
	Found []string
	// Read and Write may be read, or written as well. A path below WorkTree or Write that leads
	// elsewhere is passed over.
	Read, Write []string
	// Hidden are folders that are empty for the program, but for paths below them that it may
	// read or write.
	Hidden []string
	// Private are files and folders of which the program sees a copy of its own, which ends with it.
	Private []string
	// Replaced are files and folders in whose place the program sees others, which it may write.
	Replaced []Replacement
	// Kept are folders below the work tree that cannot be moved or replaced.
	Kept []string
	// Home is the home folder: an empty one takes its place.
	Home string
}

// A Replacement shows one file or folder at the path of another.
type Replacement struct {
	Path, By string
}

// Limits bound each program of a box and what it starts; 0 is no bound.
type Limits struct {
	// Processes is the number of processes and threads of all programs together, Memory the
	// bytes of data of each process, File the bytes of a file that it writes.
	Processes, Memory, File uint64
}

// An Access is what an observed program did, and the sandbox would have refused.
type Access struct {
	// Way is "read" or "write" of a path, "host" for a pattern of hosts, "" for something that no
	// grant permits, or "blind" if this process may not look into a program.
	Way string
	// What is the path, the pattern, a description, or the program's name.
	What string
	// Entry says that the path is made, replaced or removed in a folder that could not be written.
	Entry bool
}

// DefaultLimits keep a program from taking the machine with it by mistake.
func DefaultLimits() Limits { return Limits{Processes: 8192, Memory: 64 << 30, File: 64 << 30} }

// Refuses returns "read" or "write" if a program with the policy cannot do that with a path that is
// outside, as far as the policy decides about it, and "" if it can do both. In the folders for
// temporary files, a program cannot read what is outside, but may have made the path itself.
func (p *Policy) Refuses(path string) string {
	within := func(folders ...string) bool { return Within(path, folders...) }
	switch {
	case within(p.Guards()...), within(p.Programs...) && !p.Grants(path):
		return "write"
	case within(p.Write...), within(p.Private...), within("/dev", "/proc"),
		slices.ContainsFunc(p.Replaced, func(r Replacement) bool { return within(r.Path) }):
		return ""
	case within(p.Hidden...):
		return "read"
	case within(p.WorkTree):
		if p.ReadOnly {
			return "write"
		}
		return ""
	case within(p.Read...):
		return "write"
	}
	for _, name := range shownFolders {
		if within("/" + name) {
			return "write"
		}
	}
	return "read"
}

// Grants reports whether a path was granted by itself, or is private.
func (p *Policy) Grants(path string) bool {
	for _, folder := range p.Private {
		if path == folder || isBelow(path, folder) {
			return true
		}
	}
	for _, folder := range p.Write {
		if path == folder || isBelow(folder, p.WorkTree) && isBelow(path, folder) {
			return true
		}
	}
	return false
}

// Within reports whether a path is one of some folders, or below one.
func Within(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return path == f || isBelow(path, f) })
}

func isBelow(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && folder != "" && strings.HasPrefix(rest, "/") && path != folder
}

// RealPath is the path to which the links of a path lead, or the path if that is not known.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// shownFolders are the folders of the system that every program sees, for reading.
var shownFolders = []string{"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix", "gnu"}
