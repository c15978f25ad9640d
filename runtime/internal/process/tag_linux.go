package process

import (
	"math/rand/v2"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A tag is a number by which wfc recognises the processes of one command, whatever they do:
// fork, start sessions, empty their environment, outlive their parents. It is the hard limit
// on file locks, RLIMIT_LOCKS. Linux has ignored that limit since version 2.4.25, every
// process inherits it, and only a process that may administer the system can raise it.
//
// A command gets its hard limit when it has started, and may have started others before. So a
// process that wfc generates takes the tag as its own soft limit while it starts a command.
// A process that embeds an engine does not: other programs that it starts would inherit it.
//
// A program can lower it, and then no longer has the tag. Against programs that hide on
// purpose, wfc also follows the descendants of the process that works on a run (AdoptOrphans).

// tagBase is the first tag of this process, or 0 if it has none: a multiple of tagRoom below
// this process's own limit, which programs of another run have.
var tagBase = sync.OnceValue(func() uint64 {
	own := limitOf(0).Max / tagRoom
	if own < tagRoom {
		return 0
	}
	own = min(own, 1_000_000*tagRoom)
	return (own/2 + rand.Uint64N(own/2)) * tagRoom
})

// setTag gives a process a tag. It fails if the process has another user by now.
func setTag(pid int, tag uint64) error {
	return unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: tag, Max: tag}, nil)
}

// tagging is held while this process has the tag of a command.
var tagging sync.Mutex

// tagSelf has the processes that this one starts inherit a tag as a soft limit, until untag is
// called.
func tagSelf(tag uint64) (untag func()) {
	if !adopts.Load() {
		return func() {}
	}
	tagging.Lock()
	if tag == 0 {
		return tagging.Unlock
	}
	before := limitOf(0)
	_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: min(tag, before.Max), Max: before.Max}, nil)
	return func() {
		_ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &before, nil)
		tagging.Unlock()
	}
}

func limitOf(pid int) (limit unix.Rlimit) {
	_ = unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit)
	return limit
}

// tagOf is the tag of a process, or another number.
func tagOf(pid int) uint64 {
	limit := limitOf(pid)
	if base := tagBase(); base > 0 && limit.Cur/tagRoom == base/tagRoom {
		return limit.Cur
	}
	return limit.Max
}

// withTag returns the processes that run of those with a tag, of this process or an earlier one.
func withTag(tag uint64) []survivor {
	return taggedProcesses(func(pid int) (uint64, bool) {
		limit := limitOf(pid)
		return tag, pid != os.Getpid() && (limit.Cur == tag || limit.Max == tag)
	})
}

// taggedProcesses returns the processes that run and whose tags are of interest.
func taggedProcesses(of func(pid int) (tag uint64, ok bool)) []survivor {
	var list []survivor
	for _, pid := range numbersIn("/proc") {
		if tag, ok := of(pid); ok {
			list = appendAlive(list, pid, tag)
		}
	}
	return list
}

// appendAlive appends a process if it runs.
func appendAlive(list []survivor, pid int, tag uint64) []survivor {
	p, err := readStat(pid)
	if err != nil || p.state == 'Z' || p.state == 'X' {
		return list
	}
	return append(list, survivor{PID: pid, Identity: place() + " " + p.start, Tag: tag})
}
