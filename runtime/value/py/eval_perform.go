package py

import "github.com/wfc-lang/wfc/runtime/flow"

// Perform performs an action that was made of the template's values, as Do of a
// context does, unless one of them could not be computed: then it returns Err.
func (e *Eval) Perform(c *flow.Context, p flow.Payload) (flow.Result, error) {
	if err := e.Err(); err != nil {
		return flow.Result{}, err
	}
	return c.Do(p)
}
