package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// The variables that tell a program for which step of which run it works: an
// idempotency key for what it does elsewhere.
const (
	runIDVariable   = "WFC_RUN_ID"
	stepKeyVariable = "WFC_STEP_KEY"
)

// recordDir is the folder of records in a run's own folder.
const recordDir = "procs"

// A survivor is the content of a record.
type survivor struct {
	PID int `json:"pid"`
	// Group is the process group.
	Group int `json:"group"`
	// Identity tells the leader from other processes of the same number.
	Identity string `json:"identity"`
	RunID    string `json:"run_id"`
	Key      string `json:"key"`
}

// A record is the file that tells of a process that runs.
type record struct{ path string }

// writeRecord records a process that has just been started. A failure is
// ignored: the record matters only if this process dies before the other, and
// giving up the step for it would do more harm.
func writeRecord(o Owner, pid int) *record {
	if o.Dir == "" {
		return nil
	}
	id, err := identity(pid)
	if err != nil {
		return nil
	}
	content, err := json.Marshal(survivor{PID: pid, Group: pid, Identity: id, RunID: o.RunID, Key: o.Key})
	if err != nil {
		return nil
	}
	path := filepath.Join(o.Dir, recordDir, FileName(o.Key))
	if WriteFile(path, content) != nil {
		return nil
	}
	return &record{path}
}

func (r *record) remove() {
	if r != nil {
		_ = os.Remove(r.path)
	}
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
	folder := filepath.Join(dir, recordDir)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for processes left running: %w", err)
	}
	var errs []error
	var work sync.WaitGroup
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		s, err := readRecord(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s != nil {
			if stop := s.stopper(grace); stop != nil {
				ended = append(ended, s.Key)
				work.Go(stop)
			}
		}
		if err := os.Remove(path); err != nil {
			errs = append(errs, err)
		}
	}
	work.Wait()
	return ended, errors.Join(errs...)
}

// readRecord returns nil for a record that was not completely written: its
// writer died before the process did anything.
func readRecord(path string) (*survivor, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("look for processes left running: %w", err)
	}
	var s survivor
	if json.Unmarshal(content, &s) != nil || s.PID <= 1 || s.Group <= 1 {
		return nil, nil
	}
	return &s, nil
}

// stopper returns what ends the survivor, or nil when nothing of it is left.
func (s *survivor) stopper(grace time.Duration) func() {
	if id, err := identity(s.PID); err == nil && id == s.Identity {
		if !alive(s.Group) {
			return nil
		}
		return func() { stopGroup(s.Group, grace, nil) }
	}
	owner := Owner{RunID: s.RunID, Key: s.Key}
	if s.RunID == "" || len(marked(s.Group, owner)) == 0 {
		return nil
	}
	return func() { stopMarked(s.Group, owner, grace) }
}

// stopMarked ends the members of a group that work for the owner, one by one:
// the group's number may belong to others by now.
func stopMarked(group int, o Owner, grace time.Duration) {
	signal := func(sig syscall.Signal) (left bool) {
		for _, pid := range marked(group, o) {
			left = true
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Signal(sig)
				_ = p.Release()
			}
		}
		return left
	}
	signal(syscall.SIGTERM)
	for deadline := time.Now().Add(grace); time.Now().Before(deadline); time.Sleep(lookAgain) {
		if len(marked(group, o)) == 0 {
			return
		}
	}
	signal(syscall.SIGKILL)
}
