// Package gotext has the functions of Go's text/template that prompts call, as
// compiled prompts call them: {{ html .name }} is
//
//	gotext.Args{name}.HTML()
//
// They do the same as the functions of text/template. That package is not linked: it calls
// functions by reflection, so the linker would have to keep every method of every type.
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

// Args are the arguments of a function of templates.
type Args []any

// HTML returns the text of the arguments, escaped for HTML.
func (a Args) HTML() string {
	return strings.ReplaceAll(html.EscapeString(a.Print()), "\x00", "\uFFFD")
}

// URLQuery returns the text of the arguments as a value in the query of a URL.
func (a Args) URLQuery() string { return url.QueryEscape(a.Print()) }

// JS returns the text of the arguments as it is between quotes in JavaScript.
func (a Args) JS() string {
	var b strings.Builder
	s := a.Print()
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(`\'"`, r):
			b.WriteString(`\` + s[:size])
		case strings.ContainsRune("<>&=", r) || r < ' ' || r > unicode.MaxASCII && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteString(s[:size]) // also of bytes that are not a character
		}
		s = s[size:]
	}
	return b.String()
}

// Print returns the text of the arguments, with spaces between those that are not
// strings.
func (a Args) Print() string { return fmt.Sprint(a.nativeValues()...) }

// Println returns the text of the arguments with spaces between them and a newline
// behind them.
func (a Args) Println() string { return fmt.Sprintln(a.nativeValues()...) }

// Printf returns the text of the arguments in a format of package fmt.
func (a Args) Printf(format string) string { return fmt.Sprintf(format, a.nativeValues()...) }

// Slice returns the part of a string between offsets in bytes. It fails if the string
// has no such part.
func Slice(s string, bounds ...int64) (string, error) {
	from, to := int64(0), int64(len(s))
	if len(bounds) > 0 {
		from = bounds[0]
	}
	if len(bounds) > 1 {
		to = bounds[1]
	}
	if from < 0 || from > to || to > int64(len(s)) {
		return "", fmt.Errorf("`slice` from %d to %d of a string of %d bytes", from, to, len(s))
	}
	return s[from:to], nil
}

// nativeValues makes Go's own values of those that templates compute with.
func (a Args) nativeValues() []any {
	list := make([]any, len(a))
	for i, a := range a {
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
