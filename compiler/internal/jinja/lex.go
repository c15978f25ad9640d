package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// tokenKind is the kind of a token of a tag.
type tokenKind int

const (
	endToken tokenKind = iota
	nameToken
	textToken
	intToken
	floatToken
	// opToken is an operator or a bracket, written as its text.
	opToken
)

// A token is a piece of a tag.
type token struct {
	place
	kind tokenKind
	// text is the name or operator, the value of a text, a number in Python's
	// plain form.
	text string
}

// operators are those of expressions, longer ones first.
var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

// foreign are operators of other languages, longer ones first, with the equivalents
// in templates: a token, and a text that can replace them.
var foreign = []struct{ text, token, instead string }{
	{"!==", "!=", "!="}, {"===", "==", "=="}, {"<>", "!=", "!="}, {"=>", ">=", ">="}, {"=<", "<=", "<="},
	{"&&", "and", "and"}, {"||", "or", "or"}, {"??", "or", ""}, {"?.", ".", "."},
	{"!", "not", "not "}, {"&", "and", "and"},
}

var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// maxTokens bounds how much one tag may hold.
const maxTokens = 5000

// tagLexer cuts the inside of one tag into tokens.
type tagLexer struct {
	text string
	at   int
	// closer ends the tag: "}}" or "%}"; "" is the end of the text.
	closer string
	// strict is for tags with a missing end: strings stop at the next end of a tag,
	// and the beginning of another tag ends the tag.
	strict bool
	open   []token // the brackets
	tokens []token
	// lost says that the end of the tag, of a bracket or a text was missed.
	lost    bool
	garbled bool
	faults  *faults
	// from is how many faults there were before.
	from int
}

// A tag is the inside of one: its tokens with an endToken behind.
type tag struct {
	tokens []token
	// after is the offset after the tag, and sign the sign before its end: '-', '+'
	// or 0.
	after int
	sign  byte
	// faulty says that a fault was reported, and lost that the tokens are not the
	// intended ones.
	faulty, lost bool
	// garbled says that characters were left out, so that the tokens may make no
	// sense.
	garbled bool
}

// lexTag reads the tag whose inside begins at start. If it is invalid, it is read
// strictly. spent counts the bytes that were read in vain; their number is limited, so
// that a text full of unclosed tags takes no longer than others.
func lexTag(text string, start int, closer string, f *faults, spent *int) tag {
	if *spent <= 4*len(text) {
		mark := f.mark()
		t := lexAs(text, start, closer, f, false)
		if !t.lost {
			return t
		}
		f.drop(mark)
		*spent += t.after - start
	}
	return lexAs(text, start, closer, f, true)
}

func lexAs(text string, start int, closer string, f *faults, strict bool) tag {
	mark := f.mark()
	l := &tagLexer{text: text, at: start, closer: closer, faults: f, from: mark, strict: strict}
	end, sign := l.lexTokens()
	return tag{tokens: l.tokens, after: end, sign: sign, faulty: f.mark() > mark, lost: l.lost, garbled: l.garbled}
}

func (l *tagLexer) lexTokens() (end int, sign byte) {
	start := l.at
	for {
		l.at = len(l.text) - len(strings.TrimLeftFunc(l.text[l.at:], scalar.IsSpace))
		if l.at >= len(l.text) {
			l.missingEnd(start)
			return l.finishTag(l.at), 0
		}
		if n, s := l.tagEnd(); n > 0 && (len(l.open) == 0 || l.strict && !l.mayClose()) {
			l.unclosedBrackets()
			l.finishTag(l.at)
			return l.at + n, s
		}
		if l.strict && l.otherEnd() {
			return l.finishTag(l.at) + 2, 0
		}
		if l.strict && l.closer != "" && l.atTagStart() {
			l.missingEnd(start)
			return l.finishTag(l.at), 0
		}
		if len(l.tokens) > maxTokens {
			l.faults.add(finding.TemplateSyntax(l.faults.placeSpan(place{start - len(l.closer), start}), "this is too long to read"))
			l.tokens, l.lost = nil, true
			return l.finishTag(len(l.text)), 0
		}
		l.lexToken()
	}
}

