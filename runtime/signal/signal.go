// Package signal finds the word by which an agent says that a loop is complete. (Signals
// of the system, and the events of flow.WaitEvent, are something else. State graphs call
// such a word a promise; see flow.GraphOptions.Promise.)
//
// A workflow's author chooses the signal, say DONE, and tells the agent to say it
// at the end. Agents say it in different ways: alone on the last line, in a
// sentence, or in a tag such as <promise>DONE</promise>.
//
//	done := signal.Word("DONE")
//	done.Said("All tests pass. DONE!")               // true
//	done.Clean("Fixed it. <promise>DONE</promise>")  // "Fixed it."
//
// [Word.Said] accepts all of these ways, [Word.SaidAsArchon] follows the rule of Archon,
// the program that archon workflows come from, and [Word.Clean] removes the tags from the
// text that later prompts read.
//
// Each method takes time proportional to the length of the text. Spaces around a signal
// are ignored; a signal of spaces alone never matches.
package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is a signal that an agent says.
type Word string

// Said reports whether a text contains the signal as a whole word, or a tag that contains
// only the signal. Case matters outside of tags and not inside.
//
// A word is what letters, digits and underscores make, so DONE is not in UNDONE or in
// DONE_1, but it is in "**DONE**" and in "not DONE yet". A signal that begins or ends with
// another character needs no boundary there: "[ok]" is in "x[ok]y". Neither does one that
// begins or ends with a letter of a script without spaces between words.
func (w Word) Said(text string) bool {
	core := trimBlanks(string(w))
	if core == "" {
		return false
	}
	for at := range occurrenceOffsets(text, core) {
		if isWordBoundary(text[:at], core) && isWordBoundary(core, text[at+len(core):]) {
			return true
		}
	}
	_, _, ok := findTagged(text, core, 0)
	return ok
}

// SaidAsArchon is Said by the rule of Archon, which differs in both directions. It
// reports whether a text has a tag that contains only the signal, in any case, or ends
// with the signal, apart from spaces and punctuation, or has a line that is the signal.
// So the signal within a sentence does not count. But anything may precede the signal at
// the end: a final INCOMPLETE counts as COMPLETE.
func (w Word) SaidAsArchon(text string) bool {
	core := trimBlanks(string(w))
	if core == "" {
		return false
	}
	if at := strings.LastIndex(text, core); at >= 0 && strings.TrimLeftFunc(text[at+len(core):], isClosing) == "" {
		return true
	}
	for at := range occurrenceOffsets(text, core) {
		if standsAlone(text, at, at+len(core)) {
			return true
		}
	}
	_, _, ok := findTagged(text, core, 0)
	return ok
}

// Clean removes from a text the parts that only say that the loop is complete:
// <promise> tags with their contents, and other tags that contain nothing but the
// signal. It trims spaces at both ends.
func (w Word) Clean(text string) string {
	text = withoutPromises(text)
	if core := trimBlanks(string(w)); core != "" {
		text = withoutTagged(text, core)
	}
	return trimBlanks(text)
}

// occurrenceOffsets returns the offsets of sought in a text, including overlapping ones.
func occurrenceOffsets(text, sought string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			at := strings.Index(text[from:], sought)
			if at < 0 || !yield(from+at) {
				return
			}
			from += at + 1
		}
	}
}

// isWordBoundary reports whether a word cannot run from the end of one text into the
// beginning of the next.
func isWordBoundary(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return !wordRune(last) || !wordRune(first)
}

// wordRune reports whether two such runes in a row belong to one word.
func wordRune(r rune) bool {
	if r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// standsAlone reports whether the lines of a part of a text have only blanks besides it.
func standsAlone(text string, start, end int) bool {
	before := strings.TrimRightFunc(text[:start], blankInLine)
	after := strings.TrimLeftFunc(text[end:], blankInLine)
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return (before == "" || breaksLine(last)) && (after == "" || breaksLine(first))
}

func trimBlanks(text string) string { return strings.TrimFunc(text, isBlank) }

// isBlank reports whether a rune is white space as the engine's language sees it.
func isBlank(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

func blankInLine(r rune) bool { return isBlank(r) && !breaksLine(r) }

func breaksLine(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

// isClosing reports whether a rune may follow a signal at the end of a text.
func isClosing(r rune) bool { return isBlank(r) || strings.ContainsRune(".,;:!?", r) }

// The search for a tag around a signal starts inside the tag: the signal and an end tag
// must follow a ">", and the start tag with the end tag's name must be between that ">"
// and the one before, because a tag's attributes may hold anything but a ">". So the
// search reads each part of a text at most twice, and needs no expression with a back
// reference.

// findTagged returns the bounds, tags included, of the first element at or behind an offset
// that contains only the signal.
func findTagged(text, core string, from int) (start, end int, ok bool) {
	for begin := from; ; {
		at := strings.IndexByte(text[begin:], '>')
		if at < 0 {
			return 0, 0, false
		}
		at += begin
		if name, size := readTagContent(text[at+1:], core); size > 0 {
			if open := findStartTag(text[begin:at], name); open >= 0 {
				return begin + open, at + 1 + size, true
			}
		}
		begin = at + 1
	}
}

// readTagContent reads the signal and the end tag behind it from the beginning of a text. It
// returns the tag's name and the length up to the end of the tag, or 0 if the text begins
// otherwise.
func readTagContent(text, core string) (name string, size int) {
	rest := strings.TrimLeftFunc(text, isBlank)
	n := foldedPrefix(rest, core)
	if n < 0 {
		return "", 0
	}
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(rest[n:], isBlank), "</")
	if !ok {
		return "", 0
	}
	name = rest[:nameLen(rest)]
	if rest, ok = strings.CutPrefix(rest[len(name):], ">"); name == "" || !ok {
		return "", 0
	}
	return name, len(text) - len(rest)
}

// findStartTag returns the offset of the first start tag of the name in the text before its
// ">", or -1.
func findStartTag(text, name string) int {
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

// foldedPrefix returns the length of the prefix of a text that equals the signal,
// ignoring case, or -1.
func foldedPrefix(text, core string) int {
	rest := text
	for _, want := range core {
		got, n := utf8.DecodeRuneInString(rest)
		if n == 0 || foldCase(got) != foldCase(want) {
			return -1
		}
		rest = rest[n:]
	}
	return len(text) - len(rest)
}

func foldCase(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// withoutTagged removes the elements that contain only the signal.
func withoutTagged(text, core string) string {
	var out strings.Builder
	done := 0
	for {
		start, end, ok := findTagged(text, core, done)
		if !ok {
			break
		}
		out.WriteString(text[done:start])
		done = end
	}
	out.WriteString(text[done:])
	return out.String()
}

// withoutPromises removes <promise> elements with any content. One that does not end
// stays.
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

// indexTag returns the offset of a tag in a text, ignoring case, or -1.
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
