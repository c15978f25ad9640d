package py

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/wfc-lang/wfc/runtime/value"
)

// FromJSON reads a text as Python's json.loads does: keys keep their order, of
// one that comes twice the last value counts, whole numbers may have any size,
// and NaN, Infinity and -Infinity are numbers. Errors are of the kind
// JSONDecodeError.
func FromJSON(text string) (Value, error) {
	r := jsonReader{s: text}
	r.blank()
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if r.blank(); r.at < len(text) {
		return nil, r.fail("Extra data")
	}
	return v, nil
}

// FromValue makes a value of JSON that the rest of the runtime has read.
func FromValue(v value.Value) Value {
	switch v := v.(type) {
	case value.Bool:
		return Bool(v)
	case value.String:
		return Str(v)
	case value.Number:
		n, err := FromJSON(string(v))
		if err != nil {
			return Float(math.NaN())
		}
		return n
	case value.Array:
		items := make([]Value, len(v))
		for i, item := range v {
			items[i] = FromValue(item)
		}
		return NewList(items...)
	case *value.Object:
		d := NewDict()
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			h := hashKey{kind: 's', s: key}
			d.index[h] = len(d.entries)
			d.entries = append(d.entries, entry{hash: h, key: Str(key), value: FromValue(item)})
		}
		return d
	}
	return None{}
}

type jsonReader struct {
	s  string
	at int
}

// fail is Python's message with the place in code points.
func (r *jsonReader) fail(message string) error { return r.failAt(message, r.at) }

func (r *jsonReader) failAt(message string, at int) error {
	before := r.s[:min(at, len(r.s))]
	line := strings.Count(before, "\n") + 1
	column := strLen(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return raise("JSONDecodeError", "%s: line %d column %d (char %d)", message, line, column, strLen(before))
}

func (r *jsonReader) blank() {
	for r.at < len(r.s) && strings.IndexByte(" \t\n\r", r.s[r.at]) >= 0 {
		r.at++
	}
}

// take reads the literal if it is next.
func (r *jsonReader) take(literal string) bool {
	if !strings.HasPrefix(r.s[r.at:], literal) {
		return false
	}
	r.at += len(literal)
	return true
}

func (r *jsonReader) value(depth int) (Value, error) {
	if depth > maxDepth {
		return nil, raise("RecursionError", "maximum recursion depth exceeded while decoding a JSON document")
	}
	switch {
	case r.take(`"`):
		s, err := r.text()
		return Str(s), err
	case r.take("{"):
		return r.dict(depth)
	case r.take("["):
		return r.list(depth)
	case r.take("null"):
		return None{}, nil
	case r.take("true"):
		return Bool(true), nil
	case r.take("false"):
		return Bool(false), nil
	case r.take("NaN"):
		return Float(math.NaN()), nil
	case r.take("Infinity"):
		return Float(math.Inf(1)), nil
	case r.take("-Infinity"):
		return Float(math.Inf(-1)), nil
	}
	return r.number()
}

func (r *jsonReader) digits(at int) int {
	for at < len(r.s) && '0' <= r.s[at] && r.s[at] <= '9' {
		at++
	}
	return at
}

func (r *jsonReader) number() (Value, error) {
	start := r.at
	if start < len(r.s) && r.s[start] == '-' {
		start++
	}
	end := r.digits(start)
	if end == start {
		return nil, r.fail("Expecting value")
	}
	if r.s[start] == '0' {
		end = start + 1
	}
	whole := end
	if end < len(r.s) && r.s[end] == '.' && r.digits(end+1) > end+1 {
		end = r.digits(end + 1)
	}
	if e := end; e < len(r.s) && (r.s[e] == 'e' || r.s[e] == 'E') {
		e++
		if e < len(r.s) && (r.s[e] == '+' || r.s[e] == '-') {
			e++
		}
		if last := r.digits(e); last > e {
			end = last
		}
	}
	text := r.s[r.at:end]
	r.at = end
	if end > whole {
		f, _ := strconv.ParseFloat(text, 64) // too large is infinity, as in Python
		return Float(f), nil
	}
	return parseDigits(text)
}

// parseDigits reads a whole number, of which Python takes up to 4,300 digits.
func parseDigits(text string) (Value, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n), nil
	}
	if n := len(strings.TrimLeft(text, "+-")); n > maxDigits {
		return nil, valueError("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", maxDigits, n)
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, valueError("invalid literal for int() with base 10: %s", quote(text))
	}
	return NewInt(i), nil
}

