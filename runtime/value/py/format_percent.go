package py

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// percentFormat is Python's `text % values`.
func percentFormat(format string, values Value) Value {
	p := percent{format: format, values: values}
	if t, ok := values.(*tuple); ok {
		p.args = t.items
	} else {
		p.args, p.single = []Value{values}, true
	}
	p.formatAll()
	return Str(p.b.String())
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

func (p *percent) formatAll() {
	s := p.format
	for s != "" {
		text, rest, found := strings.Cut(s, "%")
		p.b.WriteString(text)
		checkText(int64(p.b.Len()))
		if !found {
			break
		}
		s = rest[p.formatConversion(rest):]
	}
	if _, isDict := p.values.(*Dict); p.used < len(p.args) && !p.named && !isDict && !p.takesItems() {
		panic(typeError("not all arguments converted during string formatting"))
	}
}

// takesItems reports whether Python treats the values as a mapping, which may have unused
// ones.
func (p *percent) takesItems() bool {
	switch p.values.(type) {
	case *List, *rangeValue, *undefined:
		return p.single
	}
	return false
}

func (p *percent) nextValue() Value {
	if p.used >= len(p.args) {
		panic(typeError("not enough arguments for format string"))
	}
	p.used++
	return p.args[p.used-1]
}

// formatConversion formats the conversion at the start of s, after the %, and returns
// its length.
func (p *percent) formatConversion(s string) int {
	at := 0
	var value Value
	if strings.HasPrefix(s, "(") {
		value, at = p.readKey(s)
		p.named = true
	}
	f := spec{fill: ' ', align: '>', precision: -1}
	at += f.readFlags(s[at:])
	f.width, at = p.readNumber(s, at)
	switch {
	case f.width == -1:
		f.width = 0
	case f.width < 0:
		f.align, f.width = '<', -f.width-2
	}
	if at < len(s) && s[at] == '.' {
		f.precision, at = p.readNumber(s, at+1)
		f.precision = max(f.precision, 0)
	}
	for at < len(s) && strings.IndexByte("hlL", s[at]) >= 0 {
		at++
	}
	if at >= len(s) {
		panic(valueError("incomplete format"))
	}
	kind, n := utf8.DecodeRuneInString(s[at:])
	f.kind = kind
	if kind == '%' && at == 0 {
		p.b.WriteByte('%')
		return n
	}
	if value == nil {
		value = p.nextValue()
	}
	if !strings.ContainsRune("diuoxXeEfFgGcrsa", kind) {
		shown := kind
		if kind < 31 || kind > 125 {
			shown = '?'
		}
		panic(valueError("unsupported format character '%c' (0x%x) at index %d", shown, kind, strLen(p.format)-strLen(s[at:])))
	}
	p.b.WriteString(f.percentValue(value))
	return at + n
}

// readKey reads (name) and returns the value of that name in the mapping.
func (p *percent) readKey(s string) (Value, int) {
	undefinedOperand(p.values)
	switch p.values.(type) {
	case *Dict, *List, *rangeValue:
	default:
		panic(typeError("format requires a mapping"))
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
			return getSubscript(p.values, Str(s[1:i])), i + 1
		}
	}
	panic(valueError("incomplete format key"))
}

