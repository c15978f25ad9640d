// Package gotext has the functions of Go's text/template that prompts call, as
// compiled prompts call them. It does the same as that package, which is not linked
// itself: what it can call it finds by reflection, which would keep all methods of
// all types in a program.
package gotext

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// HTML is the text of its arguments with the characters escaped that mean something
// in HTML.
func HTML(args ...any) string {
	return strings.ReplaceAll(html.EscapeString(Print(args...)), "\x00", "\uFFFD")
}

// URLQuery is the text of its arguments as a value in the query of a URL.
func URLQuery(args ...any) string { return url.QueryEscape(Print(args...)) }

// JS is the text of its arguments as it stands between quotes in JavaScript.
func JS(args ...any) string {
	var b strings.Builder
	s := Print(args...)
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(`\'"`, r):
			b.WriteString(`\` + s[:size])
		case strings.ContainsRune("<>&=", r) || r < ' ' || r > unicode.MaxASCII && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteString(s[:size]) // also of bytes that are no character
		}
		s = s[size:]
	}
	return b.String()
}

// Print is the text of its arguments, with blanks between those that are no texts.
func Print(args ...any) string { return fmt.Sprint(natives(args)...) }

// Println is the text of its arguments with blanks between them and a line break
// behind them.
func Println(args ...any) string { return fmt.Sprintln(natives(args)...) }

// Printf is the text of its arguments in a format of package fmt.
func Printf(format string, args ...any) string { return fmt.Sprintf(format, natives(args)...) }

// Slice is the part of a text between offsets in bytes. It fails when there is no
// such part.
func Slice(s string, bounds ...int64) (string, error) {
	from, to := int64(0), int64(len(s))
	if len(bounds) > 0 {
		from = bounds[0]
	}
	if len(bounds) > 1 {
		to = bounds[1]
	}
	if from < 0 || from > to || to > int64(len(s)) {
		return "", fmt.Errorf("`slice` from %d to %d of a text of %d bytes", from, to, len(s))
	}
	return s[from:to], nil
}

// natives makes Go's own values of those that templates compute with.
func natives(args []any) []any {
	list := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case py.Str:
			list[i] = string(a)
		case py.Int:
			list[i] = int64(a)
		case py.Float:
			list[i] = float64(a)
		case py.Bool:
			list[i] = bool(a)
		default:
			list[i] = a
		}
	}
	return list
}
