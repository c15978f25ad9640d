package yamlsrc

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// scalarTag returns the core tag of a scalar. An explicit core tag decides,
// the bare ! makes a string, and any other tag is ignored: the engines whose
// files are read here do so too.
func scalarTag(explicit, value string, style Style) string {
	switch explicit {
	case TagString, TagInt, TagFloat, TagBool, TagNull:
		return explicit
	case "!":
		return TagString
	}
	if style != Plain {
		return TagString
	}
	return plainTag(value)
}

// explicitTag returns the tag written before a node, as yaml.v3 resolved it.
func explicitTag(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 {
		return ""
	}
	return n.ShortTag()
}

// plainTag resolves a plain scalar by the YAML 1.2 core schema.
func plainTag(s string) string {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return TagNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return TagBool
	case ".nan", ".NaN", ".NAN":
		return TagFloat
	}
	if c := s[0]; c != '-' && c != '+' && c != '.' && !isDigit(c) {
		return TagString
	}
	switch {
	case strings.HasPrefix(s, "0x"):
		return intOf(s[2:], isHex)
	case strings.HasPrefix(s, "0o"):
		return intOf(s[2:], isOctal)
	}
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	return numberTag(s)
}

// intOf is the tag of a based number whose digits all satisfy is.
func intOf(digits string, is func(byte) bool) string {
	if digits == "" || countWhile(digits, is) != len(digits) {
		return TagString
	}
	return TagInt
}

// numberTag is the tag of a decimal number without its sign, or of a string.
func numberTag(s string) string {
	switch s {
	case ".inf", ".Inf", ".INF":
		return TagFloat
	}
	whole := countWhile(s, isDigit)
	if whole == len(s) && whole > 0 {
		return TagInt
	}
	rest, part := s[whole:], 0
	if strings.HasPrefix(rest, ".") {
		part = countWhile(rest[1:], isDigit)
		rest = rest[1+part:]
	}
	if whole+part == 0 {
		return TagString
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exp := rest[1:]
		if exp != "" && (exp[0] == '+' || exp[0] == '-') {
			exp = exp[1:]
		}
		if exp == "" {
			return TagString
		}
		rest = exp[countWhile(exp, isDigit):]
	}
	if rest != "" {
		return TagString
	}
	return TagFloat
}

func countWhile(s string, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isOctal(c byte) bool { return '0' <= c && c <= '7' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
