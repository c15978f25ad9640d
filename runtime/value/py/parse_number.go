package py

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainDigits writes the decimal digits of all scripts in ASCII.
func plainDigits(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.IsDigit(r) {
			return '0' + rune(digitValue(r))
		}
		return r
	}, s)
}

// underscoresFit tells whether every underscore of s stands between two digits.
func underscoresFit(s string) bool {
	alnum := func(i int) bool {
		return i >= 0 && i < len(s) && ('0' <= s[i] && s[i] <= '9' || 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z')
	}
	for i := range len(s) {
		if s[i] == '_' && !(alnum(i-1) && alnum(i+1)) {
			return false
		}
	}
	return true
}

// ParseInt is Python's int(text, base); base 0 takes it from a prefix such as
// 0x.
func ParseInt(text string, base int) (Value, error) {
	wrong := func() error {
		return valueError("invalid literal for int() with base %d: %s", base, quote(text))
	}
	if base != 0 && (base < 2 || base > 36) {
		return nil, valueError("int() base must be >= 2 and <= 36, or 0")
	}
	s := plainDigits(strings.TrimFunc(text, isSpace))
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	given := base
	if len(s) > 2 && s[0] == '0' {
		prefixes := map[byte]int{'x': 16, 'o': 8, 'b': 2}
		if b, ok := prefixes[s[1]|0x20]; ok && (base == 0 || base == b) {
			given, s = b, strings.TrimPrefix(s[2:], "_")
		}
	}
	if given == 0 {
		given = 10
		if strings.HasPrefix(s, "0") && strings.Trim(s, "0_") != "" {
			return nil, wrong()
		}
	}
	if !underscoresFit(s) {
		return nil, wrong()
	}
	s = strings.ReplaceAll(s, "_", "")
	if s == "" || s[0] == '+' || s[0] == '-' {
		return nil, wrong()
	}
	if strings.Trim(s, "0123456789") == "" && given == 10 {
		return parseDigits(strings.Replace(sign, "+", "", 1) + s)
	}
	if len(s) > maxBits/5 {
		return nil, tooLarge()
	}
	i, ok := new(big.Int).SetString(sign+s, given)
	if !ok {
		return nil, wrong()
	}
	return NewInt(i), nil
}

// ParseFloat is Python's float(text).
func ParseFloat(text string) (float64, error) {
	wrong := valueError("could not convert string to float: %s", quote(text))
	s := plainDigits(strings.TrimFunc(text, isSpace))
	switch strings.TrimLeft(toLower(s), "+-") {
	case "inf", "infinity", "nan":
		if strings.Count(s, "+")+strings.Count(s, "-") > 1 {
			return 0, wrong
		}
	default:
		if s == "" || strings.Trim(s, "0123456789+-_.eE") != "" || !underscoresBetweenDigits(s) {
			return 0, wrong
		}
		s = strings.ReplaceAll(s, "_", "")
	}
	f, err := strconv.ParseFloat(s, 64)
	if n, ok := err.(*strconv.NumError); ok && n.Err == strconv.ErrSyntax {
		return 0, wrong
	}
	return f, nil
}

func underscoresBetweenDigits(s string) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && '0' <= s[i] && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '_' && !(digit(i-1) && digit(i+1)) {
			return false
		}
	}
	return true
}

// toInt is Python's int(v).
func toInt(v Value) (Value, error) {
	switch v := v.(type) {
	case Str:
		return ParseInt(string(v), 10)
	case Float:
		return truncated(float64(v))
	case Bool, Int, *Big:
		return number(v), nil
	case *Undefined:
		return nil, v.fail()
	}
	return nil, typeError("int() argument must be a string, a bytes-like object or a real number, not '%s'", v.typeName())
}

// toFloat is Python's float(v).
func toFloat(v Value) (float64, error) {
	switch v := v.(type) {
	case Str:
		return ParseFloat(string(v))
	case Bool, Int, *Big, Float:
		return floatOf(v)
	case *Undefined:
		return 0, v.fail()
	}
	return 0, typeError("float() argument must be a string or a real number, not '%s'", v.typeName())
}