// readFlags reads the flags at the start of s and returns their length.
func (f *spec) readFlags(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '-':
			f.align = '<'
		case '+':
			f.sign = '+'
		case ' ':
			f.sign = cmp.Or(f.sign, ' ')
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

// readNumber reads a width or precision: digits, or * for the next value. It is -1 when there
// is none, and -n-2 for a width of * that is -n.
func (p *percent) readNumber(s string, at int) (int, int) {
	if at < len(s) && s[at] == '*' {
		n, ok := indexOf(p.nextValue())
		if !ok {
			panic(typeError("* wants int"))
		}
		if n > maxText || n < -maxText {
			checkText(maxText + 1)
			return 0, 0
		}
		if n < 0 {
			n -= 2
		}
		return n, at + 1
	}
	end := at
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	if end == at {
		return -1, at
	}
	r, zero := []rune(s[at:end]), 0
	return digitsAt(r, &zero), end
}

func (f spec) percentValue(v Value) string {
	switch f.kind {
	case 's', 'r', 'a':
		s := f.percentText(v)
		if f.precision >= 0 && f.precision < strLen(s) {
			s = s[:byteOffset(s, f.precision)]
		}
		f.fill = ' '
		return f.padToWidth("", s)
	case 'c':
		return f.percentChar(v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return f.percentFloat(v)
	}
	return f.percentInt(v)
}

func (f spec) percentText(v Value) string {
	switch f.kind {
	case 's':
		return strOf(v)
	case 'r':
		return reprOf(v)
	}
	s := reprOf(v)
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
	return b.String()
}

func (f spec) percentChar(v Value) string {
	f.fill = ' '
	if s, ok := v.(Str); ok && strLen(string(s)) == 1 {
		return f.padToWidth("", string(s))
	}
	i := bigOf(v)
	if i == nil {
		undefinedOperand(v)
		panic(typeError("%%c requires int or char"))
	}
	if i.Sign() < 0 || !i.IsInt64() || i.Int64() > utf8.MaxRune {
		panic(newException("OverflowError", "%%c arg not in range(0x110000)"))
	}
	return f.padToWidth("", string(rune(i.Int64())))
}

func (f spec) percentFloat(v Value) string {
	undefinedOperand(v)
	x := floatOf(v)
	if f.fill == '0' && f.align != '<' {
		f.align = '='
	} else {
		f.fill = ' '
	}
	return f.formatFloat(x)
}

func (f spec) percentInt(v Value) string {
	i := bigOf(v)
	if x, ok := v.(Float); ok && strings.ContainsRune("diu", f.kind) {
		i = bigOf(truncateFloat(float64(x)))
	}
	if i == nil {
		undefinedOperand(v)
		wanted := "a real number is required"
		if strings.ContainsRune("oxX", f.kind) {
			wanted = "an integer is required"
		}
		panic(typeError("%%%c format: %s, not %s", f.kind, wanted, v.typeName()))
	}
	return f.percentDigits(i)
}

func (f spec) percentDigits(i *big.Int) string {
	base, mark := 10, ""
	switch f.kind {
	case 'o':
		base, mark = 8, "0o"
	case 'x', 'X':
		base, mark = 16, fmt.Sprintf("0%c", f.kind)
	}
	digits := intDigits(i, base)
	if f.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	zeros := fillText("0", f.precision-len(digits))
	prefix := signText(i.Sign() < 0, f.sign)
	if f.alternate {
		prefix += mark
	}
	if f.fill == '0' && f.align != '<' {
		f.align = '='
	} else {
		f.fill = ' '
	}
	return f.padToWidth(prefix, zeros+digits)
}

// strFormat is the method format of strings.
func strFormat(v Value, a Args) Value {
	f := formatter{args: a}
	return Str(f.formatFields(string(v.(Str)), 2))
}

// A formatter fills the fields of a text. auto is the number of the next
// field without one, or -1 when fields are numbered.
type formatter struct {
	args   Args
	auto   int
	manual bool
}

// formatFields fills the fields of s; depth counts down because a field's
// specification may hold fields itself, but theirs may not.
func (f *formatter) formatFields(s string, depth int) string {
	if depth == 0 {
		panic(valueError("Max string recursion exceeded"))
	}
	var b strings.Builder
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:at])
		mark := s[at]
		s = s[at+1:]
		if s != "" && s[0] == mark {
			b.WriteByte(mark)
			s = s[1:]
			continue
		}
		if mark == '}' {
			panic(valueError("Single '}' encountered in format string"))
		}
		end := fieldEnd(s)
		if end < 0 {
			if s == "" {
				panic(valueError("Single '{' encountered in format string"))
			}
			panic(valueError("expected '}' before end of string"))
		}
		b.WriteString(f.formatField(s[:end], depth))
		checkText(int64(b.Len()))
		s = s[end+1:]
	}
	return b.String()
}

