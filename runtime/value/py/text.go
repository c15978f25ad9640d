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

// lookUpCase looks a code point up in one of the tables of case.
func lookUpCase(table string, r rune) (string, bool) {
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
	if to, ok := lookUpCase(upperTable, r); ok {
		b.WriteString(to)
		return
	}
	b.WriteRune(unicode.ToUpper(r))
}

func titleRune(b *strings.Builder, r rune) {
	if to, ok := lookUpCase(titleTable, r); ok {
		b.WriteString(to)
		return
	}
	if to, ok := lookUpCase(upperTable, r); ok {
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

// recaseRunes writes each rune of a text in another case.
func recaseRunes(s string, write func(b *strings.Builder, runes []rune, i int)) string {
	runes := []rune(s)
	var b strings.Builder
	for i := range runes {
		write(&b, runes, i)
	}
	return b.String()
}

func toUpper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return recaseRunes(s, func(b *strings.Builder, runes []rune, i int) { upperRune(b, runes[i]) })
}

func toLower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return recaseRunes(s, lowerRune)
}

func caseFold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return recaseRunes(s, func(b *strings.Builder, runes []rune, i int) {
		r := runes[i]
		switch to, ok := lookUpCase(foldTable, r); {
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
	})
}

// capitalize makes the first letter large and the others small.
func capitalize(s string) string {
	return recaseRunes(s, func(b *strings.Builder, runes []rune, i int) {
		if i == 0 {
			titleRune(b, runes[i])
		} else {
			lowerRune(b, runes, i)
		}
	})
}

// titleCase makes the first letter of each run of letters large.
func titleCase(s string) string {
	return recaseRunes(s, func(b *strings.Builder, runes []rune, i int) {
		if i > 0 && isCased(runes[i-1]) {
			lowerRune(b, runes, i)
		} else {
			titleRune(b, runes[i])
		}
	})
}

func swapCase(s string) string {
	return recaseRunes(s, func(b *strings.Builder, runes []rune, i int) {
		switch r := runes[i]; {
		case isUpper(r):
			lowerRune(b, runes, i)
		case isLower(r):
			upperRune(b, r)
		default:
			b.WriteRune(r)
		}
	})
}

