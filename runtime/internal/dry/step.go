package dry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// step returns one node with its observed actions.
func (w *world) step(n flow.NodeInfo, stage int) *Step {
	end := w.ends[n.Key]
	s := &Step{
		ID: n.Key, Kind: n.Kind, Stage: stage, After: n.After, Order: n.Order, Rule: n.Rule, When: n.When, Line: n.Line,
		Decision: Runs, Status: end.Status,
	}
	for _, e := range w.told[n.Key] {
		switch e.Type {
		case kernel.EventMaybe:
			s.Decision = Maybe
			s.Why = append(s.Why, fields(e.Message, n.When))
		case kernel.EventRepeats:
			s.Repeats = e.Message
		case kernel.EventNote:
			s.Notes = append(s.Notes, e.Message)
		}
	}
	switch end.Status {
	case flow.Skipped:
		if s.Decision == Runs {
			s.Decision = Skipped
		}
		s.Why = append(s.Why, w.skipped(n, end.Reason))
		if end.Reason == kernel.SkipGiven {
			s.Output, s.OutputKnown = end.Text, true
		}
	case flow.Failed:
		s.Failure = end.Failure.Message
	case flow.Completed:
		s.Cancels = end.Reason
		s.Output, s.OutputKnown = end.Text, !w.stand.nodes[n.Key]
	}
	return s
}

// skipped says why a node is skipped.
func (w *world) skipped(n flow.NodeInfo, reason string) string {
	switch reason {
	case kernel.SkipCondition:
		if n.When != "" {
			return "its condition is false: " + n.When
		}
		return "its condition is false"
	case kernel.SkipGiven:
		return "its output is given as an input"
	case kernel.SkipFailure:
		return "a step before it does not complete"
	case kernel.SkipRule:
		rule := cmp.Or(n.Rule, "all_success")
		var ends []string
		for _, key := range n.After {
			end := how(w.ends[key].Status)
			if w.maybe(key) {
				end = "may run"
			}
			ends = append(ends, "`"+key+"` "+end)
		}
		return "its trigger rule " + rule + " does not hold: " + strings.Join(ends, ", ")
	case kernel.SkipCancelled:
		return "the run is cancelled before"
	case kernel.SkipUnreached:
		return "the run ends before"
	}
	return reason
}

// sequence reports whether the workflow is a sequence of steps.
func (w *world) sequence() bool {
	return slices.ContainsFunc(w.events, func(e flow.Event) bool { return e.Type == kernel.EventSequence })
}

// maybe reports whether it is undecided that a node runs.
func (w *world) maybe(key string) bool {
	return slices.ContainsFunc(w.told[key], func(e flow.Event) bool { return e.Type == kernel.EventMaybe })
}

// how is a planned end in a sentence.
func how(s flow.Status) string {
	switch s {
	case flow.Skipped:
		return "is skipped"
	case flow.Cancelled:
		return "is cancelled"
	case flow.Failed:
		return "fails"
	case flow.Completed:
		return "completes"
	}
	return "is " + string(s)
}

// fields puts the fields that a condition reads in place of the whole output
// that a message names: the kernel does not see which ones are read of a typed
// output.
func fields(message, condition string) string {
	before, rest, ok := strings.Cut(message, "`")
	ref, after, closed := strings.Cut(rest, "`")
	if !ok || !closed {
		return message
	}
	var found []string
	for rest := condition; ; {
		i := strings.Index(rest, ref+".")
		if i < 0 {
			break
		}
		rest = rest[i:]
		length := strings.IndexAny(rest, " =!<>&|()'\"\t\r\n")
		if length < 0 {
			length = len(rest)
		}
		name := "`" + rest[:length] + "`"
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
		rest = rest[length:]
	}
	if len(found) == 0 {
		return message
	}
	return before + strings.Join(found, ", ") + after
}

// verdict says how the run would end.
func (w *world) verdict(steps []*Step) Verdict {
	var sure, perhaps []string
	completes, may, cancels := false, false, false
	for _, s := range steps {
		if s.Decision == Maybe {
			may = true
			if s.Status == flow.Failed {
				perhaps = append(perhaps, "`"+s.ID+"` fails if it runs: "+s.Failure)
			}
			continue
		}
		if s.Status == flow.Failed {
			sure = append(sure, "`"+s.ID+"` fails: "+s.Failure)
		}
		cancels = cancels || s.Cancels != "" || s.Status == flow.Cancelled
		completes = completes || s.Status == flow.Completed
	}
	for _, e := range w.events {
		if e.Type == kernel.EventMayCancel {
			perhaps = append(perhaps, "`"+e.Key+"` cancels the run if it runs: "+e.Message)
		}
		if e.Type == kernel.EventOpenEnd {
			perhaps = append(perhaps, "the plan ends at `"+e.Key+"`: "+e.Message+"; give it with --outputs")
		}
	}
	switch {
	case w.end.Status == flow.Cancelled && (cancels || len(perhaps) == 0):
		return Verdict{string(flow.Cancelled), []string{w.end.Reason}}
	case len(sure) > 0:
		return Verdict{string(flow.Failed), sure}
	case len(perhaps) > 0:
		return Verdict{Undecided, perhaps}
	case !completes && may && !w.sequence():
		return Verdict{Undecided, []string{"it fails if no node runs"}}
	case w.end.Status == flow.Failed:
		return Verdict{string(flow.Failed), []string{w.end.Error}}
	}
	return Verdict{Status: string(flow.Completed)}
}
