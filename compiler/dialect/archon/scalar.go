package archon

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// kindOf says in words what a node is.
func kindOf(n *yamlsrc.Node) string {
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
		return "a number"
	case yamlsrc.TagBool:
		return "a boolean"
	}
	return "a text"
}

// wrongKind reports a value of another kind than the wanted one.
func (d *decoder) wrongKind(v value, want string) {
	x := diag.WrongKind(v.place(), v.path, want, kindOf(v.node))
	if kind := kindOf(v.node); want == "a text" && (kind == "a number" || kind == "a boolean") {
		text := strconv.Quote(v.node.Value)
		x.WithHelp("put it in quotes: "+text).WithFix("put it in quotes", v.node.Place(), text, false)
	}
	d.fault(v, x)
}

// text reads a text.
func (d *decoder) text(v value) (string, bool) {
	if !isText(v.node) {
		d.wrongKind(v, "a text")
		return "", false
	}
	return v.node.Value, true
}

// isText reports whether a node is a text: tags of people's own are texts too.
func isText(n *yamlsrc.Node) bool { return n.Kind == yamlsrc.Scalar && kindOf(n) == "a text" }

// filled reads a text that is not empty; it may be blank.
func (d *decoder) filled(v value) (string, bool) {
	s, ok := d.text(v)
	if ok && s == "" {
		d.fault(v, diag.EmptyValue(v.place(), v.path))
		return "", false
	}
	return s, ok
}

// flag reads a boolean.
func (d *decoder) flag(v value) (set, ok bool) {
	if v.node.Kind != yamlsrc.Scalar || v.node.Tag != yamlsrc.TagBool {
		x := diag.WrongKind(v.place(), v.path, "true or false", kindOf(v.node))
		switch strings.ToLower(v.node.Value) {
		case "yes", "on":
			x.WithFix("replace with `true`", v.place(), "true", false)
		case "no", "off":
			x.WithFix("replace with `false`", v.place(), "false", false)
		}
		d.fault(v, x)
		return false, false
	}
	return strings.EqualFold(v.node.Value, "true"), true
}

// number reads a number, which may be infinite or NaN.
func (d *decoder) number(v value) (float64, bool) {
	f, ok := v.node.Number()
	if !ok {
		d.wrongKind(v, "a number")
	}
	return f, ok
}

// numberIf reads a number that a condition must hold for; want says in words
// which numbers those are.
func (d *decoder) numberIf(v value, want string, valid func(float64) bool) (float64, bool) {
	f, ok := d.number(v)
	if ok && !valid(f) {
		d.fault(v, diag.OutOfRange(v.place(), v.path, v.node.Value, want))
		return 0, false
	}
	return f, ok
}

// whole reads a whole number from low to high.
func (d *decoder) whole(v value, low, high int) (int, bool) {
	want := "a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high)
	if high == math.MaxInt32 {
		want = "a whole number of " + strconv.Itoa(low) + " or more"
	}
	f, ok := d.numberIf(v, want, func(f float64) bool {
		return f == math.Trunc(f) && f >= float64(low) && f <= float64(high)
	})
	return int(f), ok
}

func isPositive(f float64) bool { return f > 0 && !math.IsInf(f, 1) }

const positiveTime = "a number of milliseconds above 0"

// milliseconds turns a positive number of milliseconds into a duration: at
// least a nanosecond, because zero would mean the default, and at most the
// longest that there is.
func milliseconds(f float64) time.Duration {
	ns := f * float64(time.Millisecond)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(1, time.Duration(ns))
}

// choice reads a text that is one of a few.
func (d *decoder) choice(v value, valid ...string) (string, bool) {
	s, ok := d.text(v)
	if ok && !slices.Contains(valid, s) {
		d.fault(v, diag.UnknownValue(v.place(), v.path, s, valid))
		return "", false
	}
	return s, ok
}

// isMapping reports whether the value is a mapping, and a fault if not.
func (d *decoder) isMapping(v value) bool {
	if v.node.Kind != yamlsrc.Mapping {
		d.wrongKind(v, "a mapping")
		return false
	}
	return true
}

// isList reports whether the value is a list, and a fault if not.
func (d *decoder) isList(v value) bool {
	if v.node.Kind != yamlsrc.Sequence {
		x := diag.WrongKind(v.place(), v.path, "a list", kindOf(v.node))
		if isText(v.node) && v.node.Style == yamlsrc.Plain {
			x.WithFix("make it a list", v.node.Place(), "["+v.node.Value+"]", false)
		}
		d.fault(v, x)
		return false
	}
	return true
}

// texts reads a list of texts. Items that are no texts are reported and left
// out; with filled, so are empty ones.
func (d *decoder) texts(v value, filled bool) (list []string, ok bool) {
	if !d.isList(v) {
		return nil, false
	}
	ok = true
	for _, n := range v.node.Items {
		item := v.item(n)
		item.path += " item"
		read := d.text
		if filled {
			read = d.filled
		}
		s, good := read(item)
		if !good {
			ok = false
			continue
		}
		list = append(list, s)
	}
	return list, ok
}

// filledTexts reads a list of at least one text, none of them empty.
func (d *decoder) filledTexts(v value) ([]string, bool) {
	list, ok := d.texts(v, true)
	if ok && len(list) == 0 {
		d.fault(v, diag.EmptyValue(v.place(), v.path))
		return nil, false
	}
	return list, ok
}

// isSpace reports whether the original engine's trim removes a character: the
// white space of JavaScript, which counts the byte order mark but not U+0085.
func isSpace(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}

// trim removes white space from both ends of a text.
func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// trimText is trim for a text with places.
func trimText(t source.Text) source.Text {
	start := len(t.Value) - len(strings.TrimLeftFunc(t.Value, isSpace))
	end := len(strings.TrimRightFunc(t.Value, isSpace))
	if start >= end {
		return t.Slice(0, 0)
	}
	return t.Slice(start, end)
}
