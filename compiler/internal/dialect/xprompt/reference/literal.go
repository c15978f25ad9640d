package reference

import (
	"slices"
	"sort"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/markdown"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// literalZones are the stretches of a text in which a # is only a character: code of
// Markdown, and regions in which the format's successor expands nothing.
type literalZones struct {
	// successor says that the rules of the successor hold.
	successor bool
	found     bool
	code      markdown.Code
	// blocks are the blocks of code that the successor finds, and zones all of its stretches;
	// both are in order.
	blocks, zones []stretch
}

// A stretch is a part of a text, by its offsets.
type stretch struct{ start, end int }

// disabledRegion is a region without macros, with the lines or the ends of lines that
// mark it.
var disabledRegion = lazyregexp.New(`(?m)^[ \t]*%(?:xprompts|macros)_enabled:false[ \t]*\n((?s:.*?))(?:^[ \t]*|[ \t]+)%(?:xprompts|macros)_enabled:true[ \t]*\n?`)

// contain reports whether the byte at an offset is in a literal zone of a text.
func (z *literalZones) contain(text string, at int) bool {
	z.find(text)
	if z.successor {
		return isIn(z.zones, at)
	}
	return z.code.Contains(at)
}

// find finds the zones of a text, at the first call.
func (z *literalZones) find(text string) {
	switch {
	case z.found:
		return
	case !z.successor:
		z.code = markdown.FindCode(text)
	default:
		z.blocks = codeBlocks(text)
		z.zones = slices.Clone(z.blocks)
		if strings.Contains(text, "s_enabled:false") {
			for _, m := range disabledRegion().FindAllStringIndex(text, -1) {
				z.zones = append(z.zones, stretch{m[0], m[1]})
			}
		}
		z.zones = joinStretches(slices.Concat(z.zones, codeSpans(text, joinStretches(z.zones))))
	}
	z.found = true
}

// isIn reports whether an offset is in one of stretches that are in order.
func isIn(list []stretch, at int) bool {
	i := sort.Search(len(list), func(i int) bool { return list[i].end > at })
	return i < len(list) && list[i].start <= at
}

// joinStretches puts stretches in order, and makes one of those that overlap.
func joinStretches(list []stretch) []stretch {
	slices.SortFunc(list, func(a, b stretch) int { return a.start - b.start })
	var joined []stretch
	for _, s := range list {
		if n := len(joined); n > 0 && s.start <= joined[n-1].end {
			joined[n-1].end = max(joined[n-1].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// codeBlocks are the blocks of code between lines of backquotes or tildes. As the successor
// has them, at most three spaces are before a mark, and a block without an end extends to the
// end of the text.
func codeBlocks(text string) []stretch {
	var list []stretch
	start, mark := -1, ""
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		indent, run := fenceRun(line)
		switch {
		case start < 0 && len(run) >= 3:
			start, mark = at, run
		case start >= 0 && strings.HasPrefix(run, mark) && strings.TrimSpace(line[indent+len(run):]) == "":
			list = append(list, stretch{start, at + indent + len(run)})
			start = -1
		}
		at += len(line) + 1
	}
	if start >= 0 {
		list = append(list, stretch{start, len(text)})
	}
	return list
}

// fenceRun is the run of backquotes or tildes that begins a line, behind at most three
// spaces.
func fenceRun(line string) (indent int, run string) {
	rest := strings.TrimLeft(line, " ")
	if indent = len(line) - len(rest); rest == "" || indent > 3 || rest[0] != '`' && rest[0] != '~' {
		return 0, ""
	}
	return indent, rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
}

// codeSpans are the stretches of code within lines: a run of backquotes ends at the next run
// of its length. Runs in other zones, and in references with their arguments, are none.
func codeSpans(text string, zones []stretch) []stretch {
	if !strings.Contains(text, "`") {
		return nil
	}
	masked := joinStretches(slices.Concat(zones, writtenReferences(text, zones)))
	var list []stretch
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		list = append(list, spansOfLine(line, at, masked)...)
		at += len(line) + 1
	}
	return list
}

// spansOfLine are the stretches of code in a line that begins at an offset.
func spansOfLine(line string, offset int, masked []stretch) []stretch {
	var runs []stretch
	next := map[int][]int{} // the runs of a length, in order
	for at := 0; ; {
		i := strings.IndexByte(line[at:], '`')
		if i < 0 {
			break
		}
		start := at + i
		at = len(line) - len(strings.TrimLeft(line[start:], "`"))
		run := stretch{offset + start, offset + at}
		if i := sort.Search(len(masked), func(i int) bool { return masked[i].end > run.start }); i < len(masked) && masked[i].start < run.end {
			continue
		}
		next[at-start] = append(next[at-start], len(runs))
		runs = append(runs, run)
	}
	var list []stretch
	for i := 0; i < len(runs); i++ {
		same := next[runs[i].end-runs[i].start]
		for len(same) > 0 && same[0] <= i {
			same = same[1:]
		}
		next[runs[i].end-runs[i].start] = same
		if len(same) > 0 {
			list = append(list, stretch{runs[i].start, runs[same[0]].end})
			i = same[0]
		}
	}
	return list
}

// writtenReferences are the references of a text with their arguments, whether or not there
// are prompts of their names.
func writtenReferences(text string, zones []stretch) []stretch {
	var list []stretch
	covered := map[bool]int{} // where the last text behind one colon, or two, ends
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '#')
		if i < 0 {
			return list
		}
		r := ref{start: at + i}
		at = r.start + 1
		if !startsRef(text, r.start) || isIn(zones, r.start) {
			continue
		}
		from := at
		if strings.HasPrefix(text[at:], "!") {
			from++
		}
		r.nameEnd = nameEnd(text, from)
		double := strings.HasPrefix(text[r.nameEnd:], "::")
		if r.nameEnd == from || r.start < covered[double] && (double || hasText(text, r.nameEnd)) {
			continue // a text in such a text ends where that one does
		}
		r.readArgs(text, true, nil)
		list = append(list, stretch{r.start, max(r.end, r.moreEnd)})
		if r.more != nil {
			covered[double] = r.moreEnd
		}
	}
}
