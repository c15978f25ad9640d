package expr

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// numberPrefix reads the longest number that a text starts with, as
// JavaScript's parseFloat does; ok is false when there is none or when it is
// infinite.
func numberPrefix(text string) (f float64, ok bool) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	end := numberEnd(text)
	if end == 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(text[:end], 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// numberEnd returns the length of the decimal number that a text starts with.
func numberEnd(text string) int {
	i := 0
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		i++
	}
	whole := digits(text, i)
	end := i + whole
	if end < len(text) && text[end] == '.' {
		if fraction := digits(text, end+1); whole+fraction > 0 {
			end += 1 + fraction
			whole += fraction
		}
	}
	if whole == 0 {
		return 0
	}
	if end < len(text) && text[end]|0x20 == 'e' {
		at := end + 1
		if at < len(text) && (text[at] == '+' || text[at] == '-') {
			at++
		}
		if n := digits(text, at); n > 0 {
			end = at + n
		}
	}
	return end
}

func digits(text string, at int) int {
	n := 0
	for at+n < len(text) && '0' <= text[at+n] && text[at+n] <= '9' {
		n++
	}
	return n
}

// numberText writes a number as JavaScript prints it.
func numberText(f float64) string {
	switch size := math.Abs(f); {
	case f == 0:
		return "0"
	case size >= 1e21 || size < 1e-6:
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
