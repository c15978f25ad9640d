package spending

import (
	"cmp"
	"math"
	"slices"

	"github.com/wfc-lang/wfc/runtime/settings"
)

const (
	// tokenBytes is the length of a token of English text or code.
	tokenBytes = 4
	// firstReply is the length of the reply, in tokens, of an agent without settled turns.
	firstReply = 1000
	// UsualTurns is how many turns of an agent say what is usual.
	UsualTurns = 25
)

// SetEstimate sets the amounts of an attempt's row before it begins. length is that of everything
// that the agent is sent. p is the price of the model, or nil if it is unknown. earlier are the
// agent's settled turns; those of the same node count alone if there are any.
func SetEstimate(r *Row, length int, p *settings.Price, earlier []Row) {
	earlier = slices.DeleteFunc(slices.Clone(earlier), func(e Row) bool { return e.Tokens() == 0 && e.Micros == 0 })
	same := slices.DeleteFunc(slices.Clone(earlier), func(e Row) bool { return e.Workflow != r.Workflow || e.Node != r.Node })
	if len(same) > 0 {
		earlier = same
	}
	sent := int64(length+tokenBytes-1) / tokenBytes
	r.Input = max(sent, median(earlier, func(e *Row) int64 { return e.Input }))
	r.Output = cmp.Or(median(earlier, func(e *Row) int64 { return e.Output }), firstReply)
	priced := slices.DeleteFunc(slices.Clone(earlier), func(e Row) bool { return !e.Priced })
	usual := median(priced, func(e *Row) int64 { return e.Micros })
	r.Priced = p != nil || len(priced) > 0
	// Most of what an agent usually reads comes from a cache, at a lower price. The prompt
	// itself may be new. Prices are for a million tokens, so they are millionths for one.
	if r.Micros = usual; p != nil {
		r.Micros = max(usual, int64(math.Round(float64(sent)*p.Input+float64(r.Output)*p.Output)))
	}
}

// median returns the median of a quantity of rows, or 0.
func median(rows []Row, of func(r *Row) int64) int64 {
	if len(rows) == 0 {
		return 0
	}
	values := make([]int64, len(rows))
	for i := range rows {
		values[i] = of(&rows[i])
	}
	slices.Sort(values)
	return values[len(values)/2]
}
