package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// tokenKind is the kind of a token of a condition.
type tokenKind int

const (
	endToken tokenKind = iota
	wordToken
	textToken
	numberToken
	// The others are operators, written as their text.
	operatorToken
)

// A token is a piece of a condition; start and end are offsets in its text.
type token struct {
	kind tokenKind
	// text is the word or operator, a text without its quotes, a number as
	// written.
	text       string
	start, end int
	// bad says that it was reported.
	bad bool
}

// operators are those of conditions, longer ones first, each with its correct
// spelling if it is a misspelling.
var operators = []struct{ text, meant string }{
	{"===", "=="}, {"!==", "!="}, {"=>", ">="}, {"=<", "<="}, {"<>", "!="},
	{"&&", ""}, {"||", ""}, {"==", ""}, {"!=", ""}, {"<=", ""}, {">=", ""},
	{"<", ""}, {">", ""}, {"!", ""}, {"(", ""}, {")", ""}, {",", ""},
	{"=", "=="}, {"&", "&&"}, {"|", "||"},
}

// lexer splits a condition into tokens. It reports and leaves out invalid
// characters.
type lexer struct {
	text source.Text
	at   int
	bag  *diag.Bag
}

// lexCondition returns the tokens of a condition; the last is an endToken.
func lexCondition(text source.Text, bag *diag.Bag) []token {
	l := &lexer{text: text, bag: bag}
	var list []token
	for {
		t, ok := l.next()
		if !ok {
			continue
		}
		list = append(list, t)
		if t.kind == endToken {
			return list
		}
	}
}

// next returns the next token; ok is false if there was no valid token.
func (l *lexer) next() (t token, ok bool) {
	s := l.text.Value
	for l.at < len(s) && strings.IndexByte(" \t\r\n", s[l.at]) >= 0 {
		l.at++
	}
	start := l.at
	if start == len(s) {
		return token{start: start, end: start}, true
	}
	switch c := s[start]; {
	case c == '\'' || c == '"':
		return l.readString(c), true
	case isDigit(c) || c == '-' && start+1 < len(s) && isDigit(s[start+1]):
		return l.readNumber(), true
	case isNameStart(c):
		return l.readWord(), true
	}
	if n := finding.CurlyLength(s[start:]); n > 0 {
		return l.readCurlyString(n), true
	}
	for _, op := range operators {
		if !strings.HasPrefix(s[start:], op.text) {
			continue
		}
		l.at += len(op.text)
		t = token{kind: operatorToken, text: op.text, start: start, end: l.at}
		if op.meant != "" {
			t.text, t.bad = op.meant, true
			at := l.text.Span(start, l.at)
			l.bag.Add(finding.Meant(finding.ConditionSyntax(at, "`"+op.text+"` is not an operator in conditions"), at, op.meant, op.meant))
		}
		return t, true
	}
	l.reportStray()
	return token{}, false
}

// reportStray reports a run of characters that no condition contains.
func (l *lexer) reportStray() {
	s, start := l.text.Value, l.at
	for l.at < len(s) && !isTokenStart(s[l.at]) {
		l.at++
	}
	at := l.text.Span(start, l.at)
	d := finding.ConditionSyntax(at, "conditions cannot contain `"+s[start:l.at]+"`")
	if strings.ContainsAny(s[start:l.at], "+-*/%") {
		d.WithHelp("compare values only: conditions do not calculate")
	}
	l.bag.Add(d)
}

// readCurlyString reads a string in curly quotes as if the quotes were plain.
func (l *lexer) readCurlyString(n int) token {
	start := l.at
	l.at += n
	text, at := l.text.Value[start:l.at], l.text.Span(start, l.at)
	l.bag.Add(finding.CurlyQuotes(finding.ConditionSyntax, at, text, "'"))
	return token{kind: textToken, text: strings.Trim(text, finding.CurlyQuoteSigns), start: start, end: l.at, bad: true}
}

func (l *lexer) readString(quote byte) token {
	s, start := l.text.Value, l.at
	end := strings.IndexByte(s[start+1:], quote)
	if end < 0 {
		l.at = len(s)
		l.bag.Add(finding.ConditionSyntax(l.text.Span(start, start+1), "the quote is never closed"))
		return token{kind: textToken, text: s[start+1:], start: start, end: l.at, bad: true}
	}
	l.at = start + 1 + end + 1
	return token{kind: textToken, text: s[start+1 : l.at-1], start: start, end: l.at}
}

// readNumber reads digits, perhaps with a minus before and a fraction behind them.
func (l *lexer) readNumber() token {
	s, start := l.text.Value, l.at
	l.at++
	for l.at < len(s) && isDigit(s[l.at]) {
		l.at++
	}
	if l.at+1 < len(s) && s[l.at] == '.' && isDigit(s[l.at+1]) {
		for l.at++; l.at < len(s) && isDigit(s[l.at]); {
			l.at++
		}
	}
	t := token{kind: numberToken, text: s[start:l.at], start: start, end: l.at}
	for l.at < len(s) && (isNamePart(s[l.at]) || s[l.at] == '.') {
		l.at++
		t.bad = true
	}
	if t.end = l.at; t.bad {
		l.bag.Add(finding.ConditionSyntax(l.text.Span(start, l.at), "`"+s[start:l.at]+"` is neither a number nor a name").
			WithHelp("write a number as digits, with an optional minus sign and fraction; put strings in single quotes"))
	}
	return t
}

// readWord reads names joined by points.
func (l *lexer) readWord() token {
	s, start := l.text.Value, l.at
	for l.at < len(s) && (isNamePart(s[l.at]) || s[l.at] == '.' && l.at+1 < len(s) && isNameStart(s[l.at+1])) {
		l.at++
	}
	return token{kind: wordToken, text: s[start:l.at], start: start, end: l.at}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isNamePart(c byte) bool { return c == '-' || isNameStart(c) || isDigit(c) }

func isTokenStart(c byte) bool {
	return isDigit(c) || isNameStart(c) || strings.IndexByte("'\"&|=!<>(), \t\r\n", c) >= 0
}

// isName reports whether a text can be the name of a node or an output; without
// hyphens, that of a variable.
func isName(s string, hyphens bool) bool {
	if s == "" || !isNameStart(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isNamePart(s[i]) || s[i] == '-' && !hyphens {
			return false
		}
	}
	return true
}
