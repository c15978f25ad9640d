package py

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// strFormat is the method format of texts.
func strFormat(v Value, a Args) (Value, error) {
	f := formatter{args: a}
	s, err := f.format(string(v.(Str)), 2)
	if err != nil {
		return nil, err
	}
	return Str(s), nil
}

// A formatter fills the fields of a text. auto is the number of the next
// field without one, or -1 when fields are numbered.
type formatter struct {
	args   Args
	auto   int
	manual bool
}

// format fills the fields of s; depth counts down because a field's
// specification may hold fields itself, but theirs may not.
func (f *formatter) format(s string, depth int) (string, error) {
	if depth == 0 {
		return "", valueError("Max string recursion exceeded")
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
			return "", valueError("Single '}' encountered in format string")
		}
		end := fieldEnd(s)
		if end < 0 {
			if s == "" {
				return "", valueError("Single '{' encountered in format string")
			}
			return "", valueError("expected '}' before end of string")
		}
		out, err := f.field(s[:end], depth)
		if err != nil {
			return "", err
		}
		b.WriteString(out)
		if err := checkText(int64(b.Len())); err != nil {
			return "", err
		}
		s = s[end+1:]
	}
	return b.String(), nil
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

// field formats one field: name, conversion, specification.
func (f *formatter) field(s string, depth int) (string, error) {
	name, conversion, specification, err := splitField(s)
	if err != nil {
		return "", err
	}
	v, err := f.lookUp(name)
	if err != nil {
		return "", err
	}
	if conversion != 0 {
		switch conversion {
		case 'r', 's', 'a':
		default:
			return "", valueError("Unknown conversion specifier %c", conversion)
		}
		text, err := spec{kind: conversion}.percentText(v)
		if err != nil {
			return "", err
		}
		v = Str(text)
	}
	if strings.ContainsAny(specification, "{}") {
		if specification, err = f.format(specification, depth-1); err != nil {
			return "", err
		}
	}
	return formatValue(v, specification)
}

func splitField(s string) (name string, conversion rune, specification string, err error) {
	at, bracket := 0, false
	for ; at < len(s); at++ {
		switch {
		case s[at] == '[':
			bracket = true
		case s[at] == ']':
			bracket = false
		case bracket:
		case s[at] == '{':
			return "", 0, "", valueError("unexpected '{' in field name")
		}
		if !bracket && (s[at] == '!' || s[at] == ':') {
			break
		}
	}
	name, s = s[:at], s[at:]
	if strings.HasPrefix(s, "!") {
		r, n := utf8.DecodeRuneInString(s[1:])
		if s = s[1:]; s == "" {
			return "", 0, "", valueError("end of string while looking for conversion specifier")
		}
		conversion, s = r, s[n:]
		if s != "" && s[0] != ':' {
			return "", 0, "", valueError("expected ':' after conversion specifier")
		}
	}
	return name, conversion, strings.TrimPrefix(s, ":"), nil
}

// lookUp finds the value of a field name such as 0.real or user[name].
func (f *formatter) lookUp(name string) (Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.argument(name[:end])
	for rest := name[end:]; err == nil && rest != ""; {
		if rest[0] == '.' {
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			v, err = plainAttribute(v, rest[1:n])
			rest = rest[n:]
			continue
		}
		n := strings.IndexByte(rest, ']')
		if rest[0] != '[' {
			return nil, valueError("Only '.' or '[' may follow ']' in format field specifier")
		}
		if n < 0 {
			return nil, valueError("Missing ']' in format string")
		}
		if n == 1 {
			return nil, valueError("Empty attribute in format string")
		}
		v, err = subscript(v, numberOrText(rest[1:n]))
		rest = rest[n+1:]
	}
	return v, err
}

func plainAttribute(v Value, name string) (Value, error) {
	if name == "" {
		return nil, valueError("Empty attribute in format string")
	}
	got, err := attribute(v, name)
	if got == nil && err == nil {
		return nil, noAttribute(v, name)
	}
	return got, err
}

func numberOrText(s string) Value {
	if n, err := strconv.Atoi(s); err == nil && s[0] != '-' && s[0] != '+' {
		return Int(n)
	}
	return Str(s)
}

func (f *formatter) argument(name string) (Value, error) {
	key := numberOrText("")
	if name != "" {
		key = numberOrText(name)
	}
	n, numbered := key.(Int)
	switch {
	case name == "" && f.manual:
		return nil, valueError("cannot switch from manual field specification to automatic field numbering")
	case name == "":
		n, numbered = Int(f.auto), true
		f.auto++
	case numbered && f.auto > 0:
		return nil, valueError("cannot switch from automatic field numbering to manual field specification")
	case numbered:
		f.manual = true
	}
	if numbered {
		if int(n) >= len(f.args.Pos) {
			return nil, raise("IndexError", "Replacement index %d out of range for positional args tuple", n)
		}
		return f.args.Pos[n], nil
	}
	for _, kw := range f.args.Kw {
		if kw.Name == name {
			return kw.Value, nil
		}
	}
	return nil, keyError(Str(name))
}
