package flow

import (
	"errors"
	"fmt"
)

// A branch is a branch of a parallel: a step that runs beside others, and how it
// ended.
type branch[N ~string] struct {
	step   *Step[N]
	ending Ending
	err    error
}

// fork runs the branches of a visit, at most as many at once as the limits say,
// and waits for all of them.
func (w *Walk[N]) fork(v *Visit[N]) ([]branch[N], error) {
	places := NewLimit(w.limits.Parallel)
	list := make([]branch[N], len(v.Branches))
	ends := make([]*Future, len(v.Branches))
	for i := range v.Branches {
		b := &list[i]
		b.step = &v.Branches[i]
		w.entered++
		key := fmt.Sprintf("%s@%d", b.step.Node, w.entered)
		end := w.c.engine.NewFuture()
		ends[i] = end
		w.c.engine.Spawn(nil, func(e Engine) {
			b.ending, b.err = w.branch(w.contextAt(e, key, b.step.Node, b.step.Timeout, b.step.Retry), b.step, places, v.OnFailure != "")
			end.Settle(Result{Status: Completed})
		})
	}
	if err := w.c.engine.Await(Ended, ends...); err != nil {
		return nil, err
	}
	for _, b := range list {
		var stop *StopError
		if errors.Is(b.err, ErrCancelled) || errors.As(b.err, &stop) {
			return nil, b.err
		}
	}
	return list, nil
}

// branch runs one branch. A failure that the parallel goes on after is journalled
// as one that is over.
func (w *Walk[N]) branch(c *Context, s *Step[N], places *Limit, goesOn bool) (Ending, error) {
	leave, err := places.Enter(c)
	if err != nil {
		return Ending{}, err
	}
	defer leave()
	e, err := w.run(c, s, nil, "")
	var f *Failure
	if goesOn && errors.As(err, &f) {
		c.overlook(f)
	}
	return e, err
}

// failed returns the first failure among branches.
func failed[N ~string](list []branch[N]) error {
	for _, b := range list {
		if b.err != nil {
			f := *asFailure(b.err)
			f.Message = fmt.Sprintf("branch '%s' failed: %s", b.step.Node, f.Message)
			return &f
		}
	}
	return nil
}
