//go:build unix

package agentlab

import (
	"math"

	"github.com/wfc-lang/wfc/dev/agentlab/model"
)

// cost takes three turns in one session, of which the first is a hundred times
// as long as the others. A budget that the second one keeps must not fail it.
func cost(l *lab) {
	l.model.Script("one", model.Step{Say: "A long answer.", Usage: model.Usage{Input: 1000, Output: 500}})
	l.model.Script("two", model.Step{Say: "A short answer.", Usage: model.Usage{Input: 10, Output: 5}})
	l.model.Script("three", model.Step{Say: "Another short answer.", Usage: model.Usage{Input: 10, Output: 5}})
	l.build("safe", `
  - id: one
    prompt: Say much. `+model.Mark("one")+`
  - id: two
    depends_on: [one]
    prompt: Say little. `+model.Mark("two")+`
  - id: three
    depends_on: [two]
    prompt: Say little again. `+model.Mark("three")+`
`)
	r := l.run(0, "run")
	if q := l.asked("three", 1)[0]; q.Count(model.User, model.Mark("one")) != 1 {
		l.Errorf("the session did not continue: %q", q.Said(model.User))
	}
	first := r.node("one").Meta.CostUSD
	if first == 0 {
		l.Error("the first turn cost nothing")
	}
	for _, id := range []string{"two", "three"} {
		m := r.node(id).Meta
		if !near(m.CostUSD, first/100) {
			l.Errorf("%s cost $%v, want $%v", id, m.CostUSD, first/100)
		}
		if m.InputTokens != 10 || m.OutputTokens != 5 {
			l.Errorf("%s has %d and %d tokens, want 10 and 5", id, m.InputTokens, m.OutputTokens)
		}
	}
}

// near compares amounts of money.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-7 }
