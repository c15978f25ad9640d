package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tag in which a signal stands is found from the inside: from each ">" on, the
// signal and an end tag must follow, and the end tag's name is looked for between
// that ">" and the one before, because a tag's attributes may hold anything but
// a ">". So each part of a text is looked at once for the ">" after it and once
// for the one before, and no expression with a back reference is needed.

// tagged returns the bounds of the first tag at or behind an offset in which
// nothing but the signal stands, tags included.
func tagged(text, core string, from int) (start, end int, ok bool) {
	for begin := from; ; {
		at := strings.IndexByte(text[begin:], '>')
		if at < 0 {
			return 0, 0, false
		}
		at += begin
		if name, size := content(text[at+1:], core); size > 0 {
			if open := opening(text[begin:at], name); open >= 0 {
				return begin + open, at + 1 + size, true
			}
		}
		begin = at + 1
	}
}

// content reads the signal and the end tag behind it from the beginning of a
// text. It returns the tag's name and how far it reaches, or 0 when something
// else stands there.
func content(text, core string) (name string, size int) {
	rest := strings.TrimLeftFunc(text, blank)
	n := foldedPrefix(rest, core)
	if n < 0 {
		return "", 0
	}
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(rest[n:], blank), "</")
	if !ok {
		return "", 0
	}
	name = rest[:nameLen(rest)]
	if rest, ok = strings.CutPrefix(rest[len(name):], ">"); name == "" || !ok {
		return "", 0
	}
	return name, len(text) - len(rest)
}

// opening returns where the first start tag of the name begins in what stands
// before its ">", or -1.
func opening(text, name string) int {
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '<')
		if at < 0 {
			return -1
		}
		from += at + 1
		if n := nameLen(text[from:]); n == len(name) && strings.EqualFold(text[from:from+n], name) {
			return from - 1
		}
	}
}

// nameLen is the length of the tag name at the beginning of a text.
func nameLen(text string) int {
	n := 0
	for n < len(text) {
		c := text[n]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (n == 0 || !strings.ContainsRune("0123456789-_.:", rune(c))) {
			break
		}
		n++
	}
	return n
}

// foldedPrefix returns the length of what stands at the beginning of a text and
// equals the signal but for its case, or -1.
func foldedPrefix(text, core string) int {
	rest := text
	for _, want := range core {
		got, n := utf8.DecodeRuneInString(rest)
		if n == 0 || fold(got) != fold(want) {
			return -1
		}
		rest = rest[n:]
	}
	return len(text) - len(rest)
}

func fold(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// withoutTagged takes the tags out in which nothing but the signal stands.
func withoutTagged(text, core string) string {
	var out strings.Builder
	done := 0
	for {
		start, end, ok := tagged(text, core, done)
		if !ok {
			break
		}
		out.WriteString(text[done:start])
		done = end
	}
	out.WriteString(text[done:])
	return out.String()
}

// withoutPromises takes <promise> tags out, whatever stands in them. One that
// does not end stays.
func withoutPromises(text string) string {
	var out strings.Builder
	for {
		start := indexTag(text, "<promise>")
		if start < 0 {
			break
		}
		inner := start + len("<promise>")
		end := indexTag(text[inner:], "</promise>")
		if end < 0 {
			break
		}
		out.WriteString(text[:start])
		text = text[inner+end+len("</promise>"):]
	}
	out.WriteString(text)
	return out.String()
}

// indexTag returns where a tag stands in a text, in any case, or -1.
func indexTag(text, tag string) int {
	for from := 0; ; {
		at := strings.IndexByte(text[from:], '<')
		if at < 0 {
			return -1
		}
		from += at
		if rest := text[from:]; len(rest) >= len(tag) && strings.EqualFold(rest[:len(tag)], tag) {
			return from
		}
		from++
	}
}
