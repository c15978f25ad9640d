package kernel

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// WaysToPrice says what to do about an agent whose turns have no known cost.
const WaysToPrice = "set `price` for the agent in wfc.yaml, or limit tokens instead of dollars"

// Unpriced is the error about an agent whose turns a limit in dollars could not count. model may be "".
func Unpriced(agent, model, limit string) error {
	what, ways := "depends on its model, which nothing names", "name a `model`, or "
	if model != "" {
		what, ways = fmt.Sprintf("for the model `%s` is unknown", model), ""
	}
	return fmt.Errorf("the price of agent `%s` %s, so %s cannot count its turns; %s%s", agent, what, limit, ways, WaysToPrice)
}

// CostReached returns the error of a limit in dollars; see LimitError. unpriced says why used is not
// the whole cost, or is "".
func CostReached(limit, setting string, used, most float64, unpriced string) *LimitError {
	e := &LimitError{Limit: limit, Setting: setting, Used: plain.Dollars(used), Max: plain.Dollars(most)}
	if used < most {
		e.Unknown = unpriced
	}
	return e
}
