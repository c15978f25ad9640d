package decode

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
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
		x.WithHelp("put it in quotes: "+text).WithSourceFix("put it in quotes", v.Node.Place(), text, false)
	}
	d.Fault(v, x)
}

// IsText reports whether a node is a text where one is asked for.
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
	s, ok := d.Text(v)
	if ok && s == "" {
		d.Empty(v)
		return "", false
	}
	return s, ok
}

// Filled reads a string that is not only whitespace.
func (d *Decoder) Filled(v Value) (string, bool) {
	s, ok := d.Text(v)
	if ok && strings.TrimSpace(s) == "" {
		d.Empty(v)
		return "", false
	}
	return s, ok
}

// Empty reports a value that must hold something and does not.
func (d *Decoder) Empty(v Value) { d.Fault(v, finding.EmptyValue(v.Place(), v.Path)) }

// Choice reads a text that is one of a few.
func (d *Decoder) Choice(v Value, valid ...string) (string, bool) {
	s, ok := d.Text(v)
	if ok && !slices.Contains(valid, s) {
		d.Fault(v, finding.UnknownValue(v.Place(), v.Path, s, valid))
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
		x.WithSourceFix("replace with `true`", v.Place(), "true", false)
	case d.Typed && no:
		x.WithSourceFix("replace with `false`", v.Place(), "false", false)
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

// NumberIf reads a number that a condition must hold for; want says in words
// which numbers those are, as "an amount above 0".
func (d *Decoder) NumberIf(v Value, want string, valid func(float64) bool) (float64, bool) {
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

// Whole reads an integer from low to high. Messages do not mention a limit of
// math.MaxInt32.
func (d *Decoder) Whole(v Value, low, high int) (int, bool) {
	want := "an integer from " + strconv.Itoa(low) + " to " + strconv.Itoa(high)
	if high == math.MaxInt32 {
		want = "an integer of " + strconv.Itoa(low) + " or more"
	}
	f, ok := d.NumberIf(v, want, func(f float64) bool {
		return f == math.Trunc(f) && f >= float64(low) && f <= float64(high)
	})
	return int(f), ok
}
