package testrun

import (
	"errors"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A disturbance repeats the run of a test: with a process that dies at a point, or with
// another order of ready steps. Stand-ins then give each step the same results as in the
// first run, in any order and number of requests; programs really run again. The end of
// the run and of every step must not change.
type disturbance struct {
	// results are the results of actions in the first run, by address, in order. The
	// action of a program that ran has none.
	results map[string][]played
	// crash is the point at which the process dies; 0 is none.
	crash int
	// seed is the seed of the order; 0 keeps the order of the first run.
	seed uint64
}

// A played action has its result, and the files that its agent wrote.
type played struct {
	sim.Performance
	files testfile.Entries[string]
}

// replayedResult returns the result that a step had in the first run.
func (w *world) replayedResult(address string) (p played, ok bool) {
	list := w.disturbed.results[address]
	if len(list) == 0 {
		return p, false
	}
	return list[min(w.ends[address], len(list)-1)], true
}

// countAttempt counts the attempts whose results are committed.
func (w *world) countAttempt(address string, r flow.Record) {
	if r.Question == nil && (r.Status.Ended() || r.Status == flow.Running && !r.Deadline.IsZero()) {
		w.ends[address]++
	}
}

// repeatDisturbed repeats a test that passed as the options say, and returns the differences.
func (w *world) repeatDisturbed(whole *sim.Result) (failures []Failure) {
	opt := w.opt
	if !opt.Crash && opt.Orders == 0 {
		return nil
	}
	if p := opt.Project.OnInterrupt; len(w.test.Interrupt) > 0 && (p.Default != "" || len(p.Kinds)+len(p.Nodes) > 0) {
		w.notes = append(w.notes, "not repeated: the outcome depends on `on_interrupt` of wfc.yaml")
		return nil
	}
	kept := opt.Dir + ".whole"
	moved := os.Rename(opt.Dir, kept) == nil
	defer func() {
		_ = os.RemoveAll(opt.Dir) // the suite removes what stays
		if moved {
			_ = os.Rename(kept, opt.Dir)
		}
	}()
	t := *w.test
	t.Interrupt = nil // the process dies elsewhere
	again := func(d disturbance) error {
		d.results = w.results
		_ = os.RemoveAll(opt.Dir) // the run makes it again
		own, o, failed := simulateAs(&t, opt, &d)
		switch {
		case o == nil:
			return fmt.Errorf("the run does not start: %s", failed[0].What)
		case len(o.Faults) > 0:
			return errors.New(o.Faults[0])
		case len(own.failures) > 0:
			return errors.New(own.failures[0].What)
		}
		return w.firstDifference(whole, own, o)
	}
	if err := again(disturbance{}); err != nil {
		return []Failure{w.differenceFailure("a second run ends differently by itself, so crashes and other orders cannot be compared; a program reads the clock or makes random values", err)}
	}
	if opt.Crash {
		for point := 1; point <= whole.Points; point++ {
			if err := again(disturbance{crash: point}); err != nil {
				failures = append(failures, w.differenceFailure(fmt.Sprintf("the run ends differently if the process is killed at point %d of %d and the run is resumed", point, whole.Points), err))
				break
			}
		}
		w.addNote("killed and resumed at %d points", whole.Points)
	}
	for seed := uint64(1); seed <= uint64(opt.Orders); seed++ {
		if err := again(disturbance{seed: seed}); err != nil {
			failures = append(failures, w.differenceFailure(fmt.Sprintf("race: the run ends differently if ready steps run in another order (order %d)", seed), err))
			break
		}
	}
	return failures
}

func (w *world) differenceFailure(what string, err error) Failure {
	f := Failure{Place: w.test.Place, What: what, Expected: "the run as it was before", Happened: w.cleanText(err.Error())}
	if c := (*change)(nil); errors.As(err, &c) {
		f.What, f.Expected, f.Happened = what+": "+c.what, w.cleanText(c.expected), w.cleanText(c.happened)
	}
	return f
}

// firstDifference returns the first difference between the first run and another one, in their ends,
// their steps and the prompts and scripts of their steps.
func (w *world) firstDifference(whole *sim.Result, other *world, o *sim.Result) error {
	texts := map[string]string{}
	for _, e := range w.observed.Entries {
		texts[e.Step+"\x00"+textOfAction(e)] = ""
	}
	for _, e := range other.observed.Entries {
		text := textOfAction(e)
		if _, known := texts[e.Step+"\x00"+text]; !known && text != "" {
			return &change{fmt.Sprintf("prompt or script of step `%s`", e.Step), promptOf(w, e.Step), text}
		}
	}
	if err := sim.Same(whole, o); err != nil {
		return describeChange(whole, o, err)
	}
	return nil
}

// A change is a difference between two runs.
type change struct{ what, expected, happened string }

func (c *change) Error() string {
	return fmt.Sprintf("%s: %s instead of %s", c.what, c.happened, c.expected)
}

// describeChange describes the difference err: the first step that ended in another way, or else
// the end of the run.
func describeChange(whole, other *sim.Result, err error) error {
	for _, want := range whole.Steps {
		got := other.Step(want.Key)
		if want.Kind != "now" && (got.Status != want.Status || got.Text != want.Text || got.Reason != want.Reason) {
			return &change{fmt.Sprintf("step `%s`", want.Key), describeEnding(want), describeEnding(got)}
		}
	}
	if whole.End.Status != other.End.Status || whole.End.Error != other.End.Error {
		return &change{"end of the run", string(whole.End.Status) + ": " + whole.End.Error, string(other.End.Status) + ": " + other.End.Error}
	}
	return err
}

// describeEnding shows how a step ended, with its output.
func describeEnding(r flow.Record) string {
	if r.Status == "" {
		return "the run has no such step"
	}
	if r.Status == flow.Completed {
		return r.Text
	}
	return statusOf(r)
}

// promptOf returns the prompt or script of a step in a run.
func promptOf(w *world, step string) string {
	for _, e := range w.observed.Entries {
		if e.Step == step {
			return textOfAction(e)
		}
	}
	return "the run had no such step"
}

// textOfAction returns the prompt, or the script with its values, of an action; or "".
func textOfAction(e *Entry) string {
	if p, ok := e.Action.Payload.(flow.Prompt); ok {
		return p.Text
	}
	if source, bindings, _, ok := scriptOf(e.Action.Payload); ok {
		return fmt.Sprint(source, bindings)
	}
	return ""
}
