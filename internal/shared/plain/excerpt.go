// Package excerpt shortens strings for messages.
package plain

import "strconv"

// Clip cuts a string to n characters; the last one then is an ellipsis.
func Clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// Quoted returns a string in quotes, cut to 60 characters and an ellipsis.
func Quoted(text string) string { return strconv.Quote(Clip(text, 61)) }
