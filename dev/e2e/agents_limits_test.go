//go:build unix

package e2e

import (
	"math"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// runLimits ends a run of each kind of agents at a limit, after the first turn;
// with a higher one it goes on from there.
func runLimits(t *testing.T, binary string) {
	for _, kind := range teamKinds {
		m := newTeam(t, binary, nil)
		limit, others, raised, used := "--max-tokens=100", "--max-cost=0", "--max-tokens=10000", "the limit `limits.tokens` (`--max-tokens`) of 100 tokens is reached: 120 tokens used"
		if kind == "claude" || kind == "acp" || kind == "command" {
			limit, others, raised, used = "--max-cost=0.01", "--max-tokens=0", "--max-cost=5", "the limit `limits.cost_usd` (`--max-cost`) of $0.01 is reached: $0.014 used"
		}
		if kind == "codex" {
			raised = "--max-tokens=0" // the stand-in's session counts no more tokens, so no higher limit helps
		}
		r := m.asks(5, "run", "one", "--agent", m.worker(kind), limit, others)
		r.completed(t, "classify", opinion)
		if r.Status != flow.LimitReached || r.step(t, "explain").Status != flow.Skipped || m.turns(kind) != 1 {
			t.Errorf("%s: the run is %s, `explain` is %s after %d turns", kind, r.Status, r.step(t, "explain").Status, m.turns(kind))
		}
		if !strings.Contains(r.Error+r.Reason+m.stderr, used) {
			t.Errorf("%s: it does not say %q: %q %q\n%s", kind, used, r.Error, r.Reason, m.stderr)
		}
		if r = m.asks(5, "resume"); r.Status != flow.LimitReached || m.turns(kind) != 1 {
			t.Errorf("%s: resumed under the same limit, the run is %s after %d turns", kind, r.Status, m.turns(kind))
		}
		r = m.asks(0, "resume", raised)
		if r.completed(t, "mend", words); r.Status != flow.Completed || m.turns(kind) != 4 {
			t.Errorf("%s: resumed, the run is %s after %d turns", kind, r.Status, m.turns(kind))
		}
		m.gone()
	}
}

// projectLimits ends a run at the limit that wfc.yaml sets.
func projectLimits(t *testing.T, binary string) {
	m := newTeam(t, binary, of("claude", func(b *fakeagent.Behaviour) { b.CostUSD = 100_000 }))
	r := m.asks(5, "run", "one")
	if r.completed(t, "classify", opinion); r.Status != flow.LimitReached || math.Abs(r.CostUSD-100_000) > 1 {
		t.Errorf("the run is %s: $%v", r.Status, r.CostUSD)
	}
	text := m.says(5, "resume")
	for _, want := range []string{"the limit `limits.cost_usd` (`--max-cost`) of $100000.00 is reached: $100000.00 used", "--max-cost USD"} {
		if !strings.Contains(text+m.stderr, want) {
			t.Errorf("no %q in\n%s%s", want, text, m.stderr)
		}
	}
	if r = m.asks(0, "resume", "--max-cost=0"); r.Status != flow.Completed || m.turns("claude") != 4 {
		t.Errorf("without a limit, the run is %s after %d turns", r.Status, m.turns("claude"))
	}
}
