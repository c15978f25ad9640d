package py

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A spec is the format of a value: the part after the colon in {:…}, or the flags of a %
// conversion.
type spec struct {
	fill      rune
	align     rune // < > = ^ or 0
	explicit  bool // the alignment was given and does not come from a leading 0
	sign      rune // + - or blank, or 0
	alternate bool
	width     int
	grouping  rune // , or _ or 0
	precision int  // -1 when there is none
	kind      rune // 0 when there is none
}

// parseSpec reads the format specification of Python's format().
func parseSpec(s string) spec {
	f := spec{fill: ' ', precision: -1}
	r := []rune(s)
	at := 0
	has := func(set string) bool { return at < len(r) && strings.ContainsRune(set, r[at]) }
	switch {
	case len(r) > 1 && strings.ContainsRune("<>=^", r[1]):
		f.fill, f.align, f.explicit, at = r[0], r[1], true, 2
	case has("<>=^"):
		f.align, f.explicit, at = r[0], true, 1
	}
	if has("+- ") {
		f.sign = r[at]
		at++
	}
	if has("#") {
		f.alternate = true
		at++
	}
	if has("0") {
		if f.align == 0 {
			f.fill, f.align = '0', '='
		} else if f.fill == ' ' {
			f.fill = '0'
		}
		at++
	}
	f.width = max(digitsAt(r, &at), 0)
	if has(",_") {
		f.grouping = r[at]
		at++
	}
	if has(".") {
		at++
		f.precision = digitsAt(r, &at)
		if f.precision < 0 {
			panic(valueError("Format specifier missing precision"))
		}
	}
	if at < len(r) {
		f.kind = r[at]
		at++
	}
	if at < len(r) {
		panic(valueError("Invalid format specifier"))
	}
	return f
}

// digitsAt reads a number; -1 when there is none.
func digitsAt(r []rune, at *int) int {
	start := *at
	for *at < len(r) && '0' <= r[*at] && r[*at] <= '9' {
		*at++
	}
	if start == *at {
		return -1
	}
	n, err := strconv.Atoi(string(r[start:*at]))
	if err != nil || n > maxText {
		panic(valueError("Too many decimal digits in format string"))
	}
	return n
}

// formatValue is Python's format(v, specification).
func formatValue(v Value, specification string) string {
	if specification == "" {
		return strOf(v)
	}
	f := parseSpec(specification)
	switch v := v.(type) {
	case Str:
		return f.formatText(string(v))
	case Bool, Int, *bigInt:
		return f.formatInt(v)
	case Float:
		return f.formatFloat(float64(v))
	case *undefined:
		if !v.lenient {
			panic(v.useError())
		}
	}
	panic(typeError("unsupported format string passed to %s.__format__", v.typeName()))
}

func (f spec) wrongKind(v string) error {
	return valueError("Unknown format code '%c' for object of type '%s'", f.kind, v)
}

func (f spec) formatText(s string) string {
	switch {
	case f.kind != 0 && f.kind != 's':
		panic(f.wrongKind("str"))
	case f.sign != 0:
		panic(valueError("Sign not allowed in string format specifier"))
	case f.alternate:
		panic(valueError("Alternate form (#) not allowed in string format specifier"))
	case f.align == '=' && f.explicit:
		panic(valueError("'=' alignment not allowed in string format specifier"))
	case f.grouping != 0:
		panic(valueError("Cannot specify '%c' with 's'.", f.grouping))
	}
	if f.precision >= 0 && f.precision < strLen(s) {
		s = s[:byteOffset(s, f.precision)]
	}
	if f.align == 0 || f.align == '=' {
		f.align = '<'
	}
	return f.padToWidth("", s)
}

// padToWidth brings a number, its sign or prefix apart, to the width.
func (f spec) padToWidth(prefix, s string) string {
	blank := f.width - strLen(prefix) - strLen(s)
	if blank <= 0 {
		return prefix + s
	}
	left := 0
	switch f.align {
	case '=':
		return prefix + fillText(string(f.fill), blank) + s
	case '^':
		left = blank / 2
	case '>', 0:
		left = blank
	}
	return fillText(string(f.fill), left) + prefix + s + fillText(string(f.fill), blank-left)
}

func (f spec) formatInt(v Value) string {
	i := bigOf(v)
	base := 10
	switch f.kind {
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		return f.formatFloat(floatOf(v))
	case 0, 'd', 'n':
	case 'b':
		base = 2
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	case 'c':
		return f.formatChar(i)
	default:
		panic(f.wrongKind(v.typeName()))
	}
	if f.precision >= 0 {
		panic(valueError("Precision not allowed in integer format specifier"))
	}
	if f.kind == 'n' && f.grouping != 0 || base != 10 && f.grouping == ',' {
		panic(valueError("Cannot specify '%c' with '%c'.", f.grouping, f.kind))
	}
	digits := intDigits(i, base)
	prefix := signText(i.Sign() < 0, f.sign)
	if f.alternate && base != 10 {
		prefix += "0" + strings.ToLower(string(f.kind))
	}
	if f.kind == 'X' {
		digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
	}
	group := 3
	if base != 10 {
		group = 4
	}
	return f.padNumber(prefix, digits, "", group)
}

func intDigits(i *big.Int, base int) string {
	abs := new(big.Int).Abs(i)
	if base == 10 {
		return bigText(abs)
	}
	return abs.Text(base)
}

