package conformance

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/signal"
)

type signalCase struct{ Output, Signal string }

// planSignal compares the rule that wfc has under `archon.until: strict`, and
// the one that it has without.
func planSignal(_ *bench, c *recorded) (plan, error) {
	var in signalCase
	var want bool
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	diffs := same("strict", fmt.Sprint(want), fmt.Sprint(signal.Word(in.Signal).SaidAsArchon(in.Output)))
	return judged(append(diffs, same("word", fmt.Sprint(want), fmt.Sprint(signal.Word(in.Signal).Said(in.Output)))...)), nil
}

func planStrip(_ *bench, c *recorded) (plan, error) {
	var in struct{ Content, Until string }
	var want string
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	return judged(same("text", want, signal.Word(in.Until).Clean(in.Content))), nil
}
