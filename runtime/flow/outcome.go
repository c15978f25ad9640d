package flow

import "github.com/wfc-lang/wfc/runtime/internal/kernel"

// Outcome adds the author's verdict to err, the end of the workflow as Settle returns it. The
// verdict is "succeeded" if achieved returns true for the output of result, and "failed"
// otherwise; see RunEnd.Outcome. The returned error has both, so it is not nil even if err is
// nil and the verdict is "succeeded"; return it from the flow unchanged. If result did not
// complete, Outcome returns err.
func Outcome[T any](err error, result *Task[T], achieved func(T) bool) error {
	if result.State() != Completed || result.doubt != nil && result.doubt.unknown != nil {
		return err
	}
	verdict := kernel.OutcomeFailed
	if achieved(result.out.Value) {
		verdict = kernel.OutcomeSucceeded
	}
	return &kernel.OutcomeError{Outcome: verdict, Err: err}
}

// Evidence is the payload of the check that the run has left the file evidence.json in its
// folder for artifacts. Engines perform it themselves.
type Evidence struct{}

// Kind implements Payload.
func (Evidence) Kind() string { return "evidence" }

// Repeatable lets an engine repeat an interrupted check; see Payload.
func (Evidence) Repeatable() {}

// RequireEvidence fails a workflow that completed without evidence. err is the end of the
// workflow as Settle returns it; if it is not nil nothing is checked. The check is the step
// /evidence, so a resumed run checks again until it succeeds.
func RequireEvidence(c *Context, err error) error {
	if err != nil {
		return err
	}
	f := c.engine.Do(Action{Key: evidence, Payload: Evidence{}})
	if err := c.engine.AwaitEnded(f); err != nil {
		return err
	}
	switch r := f.Result(); r.Status {
	case Completed:
		return nil
	case Cancelled:
		return ErrCancelled
	default:
		return r.Failure
	}
}

// evidence is the key of the check of the evidence. No node has a key with a slash in
// front.
const evidence = "/evidence"