func (f spec) formatChar(i *big.Int) string {
	switch {
	case f.sign != 0:
		panic(valueError("Sign not allowed with integer format specifier 'c'"))
	case f.precision >= 0:
		panic(valueError("Precision not allowed in integer format specifier"))
	case f.alternate:
		panic(valueError("Alternate form (#) not allowed with integer format specifier 'c'"))
	case f.grouping != 0:
		panic(valueError("Cannot specify '%c' with 'c'.", f.grouping))
	case i.Sign() < 0 || !i.IsInt64() || i.Int64() > utf8.MaxRune:
		panic(newException("OverflowError", "%%c arg not in range(0x110000)"))
	}
	f.align = cmp.Or(f.align, '>')
	return f.padToWidth("", string(rune(i.Int64())))
}

func signText(negative bool, sign rune) string {
	switch {
	case negative:
		return "-"
	case sign == '+' || sign == ' ':
		return string(sign)
	}
	return ""
}

// padNumber groups the digits before the point and brings all to the width;
// zeros that fill it up are grouped too.
func (f spec) padNumber(prefix, digits, tail string, group int) string {
	if f.grouping != 0 {
		least := 0
		if f.fill == '0' && f.align == '=' {
			least = f.width - len(prefix) - len(tail)
			checkText(int64(least))
		}
		digits = groupDigits(digits, f.grouping, group, least)
	}
	return f.padToWidth(prefix, digits+tail)
}

// groupDigits puts a mark between groups and zeros in front, to least width.
func groupDigits(digits string, mark rune, group, least int) string {
	width := func(n int) int { return n + (n-1)/group }
	n := len(digits)
	for width(n) < least {
		n++
	}
	digits = strings.Repeat("0", n-len(digits)) + digits
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (n-i)%group == 0 {
			b.WriteRune(mark)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (f spec) formatFloat(x float64) string {
	kind := f.kind
	switch kind {
	case 0, 'e', 'E', 'f', 'F', 'g', 'G', 'n', '%':
	default:
		panic(f.wrongKind("float"))
	}
	if kind == 'n' {
		if f.grouping != 0 {
			panic(valueError("Cannot specify '%c' with 'n'.", f.grouping))
		}
		kind = 'g'
	}
	if f.precision > 10_000 {
		panic(newException("LimitError", "a precision may be at most 10000"))
	}
	digits := floatDigits(math.Abs(x), kind, f.precision, f.alternate)
	prefix := signText(math.Signbit(x) && x == x, f.sign)
	whole := len(digits)
	if at := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); at >= 0 {
		whole = at
	}
	if whole == 0 { // inf and nan are not grouped
		return f.padToWidth(prefix, digits)
	}
	return f.padNumber(prefix, digits[:whole], digits[whole:], 3)
}

// floatDigits renders a number that is not negative.
func floatDigits(x float64, kind rune, precision int, alternate bool) string {
	lower := kind
	if 'A' <= kind && kind <= 'Z' {
		lower = kind - 'A' + 'a'
	}
	s := ""
	switch {
	case math.IsInf(x, 0):
		s = "inf"
	case math.IsNaN(x):
		s = "nan"
	case kind == 0 && precision < 0:
		if s = floatText(x); alternate {
			s = withPoint(s)
		}
	case kind == 0:
		s = formatGeneral(x, max(precision, 1), true, alternate)
	case lower == 'g' && precision < 0:
		s = formatGeneral(x, 6, false, alternate)
	case lower == 'g':
		s = formatGeneral(x, max(precision, 1), false, alternate)
	default:
		s = formatFixed(x, lower, precision)
		if alternate && precision == 0 {
			s = withPoint(s)
		}
	}
	if kind == '%' {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return s + "%"
		}
		s = strconv.FormatFloat(x*100, 'f', orSix(precision), 64)
		if alternate && !math.IsInf(x*100, 0) {
			s = withPoint(s)
		}
		return strings.Replace(s, "+Inf", "inf", 1) + "%"
	}
	if lower != kind {
		s = strings.ToUpper(s)
	}
	return s
}

func orSix(precision int) int {
	if precision < 0 {
		return 6
	}
	return precision
}

func formatFixed(x float64, kind rune, precision int) string {
	if kind == 'e' {
		return strconv.FormatFloat(x, 'e', orSix(precision), 64)
	}
	return strconv.FormatFloat(x, 'f', orSix(precision), 64)
}

// withPoint puts a point after the digits that have none.
func withPoint(s string) string {
	if strings.Contains(s, ".") {
		return s
	}
	digits, exponent, ok := strings.Cut(s, "e")
	if ok {
		return digits + ".e" + exponent
	}
	return s + "."
}

// formatGeneral renders precision digits, with an exponent when the number is very
// large or small. plain is the format of no kind, which always shows a point
// or an exponent.
func formatGeneral(x float64, precision int, plain, alternate bool) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', precision-1, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return digits
	}
	limit := precision
	if plain {
		limit--
	}
	trim := func(s string) string {
		if alternate || !strings.Contains(s, ".") {
			return s
		}
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if n < -4 || n >= limit {
		if alternate {
			digits = withPoint(digits)
		}
		return trim(digits) + "e" + exponent
	}
	s := trim(strconv.FormatFloat(x, 'f', max(precision-1-n, 0), 64))
	if alternate {
		s = withPoint(s)
	}
	if plain && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
