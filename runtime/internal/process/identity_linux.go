package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stat is what /proc/PID/stat says, as far as it is of use here.
type stat struct {
	state                  byte
	parent, group, session int
	// start is when the process started, in clock ticks since the boot.
	start string
	// number is the process's own, as the file has it.
	number int
}

func readStat(pid int) (stat, error) {
	var buffer [1024]byte // the line has about 300 bytes
	text, err := readSmall("/proc/"+strconv.Itoa(pid)+"/stat", buffer[:])
	if err != nil {
		return stat{}, err
	}
	// The second field is the program's name in parentheses and may hold
	// anything, parentheses and spaces too.
	var s stat
	own, _, _ := bytes.Cut(text, []byte(" "))
	if s.number, err = strconv.Atoi(string(own)); err != nil {
		return stat{}, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
	}
	rest := text[bytes.LastIndexByte(text, ')')+1:]
	const state, parent, group, session, start = 0, 1, 2, 3, 19
	at := 0
	for field := range bytes.FieldsSeq(rest) {
		switch at {
		case state:
			s.state = field[0]
		case parent, group, session:
			n, err := strconv.Atoi(string(field))
			if err != nil {
				return stat{}, fmt.Errorf("read /proc/%d/stat: %w", pid, err)
			}
			switch at {
			case parent:
				s.parent = n
			case group:
				s.group = n
			case session:
				s.session = n
			}
		case start:
			s.start = string(field)
			return s, nil
		}
		at++
	}
	return stat{}, fmt.Errorf("read /proc/%d/stat: it has %d fields after the name", pid, at)
}

// readSmall reads the beginning of a file into the buffer, in one read.
func readSmall(path string, buffer []byte) ([]byte, error) {
	fd, err := openSmall(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	n, err := retryInterrupted(func() (int, error) { return syscall.Read(fd, buffer) })
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return buffer[:n], nil
}

// place identifies this boot of this machine and its PID namespace: ticks and numbers of
// processes mean nothing elsewhere.
var place = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space
})

// processIdentity distinguishes a process from all others that ever had its number.
func processIdentity(pid int) (string, error) {
	s, err := readStat(pid)
	if err != nil {
		return "", err
	}
	return place() + " " + s.start, nil
}

// A birth is when a process was started, as exactly as its starter knows.
//
// /proc gives a process's start in ticks of a hundredth of a second since the boot. A
// starter that reads that clock before and after the start, and gets the same tick twice,
// need not read /proc, which costs as much as the rest of a record.
type birth struct{ before, after int64 }

// clockTick is the unit of times in /proc, in nanoseconds; it is the same on
// all machines that Go knows.
const clockTick = int64(10 * time.Millisecond)

// sinceBoot is the clock since the boot in ticks, or -1.
func sinceBoot() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return -1
	}
	return t.Nano() / clockTick
}

// beforeStart and markStarted are called around the start of a process.
func beforeStart() birth { return birth{before: sinceBoot()} }

func (b *birth) markStarted() { b.after = sinceBoot() }

// trusted says whether the clock and /proc agree here: an emulation of Linux
// may have its own idea of either. It is found out once, by a process that has
// just been started; until they agreed it stays open.
var trusted atomic.Bool

// identityOf is the identity of a process that was born so.
func identityOf(pid int, b birth) (string, error) {
	exact := b.before >= 0 && b.before == b.after
	if exact && trusted.Load() {
		return place() + " " + strconv.FormatInt(b.before, 10), nil
	}
	s, err := readStat(pid)
	if err != nil {
		return "", err
	}
	if exact && s.start == strconv.FormatInt(b.before, 10) {
		trusted.Store(true)
	}
	return place() + " " + s.start, nil
}

// hasProcessEnded reports whether the process of an identity has ended. A process whose parent has
// not waited for it yet has also ended.
func hasProcessEnded(pid int, id string) bool {
	if !strings.HasPrefix(id, place()+" ") {
		return false
	}
	s, err := readStat(pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return s.state == 'Z' || s.state == 'X' || id != place()+" "+s.start
}
