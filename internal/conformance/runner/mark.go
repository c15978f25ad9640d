package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// mark is a part of the ids of the runs of a job.
func mark(job int) string { return fmt.Sprintf("-job%06d", job) }

// unmark gives the runs of a job the ids that they have without other jobs.
func unmark(out *Outcome, job int) {
	text, err := json.Marshal(out)
	if err == nil {
		plain := Outcome{}
		if err = json.Unmarshal(bytes.ReplaceAll(text, []byte(mark(job)), nil), &plain); err == nil {
			*out = plain
		}
	}
	if err != nil {
		out.Error = err.Error()
	}
}
