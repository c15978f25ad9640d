package decode

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// The kinds of values, in words.
const (
	aText   = "a string"
	aNumber = "a number"
	aBool   = "a boolean"
)

// KindOf names the kind of a node by the types of YAML 1.2. Custom tags are
// strings.
func KindOf(n *yamlsrc.Node) string {
	switch {
	case n.IsNull():
		return "nothing"
	case n.Kind == yamlsrc.Mapping:
		return "a mapping"
	case n.Kind == yamlsrc.Sequence:
		return "a list"
	}
	switch n.Tag {
	case yamlsrc.TagInt, yamlsrc.TagFloat:
		return aNumber
	case yamlsrc.TagBool:
		return aBool
	}
	return aText
}

// WrongKind reports a value of another kind than the wanted one, as "a mapping".
func (d *Decoder) WrongKind(v Value, want string) {
	kind := KindOf(v.Node)
	x := finding.WrongKind(v.Place(), v.Path, want, kind)
	if want == aText && (kind == aNumber || kind == aBool) {
		text := strconv.Quote(v.Node.Value)
		x.WithHelp("put it in quotes: "+text).WithSourceFix("put it in quotes", v.Node.Place(), text)
	}
	d.showForm(v, x)
	d.Fault(v, x)
}

// noMapping reports a value that is not a mapping. If the mapping needs one key alone, which
// takes a string, a string is probably meant as the value of that key.
func (d *Decoder) noMapping(v Value, required []string, takesText func(key string) bool) {
	n := v.Node
	if v.Key == nil || len(required) != 1 || !takesText(required[0]) || !d.IsText(n) || n.Style == yamlsrc.Literal || n.Style == yamlsrc.Folded {
		d.WrongKind(v, "a mapping")
		return
	}
	text := n.Place().Text()
	if n.Style == yamlsrc.Plain && strings.ContainsAny(text, ",[]{}#:?\n") {
		text = strconv.Quote(n.Value)
	}
	form := "{" + required[0] + ": " + text + "}"
	x := finding.WrongKind(v.Place(), v.Path, "a mapping", KindOf(n))
	d.Fault(v, x.WithHelp("write `"+v.Key.Value+": "+form+"`").WithSourceFix("write `"+v.Key.Value+": "+form+"`", n.Place(), form))
}

// showForm adds the form of a right value to a fault that has no advice yet.
func (d *Decoder) showForm(v Value, x *diag.Diagnostic) {
	if len(x.Help)+len(x.Fixes) > 0 || v.Key == nil {
		return
	}
	if ms := inMilliseconds(v); ms != "" {
		x.WithHelp("write milliseconds: `"+ms+"`").WithSourceFix("replace with `"+ms+"`", v.Node.Place(), ms)
		return
	}
	if v.Example != "" && v.Node.Kind != yamlsrc.Scalar || strings.HasPrefix(v.Example, "{") || strings.HasPrefix(v.Example, "[{") {
		x.WithHelp("write it as in `" + v.Key.Value + ": " + inFlow(v.Example) + "`")
	}
}

// inMilliseconds returns the number for a duration such as `10s`, if the value should be a
// number of milliseconds; otherwise "".
func inMilliseconds(v Value) string {
	if v.Shape == nil || v.Shape.Range == nil || v.Shape.Range.Unit != "milliseconds" || v.Node.Kind != yamlsrc.Scalar {
		return ""
	}
	t, err := time.ParseDuration(strings.ReplaceAll(v.Node.Value, " ", ""))
	if err != nil || t < time.Millisecond {
		return ""
	}
	return strconv.FormatInt(t.Milliseconds(), 10)
}

// quotedWord matches words of JSON that need no quotes in YAML.
var quotedWord = lazyregexp.New(`"([A-Za-z_][A-Za-z0-9_-]*)"`)

// inFlow is a JSON value as people write it in YAML.
func inFlow(json string) string { return quotedWord().ReplaceAllString(json, "$1") }

// IsText reports whether a node is valid as a string.
func (d *Decoder) IsText(n *yamlsrc.Node) bool {
	if d.Typed {
		return n.Kind == yamlsrc.Scalar && KindOf(n) == aText
	}
	return n.Kind == yamlsrc.Scalar && !n.IsNull()
}

// Text reads a text.
func (d *Decoder) Text(v Value) (string, bool) {
	if !d.IsText(v.Node) {
		d.WrongKind(v, aText)
		return "", false
	}
	return v.Node.Value, true
}

// NonEmpty reads a string that is not empty; it may be only whitespace.
func (d *Decoder) NonEmpty(v Value) (string, bool) {
	return d.fullText(v, v.Node.Value == "")
}

// Filled reads a string that is not only whitespace.
func (d *Decoder) Filled(v Value) (string, bool) {
	return d.fullText(v, strings.TrimSpace(v.Node.Value) == "")
}

