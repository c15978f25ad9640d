package diag

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A Code is a kind of diagnostic. Codes are never renumbered or reused.
type Code struct {
	// ID is the stable number, such as "WFC203". Its hundreds are the family:
	// 1 YAML and shape, 2 structure and references, 3 types and conditions,
	// 4 flow, 5 shell and scripts, 6 security, 7 agents and limits, 8 style,
	// 9 portability.
	ID string
	// Slug is the stable name, such as "unknown-node"; it may stand for the
	// ID in suppressions and configuration.
	Slug string
	// Severity is the one the code has unless configured otherwise.
	Severity Severity
	// Portability marks codes that are shown only on request.
	Portability bool
	// Doc says what is wrong, why it matters and what to do: plain text in
	// paragraphs, for `wfc explain` and docs/checks.md.
	Doc string
	// Bad is a whole workflow file that yields the code; Good is the same file
	// mended. Both are tests. In a Bad text that cannot be written as is, the
	// code's fixture under testdata stands in and Bad is empty.
	Bad, Good string
	// Config is the wfc.yaml beside both examples, or "".
	Config string
	// File is the name of the file that the examples are when they are no
	// workflows: "wfc.yaml" for the codes about the configuration.
	File string
}

// String returns the ID.
func (c *Code) String() string { return c.ID }

// Codes returns every code in order of ID.
func Codes() []*Code {
	all := slices.Concat(yamlCodes, shapeCodes, configCodes, compileCodes, structureCodes, graphCodes, xpromptCodes, jinjaCodes, referenceCodes, typeCodes, stateCodes, flowCodes, exploreCodes, shellCodes, scriptCodes, langoCodes, scheduleCodes, addedCodes, securityCodes, agentCodes, styleCodes, portabilityCodes)
	slices.SortFunc(all, func(a, b *Code) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Lookup finds a code by its ID (any case) or slug.
func Lookup(name string) (*Code, bool) {
	c := codesByName()[name]
	if c == nil {
		c = codesByName()[strings.ToUpper(name)]
	}
	return c, c != nil
}

// codesByName are the codes by ID and by slug.
var codesByName = sync.OnceValue(func() map[string]*Code {
	table := map[string]*Code{}
	for _, c := range Codes() {
		table[c.ID], table[c.Slug] = c, c
	}
	return table
})
