package py

import (
	"math"
	"math/big"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// parseJSON reads a text as Python's json.loads does: keys keep their order, of
// one that comes twice the last value counts, whole numbers may have any size,
// and NaN, Infinity and -Infinity are numbers. Errors are of the kind
// JSONDecodeError.
func parseJSON(text string) Value {
	r := jsonReader{s: text}
	r.skipBlanks()
	v := r.readValue(0)
	if r.skipBlanks(); r.at < len(text) {
		panic(r.syntaxError("Extra data"))
	}
	return v
}

type jsonReader struct {
	s  string
	at int
}

// syntaxError is Python's message with the place in code points.
func (r *jsonReader) syntaxError(message string) error { return r.failAt(message, r.at) }

func (r *jsonReader) failAt(message string, at int) error {
	before := r.s[:min(at, len(r.s))]
	line := strings.Count(before, "\n") + 1
	column := strLen(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return newException("JSONDecodeError", "%s: line %d column %d (char %d)", message, line, column, strLen(before))
}

func (r *jsonReader) skipBlanks() {
	for r.at < len(r.s) && strings.IndexByte(" \t\n\r", r.s[r.at]) >= 0 {
		r.at++
	}
}

// takeLiteral reads the literal if it is next.
func (r *jsonReader) takeLiteral(literal string) bool {
	if !strings.HasPrefix(r.s[r.at:], literal) {
		return false
	}
	r.at += len(literal)
	return true
}

func (r *jsonReader) readValue(depth int) Value {
	if depth > maxDepth {
		panic(newException("RecursionError", "maximum recursion depth exceeded while decoding a JSON document"))
	}
	switch {
	case r.takeLiteral(`"`):
		return Str(r.readText())
	case r.takeLiteral("{"):
		return r.readDict(depth)
	case r.takeLiteral("["):
		return r.readList(depth)
	case r.takeLiteral("null"):
		return None{}
	case r.takeLiteral("true"):
		return Bool(true)
	case r.takeLiteral("false"):
		return Bool(false)
	case r.takeLiteral("NaN"):
		return Float(math.NaN())
	case r.takeLiteral("Infinity"):
		return Float(math.Inf(1))
	case r.takeLiteral("-Infinity"):
		return Float(math.Inf(-1))
	}
	return r.readNumber()
}

var jsonNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)
})

func (r *jsonReader) readNumber() Value {
	text := jsonNumber().FindString(r.s[r.at:])
	if text == "" {
		panic(r.syntaxError("Expecting value"))
	}
	r.at += len(text)
	if strings.ContainsAny(text, ".eE") {
		f, _ := strconv.ParseFloat(text, 64) // too large is infinity, as in Python
		return Float(f)
	}
	return parseDigits(text)
}

// parseDigits reads a whole number, of which Python takes up to 4,300 digits.
func parseDigits(text string) Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n)
	}
	if n := len(strings.TrimLeft(text, "+-")); n > maxDigits {
		panic(valueError("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", maxDigits, n))
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic(valueError("invalid literal for int() with base 10: %s", quoteRepr(text)))
	}
	return newInt(i)
}

func (r *jsonReader) readList(depth int) Value {
	l := NewList()
	if r.skipBlanks(); r.takeLiteral("]") {
		return l
	}
	for {
		v := r.readValue(depth + 1)
		checkItems(int64(len(l.items)) + 1)
		l.items = append(l.items, v)
		r.skipBlanks()
		if r.takeLiteral("]") {
			return l
		}
		if !r.takeLiteral(",") {
			panic(r.syntaxError("Expecting ',' delimiter"))
		}
		r.skipBlanks()
	}
}

func (r *jsonReader) readDict(depth int) Value {
	d := NewDict()
	if r.skipBlanks(); r.takeLiteral("}") {
		return d
	}
	for {
		if !r.takeLiteral(`"`) {
			panic(r.syntaxError("Expecting property name enclosed in double quotes"))
		}
		key := r.readText()
		if r.skipBlanks(); !r.takeLiteral(":") {
			panic(r.syntaxError("Expecting ':' delimiter"))
		}
		r.skipBlanks()
		d.setStr(key, r.readValue(depth+1))
		if r.skipBlanks(); r.takeLiteral("}") {
			return d
		}
		if !r.takeLiteral(",") {
			panic(r.syntaxError("Expecting ',' delimiter"))
		}
		r.skipBlanks()
	}
}

