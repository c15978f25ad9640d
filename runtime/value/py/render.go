package py

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strOf renders a value as Python's str() does.
func strOf(v Value) string {
	switch v := v.(type) {
	case Str:
		return string(v)
	case *undefined:
		if v.lenient {
			return ""
		}
		panic(v.useError())
	case *symbol:
		return v.text
	}
	return reprOf(v)
}

// reprOf renders a value as Python's repr() does.
func reprOf(v Value) string {
	var r renderer
	r.writeValue(v)
	return r.b.String()
}

// String returns True or False.
func (b Bool) String() string {
	if b {
		return "True"
	}
	return "False"
}

// A renderer writes the repr of a value. above are the containers that it is
// in: one that holds itself is written as dots.
type renderer struct {
	b     strings.Builder
	above trail
}

func (r *renderer) writeValue(v Value) {
	checkText(int64(r.b.Len()))
	switch v := v.(type) {
	case None:
		r.b.WriteString("None")
	case Bool:
		r.b.WriteString(v.String())
	case Int:
		r.b.WriteString(strconv.FormatInt(int64(v), 10))
	case *bigInt:
		r.b.WriteString(bigText(v.i))
	case Float:
		r.b.WriteString(floatText(float64(v)))
	case Str:
		writeQuoted(&r.b, string(v))
	case *List:
		r.writeContainer(v, "[", "]", "[...]", func() { r.writeItems(v.items) })
	case *tuple:
		r.writeContainer(v, "(", ")", "(...)", func() { r.writeTuple(v.items) })
	case *Dict:
		r.writeContainer(v, "{", "}", "{...}", func() { r.writeDict(v) })
	case *dictView:
		r.writeContainer(v, v.typeName()+"([", "])", "...", func() { r.writeItems(collectValues(v)) })
	case *rangeValue:
		r.b.WriteString("range(" + strconv.FormatInt(v.start, 10) + ", " + strconv.FormatInt(v.stop, 10))
		if v.step != 1 {
			r.b.WriteString(", " + strconv.FormatInt(v.step, 10))
		}
		r.b.WriteString(")")
	default:
		r.writeJinjaObject(v)
	}
}

// writeJinjaObject writes the values that only Jinja2 has.
func (r *renderer) writeJinjaObject(v Value) {
	switch v := v.(type) {
	case *undefined:
		if v.lenient {
			r.b.WriteString("Undefined")
			return
		}
		panic(v.useError())
	case *symbol:
		r.b.WriteString(v.text)
		return
	case *namespaceValue:
		r.writeContainer(v, "<Namespace ", ">", "<Namespace ...>", func() { r.writeValue(v.attrs) })
		return
	case *Loop:
		n := v.itemCount()
		r.b.WriteString("<LoopContext " + strconv.Itoa(v.at+1) + "/" + strconv.Itoa(n) + ">")
		return
	case *function:
		if v.macro {
			r.b.WriteString("<Macro " + quoteRepr(v.name) + ">")
			return
		}
		panic(typeError("`%s` is a function and cannot be printed: call it with ()", v.name))
	case *iterator:
		panic(typeError("a %s cannot be printed: make it a list with `| list`", v.name))
	}
	panic(typeError("a %s cannot be printed", v.typeName()))
}

// writeContainer writes a container between its brackets, unless it is in itself.
func (r *renderer) writeContainer(v Value, open, end, itself string, inner func()) {
	if r.above.has(v) {
		r.b.WriteString(itself)
		return
	}
	r.above.push(v)
	r.b.WriteString(open)
	inner()
	r.b.WriteString(end)
	r.above.pop()
}

func (r *renderer) writeItems(items []Value) {
	for i, item := range items {
		if i > 0 {
			r.b.WriteString(", ")
		}
		r.writeValue(item)
	}
}

func (r *renderer) writeTuple(items []Value) {
	r.writeItems(items)
	if len(items) == 1 {
		r.b.WriteByte(',')
	}
}

