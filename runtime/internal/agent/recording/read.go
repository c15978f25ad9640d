package recording

import (
	"encoding/json"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Turn is a recorded turn, for readers that do not replay it.
type Turn struct {
	Text       string
	Structured json.RawMessage
	Failure    *flow.Failure
	CostUSD    float64
}

// Run returns the id of the recorded run.
func (r *Recording) Run() string { return r.head.Run }

// Fingerprint returns the fingerprint of the recorded workflow.
func (r *Recording) Fingerprint() string { return r.head.Fingerprint }

// Inputs returns the inputs of the recorded run, a JSON object; nil if it is not known.
func (r *Recording) Inputs() json.RawMessage { return r.head.Inputs }

// Steps returns the steps with turns in the order of their first ones.
func (r *Recording) Steps() []string { return slices.Clone(r.order) }

// Turns returns the turns of a step, in order.
func (r *Recording) Turns(step string) []Turn {
	turns := make([]Turn, len(r.steps[step]))
	for i, t := range r.steps[step] {
		turns[i] = Turn{Text: t.Text, Structured: t.Structured, Failure: t.Failure, CostUSD: t.Meta.CostUSD}
	}
	return turns
}
