// Package scalar reads strings as values of the scalar types that workflows of the
// dialect xprompt (see package compiler) declare for inputs, arguments of prompts and
// fields of outputs:
//
//	name   strings that are values of it                                      value
//	word   one word: no whitespace                                            string
//	line   one line: no newline                                               string
//	text   any string                                                         string
//	path   like word; whether the file exists is for the caller to check      string
//	int    what Python's int() accepts: "7", " 7 ", "+7", "007", "1_000"      int64 or *big.Int
//	bool   true, yes, on, 1 or false, no, off, 0, in any case                 bool
//	float  what Python's float() accepts, without infinities and NaN          float64
//
// The compiler parses defaults and constant arguments with it; programs parse inputs,
// computed arguments and outputs. The places differ slightly, and [Rules] describes how:
//
//	n, err := scalar.Rules{}.Parse("int", "1_000") // int64(1000)
//
// The types are those of the format's documentation; the conversions follow the
// original engine, which converts by Python's own functions. A word is empty only
// where the original allows it (see Rules.NoEmpty).
package scalar

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Rules are the differences between the places that read scalars. The zero value
// holds for arguments of prompts and for defaults.
type Rules struct {
	// Big allows an int of any size, as a *big.Int where 64 bits are too few. The
	// fields of outputs have it: the original keeps the number as Python reads it.
	// Inputs and arguments are int64 in generated code.
	Big bool
	// NoEmpty refuses an empty word and an empty path. Inputs without a default have it:
	// for such an input an empty string counts as absent, like an unset shell variable. The
	// original engine checks no inputs; its arguments and outputs may be empty.
	NoEmpty bool
}

// A kind is a row of the table of types.
type kind struct {
	name, alias string
	// not says in a message what a string is not, or has too much of.
	not string
	// parse returns nil if the string is not a value of the type.
	parse func(r Rules, text string) any
}

var kinds = []kind{
	{name: "word", not: "is not one word", parse: parseWord},
	{name: "line", not: "has more than one line", parse: parseLine},
	{name: "text", parse: func(_ Rules, text string) any { return text }},
	{name: "path", not: "is not one word", parse: parseWord},
	{name: "int", alias: "integer", not: "is not an integer", parse: parseInteger},
	{name: "bool", alias: "boolean", not: "is neither true nor false", parse: parseBoolean},
	{name: "float", alias: "number", not: "is not a number", parse: parseFloat},
}

// Names returns the names of the types.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Canonical returns the canonical name of a type as a workflow writes it, such as "int" for
// "Int" or "integer". It returns "" if the type is unknown.
func Canonical(written string) string {
	written = strings.ToLower(strings.TrimSpace(written))
	for _, k := range kinds {
		if written == k.name || written == k.alias && k.alias != "" {
			return k.name
		}
	}
	return ""
}

// Parse parses a string as a value of the type with the given name and returns the Go
// value that the package comment lists. The error is for people and says what the type
// requires.
func (r Rules) Parse(name, text string) (any, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%q is not the name of a scalar type", name)
	}
	if v := kinds[i].parse(r, text); v != nil {
		return v, nil
	}
	not := kinds[i].not
	if name == "int" && parseInteger(Rules{Big: true}, text) != nil {
		not = "is larger than 64 bits can hold"
	}
	return nil, fmt.Errorf("%s %s", plain.Quoted(text), not)
}

func parseWord(r Rules, text string) any {
	if strings.ContainsFunc(text, IsSpace) || r.NoEmpty && text == "" {
		return nil
	}
	return text
}

func parseLine(_ Rules, text string) any {
	if strings.Contains(text, "\n") {
		return nil
	}
	return text
}

func parseInteger(r Rules, text string) any {
	digits, base, ok := Digits(text, 10)
	if !ok || len(digits) > maxDigits {
		return nil
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return n
	}
	if n, ok := new(big.Int).SetString(digits, base); ok && r.Big {
		return n
	}
	return nil
}

func parseBoolean(_ Rules, text string) any {
	switch strings.ToLower(strings.TrimFunc(text, IsSpace)) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	return nil
}

func parseFloat(_ Rules, text string) any {
	if f, ok := ParseFloat(text); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return f
	}
	return nil
}

// maxDigits is how many digits of an int Python reads and prints.
const maxDigits = 4300

// IsSpace reports whether Python counts a rune as whitespace.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// Digits normalises a string that Python's int(text, base) accepts, for
// [math/big.Int.SetString] with digitsBase: ASCII digits after an optional -, without
// underscores and without a prefix such as 0x. The base is 0 or 2 to 36; with base 0 the
// prefix decides. ok is false if Python refuses the string.
func Digits(text string, base int) (digits string, digitsBase int, ok bool) {
	s := asciiDigits(strings.TrimFunc(text, IsSpace))
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	digitsBase = base
	if len(s) > 2 && s[0] == '0' {
		prefixes := map[byte]int{'x': 16, 'o': 8, 'b': 2}
		if b, ok := prefixes[s[1]|0x20]; ok && (base == 0 || base == b) {
			digitsBase, s = b, strings.TrimPrefix(s[2:], "_")
		}
	}
	if digitsBase == 0 {
		digitsBase = 10
		if strings.HasPrefix(s, "0") && strings.Trim(s, "0_") != "" {
			return "", 0, false
		}
	}
	plain := strings.ReplaceAll(s, "_", "")
	if plain == "" || !underscoresBetween(s, digitsBase) {
		return "", 0, false
	}
	for i := range len(plain) {
		if digitValue(plain[i]) >= digitsBase {
			return "", 0, false
		}
	}
	return sign + plain, digitsBase, true
}

// ParseFloat is Python's float(text): it accepts infinities and NaN, and a number
// that is too large is an infinity. ok is false if Python refuses the string.
func ParseFloat(text string) (f float64, ok bool) {
	s := asciiDigits(strings.TrimFunc(text, IsSpace))
	switch strings.TrimLeft(strings.ToLower(s), "+-") {
	case "inf", "infinity", "nan":
		if strings.Count(s, "+")+strings.Count(s, "-") > 1 {
			return 0, false
		}
	default:
		if strings.Trim(s, "0123456789+-_.eE") != "" || !underscoresBetween(s, 10) {
			return 0, false
		}
		s = strings.ReplaceAll(s, "_", "")
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, !errors.Is(err, strconv.ErrSyntax)
}

var decimalNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)
})

// NumberPrefix returns the longest decimal number that a text starts with, as JavaScript's
// parseFloat reads it behind white space, or "".
func NumberPrefix(text string) string { return decimalNumber().FindString(text) }

// asciiDigits writes the decimal digits of all scripts in ASCII.
func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.IsDigit(r) {
			return r
		}
		return '0' + decimalValue(r)
	}, s)
}

// decimalValue returns the value of a decimal digit of any script: Unicode has them in
// runs from zero to nine.
func decimalValue(r rune) rune {
	n := rune(0)
	for unicode.IsDigit(r - n - 1) {
		n++
	}
	return n % 10
}

// underscoresBetween reports whether every underscore is between two digits.
func underscoresBetween(s string, base int) bool {
	is := func(i int) bool { return i >= 0 && i < len(s) && digitValue(s[i]) < base }
	for i := range len(s) {
		if s[i] == '_' && !(is(i-1) && is(i+1)) {
			return false
		}
	}
	return true
}

// digitValue returns the value of a digit or letter, or 36.
func digitValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return int(c|0x20-'a') + 10
	}
	return 36
}