// finishTag adds the endToken.
func (l *tagLexer) finishTag(at int) int {
	l.tokens = append(l.tokens, token{place: place{at, at}, kind: endToken})
	return at
}

// mayClose reports whether the } at hand closes a brace rather than the tag.
func (l *tagLexer) mayClose() bool {
	return l.text[l.at] == '}' && l.open[len(l.open)-1].text == "{" && strings.HasPrefix(l.text[l.at:], "}}}")
}

// atTagStart reports whether another tag begins here, which no tag holds.
func (l *tagLexer) atTagStart() bool {
	rest := l.text[l.at:]
	return strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "{%") || strings.HasPrefix(rest, "{#")
}

// tagEnd returns the length of the tag's end, if it is here.
func (l *tagLexer) tagEnd() (n int, sign byte) {
	if l.closer == "" {
		return 0, 0
	}
	rest := l.text[l.at:]
	if strings.HasPrefix(rest, l.closer) {
		return len(l.closer), 0
	}
	signs := "-"
	if l.closer == "%}" {
		signs = "-+"
	}
	if strings.IndexByte(signs, rest[0]) >= 0 && strings.HasPrefix(rest[1:], l.closer) {
		return 1 + len(l.closer), rest[0]
	}
	return 0, 0
}

// otherEnd reports the end of the other kind of tag, and treats it as the end of
// this one.
func (l *tagLexer) otherEnd() bool {
	other := map[string]string{"}}": "%}", "%}": "}}"}[l.closer]
	if other == "" || len(l.open) > 0 || !strings.HasPrefix(l.text[l.at:], other) {
		return false
	}
	at := l.faults.placeSpan(place{l.at, l.at + 2})
	l.faults.add(finding.TemplateSyntax(at, "`"+other+"` must be `"+l.closer+"` at the end of the tag").
		WithFix("replace with `"+l.closer+"`", at, l.closer))
	return true
}

func (l *tagLexer) missingEnd(start int) {
	if l.closer == "" {
		l.unclosedBrackets()
		return
	}
	l.faults.drop(l.from)
	opener := "{{"
	if l.closer == "%}" {
		opener = "{%"
	}
	d := finding.JinjaUnclosed(l.faults.placeSpan(place{l.openedAt(start), l.openedAt(start) + 2}), opener, l.closer)
	if len(l.open) > 0 {
		b := l.open[len(l.open)-1]
		d.WithRelated(l.faults.placeSpan(b.place), "this is never closed either")
	}
	l.faults.add(d)
	l.open, l.lost = nil, true
}

// openedAt returns where the tag whose inside begins at start begins.
func (l *tagLexer) openedAt(start int) int {
	if start >= 3 && (l.text[start-1] == '-' || l.text[start-1] == '+') {
		return start - 3
	}
	return max(start-2, 0)
}

func (l *tagLexer) unclosedBrackets() {
	for _, b := range l.open {
		l.lost = true
		l.faults.add(finding.JinjaUnclosed(l.faults.placeSpan(b.place), b.text, closers[b.text]))
	}
	l.open = nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNamePart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}

// lexToken adds the next token, or reports a fault.
func (l *tagLexer) lexToken() {
	start := l.at
	c := l.text[start]
	r, n := utf8.DecodeRuneInString(l.text[start:])
	switch {
	case isDigit(c):
		l.lexNumber()
	case isNamePart(r):
		l.lexName()
	case c == '\'' || c == '"':
		l.lexString(c)
	case l.lexForeignOperator():
	case l.lexOperator():
	default:
		l.at += n
		l.reportStray(start)
	}
}

func (l *tagLexer) addToken(kind tokenKind, start int, text string) {
	l.tokens = append(l.tokens, token{place: place{start, l.at}, kind: kind, text: text})
}

