package dry

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// makeStep returns one node with its observed actions.
func (w *world) makeStep(n flow.NodeInfo, stage int) *Step {
	if earlier := w.taken[n.Key]; earlier != nil {
		w = earlier
	}
	end := w.records[n.Key]
	s := &Step{
		ID: n.Key, Kind: n.Kind, Stage: stage, After: n.After, Order: n.Order, Rule: n.Rule, When: n.When, Line: n.Line,
		Decision: Runs, Status: end.Status, Repeats: w.repeats[n.Key], Notes: w.notes[n.Key],
	}
	if n.Finally {
		s.Notes = append(s.Notes, "runs at the end, also after a failure or a cancellation")
	}
	for _, why := range w.doubtsAbout(n.Key) {
		s.Decision, s.Why = Maybe, append(s.Why, nameFields(why, n.When))
	}
	switch end.Status {
	case flow.Skipped:
		if s.Decision == Runs {
			s.Decision = Skipped
		}
		s.Why = append(s.Why, w.skipReason(n, end.Reason))
		if end.Reason == kernel.SkipGiven {
			s.Output, s.OutputKnown = end.Text, true
		}
	case flow.Failed:
		s.Failure = end.Failure.Message
	case flow.Completed:
		s.Cancels = end.Reason
		s.Output, s.OutputKnown = end.Text, !w.unknown[n.Key] && !kernel.IsSymbol(end.Text)
	}
	return s
}

// skipReason says why a node is skipped.
func (w *world) skipReason(n flow.NodeInfo, reason string) string {
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
			end := endInWords(w.records[key].Status)
			if len(w.doubtsAbout(key)) > 0 {
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

// endInWords is a planned end in a sentence.
func endInWords(s flow.Status) string {
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

// nameFields puts the fields that a condition reads in place of the whole output
// that a message names: the kernel does not see which ones are read of a typed
// output.
func nameFields(message, condition string) string {
	before, rest, _ := strings.Cut(message, "`")
	ref, after, _ := strings.Cut(rest, "`")
	if ref == "" {
		return message
	}
	var read []string
	read = plain.AddNew(read, regexp.MustCompile(regexp.QuoteMeta(ref)+`\.[^\s=!<>&|()'"]+`).FindAllString(condition, -1)...)
	if len(read) == 0 {
		return message
	}
	return before + "`" + strings.Join(read, "`, `") + "`" + after
}

// makeVerdict says how the run would end.
func (w *world) makeVerdict(steps []*Step) Verdict {
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
	for _, key := range slices.Sorted(maps.Keys(w.taken)) {
		reason := w.taken[key].settled[key].Reason
		if reason == "" {
			reason = w.taken[key].end.Reason
		}
		perhaps = append(perhaps, "`"+key+"` cancels the run if it runs: "+reason)
	}
	for _, key := range w.open {
		perhaps = append(perhaps, "the plan ends at `"+key+"`: the next node depends on this one's output, which is unknown; give it with --outputs")
	}
	switch {
	case w.end.Status == flow.Cancelled && (cancels || len(perhaps) == 0):
		return Verdict{string(flow.Cancelled), []string{w.end.Reason}}
	case len(sure) > 0:
		return Verdict{string(flow.Failed), sure}
	case len(perhaps) > 0:
		return Verdict{Undecided, perhaps}
	case !completes && may && !w.sequence:
		return Verdict{Undecided, []string{"it fails if no node runs"}}
	case w.end.Status == flow.Failed:
		return Verdict{string(flow.Failed), []string{w.end.Error}}
	}
	return Verdict{Status: string(flow.Completed)}
}