// readText reads a text after its opening quote.
func (r *jsonReader) readText() string {
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
			panic(r.failAt("Unterminated string starting at", start))
		case r.takeLiteral(`"`):
			return b.String()
		case r.takeLiteral(`\`):
			r.readEscape(&b, start)
		default:
			panic(r.syntaxError("Invalid control character at"))
		}
	}
}

func (r *jsonReader) readEscape(b *strings.Builder, start int) {
	if r.at >= len(r.s) {
		panic(r.failAt("Unterminated string starting at", start))
	}
	c := r.s[r.at]
	r.at++
	if c == 'u' {
		r.readUnicodeEscape(b)
		return
	}
	at := strings.IndexByte(`"\/bfnrt`, c)
	if at < 0 {
		panic(r.failAt(`Invalid \escape`, r.at-2))
	}
	b.WriteByte("\"\\/\b\f\n\r\t"[at])
}

func (r *jsonReader) readUnicodeEscape(b *strings.Builder) {
	high, ok := r.readHex()
	if !ok {
		panic(r.failAt(`Invalid \uXXXX escape`, r.at))
	}
	if utf16.IsSurrogate(high) && strings.HasPrefix(r.s[r.at:], `\u`) {
		back := r.at
		r.at += 2
		if low, ok := r.readHex(); ok {
			if pair := utf16.DecodeRune(high, low); pair != '\uFFFD' {
				b.WriteRune(pair)
				return
			}
		}
		r.at = back
	}
	b.WriteRune(high) // a lone surrogate becomes U+FFFD
}

func (r *jsonReader) readHex() (rune, bool) {
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

// DumpsOptions are the keyword arguments of Python's json.dumps.
type DumpsOptions struct {
	// Indent is the indentation of each level if Indented is true: every item is on a
	// separate line then.
	Indent   string
	Indented bool
	// ItemSeparator and KeySeparator count if Separated is true; otherwise they are ", "
	// and ": ".
	ItemSeparator, KeySeparator string
	Separated                   bool
	// SortKeys orders dicts by their keys.
	SortKeys bool
	// KeepUnicode leaves letters beyond ASCII as they are (ensure_ascii=False).
	KeepUnicode bool
	// SkipKeys omits items whose keys JSON does not allow.
	SkipKeys bool
	// NoNaN makes NaN and infinity errors (allow_nan=False).
	NoNaN bool
}

// jsonOf renders a value as Python's json.dumps does.
func jsonOf(v Value, o DumpsOptions) string {
	if !o.Separated {
		o.ItemSeparator, o.KeySeparator = ", ", ": "
		if o.Indented {
			o.ItemSeparator = ","
		}
	}
	w := jsonWriter{o: o}
	w.writeValue(v)
	return w.b.String()
}

type jsonWriter struct {
	b     strings.Builder
	o     DumpsOptions
	above trail
}

func (w *jsonWriter) writeValue(v Value) {
	checkText(int64(w.b.Len()))
	switch v := v.(type) {
	case Str:
		w.writeText(string(v))
	case *List:
		w.writeList(v, v.items)
	case *tuple:
		w.writeList(v, v.items)
	case *Dict:
		w.writeDict(v)
	case *undefined:
		if !v.lenient {
			panic(v.useError())
		}
		panic(notJSON(v))
	default:
		w.b.WriteString(w.scalarText(v))
	}
}

func notJSON(v Value) error {
	return typeError("Object of type %s is not JSON serializable", v.typeName())
}

func (w *jsonWriter) scalarText(v Value) string {
	switch v := v.(type) {
	case None:
		return "null"
	case Bool:
		if v {
			return "true"
		}
		return "false"
	case Int, *bigInt:
		return reprOf(v)
	case Float:
		f := float64(v)
		if w.o.NoNaN && (math.IsNaN(f) || math.IsInf(f, 0)) {
			panic(valueError("Out of range float values are not JSON compliant"))
		}
		switch {
		case math.IsNaN(f):
			return "NaN"
		case math.IsInf(f, 1):
			return "Infinity"
		case math.IsInf(f, -1):
			return "-Infinity"
		}
		return floatText(f)
	}
	panic(notJSON(v))
}

func (w *jsonWriter) enterContainer(v Value) {
	if w.above.has(v) {
		panic(valueError("Circular reference detected"))
	}
	w.above.push(v)
}

// startLine starts a new line at the present level.
func (w *jsonWriter) startLine() {
	if w.o.Indented {
		w.b.WriteByte('\n')
		for range w.above.list {
			w.b.WriteString(w.o.Indent)
		}
	}
}

func (w *jsonWriter) leaveContainer() {
	w.above.pop()
	w.startLine()
}

func (w *jsonWriter) writeList(v Value, items []Value) {
	if len(items) == 0 {
		w.b.WriteString("[]")
		return
	}
	w.enterContainer(v)
	w.b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			w.b.WriteString(w.o.ItemSeparator)
		}
		w.startLine()
		w.writeValue(item)
	}
	w.leaveContainer()
	w.b.WriteByte(']')
}

func (w *jsonWriter) writeDict(d *Dict) {
	if d.Len() == 0 {
		w.b.WriteString("{}")
		return
	}
	w.enterContainer(d)
	w.b.WriteByte('{')
	first := true
	for _, e := range w.orderedEntries(d) {
		name, ok := w.keyText(e.key)
		if !ok {
			continue
		}
		if !first {
			w.b.WriteString(w.o.ItemSeparator)
		}
		first = false
		w.startLine()
		w.writeText(name)
		w.b.WriteString(w.o.KeySeparator)
		w.writeValue(e.value)
	}
	w.leaveContainer()
	w.b.WriteByte('}')
}

// orderedEntries returns the items of a dict in the order in which they are written.
func (w *jsonWriter) orderedEntries(d *Dict) []entry {
	entries := d.liveEntries()
	if w.o.SortKeys {
		sort.SliceStable(entries, func(i, j int) bool { return less(entries[i].key, entries[j].key) })
	}
	return entries
}

// keyText returns the text of a key; false when it is to be left out.
func (w *jsonWriter) keyText(v Value) (string, bool) {
	switch v := v.(type) {
	case Str:
		return string(v), true
	case None, Bool, Int, *bigInt, Float:
		return w.scalarText(v), true
	}
	if w.o.SkipKeys {
		return "", false
	}
	panic(typeError("keys must be str, int, float, bool or None, not %s", v.typeName()))
}

func (w *jsonWriter) writeText(s string) {
	const marks, letters = "\"\\\n\r\t\b\f", `"\nrtbf`
	w.b.WriteByte('"')
	for _, r := range s {
		switch at := strings.IndexRune(marks, r); {
		case at >= 0:
			w.b.WriteByte('\\')
			w.b.WriteByte(letters[at])
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