func inRanges(table string, r rune) bool {
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

// The tables map code points, each as " x=y ", where Unicode maps one code point to
// several or to another one than package unicode does.

// upperTable is for upper case.
const upperTable = "" +
	" \u00df=SS \u0149=\u02bcN \u01f0=J\u030c \u0390=\u0399\u0308\u0301 \u03b0=\u03a5\u0308\u0301" +
	" \u0587=\u0535\u0552 \u1e96=H\u0331 \u1e97=T\u0308 \u1e98=W\u030a \u1e99=Y\u030a \u1e9a=A\u02be" +
	" \u1f50=\u03a5\u0313 \u1f52=\u03a5\u0313\u0300 \u1f54=\u03a5\u0313\u0301 \u1f56=\u03a5\u0313\u0342" +
	" \u1f80=\u1f08\u0399 \u1f81=\u1f09\u0399 \u1f82=\u1f0a\u0399 \u1f83=\u1f0b\u0399 \u1f84=\u1f0c\u0399" +
	" \u1f85=\u1f0d\u0399 \u1f86=\u1f0e\u0399 \u1f87=\u1f0f\u0399 \u1f88=\u1f08\u0399 \u1f89=\u1f09\u0399" +
	" \u1f8a=\u1f0a\u0399 \u1f8b=\u1f0b\u0399 \u1f8c=\u1f0c\u0399 \u1f8d=\u1f0d\u0399 \u1f8e=\u1f0e\u0399" +
	" \u1f8f=\u1f0f\u0399 \u1f90=\u1f28\u0399 \u1f91=\u1f29\u0399 \u1f92=\u1f2a\u0399 \u1f93=\u1f2b\u0399" +
	" \u1f94=\u1f2c\u0399 \u1f95=\u1f2d\u0399 \u1f96=\u1f2e\u0399 \u1f97=\u1f2f\u0399 \u1f98=\u1f28\u0399" +
	" \u1f99=\u1f29\u0399 \u1f9a=\u1f2a\u0399 \u1f9b=\u1f2b\u0399 \u1f9c=\u1f2c\u0399 \u1f9d=\u1f2d\u0399" +
	" \u1f9e=\u1f2e\u0399 \u1f9f=\u1f2f\u0399 \u1fa0=\u1f68\u0399 \u1fa1=\u1f69\u0399 \u1fa2=\u1f6a\u0399" +
	" \u1fa3=\u1f6b\u0399 \u1fa4=\u1f6c\u0399 \u1fa5=\u1f6d\u0399 \u1fa6=\u1f6e\u0399 \u1fa7=\u1f6f\u0399" +
	" \u1fa8=\u1f68\u0399 \u1fa9=\u1f69\u0399 \u1faa=\u1f6a\u0399 \u1fab=\u1f6b\u0399 \u1fac=\u1f6c\u0399" +
	" \u1fad=\u1f6d\u0399 \u1fae=\u1f6e\u0399 \u1faf=\u1f6f\u0399 \u1fb2=\u1fba\u0399 \u1fb3=\u0391\u0399" +
	" \u1fb4=\u0386\u0399 \u1fb6=\u0391\u0342 \u1fb7=\u0391\u0342\u0399 \u1fbc=\u0391\u0399 \u1fc2=\u1fca\u0399" +
	" \u1fc3=\u0397\u0399 \u1fc4=\u0389\u0399 \u1fc6=\u0397\u0342 \u1fc7=\u0397\u0342\u0399 \u1fcc=\u0397\u0399" +
	" \u1fd2=\u0399\u0308\u0300 \u1fd3=\u0399\u0308\u0301 \u1fd6=\u0399\u0342 \u1fd7=\u0399\u0308\u0342" +
	" \u1fe2=\u03a5\u0308\u0300 \u1fe3=\u03a5\u0308\u0301 \u1fe4=\u03a1\u0313 \u1fe6=\u03a5\u0342" +
	" \u1fe7=\u03a5\u0308\u0342 \u1ff2=\u1ffa\u0399 \u1ff3=\u03a9\u0399 \u1ff4=\u038f\u0399 \u1ff6=\u03a9\u0342" +
	" \u1ff7=\u03a9\u0342\u0399 \u1ffc=\u03a9\u0399 \ufb00=FF \ufb01=FI \ufb02=FL \ufb03=FFI \ufb04=FFL \ufb05=ST" +
	" \ufb06=ST \ufb13=\u0544\u0546 \ufb14=\u0544\u0535 \ufb15=\u0544\u053b \ufb16=\u054e\u0546 \ufb17=\u0544\u053d "

// titleTable is for the first letter of a word.
const titleTable = "" +
	" \u00df=Ss \u0587=\u0535\u0582 \u1fb2=\u1fba\u0345 \u1fb4=\u0386\u0345 \u1fb7=\u0391\u0342\u0345" +
	" \u1fc2=\u1fca\u0345 \u1fc4=\u0389\u0345 \u1fc7=\u0397\u0342\u0345 \u1ff2=\u1ffa\u0345 \u1ff4=\u038f\u0345" +
	" \u1ff7=\u03a9\u0342\u0345 \ufb00=Ff \ufb01=Fi \ufb02=Fl \ufb03=Ffi \ufb04=Ffl \ufb05=St \ufb06=St" +
	" \ufb13=\u0544\u0576 \ufb14=\u0544\u0565 \ufb15=\u0544\u056b \ufb16=\u054e\u0576 \ufb17=\u0544\u056d "

// foldTable is for comparing without case.
const foldTable = "" +
	" \u00b5=\u03bc \u00df=ss \u0149=\u02bcn \u017f=s \u01f0=j\u030c \u0345=\u03b9 \u0390=\u03b9\u0308\u0301" +
	" \u03b0=\u03c5\u0308\u0301 \u03c2=\u03c3 \u03d0=\u03b2 \u03d1=\u03b8 \u03d5=\u03c6 \u03d6=\u03c0 \u03f0=\u03ba" +
	" \u03f1=\u03c1 \u03f5=\u03b5 \u0587=\u0565\u0582 \u13f8=\u13f0 \u13f9=\u13f1 \u13fa=\u13f2 \u13fb=\u13f3" +
	" \u13fc=\u13f4 \u13fd=\u13f5 \u1c80=\u0432 \u1c81=\u0434 \u1c82=\u043e \u1c83=\u0441 \u1c84=\u0442" +
	" \u1c85=\u0442 \u1c86=\u044a \u1c87=\u0463 \u1c88=\ua64b \u1e96=h\u0331 \u1e97=t\u0308 \u1e98=w\u030a" +
	" \u1e99=y\u030a \u1e9a=a\u02be \u1e9b=\u1e61 \u1e9e=ss \u1f50=\u03c5\u0313 \u1f52=\u03c5\u0313\u0300" +
	" \u1f54=\u03c5\u0313\u0301 \u1f56=\u03c5\u0313\u0342 \u1f80=\u1f00\u03b9 \u1f81=\u1f01\u03b9" +
	" \u1f82=\u1f02\u03b9 \u1f83=\u1f03\u03b9 \u1f84=\u1f04\u03b9 \u1f85=\u1f05\u03b9 \u1f86=\u1f06\u03b9" +
	" \u1f87=\u1f07\u03b9 \u1f88=\u1f00\u03b9 \u1f89=\u1f01\u03b9 \u1f8a=\u1f02\u03b9 \u1f8b=\u1f03\u03b9" +
	" \u1f8c=\u1f04\u03b9 \u1f8d=\u1f05\u03b9 \u1f8e=\u1f06\u03b9 \u1f8f=\u1f07\u03b9 \u1f90=\u1f20\u03b9" +
	" \u1f91=\u1f21\u03b9 \u1f92=\u1f22\u03b9 \u1f93=\u1f23\u03b9 \u1f94=\u1f24\u03b9 \u1f95=\u1f25\u03b9" +
	" \u1f96=\u1f26\u03b9 \u1f97=\u1f27\u03b9 \u1f98=\u1f20\u03b9 \u1f99=\u1f21\u03b9 \u1f9a=\u1f22\u03b9" +
	" \u1f9b=\u1f23\u03b9 \u1f9c=\u1f24\u03b9 \u1f9d=\u1f25\u03b9 \u1f9e=\u1f26\u03b9 \u1f9f=\u1f27\u03b9" +
	" \u1fa0=\u1f60\u03b9 \u1fa1=\u1f61\u03b9 \u1fa2=\u1f62\u03b9 \u1fa3=\u1f63\u03b9 \u1fa4=\u1f64\u03b9" +
	" \u1fa5=\u1f65\u03b9 \u1fa6=\u1f66\u03b9 \u1fa7=\u1f67\u03b9 \u1fa8=\u1f60\u03b9 \u1fa9=\u1f61\u03b9" +
	" \u1faa=\u1f62\u03b9 \u1fab=\u1f63\u03b9 \u1fac=\u1f64\u03b9 \u1fad=\u1f65\u03b9 \u1fae=\u1f66\u03b9" +
	" \u1faf=\u1f67\u03b9 \u1fb2=\u1f70\u03b9 \u1fb3=\u03b1\u03b9 \u1fb4=\u03ac\u03b9 \u1fb6=\u03b1\u0342" +
	" \u1fb7=\u03b1\u0342\u03b9 \u1fbc=\u03b1\u03b9 \u1fbe=\u03b9 \u1fc2=\u1f74\u03b9 \u1fc3=\u03b7\u03b9" +
	" \u1fc4=\u03ae\u03b9 \u1fc6=\u03b7\u0342 \u1fc7=\u03b7\u0342\u03b9 \u1fcc=\u03b7\u03b9" +
	" \u1fd2=\u03b9\u0308\u0300 \u1fd3=\u03b9\u0308\u0301 \u1fd6=\u03b9\u0342 \u1fd7=\u03b9\u0308\u0342" +
	" \u1fe2=\u03c5\u0308\u0300 \u1fe3=\u03c5\u0308\u0301 \u1fe4=\u03c1\u0313 \u1fe6=\u03c5\u0342" +
	" \u1fe7=\u03c5\u0308\u0342 \u1ff2=\u1f7c\u03b9 \u1ff3=\u03c9\u03b9 \u1ff4=\u03ce\u03b9 \u1ff6=\u03c9\u0342" +
	" \u1ff7=\u03c9\u0342\u03b9 \u1ffc=\u03c9\u03b9 \ufb00=ff \ufb01=fi \ufb02=fl \ufb03=ffi \ufb04=ffl \ufb05=st" +
	" \ufb06=st \ufb13=\u0574\u0576 \ufb14=\u0574\u0565 \ufb15=\u0574\u056b \ufb16=\u057e\u0576 \ufb17=\u0574\u056d "

// digitRanges are the digits that are not decimal digits, as first and last of each
// range.
const digitRanges = "" +
	"\u00b2\u00b3\u00b9\u00b9\u1369\u1371\u19da\u19da\u2070\u2070\u2074\u2079\u2080\u2089\u2460\u2468\u2474\u247c" +
	"\u2488\u2490\u24ea\u24ea\u24f5\u24fd\u24ff\u24ff\u2776\u277e\u2780\u2788\u278a\u2792\U00010a40\U00010a43" +
	"\U00010e60\U00010e68\U00011052\U0001105a\U0001f100\U0001f10a"

// numericRanges are the letters that mean numbers, as first and last of each range.
const numericRanges = "" +
	"\u3405\u3405\u3483\u3483\u382a\u382a\u3b4d\u3b4d\u4e00\u4e00\u4e03\u4e03\u4e07\u4e07\u4e09\u4e09\u4e5d\u4e5d" +
	"\u4e8c\u4e8c\u4e94\u4e94\u4e96\u4e96\u4ebf\u4ec0\u4edf\u4edf\u4ee8\u4ee8\u4f0d\u4f0d\u4f70\u4f70\u5104\u5104" +
	"\u5146\u5146\u5169\u5169\u516b\u516b\u516d\u516d\u5341\u5341\u5343\u5345\u534c\u534c\u53c1\u53c4\u56db\u56db" +
	"\u58f1\u58f1\u58f9\u58f9\u5e7a\u5e7a\u5efe\u5eff\u5f0c\u5f0e\u5f10\u5f10\u62fe\u62fe\u634c\u634c\u67d2\u67d2" +
	"\u6f06\u6f06\u7396\u7396\u767e\u767e\u8086\u8086\u842c\u842c\u8cae\u8cae\u8cb3\u8cb3\u8d30\u8d30\u9621\u9621" +
	"\u9646\u9646\u964c\u964c\u9678\u9678\u96f6\u96f6\uf96b\uf96b\uf973\uf973\uf978\uf978\uf9b2\uf9b2\uf9d1\uf9d1" +
	"\uf9d3\uf9d3\uf9fd\uf9fd\U00020001\U00020001\U00020064\U00020064\U000200e2\U000200e2\U00020121\U00020121" +
	"\U0002092a\U0002092a\U00020983\U00020983\U0002098c\U0002098c\U0002099c\U0002099c\U00020aea\U00020aea" +
	"\U00020afd\U00020afd\U00020b19\U00020b19\U00022390\U00022390\U00022998\U00022998\U00023b1b\U00023b1b" +
	"\U0002626d\U0002626d\U0002f890\U0002f890"
