// Package textdiff compares texts line by line and word by word.
package textdiff

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
)

// Unified returns the difference between two texts in unified form, with names for both, or
// "" if they are equal.
func Unified(from, to, old, new string) string { return udiff.Unified(from, to, old, new) }

// A Piece is a part of a text: in both texts, or only in the old or the new one.
type Piece struct {
	Text     string
	Old, New bool
}

// Words returns the difference between two texts as their parts in order. Words are
// compared whole, with the spaces behind them.
func Words(old, new string) []Piece {
	before, after := splitWords(old), splitWords(new)
	// The comparison is by lines: a word is one.
	edits := udiff.Lines(wordLines(before), wordLines(after))
	starts := wordOffsets(before)
	var pieces []Piece
	add := func(list []string, inOld, inNew bool) {
		if text := strings.Join(list, ""); text != "" {
			pieces = append(pieces, Piece{text, inOld, inNew})
		}
	}
	at, fresh := 0, 0 // the words of both texts that are in pieces
	for _, e := range edits {
		from, to := starts[e.Start], starts[e.End]
		add(before[at:from], true, true)
		add(before[from:to], true, false)
		fresh += from - at
		count := strings.Count(e.New, "\n")
		add(after[fresh:fresh+count], false, true)
		at, fresh = to, fresh+count
	}
	add(before[at:], true, true)
	return pieces
}

// splitWords cuts a text into words with the spaces behind them; spaces at the start are a word.
func splitWords(s string) []string {
	var list []string
	for s != "" {
		word := strings.IndexFunc(s, unicode.IsSpace)
		if word < 0 {
			word = len(s)
		}
		next := word + strings.IndexFunc(s[word:], func(r rune) bool { return !unicode.IsSpace(r) })
		if next < word {
			next = len(s)
		}
		list, s = append(list, s[:next]), s[next:]
	}
	return list
}

// wordLines writes each word as a line.
func wordLines(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.ReplaceAll(w, "\n", "\x00"))
		b.WriteByte('\n')
	}
	return b.String()
}

// wordOffsets maps the offset of each line of lines to the index of its word.
func wordOffsets(words []string) map[int]int {
	starts, at := map[int]int{0: 0}, 0
	for i, w := range words {
		at += len(w) + 1
		starts[at] = i + 1
	}
	return starts
}
