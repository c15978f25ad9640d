// Package markdown finds code and front matter in prompts and files of commands. Prompts show
// the syntax of references in code spans and blocks, so an unknown reference inside one is
// plain text.
package markdown

import (
	"sort"
	"strings"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// Code are the stretches of a text that Markdown shows as code: fenced blocks
// and inline spans. The zero Code is a text's without any.
type Code struct {
	ranges []codeRange // in order, not overlapping
}

type codeRange struct{ start, end int }

// FindCode scans a text. A run of three or more backticks or tildes at the start of
// a line opens a block, which ends at a line with a run at least as long. Any other
// run of backticks opens a span, which ends at the next run of the same length in
// the same paragraph. An opening without an end is not code: a stray backtick must
// not hide the rest of a prompt.
func FindCode(text string) Code {
	var spans Code
	closers := tickRuns(text)
	for i := 0; i < len(text); {
		c := text[i]
		if c != '`' && c != '~' {
			i++
			continue
		}
		n := runLength(text, i)
		end := -1
		if n >= 3 && startsLine(text, i) {
			end = fenceEnd(text, i, n)
		}
		if end < 0 && c == '`' {
			end = closers.closingRunEnd(text, i+n, n)
		}
		if end < 0 {
			i += n
			continue
		}
		spans.ranges = append(spans.ranges, codeRange{i, end})
		i = end
	}
	return spans
}

// Contains reports whether the byte at offset is in code.
func (s Code) Contains(offset int) bool {
	i := sort.Search(len(s.ranges), func(i int) bool { return s.ranges[i].end > offset })
	return i < len(s.ranges) && s.ranges[i].start <= offset
}

func runLength(text string, at int) int {
	return len(text) - at - len(strings.TrimLeft(text[at:], text[at:at+1]))
}

// startsLine reports whether only spaces and quote marks are before offset on its
// line.
func startsLine(text string, at int) bool {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	return strings.Trim(text[line:at], " \t>") == ""
}

// fenceEnd returns the end of the line that closes a fence of n marks opened
// at offset, or -1.
func fenceEnd(text string, at, n int) int {
	mark := text[at]
	next := strings.IndexByte(text[at:], '\n')
	for next >= 0 {
		line := at + next + 1
		end := strings.IndexByte(text[line:], '\n')
		stop := len(text)
		if end >= 0 {
			stop = line + end
		}
		body := strings.Trim(text[line:stop], " \t>\r")
		if len(body) >= n && strings.Trim(body, string(mark)) == "" {
			return stop
		}
		if end < 0 {
			return -1
		}
		next = stop - at
	}
	return -1
}

// runIndex holds where the runs of backticks of each length start, so that a
// text full of unclosed runs is still scanned in one pass.
type runIndex map[int][]int

func tickRuns(text string) runIndex {
	runs := runIndex{}
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		n := runLength(text, i)
		runs[n] = append(runs[n], i)
		i += n - 1
	}
	return runs
}

// closingRunEnd returns the end of the first run of exactly n backticks at or behind
// offset from that belongs to the same paragraph, or -1.
func (r runIndex) closingRunEnd(text string, from, n int) int {
	starts := r[n]
	for len(starts) > 0 && starts[0] < from {
		starts = starts[1:]
	}
	r[n] = starts // scanning only moves forward
	if len(starts) == 0 || blankLine().MatchString(text[from:starts[0]]) {
		return -1
	}
	return starts[0] + n
}

// blankLine finds a blank line.
var blankLine = lazyregexp.New(`\n[ \t\r]*\n`)
