// Package signal finds the word by which an agent says that a loop is complete.
//
// A workflow's author gives the signal, say DONE, and tells the agent to say it
// at the end. How agents say it differs: alone on the last line, in a sentence,
// or in a tag such as <promise>DONE</promise>. Word takes all of them; Strict is
// the narrower rule of the engine that the format comes from; Clean takes the
// tags out of the text that later prompts read.
//
// All of them look at each part of a text a fixed number of times, whatever the
// text is: an agent may say a lot. Blanks around a signal do not count, and a
// signal of nothing but blanks is never said.
package signal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word returns the function that reports whether a text has the signal as a
// whole word, or as all that stands in a tag, there in any case.
//
// A word is what letters, digits and underscores make, so DONE is not in UNDONE
// or in DONE_1, but it is in "**DONE**" and in "not DONE yet". Where the signal
// itself begins or ends with another character, nothing need set it apart there:
// "[ok]" is in "x[ok]y". The same holds for letters of scripts that are written
// without blanks between words.
func Word(signal string) func(text string) bool {
	core := trim(signal)
	return func(text string) bool {
		if core == "" {
			return false
		}
		for at := range occurrences(text, core) {
			if apart(text[:at], core) && apart(core, text[at+len(core):]) {
				return true
			}
		}
		_, _, ok := tagged(text, core, 0)
		return ok
	}
}

// Strict returns the function that reports whether a text has the signal as all
// that stands in a tag, in any case; or at its end, where only blanks and
// punctuation may follow; or alone on a line. In front of the signal at the end
// may stand anything: the rule takes INCOMPLETE for COMPLETE.
func Strict(signal string) func(text string) bool {
	core := trim(signal)
	return func(text string) bool {
		if core == "" {
			return false
		}
		if at := strings.LastIndex(text, core); at >= 0 && strings.TrimLeftFunc(text[at+len(core):], closing) == "" {
			return true
		}
		for at := range occurrences(text, core) {
			if alone(text, at, at+len(core)) {
				return true
			}
		}
		_, _, ok := tagged(text, core, 0)
		return ok
	}
}

// Clean returns the function that takes out of a text what only says that the
// loop is complete: <promise> tags with all that stands in them, and other tags
// in which nothing but the signal stands. Blanks at both ends go as well.
func Clean(signal string) func(text string) string {
	core := trim(signal)
	return func(text string) string {
		text = withoutPromises(text)
		if core != "" {
			text = withoutTagged(text, core)
		}
		return trim(text)
	}
}

// occurrences are the offsets at which a text has what is looked for, those
// that overlap included.
func occurrences(text, sought string) func(yield func(int) bool) {
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

// apart reports whether a word cannot run from the end of one text into the
// beginning of the next.
func apart(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return !wordRune(last) || !wordRune(first)
}

// wordRune reports whether a word goes on with the next rune that is one, too.
func wordRune(r rune) bool {
	if r == '_' || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// alone reports whether nothing but blanks stands on the lines of a part of a
// text besides it.
func alone(text string, start, end int) bool {
	before := strings.TrimRightFunc(text[:start], blankInLine)
	after := strings.TrimLeftFunc(text[end:], blankInLine)
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return (before == "" || breaksLine(last)) && (after == "" || breaksLine(first))
}

func trim(text string) string { return strings.TrimFunc(text, blank) }

// blank reports whether a rune is white space as the engine's language sees it.
func blank(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

func blankInLine(r rune) bool { return blank(r) && !breaksLine(r) }

func breaksLine(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

// closing reports whether a rune may follow a signal at the end of a text.
func closing(r rune) bool { return blank(r) || strings.ContainsRune(".,;:!?", r) }
