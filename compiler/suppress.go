package compiler

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// suppress returns the findings without those that comments ignore, and with
// findings about comments that ignore nothing.
//
// Only warnings and notes can be ignored. Whether a comment is of use is said
// only of files without errors: after an error checks may not have run.
func (c *compilation) suppress(list []*diag.Diagnostic) []*diag.Diagnostic {
	if len(c.directives.ignores) == 0 {
		return list
	}
	c.placeIgnores()
	list = slices.DeleteFunc(list, c.ignored)
	broken := diag.HasErrors(list)
	more := diag.Bag{}
	more.Add(list...)
	for _, ig := range c.directives.ignores {
		unused := 0
		for _, n := range ig.names {
			if !n.used && !n.error {
				unused++
			}
		}
		for _, n := range ig.names {
			switch {
			case n.code.Severity == diag.Error || n.error:
				more.Add(diag.IgnoredError(n.span, n.text))
			case n.used || broken || c.hidden(n.code):
			case unused == len(ig.names):
				more.Add(diag.UnusedIgnore(n.span, n.text, wholeComment(ig.comment)))
			default:
				more.Add(diag.UnusedIgnore(n.span, n.text, source.Span{}))
			}
		}
	}
	return more.Sorted()
}

// hidden reports whether findings of a code would not have been shown anyway,
// so that nothing is known about the use of ignoring it.
func (c *compilation) hidden(code *diag.Code) bool {
	level, set := c.opt.Severities[code]
	return code.Portability && !c.opt.Portability || set && level == Off
}

// ignored reports whether a comment ignores the finding, and marks the comment
// as used.
func (c *compilation) ignored(d *diag.Diagnostic) bool {
	found := false
	for _, ig := range c.directives.ignores {
		if !ig.covers(d, c.file) {
			continue
		}
		for _, n := range ig.names {
			if n.code != d.Code {
				continue
			}
			if d.Severity == diag.Error {
				n.error = true
			} else {
				n.used, found = true, true
			}
		}
	}
	return found
}

func (ig *ignore) covers(d *diag.Diagnostic, file *source.File) bool {
	if ig.top {
		return true
	}
	if d.Span.File != file {
		return false
	}
	line := d.Span.Position().Line
	return ig.first <= line && line <= ig.last
}

// placeIgnores finds the lines for which each comment counts: its own, or the
// next line with content when it stands alone; with all the lines of a scalar
// that starts there.
func (c *compilation) placeIgnores() {
	alone := map[int]bool{}
	for _, comment := range c.doc.Comments {
		if comment.Alone {
			alone[comment.Line] = true
		}
	}
	ends := map[int]int{}
	scalarEnds(c.doc.Root, ends)
	for _, ig := range c.directives.ignores {
		line := ig.comment.Line
		if ig.comment.Alone {
			for line++; line < c.file.LineCount(); line++ {
				text, _ := c.file.Line(line)
				if !alone[line] && strings.TrimSpace(string(text)) != "" {
					break
				}
			}
		}
		ig.first, ig.last = line, max(line, ends[line])
	}
}

// scalarEnds notes for each line on which a scalar, or the key of one, starts
// the last line of such scalars.
func scalarEnds(n *yamlsrc.Node, ends map[int]int) {
	if n == nil || n.Alias.IsValid() {
		return
	}
	note := func(start source.Span, value *yamlsrc.Node) {
		if value.Kind == yamlsrc.Scalar && !value.Alias.IsValid() {
			line := start.Position().Line
			last := value.Span.File.Position(max(value.Span.Start, value.Span.End-1)).Line
			ends[line] = max(ends[line], last)
			return
		}
		scalarEnds(value, ends)
	}
	for _, item := range n.Items {
		note(item.Span, item)
	}
	for _, pair := range n.Pairs {
		if !pair.Merged {
			note(pair.Key.Span, pair.Value)
		}
	}
}

// wholeComment is what to delete to be rid of a comment: the line when it
// stands alone, else the blanks in front of it too.
func wholeComment(comment yamlsrc.Comment) source.Span {
	s := comment.Span
	text, start := s.File.Line(comment.Line)
	if comment.Alone {
		next := len(s.File.Content)
		if comment.Line < s.File.LineCount() {
			_, next = s.File.Line(comment.Line + 1)
		}
		if comment.Line == 1 {
			start += len(text) - len(strings.TrimPrefix(string(text), "\ufeff"))
		}
		return source.Span{File: s.File, Start: start, End: next}
	}
	before := strings.TrimRight(string(text[:s.Start-start]), " \t")
	return source.Span{File: s.File, Start: start + len(before), End: s.End}
}
