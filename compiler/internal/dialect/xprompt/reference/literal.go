package reference

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/markdown"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// literalZones are the stretches of a text in which a # is only a character: code of
// Markdown, and regions in which the format's successor expands nothing.
type literalZones struct {
	found   bool
	code    markdown.Code
	regions [][]int
}

// disabledRegion is a region without macros, with the lines or the ends of lines that
// mark it.
var disabledRegion = lazyregexp.New(`(?m)^[ \t]*%(?:xprompts|macros)_enabled:false[ \t]*\n((?s:.*?))(?:^[ \t]*|[ \t]+)%(?:xprompts|macros)_enabled:true[ \t]*\n?`)

// contain reports whether the byte at an offset is in a literal zone of a text.
func (z *literalZones) contain(text string, at int) bool {
	if !z.found {
		z.found, z.code = true, markdown.FindCode(text)
		if strings.Contains(text, "s_enabled:false") {
			z.regions = disabledRegion().FindAllStringSubmatchIndex(text, -1)
		}
	}
	if z.code.Contains(at) {
		return true
	}
	for _, r := range z.regions {
		if r[0] <= at && at < r[1] {
			return true
		}
	}
	return false
}
