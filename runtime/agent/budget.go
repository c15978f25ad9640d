package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
)

// errBudget is the cause of the end of a context whose agent spent too much.
var errBudget = errors.New("the agent spent too much")

// budgetOf is what the options let an attempt cost in US dollars; 0 is any
// amount.
func budgetOf(options []flow.Option) (float64, error) {
	i := slices.IndexFunc(options, func(o flow.Option) bool { return o.Name == OptionBudget })
	if i < 0 {
		return 0, nil
	}
	o, err := DecodeOptions(options[i : i+1])
	return max(0, o.BudgetUSD), err
}

// over reports whether the attempt has cost more than it may, given what a turn
// has cost so far that goes on.
func (t *turn) over(now flow.Meta) bool {
	return t.budget > 0 && t.meta.CostUSD+now.CostUSD > t.budget+format.TinyCost
}

func (t *turn) overBudget(said string) flow.Result {
	return flow.Result{Status: flow.Failed, Text: strings.ToValidUTF8(said, "\uFFFD"), Failure: &flow.Failure{
		Class: flow.ClassFatal, Reason: ReasonBudget, ExitCode: -1,
		Message: fmt.Sprintf("Node '%s' exceeded cost cap of %s: its agent has spent %s", t.call.Action.Key, format.Dollars(t.budget), format.Dollars(t.meta.CostUSD)),
	}}
}
