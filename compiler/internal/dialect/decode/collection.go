package decode

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// IsMapping reports whether the value is a mapping, and a fault if not.
func (d *Decoder) IsMapping(v Value) bool {
	if v.Node.Kind != yamlsrc.Mapping {
		d.WrongKind(v, "a mapping")
		return false
	}
	return true
}

// HasPairs reports whether the value is a mapping of at least one key, and a
// fault if not.
func (d *Decoder) HasPairs(v Value) bool {
	if !d.IsMapping(v) {
		return false
	}
	if len(v.Node.Pairs) == 0 {
		d.Empty(v)
		return false
	}
	return true
}

// IsList reports whether the value is a list, and a fault if not: one with the
// fix to make a list of it when it is a text without quotes.
func (d *Decoder) IsList(v Value) bool {
	if v.Node.Kind == yamlsrc.Sequence {
		return true
	}
	x := finding.WrongKind(v.Place(), v.Path, "a list", KindOf(v.Node))
	if d.IsText(v.Node) && v.Node.Style == yamlsrc.Plain {
		x.WithSourceFix("make it a list", v.Node.Place(), "["+v.Node.Value+"]", false)
	}
	d.Fault(v, x)
	return false
}

// HasItems reports whether the value is a list of at least one item, and a fault
// if not.
func (d *Decoder) HasItems(v Value) bool {
	if !d.IsList(v) {
		return false
	}
	if len(v.Node.Items) == 0 {
		d.Empty(v)
		return false
	}
	return true
}

// An Entry is a text in a list.
type Entry struct {
	Text string
	At   source.Span
}

// Entries reads the items of a list with read, such as d.Text. Items that it
// does not accept are reported and left out, and then ok is false.
func (d *Decoder) Entries(v Value, read func(Value) (string, bool)) (list []Entry, ok bool) {
	if !d.IsList(v) {
		return nil, false
	}
	ok = true
	for _, n := range v.Node.Items {
		item := v.Item(n)
		text, good := read(item)
		if ok = ok && good; good {
			list = append(list, Entry{text, item.Place()})
		}
	}
	return list, ok
}
