package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
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
	start := len(s) - len(strings.TrimLeft(s[l.at:], " \t\r\n"))
	l.at = start
	if start == len(s) {
		return token{start: start, end: start}, true
	}
	switch c := s[start]; {
	case c == '\'' || c == '"':
		return l.readString(c), true
	case numberPattern().MatchString(s[start:]):
		return l.readNumber(), true
	}
	if word := wordPattern().FindString(s[start:]); word != "" {
		l.at += len(word)
		return token{kind: wordToken, text: word, start: start, end: l.at}, true
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
	l.at += len(strayPattern().FindString(s[start:]))
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
	start := l.at
	found := numberPattern().FindStringSubmatch(l.text.Value[start:])
	l.at += len(found[0])
	t := token{kind: numberToken, text: found[1], start: start, end: l.at, bad: found[2] != ""}
	if t.bad {
		l.bag.Add(finding.ConditionSyntax(l.text.Span(start, l.at), "`"+found[0]+"` is neither a number nor a name").
			WithHelp("write a number as digits, with an optional minus sign and fraction; put strings in single quotes"))
	}
	return t
}

// The forms of the tokens of conditions.
var (
	// numberPattern is a number and what of a word is glued to it.
	numberPattern = lazyregexp.New(`^(-?[0-9]+(?:\.[0-9]+)?)([A-Za-z0-9_.-]*)`)
	// wordPattern is names joined by points.
	wordPattern = lazyregexp.New(`^[A-Za-z_](?:[A-Za-z0-9_-]|\.[A-Za-z_])*`)
	// strayPattern is characters with which no token begins.
	strayPattern = lazyregexp.New(`^[^A-Za-z0-9_'"&|=!<>(), \t\r\n]+`)
	namePattern  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

// isName reports whether a text can be the name of a node or an output; without
// hyphens, that of a variable.
func isName(s string, hyphens bool) bool {
	return namePattern().MatchString(s) && (hyphens || !strings.Contains(s, "-"))
}
