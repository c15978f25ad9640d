package yamlsrc

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// The faults of block structure, in words.

func (s *finder) strayColon(i int) {
	s.blameRange(i, i+1, "a `:` without a key before it", "write the key before the colon, or put quotes around the string")
}

// multilineKey blames a colon after text of several lines: most often the text
// is the value of the line above, and the line of the colon is indented too deep.
// Text that starts its own line (fresh) is more likely a key without its colon.
func (s *finder) multilineKey(p part, colon int, fresh bool) {
	if s.noBreakSpace(p.start, colon) {
		return
	}
	start := skipBlanks(s.src, lineStart(s.src, colon))
	if p.style == SingleQuoted || p.style == DoubleQuoted {
		s.blameRange(p.start, p.start+1, "a quoted key must end on its first line").
			WithRelated(s.sourceSpan(colon, colon+1), "it ends here").
			WithHelp("add the closing quote if it is missing")
		return
	}
	if p.flow {
		s.blameRange(p.start, p.start+1, "a key must end on its first line").WithRelated(s.sourceSpan(colon, colon+1), "it ends here")
		return
	}
	first := s.sourceSpan(p.start, lineEnd(s.src, p.start))
	if fresh {
		s.blameRange(p.start, first.End, fmt.Sprintf("%s is neither a key with a `:` nor a value", quoteSnippet(s.src[p.start:first.End]))).
			WithRelated(s.sourceSpan(start, colon), "this key follows").
			WithHelp("write `key: value`, or put quotes around a string that contains `: `")
		return
	}
	s.blameRange(start, colon, fmt.Sprintf("key %s is not allowed here: the line continues the string above", quoteSnippet(s.src[start:colon]))).
		WithRelated(first, "the string starts here").
		WithHelp("indent it like the key above if it is a key").
		WithHelp("put quotes around the whole string, or write it as a block after `|`, if it is not a key")
}

// noBreakSpace blames a no-break space that stands where YAML needs a space, in the lines from
// one place to another, and reports whether there is one. Text from web pages has them.
func (s *finder) noBreakSpace(from, to int) bool {
	const space = "\u00a0"
	start := lineStart(s.src, from)
	for line := range strings.Lines(string(s.src[start:lineEnd(s.src, to)])) {
		before, _, found := strings.Cut(line, space)
		if lead := strings.Trim(before, " -"); found && (lead == "" || strings.HasSuffix(lead, ":")) {
			at := s.sourceSpan(start+len(before), start+len(before)+len(space))
			s.blameRange(at.Start, at.End, "a no-break space (U+00A0) is text in YAML, not a space").
				WithSourceFix("replace it with a space", at, " ")
			return true
		}
		start += len(line)
	}
	return false
}

func (s *finder) secondColon(p part, colon int) {
	s.asBlock(p.start, s.blameRange(colon, colon+1, "a second `: ` in one line").
		WithRelated(s.sourceSpan(p.start, p.end), "this is the value").
		WithHelp("put quotes around the value, or write it as a block after `|`, if the colon is part of it"))
}

// asBlock suggests to write the value at i, which is the rest of the line of its key, as a
// block, where every character is text.
func (s *finder) asBlock(i int, d *diag.Diagnostic) {
	t, end := s.topLevel(), lineEnd(s.src, i)
	before := strings.TrimRight(string(s.src[lineStart(s.src, i):i]), " \t")
	next := skipSpace(s.src, end)
	if t == nil || s.depth > 0 || !strings.HasSuffix(before, ":") || next < len(s.src) && next-lineStart(s.src, next) > t.column {
		return
	}
	text, isCRLF := strings.CutSuffix(string(s.src[i:end]), "\r")
	lineBreak := "\n"
	if isCRLF || end < len(s.src) && s.src[end] == '\r' {
		lineBreak = "\r\n"
	}
	whole, head := len(text), "|"
	// A comment stays one, unless the mark is within quotes of the text.
	for at := strings.Index(text, " #"); at >= 0; {
		if value := text[:at]; strings.Count(value, `"`)%2 == 0 && strings.Count(value, "'")%2 == 0 {
			text, head = strings.TrimRight(value, " \t"), "|"+text[at:]
			break
		}
		next := strings.Index(text[at+1:], " #")
		if next < 0 {
			break
		}
		at += 1 + next
	}
	d.WithSourceFix("write it as a block", s.sourceSpan(i, i+whole), head+lineBreak+strings.Repeat(" ", t.column+2)+text)
}

func (s *finder) missingColon(p part) {
	end := min(p.end, lineEnd(s.src, p.start))
	if s.noBreakSpace(p.start, p.start) {
		return
	}
	s.blameRange(p.start, end, fmt.Sprintf("%s is neither a key with a `:` nor part of the value", quoteSnippet(s.src[p.start:end])),
		"write `key: value`, or indent the line if it continues the value above")
}

// blameMisplaced blames something that starts where nothing is expected.
func (s *finder) blameMisplaced(i, column int, popped bool) {
	end := lineEnd(s.src, i)
	switch {
	case s.last.end > 0 && s.noBreakSpace(s.last.start, i):
	case s.last.end > 0 && s.lineNumber(s.last.end) == s.lineNumber(i):
		s.afterValue(i, end)
	case popped:
		t := s.topLevel()
		d := s.blameRange(i, end, fmt.Sprintf("the indentation of %d columns matches no line above", column))
		if t != nil {
			d.WithRelated(s.sourceSpan(t.at, lineEnd(s.src, t.at)), fmt.Sprintf("these lines are indented by %d", t.column))
		}
		d.WithHelp("indent it exactly like the line it belongs to")
	case s.last.style == Literal:
		s.blameRange(i, end, "the indentation is between that of the block and its key").
			WithRelated(s.sourceSpan(s.last.start, lineEnd(s.src, s.last.start)), "the block starts here").
			WithHelp("indent the line like the block if it belongs to it")
	case len(s.levels) == 0:
		s.blameRange(i, end, "text after the end of the document", "check the indentation of this line")
	default:
		d := s.blameRange(i, end, "the line is indented deeper than the complete value above")
		if s.last.end > 0 {
			d.WithRelated(s.sourceSpan(s.last.start, s.last.end), "the value")
		}
		d.WithHelp("indent it like the keys around it")
	}
}

// afterValue blames text on the line of a value that is complete.
func (s *finder) afterValue(i, end int) {
	if s.last.style == SingleQuoted || s.last.style == DoubleQuoted {
		q := string(s.src[s.last.start])
		d := s.blameRange(i, end, fmt.Sprintf("text after the closing %s of a quoted value", q)).
			WithRelated(s.sourceSpan(s.last.start, s.last.start+1), "the quoted value starts here")
		if q == "'" {
			d.WithHelp("write '' for a quote inside single quotes")
		} else {
			d.WithHelp(`write \" for a quote inside double quotes`)
		}
		s.asBlock(s.last.start, d)
		return
	}
	d := s.blameRange(i, end, "text after a complete value").WithRelated(s.sourceSpan(s.last.start, s.last.end), "the value")
	if s.last.flow {
		d.WithHelp("put quotes around the whole value if the brackets are part of a string")
	}
}