func (d *Decoder) fullText(v Value, empty bool) (string, bool) {
	s, ok := d.Text(v)
	if ok && empty {
		d.Empty(v)
		return "", false
	}
	return s, ok
}

// Empty reports a value that must hold something and does not.
func (d *Decoder) Empty(v Value) { d.Fault(v, finding.EmptyValue(v.Place(), v.Path)) }

// Choice reads a text that is one of the choices of the value's shape.
func (d *Decoder) Choice(v Value) (string, bool) {
	s, ok := d.Text(v)
	if ok && !slices.Contains(v.Shape.Choices, s) {
		d.Fault(v, finding.UnknownValue(v.Place(), v.Path, s, v.Shape.Choices))
		return "", false
	}
	return s, ok
}

// Flag reads a boolean.
func (d *Decoder) Flag(v Value) (set, ok bool) {
	word := ""
	if v.Node.Kind == yamlsrc.Scalar {
		word = strings.ToLower(v.Node.Value)
	}
	yes, no := word == "yes" || word == "on", word == "no" || word == "off"
	switch {
	case d.Typed && v.Node.Tag == yamlsrc.TagBool:
		return word == "true", true
	case d.Typed:
	case v.Node.Style == yamlsrc.Plain && (yes || word == "true"):
		return true, true
	case v.Node.Style == yamlsrc.Plain && (no || word == "false"):
		return false, true
	}
	x := finding.WrongKind(v.Place(), v.Path, "true or false", KindOf(v.Node))
	switch {
	case d.Typed && yes:
		x.WithSourceFix("replace with `true`", v.Place(), "true")
	case d.Typed && no:
		x.WithSourceFix("replace with `false`", v.Place(), "false")
	}
	d.Fault(v, x)
	return false, false
}

// Number reads a number, which may be infinite or NaN.
func (d *Decoder) Number(v Value) (float64, bool) {
	f, ok := v.Node.Number()
	if !ok {
		d.WrongKind(v, aNumber)
	}
	return f, ok
}

// NumberIn reads a number in the range of the value's shape; want says in words which
// numbers those are, as "an amount above 0", or is "" for the words of the range.
func (d *Decoder) NumberIn(v Value, want string) (float64, bool) {
	if want == "" {
		want = "a number " + v.Shape.Range.String()
	}
	return d.numberIf(v, want, v.Shape.Range.contains)
}

func (d *Decoder) numberIf(v Value, want string, valid func(float64) bool) (float64, bool) {
	f, ok := v.Node.Number()
	switch {
	case !ok && d.AnyNumber:
		d.WrongKind(v, aNumber)
	case !ok:
		d.WrongKind(v, want)
	case !valid(f):
		d.Fault(v, finding.OutOfRange(v.Place(), v.Path, v.Node.Value, want))
	default:
		return f, true
	}
	return 0, false
}

// Whole reads an integer in the range of the value's shape. Messages only mention the limits
// that a user may reach.
func (d *Decoder) Whole(v Value) (int, bool) {
	r := v.Shape.Range
	low := int(r.Min)
	if r.Above {
		low++
	}
	want := "an integer of " + strconv.Itoa(low) + " or more"
	if r.hasUpperLimit() {
		want = "an integer from " + strconv.Itoa(low) + " to " + strconv.Itoa(int(r.Max))
	}
	f, ok := d.numberIf(v, want, func(f float64) bool { return f == math.Trunc(f) && r.contains(f) })
	return int(f), ok
}

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
func (d *Decoder) HasPairs(v Value) bool { return d.IsMapping(v) && d.hasEntries(v, len(v.Node.Pairs)) }

// IsList reports whether the value is a list, and a fault if not: one with the
// fix to make a list of it when it is a text without quotes.
func (d *Decoder) IsList(v Value) bool {
	if v.Node.Kind == yamlsrc.Sequence {
		return true
	}
	x := finding.WrongKind(v.Place(), v.Path, "a list", KindOf(v.Node))
	if d.IsText(v.Node) && v.Node.Style == yamlsrc.Plain {
		x.WithSourceFix("make it a list", v.Node.Place(), "["+v.Node.Value+"]")
	}
	d.showForm(v, x)
	d.Fault(v, x)
	return false
}

// HasItems reports whether the value is a list of at least one item, and a fault
// if not.
func (d *Decoder) HasItems(v Value) bool { return d.IsList(v) && d.hasEntries(v, len(v.Node.Items)) }

func (d *Decoder) hasEntries(v Value, count int) bool {
	if count == 0 {
		d.Empty(v)
	}
	return count > 0
}

// An Entry is a text in a list.
type Entry struct {
	Text string
	At   source.Span
	// Source is the text with its places in the file.
	Source source.Text
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
			list = append(list, Entry{text, item.Place(), n.Text()})
		}
	}
	return list, ok
}
