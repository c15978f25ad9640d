package graphfiles

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// State files come in three spellings. wfc writes the keys of the format's
// description; the scripts that came before it wrote the same keys with _ in
// front, and counted the node that runs as an iteration; a third kind has the
// variables beside the other keys. One reader takes all of them: the _ goes, and
// a key that nobody knows is a variable if the workflow has one of that name.

// saved is the content of a state file.
type saved struct {
	Workflow    string
	Version     string
	TaskName    string `json:"task_name"`
	CurrentNode string `json:"current_node"`
	Next        string
	Iteration   json.RawMessage
	StartedAt   string `json:"started_at"`
	LastUpdated string `json:"last_updated"`
	UpdatedAt   string `json:"updated_at"`
	Status      string
	Mode        string
	ExitReason  string                     `json:"exit_reason"`
	Executed    []string                   `json:"nodes_executed"`
	Outputs     map[string]*string         `json:"outputs"`
	Variables   map[string]json.RawMessage `json:"variables"`
	Usage       struct {
		Minutes *float64 `json:"time_elapsed_minutes"`
		CostUSD float64  `json:"estimated_cost_dollars"`
	}
	Limits   limits
	Warnings []string
	Promise  string `json:"completion_promise"`
	RunID    string `json:"run_id"`
	Hash     string `json:"workflow_sha256"`

	// rest are the other keys.
	rest map[string]json.RawMessage
	// script says that a script wrote the file, with _ in front of its keys.
	script bool
}

// known are the keys that are never variables, even if the workflow has variables of
// these names.
var known = []string{
	"workflow", "version", "task_name", "current_node", "next", "iteration", "started_at", "last_updated", "updated_at", "status", "mode",
	"exit_reason", "nodes_executed", "outputs", "variables", "usage", "limits", "warnings", "completion_promise", "run_id", "workflow_sha256",
	"success", "last_output", "completed_at", "history",
}

// readState reads a state file.
func readState(path string) (*saved, error) {
	content, err := wholefile.Output.Read(path)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(content, &object); err != nil {
		return nil, fmt.Errorf("%s is not a JSON object: %w", path, plain.JSONError(err, string(content)))
	} else if object == nil {
		return nil, fmt.Errorf("%s is not a JSON object", path)
	}
	s := &saved{rest: map[string]json.RawMessage{}}
	keys := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		key := strings.TrimPrefix(name, "_")
		_, bare := object[key]
		switch {
		case key != name && key == "current_node":
			s.script = !bare
			fallthrough
		case slices.Contains(known, key):
			if key == name || !bare {
				keys[key] = object[name]
			}
		default:
			s.rest[name] = object[name]
		}
	}
	whole, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(whole, s); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = fmt.Errorf("`%s` is a JSON %s", wrong.Field, wrong.Value)
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

// nextNode is the node that comes next, "" for the end.
func (s *saved) nextNode() string {
	next := cmp.Or(s.Next, s.CurrentNode)
	if next == end {
		return ""
	}
	return next
}

// countEnded is how many nodes have ended.
func (s *saved) countEnded() (int, error) {
	if len(s.Iteration) == 0 {
		return len(s.Executed), nil
	}
	n, err := strconv.ParseInt(string(s.Iteration), 10, 32)
	switch {
	case err != nil || n < 0:
		return 0, fmt.Errorf("`iteration` is %s, which is not a number of nodes", s.Iteration)
	case s.script && len(s.Executed) > 0:
		return len(s.Executed), nil
	case s.script:
		return max(0, int(n)-1), nil
	}
	return int(n), nil
}

// isCompleted reports whether the run has ended at its end.
func (s *saved) isCompleted() bool { return s.Status == "completed" || s.Mode == "completed" }

// isHalted reports whether a limit ended the run.
func (s *saved) isHalted() bool {
	return strings.EqualFold(s.Status, "limit_reached") || s.Mode == "limit_reached"
}

// startTime is when the run began, or the zero time when that cannot be read.
func (s *saved) startTime() time.Time { return parseTime(s.StartedAt) }

// elapsedTime is how long the run had taken.
func (s *saved) elapsedTime() time.Duration {
	if m := s.Usage.Minutes; m != nil && *m > 0 {
		return time.Duration(*m * float64(time.Minute))
	}
	last := parseTime(s.LastUpdated)
	if last.IsZero() {
		last = parseTime(s.UpdatedAt)
	}
	if begun := s.startTime(); s.Usage.Minutes == nil && !begun.IsZero() && last.After(begun) {
		return last.Sub(begun)
	}
	return 0
}

func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// stateFileOf is the state file that a path means: a folder's, or the file
// itself.
func stateFileOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return path
	}
	return filepath.Join(path, stateFile)
}
