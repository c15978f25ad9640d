package py

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// percentFormat is Python's `text % values`.
func percentFormat(format string, values Value) (Value, error) {
	p := percent{format: format, values: values}
	if t, ok := values.(*Tuple); ok {
		p.args = t.items
	} else {
		p.args, p.single = []Value{values}, true
	}
	if err := p.run(); err != nil {
		return nil, err
	}
	return Str(p.b.String()), nil
}

// percent is the state of one formatting.
type percent struct {
	format string
	values Value
	args   []Value
	single bool
	named  bool
	used   int
	b      strings.Builder
}

func (p *percent) run() error {
	s := p.format
	for s != "" {
		text, rest, found := strings.Cut(s, "%")
		p.b.WriteString(text)
		if err := checkText(int64(p.b.Len())); err != nil {
			return err
		}
		if !found {
			break
		}
		n, err := p.conversion(rest)
		if err != nil {
			return err
		}
		s = rest[n:]
	}
	if _, isDict := p.values.(*Dict); p.used < len(p.args) && !p.named && !isDict && !p.takesItems() {
		return typeError("not all arguments converted during string formatting")
	}
	return nil
}

// takesItems tells whether Python holds the values for a mapping, of which it
// does not mind unused ones.
func (p *percent) takesItems() bool {
	switch p.values.(type) {
	case *List, *Range:
		return p.single
	case *Undefined:
		return p.single
	}
	return false
}

func (p *percent) next() (Value, error) {
	if p.used >= len(p.args) {
		return nil, typeError("not enough arguments for format string")
	}
	p.used++
	return p.args[p.used-1], nil
}

// conversion formats the conversion at the start of s, after the %, and returns
// its length.
func (p *percent) conversion(s string) (int, error) {
	at := 0
	var value Value
	var err error
	if strings.HasPrefix(s, "(") {
		if value, at, err = p.key(s); err != nil {
			return 0, err
		}
		p.named = true
	}
	f := spec{fill: ' ', align: '>', precision: -1}
	at += f.flags(s[at:])
	if f.width, at, err = p.number(s, at); err != nil {
		return 0, err
	}
	if f.width < 0 {
		if f.width == -1 {
			f.width = 0
		} else {
			f.align, f.width = '<', -f.width-2
		}
	}
	if at < len(s) && s[at] == '.' {
		if f.precision, at, err = p.number(s, at+1); err != nil {
			return 0, err
		}
		f.precision = max(f.precision, 0)
	}
	for at < len(s) && strings.IndexByte("hlL", s[at]) >= 0 {
		at++
	}
	if at >= len(s) {
		return 0, valueError("incomplete format")
	}
	kind, n := utf8.DecodeRuneInString(s[at:])
	f.kind = kind
	if kind == '%' && at == 0 {
		p.b.WriteByte('%')
		return n, nil
	}
	if value == nil {
		if value, err = p.next(); err != nil {
			return 0, err
		}
	}
	if !strings.ContainsRune("diuoxXeEfFgGcrsa", kind) {
		shown := kind
		if kind < 31 || kind > 125 {
			shown = '?'
		}
		return 0, valueError("unsupported format character '%c' (0x%x) at index %d", shown, kind, strLen(p.format)-strLen(s[at:]))
	}
	out, err := f.percentValue(value)
	p.b.WriteString(out)
	return at + n, err
}

// key reads (name) and returns the value of that name in the mapping.
func (p *percent) key(s string) (Value, int, error) {
	if _, isTuple := p.values.(*Tuple); isTuple {
		return nil, 0, typeError("format requires a mapping")
	}
	if u, ok := p.values.(*Undefined); ok {
		return nil, 0, u.fail()
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			switch p.values.(type) {
			case *Dict, *List, *Range:
			default:
				return nil, 0, typeError("format requires a mapping")
			}
			v, err := subscript(p.values, Str(s[1:i]))
			return v, i + 1, err
		}
	}
	return nil, 0, valueError("incomplete format key")
}

// flags reads the flags at the start of s and returns their length.
func (f *spec) flags(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '-':
			f.align = '<'
		case '+':
			f.sign = '+'
		case ' ':
			if f.sign == 0 {
				f.sign = ' '
			}
		case '#':
			f.alternate = true
		case '0':
			f.fill = '0'
		default:
			return i
		}
	}
	return len(s)
}

