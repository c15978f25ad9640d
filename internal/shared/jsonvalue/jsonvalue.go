// Package jsonvalue has JSON values with ordered keys and the exact digits of numbers, and their
// text as JavaScript prints it.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Value is a JSON value: Null, Bool, Number, String, Array or *Object.
type Value interface {
	// Text renders the value as a reference to it reads: a string as it is,
	// everything else as JSON with numbers as JavaScript prints them.
	Text() string
	isValue()
}

// Null is the JSON null.
type Null struct{}

// Bool is true or false.
type Bool bool

// Number is a number in the exact text of the document.
type Number string

// String is a text.
type String string

// Array is a list of values.
type Array []Value

// An Object is a JSON object. Its keys keep the order in which they first came, except
// that whole numbers come first and in order of size, as in JavaScript. If a key occurs
// twice, the last value counts.
type Object struct {
	keys   []string
	values map[string]Value
}

// Keys returns the object's keys in order. The caller must not change the slice.
func (o *Object) Keys() []string { return o.keys }

// Get returns the value of a key.
func (o *Object) Get(key string) (Value, bool) {
	v, ok := o.values[key]
	return v, ok
}

// Set sets the value of a key, and adds the key at the end if it is new.
func (o *Object) Set(key string, v Value) {
	if _, again := o.values[key]; !again {
		o.keys = append(o.keys, key)
	}
	if o.values == nil {
		o.values = map[string]Value{}
	}
	o.values[key] = v
}

func (Null) isValue()    {}
func (Bool) isValue()    {}
func (Number) isValue()  {}
func (String) isValue()  {}
func (Array) isValue()   {}
func (*Object) isValue() {}

// Parse reads a text that is one JSON value and nothing else.
func Parse(text string) (Value, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	// Checking first finds text after the value, and limits the depth, so that reading it
	// afterwards cannot fail.
	if !json.Valid([]byte(text)) {
		var probe json.RawMessage
		if err := json.Unmarshal([]byte(text), &probe); err != nil {
			return nil, fmt.Errorf("not JSON: %w", plain.JSONError(err, text))
		}
		return nil, errors.New("not JSON")
	}
	return readValue(d)
}

func readValue(d *json.Decoder) (Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	switch t := token.(type) {
	case bool:
		return Bool(t), nil
	case json.Number:
		return Number(t), nil
	case string:
		return String(t), nil
	case json.Delim:
		if t == '[' {
			return readArray(d)
		}
		return readObject(d)
	}
	return Null{}, nil
}

func readArray(d *json.Decoder) (Value, error) {
	list := Array{}
	for d.More() {
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func readObject(d *json.Decoder) (Value, error) {
	o := &Object{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		o.Set(key, v)
	}
	_, err := d.Token()
	o.orderIndexKeys()
	return o, err
}

// orderIndexKeys moves the keys that are array indexes to the front, by size.
func (o *Object) orderIndexKeys() {
	rank := func(key string) uint64 {
		if n, err := strconv.ParseUint(key, 10, 32); err == nil && n < 1<<32-1 && strconv.FormatUint(n, 10) == key {
			return n
		}
		return 1 << 32
	}
	sort.SliceStable(o.keys, func(i, j int) bool { return rank(o.keys[i]) < rank(o.keys[j]) })
}

// Find reads the JSON that a text holds: the body of its first code fence
// that is plain or marked as json, else the whole text.
func Find(text string) (Value, error) {
	if body, ok := fencedJSON(text); ok {
		return Parse(body)
	}
	return Parse(text)
}

// fencedJSON returns the body of the first fence for JSON. Fences of other
// languages are passed over whole, so that their ends do not look like starts;
// three backquotes within a line are passed over unless nothing but "json"
// follows them.
func fencedJSON(text string) (string, bool) {
	for {
		before, after, ok := strings.Cut(text, "```")
		if !ok {
			return "", false
		}
		info, rest, ok := strings.Cut(after, "\n")
		if !ok {
			return "", false
		}
		body, tail, closed := strings.Cut("\n"+rest, "\n```")
		if info = strings.TrimSpace(info); info == "" || info == "json" {
			return body, closed
		}
		line := before[strings.LastIndexByte(before, '\n')+1:]
		if closed && strings.TrimSpace(line) == "" && !strings.Contains(info, "`") {
			text = tail
		} else {
			text = after
		}
	}
}

// Text implements Value.
func (Null) Text() string { return "null" }

// Text implements Value.
func (v Bool) Text() string { return strconv.FormatBool(bool(v)) }

// Text implements Value.
func (v Number) Text() string {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		// Too large for JavaScript's numbers; better exact than "Infinity".
		return string(v)
	}
	return FloatText(f)
}

// Text implements Value.
func (v String) Text() string { return string(v) }

// Text implements Value.
func (v Array) Text() string { return Encode(v) }

// Text implements Value.
func (o *Object) Text() string { return Encode(o) }

// Exact is Encode with the digits of all numbers, without JavaScript's rounding.
func Exact(v Value) string {
	var b bytes.Buffer
	writeValue(&b, v, func(n Number) string { return string(n) })
	return b.String()
}

func writeValue(b *bytes.Buffer, v Value, number func(Number) string) {
	switch v := v.(type) {
	case Number:
		b.WriteString(number(v))
	case String:
		writeString(b, string(v))
	case Array:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeValue(b, e, number)
		}
		b.WriteByte(']')
	case *Object:
		b.WriteByte('{')
		for i, key := range v.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, key)
			b.WriteByte(':')
			writeValue(b, v.values[key], number)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.Text())
	}
}

// writeString writes a JSON string as JSON.stringify does, with the fewest escapes.
func writeString(b *bytes.Buffer, s string) {
	const hex, marks, letters = "0123456789abcdef", "\"\\\n\r\t\b\f", `"\nrtbf`
	b.WriteByte('"')
	for _, r := range s {
		switch at := strings.IndexRune(marks, r); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte(letters[at])
		case r < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// Encode returns a value as compact JSON with numbers as JavaScript prints them.
func Encode(v Value) string {
	var b bytes.Buffer
	writeValue(&b, v, Number.Text)
	return b.String()
}

// FloatText renders a number as JavaScript's String does: the shortest digits that
// mean it, with an exponent only below 1e-6 and from 1e21 on.
func FloatText(f float64) string {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	case size < 1e-6 || size >= 1e21:
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return digits + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
