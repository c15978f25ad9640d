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
	"sync"
)

// EndUnrecorded ends the processes that an earlier process of a run had started
// when it died, but not yet recorded: between the two there is a moment, and a
// process that is missed acts beside its own repetition. keys are the steps that
// the journal says were running. Of those, processes count whose environment
// names the run and the step and whose group was never recorded; a group that
// was is left to EndSurvivors, or has ended and left something behind on
// purpose. It is called before EndSurvivors, and returns the keys of the steps
// for which it found something.
//
// Systems on which the environment of other processes cannot be read have
// nothing to go by, and nothing is ended there.
func EndUnrecorded(dir, runID string, keys []string) (ended []string, err error) {
	if len(keys) == 0 || runID == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for processes left running: %w", err)
	}
	known := recordedGroups(text)
	var work sync.WaitGroup
	for group, key := range markedGroups(runID, keys, known) {
		if !slices.Contains(ended, key) {
			ended = append(ended, key)
		}
		work.Go(func() { stopMarked(group, Owner{RunID: runID, Key: key}, defaultGrace) })
	}
	work.Wait()
	slices.Sort(ended)
	return ended, nil
}

// recordedGroups returns the groups that the records tell of, ended or not.
func recordedGroups(text []byte) map[int]bool {
	known := map[int]bool{}
	for line := range bytes.Lines(text) {
		var s survivor
		if json.Unmarshal(line, &s) == nil {
			known[s.PID] = true
		}
	}
	return known
}