// number reads a width or precision: digits, or * for the next value. It is -1 when there
// is none, and -n-2 for a width of * that is -n.
func (p *percent) number(s string, at int) (int, int, error) {
	if at < len(s) && s[at] == '*' {
		v, err := p.next()
		if err != nil {
			return 0, 0, err
		}
		n, ok := indexOf(v)
		if !ok {
			return 0, 0, typeError("* wants int")
		}
		if n > maxText || n < -maxText {
			return 0, 0, checkText(maxText + 1)
		}
		if n < 0 {
			n -= 2
		}
		return n, at + 1, nil
	}
	end := at
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	if end == at {
		return -1, at, nil
	}
	r, zero := []rune(s[at:end]), 0
	n, err := digitsAt(r, &zero)
	return n, end, err
}

func (f spec) percentValue(v Value) (string, error) {
	switch f.kind {
	case 's', 'r', 'a':
		s, err := f.percentText(v)
		if err != nil {
			return "", err
		}
		if f.precision >= 0 && f.precision < strLen(s) {
			s = s[:offset(s, f.precision)]
		}
		f.fill = ' '
		return f.pad("", s)
	case 'c':
		return f.percentChar(v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return f.percentFloat(v)
	}
	return f.percentInt(v)
}

func (f spec) percentText(v Value) (string, error) {
	switch f.kind {
	case 's':
		return Text(v)
	case 'r':
		return Repr(v)
	}
	s, err := Repr(v)
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r < 0x100:
			writeHex(&b, 'x', r, 2)
		case r < 0x10000:
			writeHex(&b, 'u', r, 4)
		default:
			writeHex(&b, 'U', r, 8)
		}
	}
	return b.String(), err
}

func (f spec) percentChar(v Value) (string, error) {
	f.fill = ' '
	if s, ok := v.(Str); ok && strLen(string(s)) == 1 {
		return f.pad("", string(s))
	}
	i := bigOf(v)
	if i == nil {
		if err := undefinedOperand(v); err != nil {
			return "", err
		}
		return "", typeError("%%c requires int or char")
	}
	if i.Sign() < 0 || !i.IsInt64() || i.Int64() > utf8.MaxRune {
		return "", raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	return f.pad("", string(rune(i.Int64())))
}

func (f spec) percentFloat(v Value) (string, error) {
	if err := undefinedOperand(v); err != nil {
		return "", err
	}
	x, err := floatOf(v)
	if err != nil {
		return "", err
	}
	if f.fill == '0' && f.align != '<' {
		f.align = '='
	} else {
		f.fill = ' '
	}
	return f.formatFloat(x)
}

func (f spec) percentInt(v Value) (string, error) {
	i := bigOf(v)
	if x, ok := v.(Float); ok && strings.ContainsRune("diu", f.kind) {
		whole, err := truncated(float64(x))
		if err != nil {
			return "", err
		}
		i = bigOf(whole)
	}
	if i == nil {
		if err := undefinedOperand(v); err != nil {
			return "", err
		}
		wanted := "a real number is required"
		if strings.ContainsRune("oxX", f.kind) {
			wanted = "an integer is required"
		}
		return "", typeError("%%%c format: %s, not %s", f.kind, wanted, v.typeName())
	}
	return f.percentDigits(i)
}

func (f spec) percentDigits(i *big.Int) (string, error) {
	base, mark := 10, ""
	switch f.kind {
	case 'o':
		base, mark = 8, "0o"
	case 'x', 'X':
		base, mark = 16, fmt.Sprintf("0%c", f.kind)
	}
	digits, err := intDigits(i, base)
	if err != nil {
		return "", err
	}
	if f.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	zeros, err := fillText("0", f.precision-len(digits))
	if err != nil {
		return "", err
	}
	prefix := signText(i.Sign() < 0, f.sign)
	if f.alternate {
		prefix += mark
	}
	if f.fill == '0' && f.align != '<' {
		f.align = '='
	} else {
		f.fill = ' '
	}
	return f.pad(prefix, zeros+digits)
}
