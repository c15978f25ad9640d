package conformance

import (
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/runtime/flow"
)

type conditionCase struct {
	Expr    string
	Outputs map[string]producer
}

type conditionEnd struct {
	OK     *struct{ Result, Parsed bool }
	Throws *struct{ Reason string }
}

// Words for how a condition ends.
const (
	isTrue, isFalse = "true", "false"
	unparsed        = "unparsed"
	fails           = "fails"
)

func (e *conditionEnd) String() string {
	switch {
	case e.OK == nil:
		return fails
	case !e.OK.Parsed:
		return unparsed
	case e.OK.Result:
		return isTrue
	}
	return isFalse
}

func planCondition(b *bench, c *recorded) (plan, error) {
	var in conditionCase
	var want conditionEnd
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	s := newStage(in.Expr, in.Outputs, nodeText{{"bash", "'true'"}, {"when", quote(in.Expr)}})
	r := compile(s.yaml, nil)
	if r.HasErrors() {
		// Law 2: what cannot be decided is refused, so an error of the condition
		// stands for what is unparsed and for what throws.
		if (want.String() == unparsed || want.String() == fails) && aboutReading(r) {
			return judged(nil), nil
		}
		return judged([]difference{{"condition", want.String(), refusal(r)}}), nil
	}
	return b.perform(r, s.job, judgeCondition(want.String())), nil
}

// judgeCondition compares how a condition ended at the reader.
func judgeCondition(want string) func(out *runner.Outcome) []difference {
	return func(out *runner.Outcome) []difference {
		got := fails
		switch step := out.Step(reader); {
		case step.Status == flow.Completed:
			got = isTrue
		case step.Status == flow.Skipped && step.Reason == "when_condition":
			got = isFalse
		case step.Status != flow.Failed:
			got = string(step.Status) + " " + step.Reason
		case want == unparsed:
			// What the engine calls unparsed although it has the form of a
			// condition is a number that is none, which fails by law 2.
			got = unparsed
		}
		return same("condition", want, got)
	}
}
