package process

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// An Ancestor is this process or one that it descends from.
type Ancestor struct {
	PID int
	// Environ is the environment that it was started with, each entry ended by a
	// zero byte, or nil when that cannot be read.
	Environ []byte

	session int
	// identity is "" if the system does not give it.
	identity string
}

// Has reports whether the ancestor was started with a variable of this value.
func (a *Ancestor) Has(name, value string) bool { return hasVariable(a.Environ, name, value) }

// hasVariable reports whether an environment, whose entries end with zero bytes, sets a
// variable to a value.
func hasVariable(environ []byte, name, value string) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == name+"="+value {
			return true
		}
	}
	return false
}

// Value is the last value with which the ancestor was started of a variable.
func (a *Ancestor) Value(name string) (value string, ok bool) {
	for entry := range bytes.SplitSeq(a.Environ, []byte{0}) {
		if v, found := bytes.CutPrefix(entry, []byte(name+"=")); found {
			value, ok = string(v), true
		}
	}
	return value, ok
}

// kinFile is the file in a run's own folder with the processes of the run that may still
// be alive: those that earlier processes of the run recorded, and those that its last one
// could not end. wfc checks whether a process that wants to answer is one of them.
const kinFile = "kin"

// KeepKin notes which descendants this process leaves behind, because it could not end them,
// when it stops working on the run of a folder. Those that are left are of interest only until
// the next boot, and a failure costs one of several checks, so it is ignored.
func KeepKin(dir string) {
	var text []byte
	for _, s := range adoptedSurvivors() {
		text = append(text, s.encodeLine()...)
	}
	if len(text) > 0 {
		_ = appendFile(filepath.Join(dir, kinFile), text)
	}
}

// Kin reports whether the processes of a run, whose own folder is dir, include this one
// or one of its ancestors: by the records of processes that the run started and left
// behind, by their sessions, and by their PID namespaces. It works even if the
// environment was changed or the processes in between have ended.
func Kin(dir string) bool {
	var known []survivor
	for _, name := range []string{recordFile, kinFile} {
		text, err := wholefile.Source.Read(filepath.Join(dir, name))
		if err == nil {
			known = append(known, parseRecords(text)...)
		}
	}
	if len(known) == 0 {
		return false
	}
	here, space := place(), Namespace()
	if here == "" {
		return false
	}
	line := Lineage()
	for _, s := range known {
		if s.Space != "" && s.Space == space && strings.HasPrefix(s.Identity, bootOf(here)+" ") {
			return true
		}
		start, local := strings.CutPrefix(s.Identity, here+" ")
		if !local {
			continue
		}
		for _, a := range line {
			if a.PID == s.PID && a.identity == s.Identity || a.session == s.PID && inSession(a, s, start) {
				return true
			}
		}
	}
	return false
}

// LeftBehind reports whether the processes of a run, whose own folder is dir, left
// others running, as far as that is known of this boot: they may be in any PID
// namespace by now.
func LeftBehind(dir string) bool {
	boot := bootOf(place()) + " "
	here := func(s survivor) bool { return boot != " " && strings.HasPrefix(s.Identity, boot) }
	if text, err := wholefile.Source.Read(filepath.Join(dir, recordFile)); err == nil && slices.ContainsFunc(parseUnended(text), here) {
		return true
	}
	text, err := wholefile.Source.Read(filepath.Join(dir, kinFile))
	return err == nil && slices.ContainsFunc(parseRecords(text), func(s survivor) bool { return s.RunID == "" && here(s) })
}

// Survivors returns the processes that run of those that the processes of a run recorded or
// left behind. dir is the run's own folder; no process works on the run.
func Survivors(dir string) []Leftover {
	var list []Leftover
	for _, name := range []string{recordFile, kinFile} {
		text, err := wholefile.Source.Read(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		for _, s := range parseUnended(text) {
			alive := []survivor{s}
			if s.Tag > 0 && s.isHere() {
				alive = withTag(s.Tag)
			}
			for _, p := range alive {
				known := slices.ContainsFunc(list, func(l Leftover) bool { return l.PID == p.PID })
				if id, err := processIdentity(p.PID); err == nil && id == p.Identity && !known && !hasProcessEnded(p.PID, id) {
					list = append(list, Leftover{PID: p.PID, RunID: s.RunID, Key: s.Key, Command: commandLine(p.PID)})
				}
			}
		}
	}
	return list
}

// inSession reports whether an ancestor's session is the one that a recorded
// process made: its number is not used again as long as the session has a member,
// but may have been before that.
func inSession(a Ancestor, s survivor, start string) bool {
	if leader, err := processIdentity(s.PID); err == nil {
		return leader == s.Identity
	}
	own := a.identity[strings.LastIndexByte(a.identity, ' ')+1:]
	x, err1 := strconv.ParseInt(own, 10, 64)
	y, err2 := strconv.ParseInt(start, 10, 64)
	return err1 == nil && err2 == nil && x >= y
}

// bootOf is the part of a place that identifies the boot.
func bootOf(place string) string {
	boot, _, _ := strings.Cut(place, " ")
	return boot
}

// Below reports whether this process descends from the one that has a mark.
func Below(mark string) bool {
	number, id := partsOf(mark)
	if id == "" {
		return false
	}
	for i, a := range Lineage() {
		if i > 0 && a.PID == number && a.identity == id {
			return true
		}
	}
	return false
}

// Elsewhere reports whether a process's mark says that it is of this boot of this
// machine, but in another PID namespace than this process: neither sees the other, so
// nobody can know whether one has started the other. It is false for the mark of another
// machine, or on systems without such namespaces.
func Elsewhere(mark string) bool {
	here := place()
	_, id := partsOf(mark)
	fields := strings.Fields(id)
	return here != "" && len(fields) == 3 && fields[0] == bootOf(here) && fields[0]+" "+fields[1] != here
}

// partsOf are a mark's number and identity; see Mark.
func partsOf(mark string) (pid int, id string) {
	number, rest, _ := strings.Cut(mark, " ")
	host, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return 0, ""
	}
	pid, err = strconv.Atoi(number)
	if err != nil {
		return 0, ""
	}
	return pid, strings.TrimPrefix(rest[len(host):], " ")
}

// Mark identifies this process among all processes of all machines and times. It is one
// line, or "" if this system does not give enough information.
func Mark() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	pid := os.Getpid()
	id, err := processIdentity(pid)
	if err != nil {
		return ""
	}
	return strconv.Itoa(pid) + " " + strconv.Quote(host) + " " + id
}

// Gone reports whether the process with a mark is known to have ended. That is never
// known for a process on another machine, or in another PID namespace of this one.
func Gone(mark string) bool {
	host, err := os.Hostname()
	if err != nil {
		return false
	}
	number, rest, _ := strings.Cut(mark, " ")
	id, here := strings.CutPrefix(rest, strconv.Quote(host)+" ")
	pid, err := strconv.Atoi(number)
	return err == nil && here && hasProcessEnded(pid, id)
}
