package py

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func strLen(s string) int { return utf8.RuneCountInString(s) }

// isSpace is what Python takes for white space.
func isSpace(r rune) bool {
	switch {
	case 9 <= r && r <= 13, 28 <= r && r <= 32, r == 0x85, r == 0xA0, r == 0x1680,
		0x2000 <= r && r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000:
		return true
	}
	return false
}

// lineEnd returns the length of the line break that s begins with.
func lineEnd(s string) int {
	if strings.HasPrefix(s, "\r\n") {
		return 2
	}
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case '\n', '\r', '\v', '\f', 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029:
		return n
	}
	return 0
}

// splitLines splits a text at all of Python's line breaks.
func splitLines(s string, keep bool) []string {
	var lines []string
	start := 0
	for i := 0; i < len(s); {
		n := lineEnd(s[i:])
		if n == 0 {
			i += runeLen(s[i:])
			continue
		}
		end := i
		if keep {
			end = i + n
		}
		lines = append(lines, s[start:end])
		i += n
		start = i
	}
	if start < len(s) {
		lines = append(lines, s[start:])
	}
	return lines
}

// special looks a code point up in one of the tables of case.
func special(table string, r rune) (string, bool) {
	if r < utf8.RuneSelf {
		return "", false
	}
	_, rest, ok := strings.Cut(table, " "+string(r)+"=")
	if !ok {
		return "", false
	}
	to, _, _ := strings.Cut(rest, " ")
	return to, true
}

func upperRune(b *strings.Builder, r rune) {
	if to, ok := special(upperTable, r); ok {
		b.WriteString(to)
		return
	}
	b.WriteRune(unicode.ToUpper(r))
}

func titleRune(b *strings.Builder, r rune) {
	if to, ok := special(titleTable, r); ok {
		b.WriteString(to)
		return
	}
	if to, ok := special(upperTable, r); ok {
		b.WriteString(to)
		return
	}
	b.WriteRune(unicode.ToTitle(r))
}

// lowerRune writes runes[i] in lower case: a capital sigma at the end of a word
// becomes the final one.
func lowerRune(b *strings.Builder, runes []rune, i int) {
	switch r := runes[i]; {
	case r == 'İ':
		b.WriteString("i\u0307")
	case r == 'Σ' && finalSigma(runes, i):
		b.WriteRune('ς')
	default:
		b.WriteRune(unicode.ToLower(r))
	}
}

func finalSigma(runes []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && caseIgnorable(runes[before]) {
		before--
	}
	for after < len(runes) && caseIgnorable(runes[after]) {
		after++
	}
	return before >= 0 && isCased(runes[before]) && (after == len(runes) || !isCased(runes[after]))
}

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '^', '`', 0xA8, 0xAD, 0xAF, 0xB4, 0xB7, 0xB8, 0x2019:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

func isCased(r rune) bool { return isLower(r) || isUpper(r) || unicode.IsTitle(r) }

func isLower(r rune) bool {
	return unicode.IsLower(r) || r >= utf8.RuneSelf && unicode.Is(unicode.Other_Lowercase, r)
}

func isUpper(r rune) bool {
	return unicode.IsUpper(r) || r >= utf8.RuneSelf && unicode.Is(unicode.Other_Uppercase, r)
}

func toUpper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	for _, r := range s {
		upperRune(&b, r)
	}
	return b.String()
}

func toLower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var b strings.Builder
	for i := range runes {
		lowerRune(&b, runes, i)
	}
	return b.String()
}

func caseFold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range s {
		switch to, ok := special(foldTable, r); {
		case ok:
			b.WriteString(to)
		case 0x13A0 <= r && r < 0x13F6: // Cherokee folds to its capitals
			b.WriteRune(r)
		case 0xAB70 <= r && r < 0xABC0:
			b.WriteRune(unicode.ToUpper(r))
		case r == 'İ':
			b.WriteString("i\u0307")
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// capitalize makes the first letter large and the others small.
func capitalize(s string) string {
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		if i == 0 {
			titleRune(&b, r)
		} else {
			lowerRune(&b, runes, i)
		}
	}
	return b.String()
}

// title makes the first letter of each run of letters large.
func title(s string) string {
	runes := []rune(s)
	var b strings.Builder
	within := false
	for i, r := range runes {
		if within {
			lowerRune(&b, runes, i)
		} else {
			titleRune(&b, r)
		}
		within = isCased(r)
	}
	return b.String()
}

func swapCase(s string) string {
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case isUpper(r):
			lowerRune(&b, runes, i)
		case isLower(r):
			upperRune(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func inRanges(table string, r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	var first rune
	even := false
	for _, c := range table {
		if even && first <= r && r <= c {
			return true
		}
		first, even = c, !even
	}
	return false
}

func isDecimal(r rune) bool { return unicode.IsDigit(r) }
func isDigit(r rune) bool   { return unicode.IsDigit(r) || inRanges(digitRanges, r) }
func isNumeric(r rune) bool { return unicode.IsNumber(r) || inRanges(numericRanges, r) }
func isAlpha(r rune) bool   { return unicode.IsLetter(r) }
func isAlnum(r rune) bool   { return isAlpha(r) || isNumeric(r) }

// digitValue returns the value of a decimal digit of any script.
func digitValue(r rune) int {
	if r < utf8.RuneSelf {
		return int(r - '0')
	}
	n := 0
	for unicode.IsDigit(r - rune(n) - 1) {
		n++
	}
	return n % 10
}