func (l *tagLexer) lexName() {
	start := l.at
	l.at = len(l.text) - len(strings.TrimLeftFunc(l.text[start:], isNamePart))
	text := l.text[start:l.at]
	if r, _ := utf8.DecodeRuneInString(text); r != '_' && !unicode.IsLetter(r) && !unicode.Is(unicode.Nl, r) {
		l.faults.add(finding.TemplateSyntax(l.faults.placeSpan(place{start, l.at}), "invalid name `"+text+"`").
			WithHelp("start names with a letter or an underscore"))
	}
	l.addToken(nameToken, start, text)
}

// lexForeignOperator reads an operator of another language as its equivalent.
func (l *tagLexer) lexForeignOperator() bool {
	rest := l.text[l.at:]
	if strings.HasPrefix(rest, "!=") && !strings.HasPrefix(rest, "!==") {
		return false
	}
	for _, op := range foreign {
		if !strings.HasPrefix(rest, op.text) {
			continue
		}
		start := l.at
		l.at += len(op.text)
		l.faults.add(finding.JinjaOperator(l.faults.placeSpan(place{start, l.at}), op.text, op.instead))
		kind := opToken
		if isNamePart(rune(op.token[0])) {
			kind = nameToken
		}
		l.addToken(kind, start, op.token)
		return true
	}
	return false
}

func (l *tagLexer) lexOperator() bool {
	for _, op := range operators {
		if !strings.HasPrefix(l.text[l.at:], op) {
			continue
		}
		start := l.at
		l.at += len(op)
		if !l.trackBrackets(op, place{start, l.at}) {
			return true
		}
		l.addToken(opToken, start, op)
		return true
	}
	return false
}

// trackBrackets keeps track of the open brackets; false when op closes none.
func (l *tagLexer) trackBrackets(op string, at place) bool {
	switch op {
	case "(", "[", "{":
		l.open = append(l.open, token{place: at, text: op})
	case ")", "]", "}":
		if len(l.open) == 0 {
			l.lost = true
			d := finding.TemplateSyntax(l.faults.placeSpan(at), "`"+op+"` has no opening bracket")
			switch {
			case op == "}" && l.closer == "":
				d.WithHelp("write one expression, with or without `{{` and `}}`")
				l.at = len(l.text)
			case op == "}":
				d.WithHelp("end the expression with `}}`")
			}
			l.faults.add(d)
			return false
		}
		last := l.open[len(l.open)-1]
		l.open = l.open[:len(l.open)-1]
		if want := closers[last.text]; want != op {
			l.lost = true
			l.faults.add(finding.TemplateSyntax(l.faults.placeSpan(at), "`"+op+"` must be `"+want+"` to close `"+last.text+"`").
				WithRelated(l.faults.placeSpan(last.place), "opened here"))
		}
	}
	return true
}

// reportStray reports a character that no expression holds.
func (l *tagLexer) reportStray(start int) {
	l.garbled = true
	if n := finding.CurlyLength(l.text[start:]); n > 0 {
		l.at = start + n
		l.faults.add(finding.CurlyQuotes(finding.TemplateSyntax, l.faults.placeSpan(place{start, l.at}), l.text[start:l.at], "'"))
		return
	}
	c := l.text[start:l.at]
	d := finding.TemplateSyntax(l.faults.placeSpan(place{start, l.at}), "unexpected `"+c+"`")
	switch c {
	case "?":
		d.WithHelp("write `a ? b : c` as `b if a else c`")
	case "$":
		d.WithHelp("write the name of the variable without `$`")
	case "`":
		d.WithHelp("put strings in single or double quotes")
	}
	l.faults.add(d)
	if c == "?" {
		// Lexing then continues as if the condition were the whole expression.
		l.skipConditional()
	}
}

// skipConditional leaves out the rest of `? b : c`, which is reported.
func (l *tagLexer) skipConditional() {
	depth := 0
	for l.at < len(l.text) {
		if n, _ := l.tagEnd(); n > 0 {
			return
		}
		switch l.text[l.at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return
			}
		}
		l.at++
	}
}
