package graphloop

import (
	"math"
	"strconv"
	"strings"

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

func (d *decoder) wrongKind(v value, want string) *diag.Diagnostic {
	x := diag.WrongKind(v.place(), v.path, want, kindOf(v.node))
	d.bag.Add(x)
	return x
}

// text reads a text as it is written: yes, on, 5 and true are texts where one
// is asked for.
func (d *decoder) text(v value) (string, bool) {
	if v.node.Kind != yamlsrc.Scalar || v.node.IsNull() {
		d.wrongKind(v, "a text")
		return "", false
	}
	return v.node.Value, true
}

// filled reads a text that is not blank.
func (d *decoder) filled(v value) (string, bool) {
	s, ok := d.text(v)
	if ok && strings.TrimSpace(s) == "" {
		d.bag.Add(diag.EmptyValue(v.place(), v.path))
		return "", false
	}
	return s, ok
}

// filledValue keeps a value that is a text and not blank.
func (d *decoder) filledValue(v value) *value {
	if _, ok := d.filled(v); !ok {
		return nil
	}
	return &v
}

// name reads a name of something: what, as "an output". Without hyphens it is a
// variable's.
func (d *decoder) name(v value, what string, hyphens bool) (string, bool) {
	s, ok := d.text(v)
	if ok && !isName(s, hyphens) {
		d.bag.Add(diag.BadName(v.place(), what, s, hyphens))
		return "", false
	}
	return s, ok
}

// flag reads a boolean. The original reads YAML 1.1, to which yes, no, on and
// off are booleans too.
func (d *decoder) flag(v value) (set, ok bool) {
	if v.node.Kind == yamlsrc.Scalar && v.node.Style == yamlsrc.Plain {
		switch strings.ToLower(v.node.Value) {
		case "true", "yes", "on":
			return true, true
		case "false", "no", "off":
			return false, true
		}
	}
	d.wrongKind(v, "true or false")
	return false, false
}

// whole reads a whole number of low or more.
func (d *decoder) whole(v value, low int) (int, bool) {
	f, ok := d.amount(v, "a whole number of "+strconv.Itoa(low)+" or more", func(f float64) bool {
		return f == math.Trunc(f) && f >= float64(low) && f <= math.MaxInt32
	})
	return int(f), ok
}

// amount reads a number that a condition holds for; want says in words which
// numbers those are.
func (d *decoder) amount(v value, want string, valid func(float64) bool) (float64, bool) {
	f, ok := v.node.Number()
	if !ok {
		d.wrongKind(v, want)
		return 0, false
	}
	if !valid(f) {
		d.bag.Add(diag.OutOfRange(v.place(), v.path, v.node.Value, want))
		return 0, false
	}
	return f, true
}

func (d *decoder) isMapping(v value) bool {
	if v.node.Kind != yamlsrc.Mapping {
		d.wrongKind(v, "a mapping")
		return false
	}
	return true
}

func (d *decoder) isList(v value) bool {
	if v.node.Kind == yamlsrc.Sequence {
		return true
	}
	x := d.wrongKind(v, "a list")
	if v.node.Kind == yamlsrc.Scalar && !v.node.IsNull() && v.node.Style == yamlsrc.Plain {
		x.WithFix("make it a list", v.node.Place(), "["+v.node.Value+"]", false)
	}
	return false
}

// An entry is a name in a list.
type entry struct {
	name string
	at   source.Span
}

// entries reads a list of at least one name of a node.
func (d *decoder) entries(v value) ([]entry, bool) {
	if !d.isList(v) {
		return nil, false
	}
	if len(v.node.Items) == 0 {
		d.bag.Add(diag.EmptyValue(v.place(), v.path))
		return nil, false
	}
	var list []entry
	ok := true
	for _, n := range v.node.Items {
		item := v.item(n)
		name, good := d.text(item)
		if ok = ok && good; good {
			list = append(list, entry{name, item.place()})
		}
	}
	return list, ok
}

// trimText takes the blanks off both ends of a text.
func trimText(t source.Text) source.Text {
	start := len(t.Value) - len(strings.TrimLeft(t.Value, " \t\r\n"))
	end := len(strings.TrimRight(t.Value, " \t\r\n"))
	if start >= end {
		return t.Slice(0, 0)
	}
	return t.Slice(start, end)
}
