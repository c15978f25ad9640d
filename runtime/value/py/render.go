package py

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text renders a value as Python's str() does.
func Text(v Value) (string, error) {
	switch v := v.(type) {
	case Str:
		return string(v), nil
	case *Undefined:
		if v.lenient {
			return "", nil
		}
		return "", v.fail()
	case *StandIn:
		return v.text(), nil
	}
	return Repr(v)
}

// Repr renders a value as Python's repr() does.
func Repr(v Value) (string, error) {
	switch v := v.(type) {
	case Str:
		return quote(string(v)), nil
	case Int:
		return strconv.FormatInt(int64(v), 10), nil
	case Bool:
		return boolText(v), nil
	}
	var r renderer
	if err := r.write(v); err != nil {
		return "", err
	}
	return r.b.String(), nil
}

func boolText(b Bool) string {
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

func (r *renderer) write(v Value) error {
	if err := checkText(int64(r.b.Len())); err != nil {
		return err
	}
	switch v := v.(type) {
	case None:
		r.b.WriteString("None")
	case Bool:
		r.b.WriteString(boolText(v))
	case Int:
		r.b.WriteString(strconv.FormatInt(int64(v), 10))
	case *Big:
		s, err := bigText(v.i)
		r.b.WriteString(s)
		return err
	case Float:
		r.b.WriteString(FloatText(float64(v)))
	case Str:
		writeQuoted(&r.b, string(v))
	case *List:
		return r.within(v, "[", "]", "[...]", func() error { return r.list(v.items) })
	case *Tuple:
		return r.within(v, "(", ")", "(...)", func() error { return r.tuple(v.items) })
	case *Dict:
		return r.within(v, "{", "}", "{...}", func() error { return r.dict(v) })
	case *View:
		return r.within(v, v.typeName()+"([", "])", "...", func() error { return r.view(v) })
	case *Range:
		r.b.WriteString("range(" + strconv.FormatInt(v.start, 10) + ", " + strconv.FormatInt(v.stop, 10))
		if v.step != 1 {
			r.b.WriteString(", " + strconv.FormatInt(v.step, 10))
		}
		r.b.WriteString(")")
	default:
		return r.object(v)
	}
	return nil
}

// object writes the values that only Jinja2 has.
func (r *renderer) object(v Value) error {
	switch v := v.(type) {
	case *Undefined:
		if v.lenient {
			r.b.WriteString("Undefined")
			return nil
		}
		return v.fail()
	case *StandIn:
		r.b.WriteString(v.text())
		return nil
	case *Namespace:
		return r.within(v, "<Namespace ", ">", "<Namespace ...>", func() error { return r.write(v.attrs) })
	case *Loop:
		n, err := v.length()
		r.b.WriteString("<LoopContext " + strconv.Itoa(v.at+1) + "/" + strconv.Itoa(n) + ">")
		return err
	case *Func:
		if v.macro {
			r.b.WriteString("<Macro " + quote(v.name) + ">")
			return nil
		}
		return typeError("`%s` is a function and cannot be printed: call it with ()", v.name)
	case *Iter:
		return typeError("a %s cannot be printed: make it a list with `| list`", v.name)
	}
	return typeError("a %s cannot be printed", v.typeName())
}

// within writes a container between its brackets, unless it is in itself.
func (r *renderer) within(v Value, open, end, itself string, inner func() error) error {
	if r.above.has(v) {
		r.b.WriteString(itself)
		return nil
	}
	if err := r.above.push(v); err != nil {
		return err
	}
	r.b.WriteString(open)
	if err := inner(); err != nil {
		return err
	}
	r.b.WriteString(end)
	r.above.pop()
	return nil
}

func (r *renderer) list(items []Value) error {
	for i, item := range items {
		if i > 0 {
			r.b.WriteString(", ")
		}
		if err := r.write(item); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) tuple(items []Value) error {
	err := r.list(items)
	if len(items) == 1 {
		r.b.WriteByte(',')
	}
	return err
}

func (r *renderer) dict(d *Dict) error {
	first := true
	return d.Each(func(key, value Value) error {
		if !first {
			r.b.WriteString(", ")
		}
		first = false
		if err := r.write(key); err != nil {
			return err
		}
		r.b.WriteString(": ")
		return r.write(value)
	})
}

func (r *renderer) view(v *View) error {
	first := true
	return v.dict.Each(func(key, value Value) error {
		if !first {
			r.b.WriteString(", ")
		}
		first = false
		return r.write(v.of(entry{key: key, value: value}))
	})
}

// FloatText renders a float as Python does: the shortest digits that mean it,
// with an exponent below 1e-4 and from 1e16 on.
func FloatText(f float64) string {
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
func bigText(i *big.Int) (string, error) {
	s := i.String()
	if len(s) > maxDigits+1 || len(s) == maxDigits+1 && s[0] != '-' {
		return "", valueError("Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit", maxDigits)
	}
	return s, nil
}

// quote renders a text as Python's repr does.
func quote(s string) string {
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
