package catalog

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// Prices has the prices of models by the prefixes of their names, with spaces between those of the
// same price. A prefix matches
// if no other model follows: nothing at all, a date or number of two or more
// digits, "latest" or "preview". The longest match counts.
type Prices map[string]settings.Price

// Of returns the price of a model, or nil when it is not known.
func (t Prices) Of(model string) *settings.Price {
	longest := -1
	var found *settings.Price
	for names, price := range t {
		for name := range strings.FieldsSeq(names) {
			rest, fits := strings.CutPrefix(model, name)
			if fits && sameModel(rest) && len(name) > longest {
				longest, found = len(name), &price
			}
		}
	}
	return found
}

// sameModel reports whether the rest after a model's name is only a release of the model.
// A single digit is not: that is the next model.
func sameModel(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] != '-' && rest[0] != '@' {
		return false
	}
	for part := range strings.SplitSeq(rest[1:], "-") {
		if part == "latest" || part == "preview" {
			continue
		}
		if len(part) < 2 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}
