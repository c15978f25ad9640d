package schedule

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// memoryVersion is the version of the file. It grows when a field changes its
// meaning or goes away.
const memoryVersion = 1

// A Memory keeps the state of a schedule for a later process: the last handled time, from
// which the missed times follow, and the runs at work.
type Memory struct {
	SchemaVersion int       `json:"schema_version"`
	Schedule      string    `json:"schedule"`
	Last          time.Time `json:"last,omitzero"`
	Runs          []string  `json:"runs,omitempty"`

	mu   sync.Mutex
	path string // of the file
}

// File is a file of a workflow's schedule in the state folder.
func File(f state.Folder, workflow, ending string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, workflow)
	return filepath.Join(f.Path, "schedules", safe[:min(len(safe), 60)]+"-"+runid.Hash(10, workflow)+ending)
}

// Path returns the path of the file.
func (m *Memory) Path() string { return m.path }

// Recall reads the memory of an earlier process. If that had another schedule, no times
// were missed.
func Recall(path, schedule string) (*Memory, error) {
	m := &Memory{}
	if err := wholefile.ReadJSON(path, "the saved state of the schedule", m); err != nil {
		return nil, err
	}
	if m.Schedule != schedule || m.Last.IsZero() {
		m.Last = time.Now().Round(0)
	}
	m.SchemaVersion, m.Schedule, m.path = memoryVersion, schedule, path
	return m, m.saveFile()
}

// Keep keeps the last handled time.
func (m *Memory) Keep(last time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Last = last
	return m.saveFile()
}

// Now is the moment behind which nothing was dealt with: the present, or the last
// time when the clock is behind that.
func (m *Memory) Now() time.Time {
	if now := time.Now(); now.After(m.Last) {
		return now
	}
	return m.Last
}

// Begun keeps that a run has begun.
func (m *Memory) Begun(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Runs = plain.AddNew(m.Runs, id)
	_ = m.saveFile() // a run that is not resumed by itself is resumed by hand
}

// Over keeps that a run is over.
func (m *Memory) Over(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Runs = slices.DeleteFunc(m.Runs, func(run string) bool { return run == id })
	_ = m.saveFile()
}

// Left returns the runs that were at work when the process before ended.
func (m *Memory) Left() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.Runs)
}

func (m *Memory) saveFile() error { return wholefile.WriteJSON(m.path, m) }
