package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// maxExact is the largest whole number up to which JavaScript's numbers have
// no gaps.
const maxExact = 1 << 53

// Int renders a whole number as JavaScript prints it.
func Int(n int64) string {
	if -maxExact <= n && n <= maxExact {
		return strconv.FormatInt(n, 10)
	}
	return Float(float64(n))
}

// Float renders a number as JavaScript's String does: the shortest digits that
// mean it, with an exponent only below 1e-6 and from 1e21 on.
func Float(f float64) string {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	case size < 1e-6 || size >= 1e21:
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return digits + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// OptText renders an optional text: nil is empty.
func OptText[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// OptInt renders an optional whole number: nil is empty.
func OptInt(p *int64) string {
	if p == nil {
		return ""
	}
	return Int(*p)
}

// OptFloat renders an optional number: nil is empty.
func OptFloat(p *float64) string {
	if p == nil {
		return ""
	}
	return Float(*p)
}

// OptBool renders an optional truth value: nil is empty.
func OptBool(p *bool) string {
	if p == nil {
		return ""
	}
	return strconv.FormatBool(*p)
}

// ParseNumber reads the number with which a text begins, leading blanks aside, as
// JavaScript's parseFloat does: "12abc" is 12. ref is what the text came from,
// for the *flow.Failure when there is no finite number.
func ParseNumber(text, ref string) (float64, error) {
	prefix := numberPrefix(strings.TrimLeftFunc(text, isBlank))
	f, err := strconv.ParseFloat(prefix, 64)
	if prefix == "" || err != nil {
		return 0, &flow.Failure{Reason: "reference", Message: fmt.Sprintf("`%s` is compared as a number, but it is %s: compare it with == or !=, or make the node print a number", ref, excerpt(text))}
	}
	return f, nil
}

// numberPrefix returns the longest prefix of s that is a decimal number.
func numberPrefix(s string) string {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	whole := digits(s[i:])
	i += whole
	if i < len(s) && s[i] == '.' {
		if fraction := digits(s[i+1:]); whole+fraction > 0 {
			i += 1 + fraction
			whole += fraction
		}
	}
	if whole == 0 {
		return ""
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if n := digits(s[j:]); n > 0 {
			i = j + n
		}
	}
	return s[:i]
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// isBlank is JavaScript's white space.
func isBlank(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0xFEFF, 0x2028, 0x2029:
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// excerpt quotes the beginning of a text for a message.
func excerpt(text string) string {
	const most = 40
	if strings.TrimFunc(text, isBlank) == "" {
		return "empty"
	}
	if runes := []rune(text); len(runes) > most {
		return strconv.Quote(string(runes[:most]) + "…")
	}
	return strconv.Quote(text)
}
