package py

import (
	"math"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONOptions are the keyword arguments of Python's json.dumps.
type JSONOptions struct {
	// Indent puts every item on a line of its own, after this text for each
	// level.
	Indent   string
	Indented bool
	// ItemSeparator and KeySeparator are ", " and ": " when they are empty and Separated is false.
	ItemSeparator, KeySeparator string
	Separated                   bool
	// SortKeys orders dicts by their keys.
	SortKeys bool
	// KeepUnicode leaves letters beyond ASCII as they are (ensure_ascii=False).
	KeepUnicode bool
	// SkipKeys leaves out items whose keys JSON cannot have.
	SkipKeys bool
	// NoNaN makes NaN and infinity errors (allow_nan=False).
	NoNaN bool
}

// JSON renders a value as Python's json.dumps does.
func JSON(v Value, o JSONOptions) (string, error) {
	if !o.Separated {
		o.ItemSeparator, o.KeySeparator = ", ", ": "
		if o.Indented {
			o.ItemSeparator = ","
		}
	}
	w := jsonWriter{o: o}
	if err := w.write(v); err != nil {
		return "", err
	}
	return w.b.String(), nil
}

type jsonWriter struct {
	b     strings.Builder
	o     JSONOptions
	above trail
}

func (w *jsonWriter) write(v Value) error {
	if err := checkText(int64(w.b.Len())); err != nil {
		return err
	}
	switch v := v.(type) {
	case Str:
		w.text(string(v))
	case *List:
		return w.list(v, v.items)
	case *Tuple:
		return w.list(v, v.items)
	case *Dict:
		return w.dict(v)
	case *Undefined:
		if !v.lenient {
			return v.fail()
		}
		return notJSON(v)
	default:
		s, err := w.scalar(v)
		w.b.WriteString(s)
		return err
	}
	return nil
}

func notJSON(v Value) error {
	return typeError("Object of type %s is not JSON serializable", v.typeName())
}

func (w *jsonWriter) scalar(v Value) (string, error) {
	switch v := v.(type) {
	case None:
		return "null", nil
	case Bool:
		if v {
			return "true", nil
		}
		return "false", nil
	case Int, *Big:
		return Repr(v)
	case Float:
		f := float64(v)
		if w.o.NoNaN && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return "", valueError("Out of range float values are not JSON compliant")
		}
		switch {
		case math.IsNaN(f):
			return "NaN", nil
		case math.IsInf(f, 1):
			return "Infinity", nil
		case math.IsInf(f, -1):
			return "-Infinity", nil
		}
		return FloatText(f), nil
	}
	return "", notJSON(v)
}

func (w *jsonWriter) enter(v Value) error {
	if w.above.has(v) {
		return valueError("Circular reference detected")
	}
	return w.above.push(v)
}

// line starts a new line at the present level.
func (w *jsonWriter) line() {
	if w.o.Indented {
		w.b.WriteByte('\n')
		for range w.above.list {
			w.b.WriteString(w.o.Indent)
		}
	}
}

func (w *jsonWriter) leave() {
	w.above.pop()
	w.line()
}

func (w *jsonWriter) list(v Value, items []Value) error {
	if len(items) == 0 {
		w.b.WriteString("[]")
		return nil
	}
	if err := w.enter(v); err != nil {
		return err
	}
	w.b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			w.b.WriteString(w.o.ItemSeparator)
		}
		w.line()
		if err := w.write(item); err != nil {
			return err
		}
	}
	w.leave()
	w.b.WriteByte(']')
	return nil
}

func (w *jsonWriter) dict(d *Dict) error {
	if d.Len() == 0 {
		w.b.WriteString("{}")
		return nil
	}
	if err := w.enter(d); err != nil {
		return err
	}
	entries, err := w.entries(d)
	if err != nil {
		return err
	}
	w.b.WriteByte('{')
	first := true
	for _, e := range entries {
		name, ok, err := w.key(e.key)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if !first {
			w.b.WriteString(w.o.ItemSeparator)
		}
		first = false
		w.line()
		w.text(name)
		w.b.WriteString(w.o.KeySeparator)
		if err := w.write(e.value); err != nil {
			return err
		}
	}
	w.leave()
	w.b.WriteByte('}')
	return nil
}

// entries returns the items of a dict in the order in which they are written.
func (w *jsonWriter) entries(d *Dict) ([]entry, error) {
	var entries []entry
	for _, e := range d.entries {
		if e.key != nil {
			entries = append(entries, e)
		}
	}
	if !w.o.SortKeys {
		return entries, nil
	}
	var failure error
	sort.SliceStable(entries, func(i, j int) bool {
		less, err := Lt(entries[i].key, entries[j].key)
		if err != nil && failure == nil {
			failure = err
		}
		return less
	})
	return entries, failure
}

// key returns the text of a key; false when it is to be left out.
func (w *jsonWriter) key(v Value) (string, bool, error) {
	switch v := v.(type) {
	case Str:
		return string(v), true, nil
	case None, Bool, Int, *Big, Float:
		s, err := w.scalar(v)
		return s, true, err
	}
	if w.o.SkipKeys {
		return "", false, nil
	}
	return "", false, typeError("keys must be str, int, float, bool or None, not %s", v.typeName())
}

func (w *jsonWriter) text(s string) {
	w.b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.b.WriteByte('\\')
			w.b.WriteRune(r)
		case r == '\n':
			w.b.WriteString(`\n`)
		case r == '\r':
			w.b.WriteString(`\r`)
		case r == '\t':
			w.b.WriteString(`\t`)
		case r == '\b':
			w.b.WriteString(`\b`)
		case r == '\f':
			w.b.WriteString(`\f`)
		case r < ' ', r == 0x7F && !w.o.KeepUnicode, r >= utf8.RuneSelf && r < 0x10000 && !w.o.KeepUnicode:
			writeHex(&w.b, 'u', r, 4)
		case r >= 0x10000 && !w.o.KeepUnicode:
			high, low := utf16.EncodeRune(r)
			writeHex(&w.b, 'u', high, 4)
			writeHex(&w.b, 'u', low, 4)
		default:
			w.b.WriteRune(r)
		}
	}
	w.b.WriteByte('"')
}
