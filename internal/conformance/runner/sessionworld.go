package runner

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/runtime/deliver/target"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// attendIn does a job that has a session in a world.
func attendIn(world NewWorld, job *Job, def *flow.Definition, dir string, out *Outcome) error {
	if os.Getenv(ServerVariable) != "" {
		slow(job)
	}
	var transcript bytes.Buffer
	agents, err := prompts(job, def, &transcript)
	if err != nil {
		return err
	}
	out.Session = &SessionEnd{}
	w := &witness{Performer: agents, unreachable: job.Session.Unreachable}
	return errors.Join(visitWorld(world, w, job, def, dir, out.Session), turns(transcript.Bytes(), out))
}

// slower is by how much the times of a session are longer on a server. Sessions are decided
// by milliseconds, and a step takes more of them there.
const slower = 50

// slow makes the times of a session longer.
func slow(job *Job) {
	job.Replies = delay.ReplaceAllFunc(job.Replies, func(m []byte) []byte {
		ms, err := strconv.ParseFloat(string(delay.FindSubmatch(m)[1]), 64)
		if err != nil {
			return m
		}
		return fmt.Appendf(nil, `"delayMs":%g`, slower*ms)
	})
	if job.Session.CancelAfter > 0 {
		job.Session.CancelAfter *= slower
	}
}

var delay = regexp.MustCompile(`"delayMs":([0-9.]+)`)

// visitWorld does in a world what visit does on the engine of this machine.
func visitWorld(world NewWorld, w *witness, job *Job, def *flow.Definition, dir string, end *SessionEnd) error {
	s := job.Session
	info := &flow.RunInfo{
		ID: "run-1" + job.mark, Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: job.Inputs, WorkDir: dir,
		ArtifactsDir: filepath.Join(dir, "artifacts"), LogDir: filepath.Join(dir, "log"), DeliverTo: def.DeliverTo,
	}
	if s.Resolve {
		info.DeliverTo = target.Resolve(def.DeliverTo, s.Key, s.Defaults)
	}
	run := &enginetest.Run{Definition: def, Info: info, Dir: filepath.Join(dir, "state"), Environ: os.Environ(), Performers: []engine.Performer{w, (*mailbox)(w)}}
	var at World = world(run)
	if os.Getenv(ServerVariable) == "" {
		// What the run no longer waits for ends within the hour, which takes no time here.
		defer time.Sleep(time.Hour)
	}
	defer at.Close()
	at.Limit(cmp.Or(s.MaxParallel, def.Concurrency))
	var cancel *time.Timer
	if s.CancelAfter >= 0 {
		cancel = time.AfterFunc(s.CancelAfter, func() { at.Cancel("user") })
		defer cancel.Stop()
	}
	var err error
	if end.First, err = w.lookIn(at, run); err != nil || !s.Resume {
		return err
	}
	if end.First.Status == flow.Completed {
		end.ResumeError = "the run has completed"
		return nil
	}
	end.Last, err = w.lookIn(at, run)
	return err
}

// lookIn has a world work on a run, and returns what came of it.
func (w *witness) lookIn(world World, run *enginetest.Run) (*RunState, error) {
	end, err := world.Process()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Warnings = nil
	for _, e := range world.Events() {
		if e.Type == "warning" {
			w.seen.Warnings = append(w.seen.Warnings, e.Message)
		}
	}
	return &RunState{
		Status: end.Status, Workflow: run.Info.Workflow, Error: end.Error, Started: true, ListStarted: true,
		Finished: end.Status.Ended(), Records: run.Steps, Seen: w.seen,
	}, nil
}
