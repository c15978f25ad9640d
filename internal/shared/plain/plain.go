// Package plain makes strings from outside safe to show. The output of agents and
// scripts, keys, file names and node ids cannot steer a terminal, hide or reorder
// a part of itself, or pass for a line of the program.
//
// Line is for a string inside a line, Text for one of several lines, Below for one
// whose first line follows something else, Table for the rows of a table:
//
//	fmt.Fprintf(w, "node %s: %s\n", plain.Line(id), plain.Below(output, "  "))
//
// NewWriter applies Text to everything that is written; every command writes to its
// terminal or log through one. JSONWriter escapes the same characters in JSON, so that
// values stay the same.
//
// Nearest, ShellWord and JSONError are for messages: they suggest a name, quote an argument
// and explain a fault in JSON. The compiler and the runtime share them.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rune returns the character to show for r: a control character becomes its Unicode
// picture, such as ␊, and one that is invisible or reorders text becomes U+FFFD.
func Rune(r rune) rune {
	switch {
	case r < 0x20:
		return 0x2400 + r
	case r < 0x7F:
		return r
	case r == 0x7F:
		return 0x2421
	case r < 0xA0 || isZeroWidth(r):
		return utf8.RuneError
	}
	return r
}

// isZeroWidth reports whether a character has no width: those of the category Cf that are not
// signs over numbers, the separators that break lines, and the fillers.
func isZeroWidth(r rune) bool {
	switch r {
	case 0x2028, 0x2029, 0x115F, 0x1160, 0x3164, 0xFFA0:
		return true
	case 0xAD:
		return true
	}
	return r >= 0x600 && unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// isJoiner reports whether a character joins or parts those beside it, as the
// writing of many languages and many emoji need.
func isJoiner(r rune) bool { return r == 0x200C || r == 0x200D }

// latin is the last character of the scripts in which nothing is joined.
const latin = 0x2FF

// Text returns s safe for a terminal. Tabs and line breaks stay; Rune replaces other
// control characters and invisible ones. CR LF becomes a line break, and colours are
// removed.
func Text(s string) string { return plainText(s, false) }

// plainText is Text, but keeps colours if colours is true.
func plainText(s string, colours bool) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	before := rune(0)
	for i := 0; i < len(s); {
		if n := colourLength(s[i:]); n > 0 {
			if colours {
				b.WriteString(s[i : i+n])
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\n' || r == '\t':
		case r == '\r' && i < len(s) && s[i] == '\n':
			continue
		case isJoiner(r) && before > latin && !isZeroWidth(before):
		default:
			r = Rune(r)
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// isPlain reports whether Text would change nothing. Nearly all strings are ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

// colourLength returns the length of the sequence that s begins with, if it is one that
// sets colours and the like, else 0.
func colourLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	rest := strings.TrimLeft(s[2:], "0123456789;:")
	if !strings.HasPrefix(rest, "m") {
		return 0
	}
	return len(s) - len(rest) + 1
}

// Line returns s as a part of one line: what Text returns, with line breaks as
// the picture ␊ and tabs as spaces.
func Line(s string) string {
	s = Text(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return lineBreaks.Replace(s)
}

var lineBreaks = strings.NewReplacer("\n", "\u240A", "\t", " ")

// Gutter begins every line of a text that may be an outsider's, except a line that begins with words
// of the program. No line of the program begins with it, after spaces or not.
const Gutter = "│ "

// Below is Text for a text whose first line follows other words on a line. The further lines
// get the indent and the gutter, so that they cannot pass for lines of the program. Trailing
// line breaks are removed.
func Below(s, indent string) string { return Indented(s, indent+Gutter) }

// Indented is Below without the gutter, for the program's own words.
func Indented(s, indent string) string {
	return strings.ReplaceAll(strings.TrimRight(Text(s), "\n"), "\n", "\n"+indent)
}

// Message returns the text of an error that follows the name of a program: lines after the
// first that begin without a space are indented, so that quoted text cannot look like a
// message of the program. A last line of the form "see `NAME --help`" stays as it is.
func Message(s string) string {
	lines := strings.Split(strings.TrimRight(Text(s), "\n"), "\n")
	for i, line := range lines {
		if i > 0 && line != "" && line[0] != ' ' && line[0] != '\t' && (i < len(lines)-1 || !helpLine(line)) {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n")
}

// helpLine reports whether a line is of the form "see `NAME --help`".
func helpLine(line string) bool {
	name, ok := strings.CutPrefix(line, "see `")
	name, whole := strings.CutSuffix(name, " --help`")
	return ok && whole && !strings.Contains(name, "`")
}

// ShellQuote returns a text as a word of a shell, always in quotes.
func ShellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// ShellWord returns a text as a word of a shell's command line, quoted if it
// needs that.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%=,~", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 && text[0] != '~' {
		return text
	}
	return ShellQuote(text)
}
