package py

import (
	"slices"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// Indent is the filter indent.
func (filterSet) Indent(v Value, a Args) Value {
	args := a.bind("indent", 0, "width", "first", "blank")
	by := Str("    ")
	if args[0] != nil {
		by = indentWidth(args[0])
	}
	s, ok := v.(Str)
	if !ok {
		if _, list := v.(*List); !list {
			add(v, Str("\n"))
		}
		panic(noAttribute(v, "splitlines"))
	}
	first := truthArg(args[1])
	blank := truthArg(args[2])
	lines := splitLines(string(s)+"\n", false)
	for i := range lines {
		if i == 0 && first || i > 0 && (blank || lines[i] != "") {
			checkText(int64(len(by)) * int64(i+1))
			lines[i] = string(by) + lines[i]
		}
	}
	return joinTexts(lines, "\n")
}

// indentWidth is a string, or a number of spaces.
func indentWidth(v Value) Str {
	if s, ok := v.(Str); ok {
		return s
	}
	s, _ := mul(Str(" "), v).(Str)
	return s
}

// truthArg is the truth of an argument that is false when it is missing.
func truthArg(v Value) bool {
	if v == nil {
		return false
	}
	return isTruthy(v)
}

// truthOr is the truth of an argument that may be missing.
func truthOr(v Value, missing bool) bool {
	if v == nil {
		return missing
	}
	return isTruthy(v)
}

// Truncate is the filter truncate. A text that is at most 5 code points too
// long is left alone, unless leeway says otherwise.
func (filterSet) Truncate(v Value, a Args) Value {
	args := a.bind("truncate", 0, "length", "killwords", "end", "leeway")
	length := 0
	if tryCatch(func() { length = intArg(args[0], 255) }) != nil {
		panic(unsupportedError("the length of truncate must be an integer"))
	}
	end := Value(Str("..."))
	if args[2] != nil {
		end = args[2]
	}
	endLength := lengthOf(end)
	if length < endLength {
		panic(newException("AssertionError", "expected length >= %d, got %d", endLength, length))
	}
	leeway := 5
	if !isType[None](args[3]) {
		leeway = intArg(args[3], leeway)
	}
	if leeway < 0 {
		panic(newException("AssertionError", "expected leeway >= 0, got %d", leeway))
	}
	n := lengthOf(v)
	if n <= length || n-length <= leeway {
		return v
	}
	s, ok := v.(Str)
	if !ok {
		panic(typeError("truncate() takes a string, not %s", v.typeName()))
	}
	kill := truthArg(args[1])
	kept := string(s)[:byteOffset(string(s), length-endLength)]
	if at := strings.LastIndexByte(kept, ' '); at >= 0 && !kill {
		kept = kept[:at]
	}
	return add(Str(kept), end)
}

// Wordwrap is the filter wordwrap, which wraps every line by itself.
func (filterSet) Wordwrap(v Value, a Args) Value {
	args := a.bind("wordwrap", 0, "width", "break_long_words", "wrapstring", "break_on_hyphens")
	newline := "\n"
	if isGiven(args[2]) {
		text, ok := args[2].(Str)
		if !ok {
			panic(noAttribute(args[2], "join"))
		}
		newline = string(text)
	}
	s, ok := v.(Str)
	if !ok {
		undefinedOperand(v)
		panic(noAttribute(v, "splitlines"))
	}
	w := wrapper{}
	w.width = intArg(args[0], 79)
	w.breakLong = truthOr(args[1], true)
	w.hyphens = truthOr(args[3], true)
	var lines []string
	for _, line := range splitLines(string(s), false) {
		lines = append(lines, strings.Join(w.wrapLine(line), newline))
	}
	return joinTexts(lines, newline)
}

// Pprint is the filter pprint.
func (filterSet) Pprint(v Value, a Args) Value {
	a.bind("pprint", 0)
	p := printer{}
	p.printValue(v, 0, 0, 0)
	return Str(p.b.String())
}

// A wrapper fills lines as Python's module textwrap does: it splits a line into chunks,
// which are white space, words, and the parts of words up to a hyphen or dash, and puts
// as many into a line as fit.
type wrapper struct {
	width     int
	breakLong bool
	hyphens   bool
}

func (w wrapper) wrapLine(line string) []string {
	if w.width <= 0 {
		panic(valueError("invalid width %d (must be > 0)", w.width))
	}
	chunks := w.splitChunks([]rune(line))
	var lines []string
	for len(chunks) > 0 {
		if len(lines) > 0 && isBlankText(chunks[0]) {
			chunks = chunks[1:]
		}
		var row [][]rune
		size := 0
		for len(chunks) > 0 && size+len(chunks[0]) <= w.width {
			row, size = append(row, chunks[0]), size+len(chunks[0])
			chunks = chunks[1:]
		}
		if len(chunks) > 0 && len(chunks[0]) > w.width {
			row, chunks = w.longWord(row, chunks, w.width-size)
		}
		if n := len(row); n > 0 && isBlankText(row[n-1]) {
			row = row[:n-1]
		}
		if len(row) > 0 {
			var b strings.Builder
			for _, chunk := range row {
				b.WriteString(string(chunk))
			}
			lines = append(lines, b.String())
		}
	}
	return lines
}

// longWord puts the first part of a chunk that fits no line into the row, or
// all of it when words stay whole and the row is empty.
func (w wrapper) longWord(row, chunks [][]rune, left int) (newRow, rest [][]rune) {
	word := chunks[0]
	if !w.breakLong {
		if len(row) == 0 {
			return [][]rune{word}, chunks[1:]
		}
		return row, chunks
	}
	end := left
	if w.hyphens && len(word) > left {
		if at := strings.LastIndex(string(word[:left]), "-"); at > 0 {
			hyphen := strLen(string(word[:left])[:at])
			if strings.Trim(string(word[:hyphen]), "-") != "" {
				end = hyphen + 1
			}
		}
	}
	rest = append([][]rune{word[end:]}, chunks[1:]...)
	return append(row, word[:end]), rest
}

func isBlankText(r []rune) bool {
	return !slices.ContainsFunc(r, func(c rune) bool { return !scalar.IsSpace(c) })
}

// wrapBlank is the white space at which lines are wrapped.
func wrapBlank(r rune) bool { return strings.ContainsRune("\t\n\v\f\r ", r) }

func (w wrapper) splitChunks(s []rune) [][]rune {
	var out [][]rune
	for at := 0; at < len(s); {
		end := at + 1
		switch {
		case wrapBlank(s[at]):
			for end < len(s) && wrapBlank(s[end]) {
				end++
			}
		case w.hyphens:
			end = chunkEnd(s, at)
		default:
			for end < len(s) && !wrapBlank(s[end]) {
				end++
			}
		}
		out = append(out, s[at:end])
		at = end
	}
	return out
}

// chunkEnd returns where the chunk at `at`, which is not blank, ends.
func chunkEnd(s []rune, at int) int {
	if at > 0 && beforeDash(s[at-1]) {
		if n := dashLength(s, at); n > 0 {
			return at + n
		}
	}
	for end := at + 1; end < len(s); end++ {
		switch {
		case s[end] == '-' && isWordHyphen(s, end+1):
			return end + 1
		case wrapBlank(s[end]), beforeDash(s[end-1]) && dashLength(s, end) > 0:
			return end
		}
	}
	return len(s)
}

func beforeDash(r rune) bool { return isWord(r) || strings.ContainsRune("!\"'&.,?", r) }

// dashLength returns the length of two or more hyphens before a word.
func dashLength(s []rune, at int) int {
	end := at
	for end < len(s) && s[end] == '-' {
		end++
	}
	if end-at < 2 || end == len(s) || !isWord(s[end]) {
		return 0
	}
	return end - at
}

// isWordHyphen reports whether the hyphen before place p is one within a word: two letters,
// or a letter between hyphens, are before it and two after it.
func isWordHyphen(s []rune, p int) bool {
	letter := func(i int) bool { return i >= 0 && i < len(s) && isWord(s[i]) && !unicode.IsDigit(s[i]) }
	hyphen := func(i int) bool { return i >= 0 && i < len(s) && s[i] == '-' }
	before := letter(p-3) && letter(p-2) || letter(p-4) && hyphen(p-3) && letter(p-2)
	after := letter(p) && (letter(p+1) || hyphen(p+1) && letter(p+2))
	return before && after
}