// fieldEnd returns the place of the brace that ends a field. Braces between
// square brackets do not count.
func fieldEnd(s string) int {
	depth, bracket := 1, false
	for i := range len(s) {
		switch s[i] {
		case '[':
			bracket = true
		case ']':
			bracket = false
		case '{':
			if !bracket {
				depth++
			}
		case '}':
			if bracket {
				continue
			}
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// formatField formats one field: name, conversion, specification.
func (f *formatter) formatField(s string, depth int) string {
	name, conversion, specification := splitField(s)
	v := f.lookUp(name)
	if conversion != 0 {
		switch conversion {
		case 'r', 's', 'a':
		default:
			panic(valueError("Unknown conversion specifier %c", conversion))
		}
		v = Str(spec{kind: conversion}.percentText(v))
	}
	if strings.ContainsAny(specification, "{}") {
		specification = f.formatFields(specification, depth-1)
	}
	return formatValue(v, specification)
}

func splitField(s string) (name string, conversion rune, specification string) {
	at, bracket := 0, false
	for ; at < len(s); at++ {
		switch {
		case s[at] == '[':
			bracket = true
		case s[at] == ']':
			bracket = false
		case bracket:
		case s[at] == '{':
			panic(valueError("unexpected '{' in field name"))
		}
		if !bracket && (s[at] == '!' || s[at] == ':') {
			break
		}
	}
	name, s = s[:at], s[at:]
	if strings.HasPrefix(s, "!") {
		r, n := utf8.DecodeRuneInString(s[1:])
		if s = s[1:]; s == "" {
			panic(valueError("end of string while looking for conversion specifier"))
		}
		conversion, s = r, s[n:]
		if s != "" && s[0] != ':' {
			panic(valueError("expected ':' after conversion specifier"))
		}
	}
	return name, conversion, strings.TrimPrefix(s, ":")
}

// lookUp finds the value of a field name such as 0.real or user[name].
func (f *formatter) lookUp(name string) Value {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v := f.argumentValue(name[:end])
	for rest := name[end:]; rest != ""; {
		if rest[0] == '.' {
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			v = plainAttribute(v, rest[1:n])
			rest = rest[n:]
			continue
		}
		n := strings.IndexByte(rest, ']')
		if rest[0] != '[' {
			panic(valueError("Only '.' or '[' may follow ']' in format field specifier"))
		}
		if n < 0 {
			panic(valueError("Missing ']' in format string"))
		}
		if n == 1 {
			panic(valueError("Empty attribute in format string"))
		}
		v = getSubscript(v, numberOrText(rest[1:n]))
		rest = rest[n+1:]
	}
	return v
}

func plainAttribute(v Value, name string) Value {
	if name == "" {
		panic(valueError("Empty attribute in format string"))
	}
	got := findAttribute(v, name)
	if got == nil {
		panic(noAttribute(v, name))
	}
	return got
}

func numberOrText(s string) Value {
	if n, err := strconv.Atoi(s); err == nil && s[0] != '-' && s[0] != '+' {
		return Int(n)
	}
	return Str(s)
}

func (f *formatter) argumentValue(name string) Value {
	key := numberOrText("")
	if name != "" {
		key = numberOrText(name)
	}
	n, numbered := key.(Int)
	switch {
	case name == "" && f.manual:
		panic(valueError("cannot switch from manual field specification to automatic field numbering"))
	case name == "":
		n, numbered = Int(f.auto), true
		f.auto++
	case numbered && f.auto > 0:
		panic(valueError("cannot switch from automatic field numbering to manual field specification"))
	case numbered:
		f.manual = true
	}
	if numbered {
		if int(n) >= len(f.args.Pos) {
			panic(newException("IndexError", "Replacement index %d out of range for positional args tuple", n))
		}
		return f.args.Pos[n]
	}
	for _, kw := range f.args.Kw {
		if kw.Name == name {
			return kw.Value
		}
	}
	panic(keyError(Str(name)))
}