func (r *renderer) writeDict(d *Dict) {
	for i, e := range d.liveEntries() {
		if i > 0 {
			r.b.WriteString(", ")
		}
		r.writeValue(e.key)
		r.b.WriteString(": ")
		r.writeValue(e.value)
	}
}

// floatText renders a float as Python does: the shortest digits that mean it,
// with an exponent below 1e-4 and from 1e16 on.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// bigText renders a whole number, of which Python prints up to 4,300 digits.
func bigText(i *big.Int) string {
	s := i.String()
	if len(s) > maxDigits+1 || len(s) == maxDigits+1 && s[0] != '-' {
		panic(valueError("Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit", maxDigits))
	}
	return s
}

// quoteRepr renders a text as Python's repr does.
func quoteRepr(s string) string {
	var b strings.Builder
	writeQuoted(&b, s)
	return b.String()
}

func writeQuoted(b *strings.Builder, s string) {
	mark := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	b.WriteByte(mark)
	for _, c := range s {
		switch {
		case c == rune(mark) || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c < 0x100:
			writeHex(b, 'x', c, 2)
		case c < 0x10000:
			writeHex(b, 'u', c, 4)
		default:
			writeHex(b, 'U', c, 8)
		}
	}
	b.WriteByte(mark)
}

func writeHex(b *strings.Builder, mark byte, c rune, digits int) {
	const hex = "0123456789abcdef"
	b.WriteByte('\\')
	b.WriteByte(mark)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte(hex[c>>shift&15])
	}
}

// runeLen returns the number of bytes of the first code point.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// A trail is the containers that a walk is within, outermost first. Deep ones use a map
// instead of a search.
type trail struct {
	list []Value
	deep map[Value]bool
}

// searched is how many containers are searched one by one.
const searched = 8

// has reports whether the walk is within v.
func (t *trail) has(v Value) bool {
	for _, above := range t.list[:min(len(t.list), searched)] {
		if above == v {
			return true
		}
	}
	return t.deep[v]
}

// push enters a container; it fails when it is too deep.
func (t *trail) push(v Value) {
	if len(t.list) >= maxDepth {
		panic(tooDeep())
	}
	if len(t.list) >= searched {
		if t.deep == nil {
			t.deep = map[Value]bool{}
		}
		t.deep[v] = true
	}
	t.list = append(t.list, v)
}

// pop leaves the container that was entered last.
func (t *trail) pop() {
	last := len(t.list) - 1
	if last >= searched {
		delete(t.deep, t.list[last])
	}
	t.list = t.list[:last]
}

// Text returns the text of a value as Python's str() does. It is an error if the value
// cannot be printed; see "Different from Python".
func Text(v Value) (s string, err error) {
	defer catchException(&err)
	return strOf(v), nil
}

// Repr returns the text of a value as Python's repr() does.
func Repr(v Value) (s string, err error) {
	defer catchException(&err)
	return reprOf(v), nil
}

// Dumps writes a value as Python's json.dumps does.
func Dumps(v Value, o DumpsOptions) (s string, err error) {
	defer catchException(&err)
	return jsonOf(v, o), nil
}

// Loads reads JSON as Python's json.loads does: objects keep the order of their
// keys, and NaN and Infinity are numbers.
func Loads(text string) (v Value, err error) {
	defer catchException(&err)
	return parseJSON(text), nil
}

// Get returns the value of a key. The error is that of a value that cannot be a key,
// such as a list.
func (d *Dict) Get(key Value) (v Value, ok bool, err error) {
	defer catchException(&err)
	v, ok = d.get(key)
	return v, ok, nil
}

// Set sets the value of a key. If the dict has an equal key, that key stays as it is and
// where it is: after Set of 1.0, the key 1 is still 1.
func (d *Dict) Set(key, value Value) (err error) {
	defer catchException(&err)
	d.set(key, value)
	return nil
}

// SetStr sets the value of a string key.
func (d *Dict) SetStr(key string, value Value) error { return d.Set(Str(key), value) }

// Each calls f with each item in order until f returns an error.
func (d *Dict) Each(f func(key, value Value) error) error {
	for _, e := range d.entries {
		if e.key == nil {
			continue
		}
		if err := f(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}
