// Package inputs sets inputs of a generated workflow.
package inputs

import (
	"context"
	"encoding/json"

	"example.com/outside/greet"
	"github.com/wfc-lang/wfc/runtime/engine/local"
)

func all(ctx context.Context, e *local.Engine) (greet.Outputs, error) {
	return greet.Run(ctx, e, greet.Inputs{Who: "Ada", Arguments: "x"})
}

func missing(ctx context.Context, e *local.Engine) (greet.Outputs, error) {
	return greet.Run(ctx, e, greet.Inputs{Arguments: "x"}) // want "required input `Who` is not set"
}

func empty(ctx context.Context, e *local.Engine) (greet.Outputs, error) {
	return greet.Run(ctx, e, greet.Inputs{}) // want "required input `Who` is not set"
}

func variable(ctx context.Context, e *local.Engine) (greet.Outputs, error) {
	in := greet.Inputs{} // want "required input `Who` is not set"
	in.Arguments = "x"
	return greet.Run(ctx, e, in)
}

func zero(ctx context.Context, e *local.Engine) (greet.Outputs, error) {
	var in greet.Inputs // want "required input `Who` is not set"
	return greet.Run(ctx, e, in)
}

func later(ctx context.Context, e *local.Engine) (greet.Outputs, error) {
	in := greet.Inputs{Arguments: "x"}
	in.Who = "Ada"
	return greet.Run(ctx, e, in)
}

func decoded(ctx context.Context, e *local.Engine, text []byte) (greet.Outputs, error) {
	var in greet.Inputs
	if err := json.Unmarshal(text, &in); err != nil {
		return greet.Outputs{}, err
	}
	return greet.Run(ctx, e, in)
}

func returned(read func() greet.Inputs) greet.Inputs {
	var in greet.Inputs
	in = read()
	return in
}

func document(ctx context.Context, e *local.Engine) error {
	_, err := e.RunAsync(ctx, &greet.Workflow, nil, local.Options{}) // want `required input "who" is missing in the JSON object`
	if err != nil {
		return err
	}
	_, err = e.RunAsync(ctx, &greet.Workflow, json.RawMessage(`{"who": "Ada", "tune": "warm"}`), local.Options{}) // want `the workflow has no input "tune"`
	if err != nil {
		return err
	}
	_, err = e.RunAsync(ctx, &greet.Workflow, json.RawMessage(`{"who": "Ada"}`), local.Options{})
	return err
}
