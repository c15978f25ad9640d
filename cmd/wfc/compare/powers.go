package compare

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
)

// powerAspects are the aspects of other classes by which a workflow acts without a person, sends
// data away, or fetches programs.
var powerAspects = []string{"schedule", "targets of the result", "package"}

// Powers returns what a workflow lets its agents and scripts do: the values of each aspect, by the
// names that reports of changes have, without repetitions.
func Powers(p *ir.Program) map[string][]string {
	powers := map[string][]string{}
	for _, f := range factsOf(p) {
		if f.class != Tools && !slices.Contains(powerAspects, f.what) && !strings.HasPrefix(f.what, "trigger `") {
			continue
		}
		for _, entry := range splitEntries(f.value) {
			if !slices.Contains(powers[f.what], entry) {
				powers[f.what] = append(powers[f.what], entry)
			}
		}
	}
	return powers
}
