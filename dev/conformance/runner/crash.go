package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// crash repeats the job in the simulation, with the results that its actions had: once
// undisturbed, which ends as the job did, and once for each point at which a process could
// die, which ends in the same way.
func (f *family) crash(def *flow.Definition, end *FamilyEnd) {
	world := sim.World{
		Definition: def, Inputs: f.top.Info.Inputs, Answers: f.answers,
		Perform: func(a sim.Attempt) sim.Performance {
			if r, ok := f.calls.performed[actionID(a.Action, a.Number)]; ok {
				return sim.Performance{Result: r}
			}
			for _, run := range f.all { // what the engine did itself
				for _, s := range run.Steps {
					if s.Key == a.Key && s.Kind == a.Payload.Kind() {
						return sim.Performance{Result: s.Result()}
					}
				}
			}
			return sim.Performance{Result: flow.Result{Status: flow.Failed,
				Failure: &flow.Failure{Message: "the job did not perform " + actionID(a.Action, a.Number), Class: flow.ClassFatal}}}
		},
	}
	if err := f.same("", end.Run, sim.Run(world, 1)); err != nil {
		end.CrashFault = "undisturbed: " + err.Error()
		return
	}
	runs, err := sim.Explore(world, 1, 1, nil)
	end.Crashes = runs
	if err != nil {
		end.CrashFault = err.Error()
	}
}

// same returns the first difference between a run of the job and its simulation.
func (f *family) same(at string, run *FamilyRun, o *sim.Result) error {
	simulated := o
	if at != "" {
		if simulated = o.Children[at]; simulated == nil {
			return fmt.Errorf("run %s did not take place", at)
		}
	}
	if run.End.Status != simulated.End.Status {
		return fmt.Errorf("run %q ended as %s instead of %s: %s", at, simulated.End.Status, run.End.Status, simulated.End.Error)
	}
	places := f.places(f.top)
	shown := func(text string) string { return itemError.ReplaceAllString(places.Replace(text), "") }
	for _, want := range run.Steps {
		if got := simulated.Step(want.Key); got.Status != want.Status || shown(got.Text) != shown(want.Text) {
			return fmt.Errorf("run %q: step %s ended as %s %q instead of %s %q", at, want.Key, got.Status, got.Text, want.Status, want.Text)
		}
	}
	for _, child := range run.Children {
		if err := f.same(path.Join(at, child.Step), child, o); err != nil {
			return err
		}
	}
	return nil
}

// witnessed keeps the results of a performer.
type witnessed struct {
	engine.Performer
	calls *recorder
}

func (w *witnessed) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	r := w.Performer.Perform(ctx, call)
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	w.calls.performed[actionID(call.Action, call.Number)] = r
	return r
}

// values are the variables of a script without those of folders and ids.
func values(env []flow.Variable) []flow.Variable {
	return slices.DeleteFunc(slices.Clone(env), func(v flow.Variable) bool {
		return strings.HasSuffix(v.Name, "_DIR") || strings.HasSuffix(v.Name, "_ID") || strings.HasSuffix(v.Name, "_FILE")
	})
}

// itemError is the message of a failed item, which names the item's run.
var itemError = regexp.MustCompile(`"archon_failed":true,"error":"(?:[^"\\]|\\.)*"`)

// actionID identifies an attempt at an action in all runs of a family, without what
// depends on the folders of a run.
func actionID(a flow.Action, attempt int) string {
	var work any = a.Payload
	switch p := a.Payload.(type) {
	case flow.Prompt:
		work = []any{p.Text, p.Session}
	case flow.Bash:
		work = []any{p.Script, p.Bindings, values(p.Env)}
	case flow.Script:
		work = []any{p.Source, p.Bindings, values(p.Env)}
	}
	text, err := json.Marshal(work)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s %d %s %s", a.Key, attempt, a.Payload.Kind(), text)
}