func (r *jsonReader) list(depth int) (Value, error) {
	l := NewList()
	if r.blank(); r.take("]") {
		return l, nil
	}
	for {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if err := checkItems(int64(len(l.items)) + 1); err != nil {
			return nil, err
		}
		l.items = append(l.items, v)
		r.blank()
		if r.take("]") {
			return l, nil
		}
		if !r.take(",") {
			return nil, r.fail("Expecting ',' delimiter")
		}
		r.blank()
	}
}

func (r *jsonReader) dict(depth int) (Value, error) {
	d := NewDict()
	if r.blank(); r.take("}") {
		return d, nil
	}
	for {
		if !r.take(`"`) {
			return nil, r.fail("Expecting property name enclosed in double quotes")
		}
		key, err := r.text()
		if err != nil {
			return nil, err
		}
		if r.blank(); !r.take(":") {
			return nil, r.fail("Expecting ':' delimiter")
		}
		r.blank()
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if err := d.SetStr(key, v); err != nil {
			return nil, err
		}
		if r.blank(); r.take("}") {
			return d, nil
		}
		if !r.take(",") {
			return nil, r.fail("Expecting ',' delimiter")
		}
		r.blank()
	}
}

// text reads a text after its opening quote.
func (r *jsonReader) text() (string, error) {
	start := r.at - 1
	var b strings.Builder
	for {
		plain := r.at
		for r.at < len(r.s) && r.s[r.at] != '"' && r.s[r.at] != '\\' && r.s[r.at] >= ' ' {
			r.at++
		}
		b.WriteString(r.s[plain:r.at])
		switch {
		case r.at >= len(r.s):
			return "", r.failAt("Unterminated string starting at", start)
		case r.take(`"`):
			return b.String(), nil
		case r.take(`\`):
			if err := r.escape(&b, start); err != nil {
				return "", err
			}
		default:
			return "", r.fail("Invalid control character at")
		}
	}
}

func (r *jsonReader) escape(b *strings.Builder, start int) error {
	if r.at >= len(r.s) {
		return r.failAt("Unterminated string starting at", start)
	}
	c := r.s[r.at]
	r.at++
	if c == 'u' {
		return r.unicode(b)
	}
	at := strings.IndexByte(`"\/bfnrt`, c)
	if at < 0 {
		return r.failAt(`Invalid \escape`, r.at-2)
	}
	b.WriteByte("\"\\/\b\f\n\r\t"[at])
	return nil
}

func (r *jsonReader) unicode(b *strings.Builder) error {
	high, ok := r.hex()
	if !ok {
		return r.failAt(`Invalid \uXXXX escape`, r.at)
	}
	if utf16.IsSurrogate(high) && strings.HasPrefix(r.s[r.at:], `\u`) {
		back := r.at
		r.at += 2
		if low, ok := r.hex(); ok {
			if pair := utf16.DecodeRune(high, low); pair != '\uFFFD' {
				b.WriteRune(pair)
				return nil
			}
		}
		r.at = back
	}
	b.WriteRune(high) // a lone surrogate becomes U+FFFD
	return nil
}

func (r *jsonReader) hex() (rune, bool) {
	if r.at+4 > len(r.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.s[r.at:r.at+4], 16, 32)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return rune(n), true
}
