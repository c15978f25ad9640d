package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// patience is how long a process that works on a run has to take an answer.
// Usually it does so within a second; one that was stopped takes it later.
const patience = 10 * time.Second

// replyDocument is what answering prints with --json when the run goes on
// elsewhere; otherwise the run's own document is printed.
type replyDocument struct {
	SchemaVersion int         `json:"schema_version"`
	Run           string      `json:"run_id"`
	Status        flow.Status `json:"status"`
	Key           string      `json:"node"`
	Choice        string      `json:"choice,omitempty"`
	Text          string      `json:"text,omitempty"`
	By            string      `json:"by"`
	From          string      `json:"from"`
	Given         time.Time   `json:"given"`
	// Taken says that the run has gone on with the answer, and Holder who works
	// on it.
	Taken  bool   `json:"taken"`
	Holder string `json:"holder,omitempty"`
}

// handOver leaves the run to the process that works on it, and reports false
// when there is none. With --no-resume it leaves it to nobody.
func (a *app) handOver(ctx context.Context, r *reply, given replied) (went bool, err error) {
	s, err := a.open(ctx, setup{})
	if err != nil {
		return false, err
	}
	defer s.store.Close()
	taken, holder, err := s.taken(ctx, given, r.noResume)
	if err != nil {
		return false, failed(err)
	}
	if !taken && holder == "" && !r.noResume {
		return false, nil
	}
	if a.json {
		kept, err := s.store.Run(ctx, given.Run)
		if err != nil {
			return false, failed(err)
		}
		return true, printJSON(a.streams.Out, replyDocument{
			SchemaVersion: schemaVersion, Run: given.Run, Status: kept.Status, Key: given.Key, Choice: given.Choice,
			Text: given.Text, By: given.By, From: given.From, Given: given.Given, Taken: taken, Holder: holder,
		})
	}
	switch {
	case r.quiet:
	case taken && holder != "":
		fmt.Fprintf(a.streams.Err, "the run goes on in %s\n", holder)
	case taken:
		fmt.Fprintf(a.streams.Err, "the run has gone on; see `%s`\n", a.command("status", given.Run)+a.stateHint())
	case holder != "":
		fmt.Fprintf(a.streams.Err, "the answer is recorded; %s works on the run and has not taken it yet\n", holder)
	default:
		fmt.Fprintf(a.streams.Err, "the answer is recorded; `%s` goes on with the run\n", a.command("resume", given.Run)+a.stateHint())
	}
	return true, nil
}

// taken waits until the process that works on the run has taken the answer, has
// gone, or has had its time; it does not wait when there is no hurry.
func (s *session) taken(ctx context.Context, given replied, noHurry bool) (taken bool, holder string, err error) {
	const poll = 20 * time.Millisecond
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		// Before the steps: a holder that goes away has committed what it took.
		holder, _ = s.engine.Holder(given.Run)
		steps, err := s.store.Steps(ctx, given.Run)
		if err != nil {
			return false, holder, err
		}
		for _, step := range steps {
			if step.Key == given.Key {
				taken = step.Status != flow.Waiting
			}
		}
		if taken || holder == "" || noHurry || time.Now().After(deadline) {
			return taken, holder, nil
		}
	}
}
