// Package format writes what people read: costs and counts, durations, calls of tools, strings
// that must fit.
package format

import (
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// TinyCost is less than any cost that matters, in US dollars. Sums of costs are not
// exact: two sums that differ by no more than TinyCost are equal.
const TinyCost = 1e-9

// Minutes returns a duration in minutes, with one digit behind the point when it
// needs any.
func Minutes(d time.Duration) string {
	return strings.TrimSuffix(strconv.FormatFloat(d.Minutes(), 'f', 1, 64), ".0")
}

// Usage returns the cost of something, and of the turns of a recording separately,
// or "" when nobody reported any.
func Usage(m flow.Meta) string {
	spent, replayed := formatUsage(m.Spent()), formatUsage(m.Replayed)
	if m.Replayed == (flow.Usage{}) {
		return spent
	}
	if spent != "" && replayed != "" {
		spent += "; "
	}
	return spent + replayed + " replayed, not spent"
}

func formatUsage(m flow.Usage) string {
	var parts []string
	if m.CostUSD > TinyCost {
		parts = append(parts, plain.Dollars(m.CostUSD))
	}
	if m.InputTokens > 0 || m.OutputTokens > 0 {
		parts = append(parts, plain.Thousands(m.InputTokens)+" tokens in, "+plain.Thousands(m.OutputTokens)+" out")
	}
	switch {
	case m.Turns == 1:
		parts = append(parts, "1 turn")
	case m.Turns > 1:
		parts = append(parts, strconv.Itoa(m.Turns)+" turns")
	}
	return strings.Join(parts, ", ")
}

// FirstLine returns the first line of a string that is not blank, as any line may
// show it.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return plain.Line(strings.TrimSuffix(line, "\r"))
}
