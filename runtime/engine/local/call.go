package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A RunError says that a run ended otherwise than completed.
type RunError struct{ Result *Result }

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

// Call runs a workflow with typed inputs and outputs; the Run functions of
// generated packages are made of it. The error is a *RunError when the run did
// not complete; the outputs that it has are returned all the same.
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
