package finding

import (
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// CurlyQuoteSigns are the quotes that word processors and chats write in place of plain
// ones. No expression and no script treats them as quotes.
const CurlyQuoteSigns = "‘’“”"

// CurlyLength returns the length of a string in curly quotes at the start of a text, with the
// quotes. It is the length of the quote alone if no other one closes the string before the
// end of the line or a brace, and 0 if the text starts with no curly quote.
func CurlyLength(text string) int {
	quote, n := utf8.DecodeRuneInString(text)
	if n == 0 || !strings.ContainsRune(CurlyQuoteSigns, quote) {
		return 0
	}
	closers := "‘’"
	if quote == '“' || quote == '”' {
		closers = "“”"
	}
	end := strings.IndexAny(text[n:], closers+"{}\n")
	if end < 0 || text[n+end] < utf8.RuneSelf {
		return n
	}
	_, closer := utf8.DecodeRuneInString(text[n+end:])
	return n + end + closer
}

// CurlyQuotes reports a text of CurlyLength by a constructor of its family, with the fix that
// writes plain quotes.
func CurlyQuotes(report func(source.Span, string) *diag.Diagnostic, at source.Span, text, plain string) *diag.Diagnostic {
	quote, n := utf8.DecodeRuneInString(text)
	d := report(at, "curly quote `"+string(quote)+"` in place of a plain one")
	d.Help = nil
	if len(text) == n {
		return d.WithFix("replace with `"+plain+"`", at, plain)
	}
	inner := strings.Trim(text, CurlyQuoteSigns)
	if strings.Contains(inner, plain) {
		return d.WithHelp("write plain quotes: `'` or `\"`")
	}
	return d.WithFix("write `"+plain+inner+plain+"`", at, plain+inner+plain)
}
