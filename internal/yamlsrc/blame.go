package yamlsrc

import "fmt"

// The faults of block structure, in words.

func (s *finder) strayColon(i int) {
	s.blame(i, i+1, "a `:` without a key before it", "write the key before the colon, or put quotes around the text")
}

// multilineKey blames a colon after text of several lines: most often the text
// is the value of the line above, and the line of the colon is indented too deep.
// Text that starts its own line (fresh) is more likely a key without its colon.
func (s *finder) multilineKey(p part, colon int, fresh bool) {
	start := skipBlanks(s.src, lineStart(s.src, colon))
	if p.style == SingleQuoted || p.style == DoubleQuoted {
		s.blame(p.start, p.start+1, "a quoted key must end on the line where it starts").
			WithRelated(s.span(colon, colon+1), "it ends here").
			WithHelp("a closing quote may be missing")
		return
	}
	if p.flow {
		s.blame(p.start, p.start+1, "a key must end on the line where it starts").WithRelated(s.span(colon, colon+1), "it ends here")
		return
	}
	first := s.span(p.start, lineEnd(s.src, p.start))
	if fresh {
		s.blame(p.start, first.End, fmt.Sprintf("%s is neither a key with its `:` nor a value by itself", quote(s.src[p.start:first.End]))).
			WithRelated(s.span(start, colon), "this key follows").
			WithHelp("write `key: value`, or put quotes around text that holds `: `")
		return
	}
	s.blame(start, colon, fmt.Sprintf("key %s cannot stand here: the line belongs to the text before it", quote(s.src[start:colon]))).
		WithRelated(first, "the text starts here").
		WithHelp("if it is a key, indent it as far as the key above it").
		WithHelp("if it is text, put quotes around all of the text or write it as a block after `|`")
}

func (s *finder) secondColon(p part, colon int) {
	s.blame(colon, colon+1, "a second `: ` in one line").
		WithRelated(s.span(p.start, p.end), "this was taken for a value").
		WithHelp("put quotes around the value if the colon is part of it")
}

func (s *finder) missingColon(p part) {
	end := min(p.end, lineEnd(s.src, p.start))
	s.blame(p.start, end, fmt.Sprintf("%s is neither a key with its `:` nor part of the value above", quote(s.src[p.start:end])),
		"write `key: value`, or indent the line if it continues the value above")
}

// misplaced blames something that starts where nothing is expected.
func (s *finder) misplaced(i, column int, popped bool) {
	end := lineEnd(s.src, i)
	switch {
	case s.last.end > 0 && s.line(s.last.end) == s.line(i):
		s.afterValue(i, end)
	case popped:
		t := s.top()
		d := s.blame(i, end, fmt.Sprintf("indented by %d columns, which fits no line above", column))
		if t != nil {
			d.WithRelated(s.span(t.at, lineEnd(s.src, t.at)), fmt.Sprintf("the lines it would belong to are indented by %d", t.column))
		}
		d.WithHelp("indent it exactly as the line it belongs with")
	case s.last.style == Literal:
		s.blame(i, end, "indented less than the block text above, and deeper than its key").
			WithRelated(s.span(s.last.start, lineEnd(s.src, s.last.start)), "the block text starts here").
			WithHelp("indent the line as the text if it belongs to it")
	case len(s.levels) == 0:
		s.blame(i, end, "text after the end of the document's only value", "check the indentation of this line")
	default:
		d := s.blame(i, end, "indented deeper than the line it follows, which already has its value")
		if s.last.end > 0 {
			d.WithRelated(s.span(s.last.start, s.last.end), "that value")
		}
		d.WithHelp("indent it as the keys around it")
	}
}

// afterValue blames text on the line of a value that is complete.
func (s *finder) afterValue(i, end int) {
	if s.last.style == SingleQuoted || s.last.style == DoubleQuoted {
		q := string(s.src[s.last.start])
		d := s.blame(i, end, fmt.Sprintf("text after the closing %s of a quoted value", q)).
			WithRelated(s.span(s.last.start, s.last.start+1), "the quoted value starts here")
		if q == "'" {
			d.WithHelp("inside single quotes write '' for a quote")
		} else {
			d.WithHelp(`inside double quotes write \" for a quote`)
		}
		return
	}
	d := s.blame(i, end, "text after a value that is complete").WithRelated(s.span(s.last.start, s.last.end), "the value")
	if s.last.flow {
		d.WithHelp("if the brackets are meant as text, put quotes around the whole value")
	}
}
