package compare

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
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
		powers[f.what] = plain.AddNew(powers[f.what], splitEntries(f.value)...)
	}
	return powers
}
