package tape

import (
	"context"
	"slices"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Performers returns performers of which those of programs record their results.
func (f *File) Performers(list []engine.Performer) []engine.Performer {
	list = slices.Clone(list)
	for i, p := range list {
		switch p.Kind() {
		case flow.Bash{}.Kind(), flow.Script{}.Kind():
			list[i] = recorded{p, f}
		}
	}
	return list
}

// A recorded performer records results before they count.
type recorded struct {
	engine.Performer
	file *File
}

// Perform implements engine.Performer. A result that was cancelled is not recorded: the
// resumed run performs the step again.
func (p recorded) Perform(ctx context.Context, call *engine.Call) flow.Result {
	r := p.Performer.Perform(ctx, call)
	if r.Status == flow.Cancelled {
		return r
	}
	if err := p.file.Program(call.Run.ID, call.Action.Key, call.Attempt, programOf(call.Action, r)); err != nil {
		call.Log.Warn("the result of the program was not recorded", "error", err.Error())
		if call.Warn != nil {
			call.Warn("the result was not recorded: " + err.Error())
		}
	}
	return r
}
