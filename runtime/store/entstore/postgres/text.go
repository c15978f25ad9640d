package postgres

import (
	"database/sql/driver"
	"strings"
	"unicode/utf8"
)

// PostgreSQL's texts hold no NUL and no bytes that are not UTF-8, while folders
// and names on this machine may. Such a byte is kept as a character of a private
// range, at whose end it counts; the bytes of characters that are in that range
// themselves are kept in the same way. So every text comes back as it was, and
// nearly every one is kept as it is.
const (
	privateFirst = 0x10FE00
	privateLast  = privateFirst + 0xFF
)

// kept is a text as the database keeps it.
func kept(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == 0 || r == utf8.RuneError && n == 1 || r >= privateFirst && r <= privateLast {
			for range n {
				b.WriteRune(privateFirst + rune(text[i]))
				i++
			}
			continue
		}
		b.WriteString(text[i : i+n])
		i += n
	}
	return b.String()
}

// isPlain reports whether a text is kept as it is.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0) && !hasPrivate(text)
}

// hasPrivate reports whether a text may have characters of the private range.
func hasPrivate(text string) bool {
	return strings.Contains(text, "\xf4\x8f") // so the UTF-8 of all of them begins
}

// plain is the text that is kept as the given one.
func plain(text string) string {
	if !hasPrivate(text) {
		return text
	}
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r >= privateFirst && r <= privateLast {
			b = append(b, byte(r-privateFirst))
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// commonPrefix is the part of a prefix by which the database can select.
func commonPrefix(prefix string) string {
	for i, r := range prefix {
		if r == utf8.RuneError || r == 0 || r >= privateFirst && r <= privateLast {
			return prefix[:i]
		}
	}
	return prefix
}

// keptValues changes the texts among values to those that the database keeps.
func keptValues(values []driver.Value) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = keptValue(v)
	}
	return list
}

func keptValue(v any) any {
	if text, ok := v.(string); ok {
		return kept(text)
	}
	return v
}
