package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A RunError says that a run failed, was cancelled, reached a limit or paused; see
// Result.Status.
type RunError struct{ Result *Result }

// Call runs a workflow with typed inputs and outputs, as the Run functions of generated
// packages do. If the run did not complete, the error is a *RunError, and Out has the
// outputs that the run produced. Other errors are those of Engine.Run.
func Call[In, Out any](ctx context.Context, e *Engine, def *flow.Definition, in In, opts ...func(*Options)) (Out, error) {
	var out Out
	inputs, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("the inputs: %w", err)
	}
	var opt Options
	for _, set := range opts {
		set(&opt)
	}
	result, err := e.Run(ctx, def, inputs, opt)
	if err != nil {
		return out, err
	}
	if len(result.Outputs) > 0 {
		if err := json.Unmarshal(result.Outputs, &out); err != nil {
			return out, fmt.Errorf("the outputs of run %s: %w", result.ID, plain.JSONError(err, ""))
		}
	}
	if result.Status != flow.Completed {
		return out, &RunError{result}
	}
	return out, nil
}

func (e *RunError) Error() string {
	r := e.Result
	switch {
	case r.Error != "":
		return fmt.Sprintf("run %s %s: %s", r.ID, r.Status, r.Error)
	case r.Reason != "":
		return fmt.Sprintf("run %s is %s: %s", r.ID, r.Status, r.Reason)
	}
	return fmt.Sprintf("run %s is %s", r.ID, r.Status)
}
