//go:build unix

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// runOf is what the tests of agents read of a run's document.
type runOf struct {
	ID      string          `json:"run_id"`
	Status  flow.Status     `json:"status"`
	Reason  string          `json:"reason"`
	Error   string          `json:"error"`
	Outputs json.RawMessage `json:"outputs"`
	CostUSD float64         `json:"cost_usd"`
	Input   int64           `json:"input_tokens"`
	Output  int64           `json:"output_tokens"`
	Turns   int             `json:"turns"`
	// Replayed is what was not spent now.
	Replayed flow.Usage `json:"replayed"`
	Nodes    []nodeOf   `json:"nodes"`
	Warnings []struct {
		Key     string `json:"node"`
		Message string `json:"message"`
	} `json:"warnings"`
}

// nodeOf is a step of a run.
type nodeOf struct {
	ID      string        `json:"id"`
	Status  flow.Status   `json:"status"`
	Output  string        `json:"output"`
	Error   *flow.Failure `json:"error"`
	Attempt int           `json:"attempt"`
	Meta    flow.Meta     `json:"meta"`
}

// step returns a step that must be there.
func (r *runOf) step(t *testing.T, id string) nodeOf {
	t.Helper()
	for _, n := range r.Nodes {
		if n.ID == id {
			return n
		}
	}
	t.Fatalf("the run has no step `%s`: %+v", id, r.Nodes)
	return nodeOf{}
}

// completed wants a step to have completed with an output, and returns it.
func (r *runOf) completed(t *testing.T, id, output string) nodeOf {
	t.Helper()
	n := r.step(t, id)
	if n.Status != flow.Completed || n.Output != output {
		t.Errorf("`%s` is %s with %q, want %q: %v", id, n.Status, n.Output, output, n.Error)
	}
	return n
}
