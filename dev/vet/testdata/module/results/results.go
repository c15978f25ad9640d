// Package results looks at runs of a generated workflow.
package results

import (
	"context"
	"fmt"

	"example.com/outside/greet"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

func dropped(ctx context.Context, e *local.Engine, in greet.Inputs) {
	greet.Run(ctx, e, in)           // want `the error of greet.Run is dropped`
	out, _ := greet.Run(ctx, e, in) // want `the error of greet.Run is dropped`
	fmt.Println(out)
	go greet.Run(ctx, e, in)                // want `the error of greet.Run is dropped; call it in a function that checks the error`
	e.Cancel(ctx, "id", "me")               // want `the error of Engine.Cancel is dropped`
	_ = e.Answer(ctx, "id", store.Answer{}) // want `the error of Engine.Answer is dropped`
	e.ResumeAll(ctx, nil)                   // want `the error of Engine.ResumeAll is dropped`
	defer e.Shutdown(ctx)                   // programs defer it
}

func status(ctx context.Context, e *local.Engine) (string, error) {
	_, err := e.Run(ctx, &greet.Workflow, []byte(`{"who":"a"}`), local.Options{}) // want `the status of Engine.Run is dropped: it returns no error for a run that failed or paused`
	if err != nil {
		return "", err
	}
	res, err := e.Resume(ctx, &greet.Workflow, "id", local.Options{}) // want `the status of Engine.Resume is not checked: it returns no error for a run that failed or paused`
	if err != nil || res == nil {
		return "", err
	}
	return string(res.Outputs), nil
}

func looked(ctx context.Context, e *local.Engine) (*local.Result, error) {
	res, err := e.Run(ctx, &greet.Workflow, []byte(`{"who":"a"}`), local.Options{})
	if err != nil {
		return nil, err
	}
	if res.Status != flow.Completed {
		return nil, fmt.Errorf("the run is %s", res.Status)
	}
	next, err := e.Resume(ctx, &greet.Workflow, res.ID, local.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := e.Wait(ctx, next.ID); err != nil {
		return nil, err
	}
	return next, nil
}
