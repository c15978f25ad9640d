package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// The variables with the run and the step for which a program works: an idempotency key
// for its external effects.
const (
	runIDVariable   = "WFC_RUN_ID"
	stepKeyVariable = "WFC_STEP_KEY"
)

// recordFile is the file of records in a run's own folder: one line for each
// process when it starts and one when it has ended. Lines are appended because
// making and removing a file for each process costs about as much as starting
// a small program.
const recordFile = "procs"

// A survivor is a line about a process, in JSON.
type survivor struct {
	// PID is the number of the process and of its group.
	PID int    `json:"pid"`
	Key string `json:"key"`
	// Ended says that the process has ended; then the rest is empty.
	Ended bool `json:"ended,omitempty"`
	// Identity distinguishes the process from others of the same number.
	Identity string `json:"identity,omitempty"`
	RunID    string `json:"run_id,omitempty"`
	// Space is the PID namespace of the process when that is another than the
	// recording one's.
	Space string `json:"space,omitempty"`
	// Tag is that of the process's command, or 0; see tag_linux.go.
	Tag uint64 `json:"tag,omitempty"`
}

// encodeLine returns the line in the file.
func (s *survivor) encodeLine() []byte {
	text, _ := json.Marshal(s) // numbers and strings have a JSON form
	return append(text, '\n')
}

// A record is what the records' file says of a process that runs.
type record struct {
	path string
	line survivor
}

// writeRecord records a process that has just been started. A failure is
// ignored: the record matters only if this process dies before the other, and
// giving up the step for it would do more harm.
func writeRecord(o Owner, pid int, tag uint64, born birth) *record {
	if o.Dir == "" {
		return nil
	}
	id, err := identityOf(pid, born)
	if err != nil {
		return nil
	}
	r := &record{path: filepath.Join(o.Dir, recordFile), line: survivor{PID: pid, Key: o.Key, Identity: id, RunID: o.RunID, Tag: tag}}
	if r.appendLine() != nil {
		return nil
	}
	return r
}

// markEnded notes the end of the process. If that fails, the process's identity still
// distinguishes it from others.
func (r *record) markEnded() {
	if r != nil {
		r.line = survivor{PID: r.line.PID, Key: r.line.Key, Ended: true}
		_ = r.appendLine()
	}
}

func (r *record) appendLine() error {
	text := r.line.encodeLine()
	err := appendFile(r.path, text)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(r.path), 0o700); err == nil {
			err = appendFile(r.path, text)
		}
	}
	return err
}

// WriteFile writes a file that only its owner can read, and creates its folder
// first when that is missing.
func WriteFile(path string, content []byte) error {
	err := os.WriteFile(path, content, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
	}
	return err
}

// EndSurvivors ends the processes that an earlier process of a run left running
// when it died, and returns the keys of their steps. dir is the run's own
// folder; it must have no other live holder. Only processes are ended that are
// certainly those that were recorded, or, where the recorded one has gone,
// members of its group whose environment names the run and the step. It returns
// once they are gone; those that ignore being asked are killed after 5 s.
func EndSurvivors(dir string) (ended []string, err error) {
	return endSurvivors(dir, defaultGrace)
}

func endSurvivors(dir string, grace time.Duration) (ended []string, err error) {
	path := filepath.Join(dir, recordFile)
	text, err := wholefile.Source.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find processes left running: %w", err)
	}
	var work sync.WaitGroup
	open := parseUnended(text)
	met := make([]bool, len(open))
	for i, s := range open {
		work.Go(func() { met[i] = s.endCommand(grace) })
	}
	work.Wait()
	for i, s := range open {
		if met[i] {
			ended = append(ended, s.Key)
		}
	}
	_ = appendFile(filepath.Join(dir, kinFile), text) // see Kin
	if err := os.Remove(path); err != nil {
		return ended, fmt.Errorf("forget processes left running: %w", err)
	}
	return ended, nil
}

// parseLines returns the lines of records. It skips lines that were not written to
// their end.
func parseLines(text []byte) []survivor {
	var list []survivor
	for line := range bytes.Lines(text) {
		var s survivor
		if json.Unmarshal(line, &s) == nil {
			list = append(list, s)
		}
	}
	return list
}

// parseRecords returns the recorded processes, ended or not.
func parseRecords(text []byte) []survivor {
	return slices.DeleteFunc(parseLines(text), func(s survivor) bool { return s.PID <= 1 || s.Identity == "" })
}

// parseUnended returns the processes without a recorded end, in the order in which
// they started.
func parseUnended(text []byte) []survivor {
	var open []survivor
	for _, s := range parseLines(text) {
		if s.PID <= 1 {
			continue
		}
		same := func(other survivor) bool { return other.PID == s.PID && other.Key == s.Key }
		if open = slices.DeleteFunc(open, same); !s.Ended {
			open = append(open, s)
		}
	}
	return open
}

// endCommand ends what is left of the survivor's command, and reports whether that was anything.
func (s *survivor) endCommand(grace time.Duration) (met bool) {
	if s.Tag > 0 && s.isHere() {
		return endTag(s.Tag, grace)
	}
	if id, err := processIdentity(s.PID); err == nil && id == s.Identity {
		met = isGroupAlive(s.PID)
		stopGroup(s.PID, grace, nil)
		return met
	}
	return s.RunID != "" && endMarked(s.PID, Owner{RunID: s.RunID, Key: s.Key}, grace)
}

// isHere reports whether the process was recorded in this boot and this PID namespace.
func (s *survivor) isHere() bool {
	return place() != "" && strings.HasPrefix(s.Identity, place()+" ")
}

// endMarked ends the members of a group that work for the owner, one by one: the group's
// number may belong to others by now. It reports whether there were any.
func endMarked(group int, o Owner, grace time.Duration) (met bool) {
	endAll(func() []survivor { return markedMembers(group, o) }, grace, func(survivor) { met = true })
	return met
}

// EndUnrecorded ends the processes that an earlier process of a run had started but not
// yet recorded when it died: otherwise they would act beside their own repetition. keys
// are the steps that the journal says were running. It ends processes whose environment
// names the run and one of the steps and whose group was never recorded; a recorded group
// is left to EndSurvivors, or has ended and left processes behind on purpose. It is
// called before EndSurvivors, and returns the keys of the steps with such processes.
//
// It ends nothing on systems where the environment of other processes cannot be read.
func EndUnrecorded(dir, runID string, keys []string) (ended []string, err error) {
	if len(keys) == 0 || runID == "" {
		return nil, nil
	}
	text, err := wholefile.Source.Read(filepath.Join(dir, recordFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find processes left running: %w", err)
	}
	known := map[int]bool{}
	for _, s := range parseLines(text) {
		known[s.PID] = true
	}
	for looks := 0; looks < 2; looks++ { // one that ends may have started another one meanwhile
		var work sync.WaitGroup
		for group, key := range markedGroups(runID, keys, known) {
			looks, known[group] = -1, true
			ended = plain.AddNew(ended, key)
			work.Go(func() { endMarked(group, Owner{RunID: runID, Key: key}, defaultGrace) })
		}
		work.Wait()
	}
	slices.Sort(ended)
	return ended, nil
}

// KillSurvivors ends at once every process that is recorded in a run's own
// folder, its own of this process included: it is for a program that is about
// to end without waiting for its steps.
func KillSurvivors(dir string) { _, _ = endSurvivors(dir, 0) }
