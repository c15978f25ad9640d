package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// name reads a name; what describes the named thing, such as "an output". A name of
// a variable has no hyphens.
func (d *decoder) name(v value, what string, hyphens bool) (string, bool) {
	s, ok := d.Text(v)
	if ok && !isName(s, hyphens) {
		d.Bag.Add(finding.BadName(v.Place(), what, s, hyphens))
		return "", false
	}
	return s, ok
}

// entries reads a list of at least one name of a node.
func (d *decoder) entries(v value) ([]decode.Entry, bool) {
	if !d.HasItems(v) {
		return nil, false
	}
	return d.Entries(v, d.Text)
}

// trimText takes the spaces off both ends of a text.
func trimText(t source.Text) source.Text {
	return t.TrimFunc(func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
}
