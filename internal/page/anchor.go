package page

import (
	"strings"
	"unicode"
)

// Anchor returns the anchor of a heading, by the rules of GitHub. title is the text of the
// heading without markup. GitHub numbers the anchors of equal headings, which is up to the
// caller.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}
