package process

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
)

// tagRoom is the number of tags of one process.
const tagRoom = 1_000_000

// owners are the steps for which this process has started commands, by their tags.
var owners = struct {
	sync.Mutex
	last uint64 // the number of the last tag
	of   map[uint64]*owned
}{of: map[uint64]*owned{}}

// An owned tag is that of a command, whose own process may have ended.
type owned struct {
	Owner
	running bool
}

// maxOwned limits the memory for commands that have ended.
const maxOwned = 1 << 16

// newTag returns a tag for a command of a step, or 0 where there are none.
func newTag(o Owner) uint64 {
	base := tagBase()
	if base == 0 {
		return 0
	}
	owners.Lock()
	defer owners.Unlock()
	if len(owners.of) >= maxOwned {
		maps.DeleteFunc(owners.of, func(_ uint64, o *owned) bool { return !o.running })
	}
	for {
		owners.last = (owners.last + 1) % tagRoom
		if tag := base + owners.last; owners.of[tag] == nil {
			owners.of[tag] = &owned{o, true}
			return tag
		}
	}
}

func forgetTag(tag uint64) {
	owners.Lock()
	defer owners.Unlock()
	delete(owners.of, tag)
}

// markTagEnded notes that a command has ended. What it has started may still run.
func markTagEnded(tag uint64) {
	owners.Lock()
	defer owners.Unlock()
	if o := owners.of[tag]; o != nil && o.RunID != "" {
		o.running = false
	} else {
		delete(owners.of, tag)
	}
}

// isOwned reports whether a tag is that of a command that runs, or of a run that is not
// released.
func isOwned(tag uint64) bool {
	owners.Lock()
	defer owners.Unlock()
	return owners.of[tag] != nil
}

// A Leftover is a process that a step left running when its command had ended.
type Leftover struct {
	PID int
	// RunID and Key are the step, or "" if that is unknown.
	RunID, Key string
	// Command is the command line.
	Command string
	// Ended says that the process runs no longer.
	Ended bool
}

// EndLeftovers ends the processes that the steps of a run and of its children have left
// running, and returns them once they are gone. It asks them to end, and kills them after 5 s;
// those of other users it cannot end. A process that has adopted orphans finds all of its
// descendants, and when it works on no other run, it ends those of unknown origin, too. Any
// other process finds those with the tags of the run, and so none on systems without tags.
func EndLeftovers(run string) []Leftover {
	tags, alone := releaseTags(run)
	if len(tags) == 0 && !alone {
		return nil
	}
	var list []Leftover
	left := endAll(func() []survivor { return liveLeftovers(tags, alone) }, defaultGrace, func(s survivor) {
		l := Leftover{PID: s.PID, Command: commandLine(s.PID), Ended: true}
		if o := tags[s.Tag]; o != nil {
			l.RunID, l.Key = o.RunID, o.Key
		}
		list = append(list, l)
	})
	for i, l := range list {
		list[i].Ended = !slices.ContainsFunc(left, func(s survivor) bool { return s.PID == l.PID })
	}
	return list
}

// releaseTags takes the tags of a run and its children out of the owners, and reports whether
// none are left there.
func releaseTags(run string) (tags map[uint64]*owned, alone bool) {
	owners.Lock()
	defer owners.Unlock()
	tags = map[uint64]*owned{}
	for tag, o := range owners.of {
		if !o.running && (o.RunID == run || strings.HasPrefix(o.RunID, runid.Head(run)+runid.ChildMark)) {
			tags[tag] = o
			delete(owners.of, tag)
		}
	}
	return tags, len(owners.of) == 0
}

// killTime is how long processes may take to end that were killed.
const killTime = 2 * time.Second

// endAll ends the processes that find finds, until it finds none twice: the last one may have
// started another one while it looked, and ended. It asks them to end, and kills those that are
// left after the grace. meet is called with each one before that. It
// returns those that cannot be ended.
func endAll(find func() []survivor, grace time.Duration, meet func(survivor)) []survivor {
	met, stopped := map[string]bool{}, map[string]bool{}
	patience := time.Now().Add(grace)
	for quiet := false; ; {
		list := find()
		now := time.Now()
		if len(list) == 0 && quiet || now.After(patience.Add(killTime)) {
			return list
		}
		if quiet = len(list) == 0; quiet {
			continue
		}
		moves := false
		for _, s := range list {
			if id := strconv.Itoa(s.PID) + " " + s.Identity; !met[id] {
				met[id] = true
				meet(s)
				s.sendSignal(syscall.SIGTERM)
			}
		}
		if now.After(patience) {
			// A stopped process starts no others, so nothing escapes from a second look.
			for _, s := range list {
				if id := strconv.Itoa(s.PID) + " " + s.Identity; !stopped[id] {
					stopped[id], moves = true, true
					s.suspendProcess()
				}
			}
			for _, s := range list {
				if !moves {
					s.sendSignal(syscall.SIGKILL)
				}
			}
		}
		if !moves {
			time.Sleep(lookAgain)
		}
	}
}

// endTag ends the processes with a tag, and reports whether there were any.
func endTag(tag uint64, grace time.Duration) (met bool) {
	if tag > 0 {
		endAll(func() []survivor { return withTag(tag) }, grace, func(survivor) { met = true })
	}
	return met
}

// sendSignal sends a signal to the process, but to no other one that has its number by now.
func (s *survivor) sendSignal(sig syscall.Signal) {
	p, err := os.FindProcess(s.PID)
	if err != nil {
		return
	}
	defer p.Release()
	if id, err := processIdentity(s.PID); err == nil && id == s.Identity {
		_ = p.Signal(sig) // it may have ended
	}
}
