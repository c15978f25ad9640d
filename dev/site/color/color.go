// Package color divides code into tokens for colouring. It is made for short examples in
// documents: a text that it does not understand keeps its characters and loses only colours.
package color

import (
	"regexp"
	"strings"
)

// Classes of tokens.
const (
	Plain   = ""
	Comment = "comment"
	Key     = "key"
	Keyword = "keyword"
	Literal = "literal" // numbers, bools, null
	Prompt  = "prompt"  // the dollar sign before a command
	String  = "string"
	Value   = "value" // variables
)

// A Token is a part of a code. All tokens together are the code.
type Token struct {
	Class, Text string
}

// Tokens divides a code. language is the first word of a fenced block in Markdown; for an
// unknown one, the whole code is one plain token.
func Tokens(language, code string) []Token {
	var l list
	switch language {
	case "go":
		golang(&l, code)
	case "yaml", "yml":
		yaml(&l, code)
	case "console":
		console(&l, code)
	default:
		l.scan(rulesOf[language], code)
	}
	return l.tokens
}

// A list collects tokens. It joins neighbours of one class.
type list struct {
	tokens []Token
}

func (l *list) add(class, text string) {
	if text == "" {
		return
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].Class == class {
		l.tokens[n-1].Text += text
		return
	}
	l.tokens = append(l.tokens, Token{class, text})
}

// A rule finds a token.
type rule struct {
	class string
	// re matches from the token on; its first group, if any, is the token.
	re *regexp.Regexp
	// after are the bytes that may precede a token, besides the start of the code. Any may
	// if it is empty.
	after string
}

func newRule(class, re, after string) rule {
	return rule{class, regexp.MustCompile(`\A(?:` + re + `)`), after}
}

// wordRest is a run of characters inside which no token starts.
var wordRest = regexp.MustCompile(`\A[\pL\pN_]+`)

// scan adds the tokens of a code by rules, of which the first counts.
func (l *list) scan(rules []rule, code string) {
	for at := 0; at < len(code); {
		class, end := Plain, at+1
		if rest := wordRest.FindString(code[at:]); rest != "" {
			end = at + len(rest)
		}
		for _, r := range rules {
			if at > 0 && r.after != "" && strings.IndexByte(r.after, code[at-1]) < 0 {
				continue
			}
			m := r.re.FindStringSubmatchIndex(code[at:])
			if m == nil {
				continue
			}
			class, end = r.class, at+m[1]
			if len(m) > 2 {
				end = at + m[3]
			}
			break
		}
		l.add(class, code[at:end])
		at = end
	}
}
