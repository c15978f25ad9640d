package archon

import (
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/finding"
)

// whenKind is the kind of a token of a condition.
type whenKind int

const (
	whenEnd       whenKind = iota
	whenRef                // $ and everything of a name or path behind it
	whenString             // '…' or "…", quotes included
	whenNumber             // -?digits[.digits]
	whenWord               // any other word
	whenCompare            // == != < > <= >=
	whenStrange            // an operator that only other languages have
	whenAnd                // &&
	whenOr                 // ||
	whenNot                // !
	whenOpen               // (
	whenClose              // )
	whenOpenQuote          // a quote that is never closed, and the rest behind it
	whenOther              // anything else
)

// A whenToken is one token; offsets are bytes of the condition.
type whenToken struct {
	kind       whenKind
	start, end int
	text       string
}

// lexWhen splits a condition into tokens; the last one is always whenEnd. It
// accepts every text: a piece that fits no token of the grammar is a token that the
// parser rejects.
func lexWhen(text string) []whenToken {
	var tokens []whenToken
	for at := skipBlanks(text, 0); at < len(text); {
		kind, end := whenTokenAt(text, at)
		tokens = append(tokens, whenToken{kind, at, end, text[at:end]})
		at = skipBlanks(text, end)
	}
	end := len(strings.TrimRightFunc(text, isBlank))
	return append(tokens, whenToken{kind: whenEnd, start: end, end: end})
}

func skipBlanks(text string, at int) int {
	return len(text) - len(strings.TrimLeftFunc(text[at:], isBlank))
}

// isBlank is white space as JavaScript sees it.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

func whenTokenAt(text string, at int) (whenKind, int) {
	switch c := text[at]; {
	case c == '$':
		return whenRef, refEnd(text, at)
	case c == '\'' || c == '"':
		if n := strings.IndexByte(text[at+1:], c); n >= 0 {
			return whenString, at + n + 2
		}
		return whenOpenQuote, len(text)
	case c == '(':
		return whenOpen, at + 1
	case c == ')':
		return whenClose, at + 1
	case strings.IndexByte("=!<>&|~", c) >= 0:
		return whenOperator(text, at)
	case isDigit(c) || c == '-' || c == '+' || c == '.':
		end := wordEnd(text, at)
		if isWhenNumber(text[at:end]) {
			return whenNumber, end
		}
		return whenWord, end
	}
	return whenWord, at + max(finding.CurlyLength(text[at:]), wordEnd(text, at)-at)
}

// whenOperator reads the run of operator characters at offset. It splits a `!` that
// starts a negation from its operand.
func whenOperator(text string, at int) (whenKind, int) {
	if strings.HasPrefix(text[at:], "!!") {
		return whenNot, at + 1 // whatever comes after, which is not read again for each
	}
	end := len(text) - len(strings.TrimLeft(text[at:], "=!<>&|~"))
	switch run := text[at:end]; run {
	case "==", "!=", "<", ">", "<=", ">=":
		return whenCompare, end
	case "&&":
		return whenAnd, end
	case "||":
		return whenOr, end
	default:
		if strings.Trim(run, "!") == "" {
			return whenNot, at + 1
		}
		if strings.HasPrefix(run, "&&!") || strings.HasPrefix(run, "||!") {
			kind, _ := whenOperator(run[:2], 0)
			return kind, at + 2
		}
	}
	return whenStrange, end
}

// refEnd returns the end of the reference after a `$`: names, dots, hyphens, and
// the braces and brackets that other languages would use.
func refEnd(text string, at int) int {
	i := at + 1
	for i < len(text) && (isIdentPart(text[i]) || strings.IndexByte(".-{}[]", text[i]) >= 0) {
		i++
	}
	return i
}

// wordEnd returns the end of a word: all up to a space, an operator, a quote or a
// parenthesis.
func wordEnd(text string, at int) int {
	n := strings.IndexFunc(text[at:], func(r rune) bool { return isBlank(r) || strings.ContainsRune("=!<>&|~'\"()$", r) })
	if n < 0 {
		return len(text)
	}
	return at + n
}

// isWhenNumber reports whether a word is a number of the grammar: an optional
// minus, digits, and possibly a point and digits.
func isWhenNumber(word string) bool {
	whole, fraction, found := strings.Cut(strings.TrimPrefix(word, "-"), ".")
	return isDigits(whole) && (!found || isDigits(fraction))
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
