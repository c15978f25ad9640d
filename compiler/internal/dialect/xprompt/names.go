package xprompt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// words are those that templates have separate meanings for.
var words = []string{
	"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None",
}

// isName reports whether templates can spell a name.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isNameByte(c) || i == 0 && isDigit(c) {
			return false
		}
	}
	return s != "" && !slices.Contains(words, s)
}

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// checkName reports a name that templates cannot spell, and whether it is valid at
// all; what describes the named thing.
func (d *decoder) checkName(what, name string, at source.Span) (usable bool) {
	if isName(name) {
		return true
	}
	usable = name != ""
	for i := range len(name) {
		usable = usable && (isNameByte(name[i]) || name[i] == '-')
	}
	better := ""
	if mended := strings.ReplaceAll(name, "-", "_"); isName(mended) {
		better = mended
	} else if isName(mended + "_") {
		better = mended + "_"
	}
	d.Bag.Add(finding.StepName(at, what, name, better, usable))
	return usable
}

func itoa(n int) string { return strconv.Itoa(n) }
