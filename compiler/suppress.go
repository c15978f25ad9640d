package compiler

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// suppressIgnored returns the findings without those that comments ignore, and with
// findings about comments that ignore nothing.
//
// Only warnings and notes can be ignored. Useless comments are reported only for files
// without errors: after an error checks may not have run.
func (c *compilation) suppressIgnored(list []*diag.Diagnostic) []*diag.Diagnostic {
	if len(c.directives.ignores) == 0 {
		return list
	}
	c.placeIgnores()
	var suppressed []*diag.Diagnostic
	list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		ignored := c.isIgnored(d)
		if ignored {
			suppressed = append(suppressed, d)
		}
		return ignored
	})
	c.result.Suppressed = c.adjustSeverities(suppressed)
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
				more.Add(codes.IgnoredError.New(n.span, fmt.Sprintf("`%s` is an error and cannot be ignored", n.text)).
					WithHelp("fix it; only warnings and notes can be ignored"))
			case n.used || broken || c.isHidden(n.code):
			case unused == len(ig.names):
				more.Add(finding.UnusedIgnore(n.span, n.text, wholeComment(ig.comment)))
			default:
				more.Add(finding.UnusedIgnore(n.span, n.text, source.Span{}))
			}
		}
	}
	return more.Sorted()
}

// isHidden reports whether findings of a code would not have been shown anyway,
// so that nothing is known about the use of ignoring it.
func (c *compilation) isHidden(code *diag.Code) bool {
	level, set := c.opt.Severities[code]
	return code.Portability && !c.opt.Portability || set && level == diag.Off
}

// isIgnored reports whether a comment ignores the finding, and marks the comments
// that do as used.
func (c *compilation) isIgnored(d *diag.Diagnostic) bool {
	found := c.directives.top.ignoresFinding(d)
	if d.Span.File != c.file {
		return found
	}
	line := d.Span.Position().Line
	groups := c.directives.groups
	// Scalars do not overlap: before the last group that begins at the line or
	// above, only one that ends where that begins may reach the line.
	last := sort.Search(len(groups), func(i int) bool { return groups[i].first > line }) - 1
	for i := last; i >= max(0, last-1); i-- {
		if groups[i].last >= line && groups[i].ignoresFinding(d) {
			found = true
		}
	}
	return found
}

// An ignoreGroup is all that the comments for the same lines ignore.
type ignoreGroup struct {
	first, last int
	names       map[*diag.Code][]*ignoredName
}

func (g *ignoreGroup) addIgnore(ig *ignore) {
	if g.names == nil {
		g.names = map[*diag.Code][]*ignoredName{}
	}
	for _, n := range ig.names {
		g.names[n.code] = append(g.names[n.code], n)
	}
}

// ignoresFinding reports whether comments of the group ignore a finding, and marks them.
func (g *ignoreGroup) ignoresFinding(d *diag.Diagnostic) bool {
	isError := d.Severity == diag.Error
	names := g.names[d.Code]
	for _, n := range names {
		if isError && n.error || !isError && n.used {
			break // an earlier finding has marked them all
		}
		n.error, n.used = n.error || isError, n.used || !isError
	}
	return len(names) > 0 && !isError
}

// placeIgnores finds the lines for which each comment counts: its own, or the next
// line with content if the comment is alone on its line; with all the lines of a
// scalar that starts there.
func (c *compilation) placeIgnores() {
	alone := map[int]bool{}
	for _, comment := range c.doc.Comments {
		if comment.Alone {
			alone[comment.Line] = true
		}
	}
	ends := map[int]int{}
	scalarEnds(c.doc.Root, ends)
	// next is the line at which a search from the line before has ended.
	from, next := 0, 0
	ds := &c.directives
	for _, ig := range ds.ignores {
		line := ig.comment.Line
		if ig.comment.Alone {
			if line < from || line >= next {
				from = line
				for line++; line < c.file.LineCount(); line++ {
					text, _ := c.file.Line(line)
					if !alone[line] && len(bytes.TrimSpace(text)) > 0 {
						break
					}
				}
				next = line
			}
			line = next
		}
		if ig.top {
			ds.top.addIgnore(ig)
			continue
		}
		if n := len(ds.groups); n == 0 || ds.groups[n-1].first != line {
			ds.groups = append(ds.groups, &ignoreGroup{first: line, last: max(line, ends[line])})
		}
		ds.groups[len(ds.groups)-1].addIgnore(ig)
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

// wholeComment is the text to delete for removing a comment: the line if the
// comment is alone on it, else also the spaces before the comment.
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

// adjustSeverities returns the findings with their configured severities, without those that
// are off.
//
// Errors stay errors: a file with errors has no program, and no configuration may
// let a value into a program's text.
func (c *compilation) adjustSeverities(list []*diag.Diagnostic) []*diag.Diagnostic {
	list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		if d.Portability && !c.opt.Portability {
			return true
		}
		level, set := c.opt.Severities[d.Code]
		return set && level == diag.Off && d.Severity != diag.Error
	})
	for _, d := range list {
		if level, set := c.opt.Severities[d.Code]; set && d.Severity != diag.Error {
			d.Severity = level
		}
		if c.opt.Strict && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
	return list
}

// foldShared makes one finding of those that one change resolves; see diag.Diagnostic.Shared.
func foldShared(list []*diag.Diagnostic) []*diag.Diagnostic {
	var folded []*diag.Diagnostic
	first, others := map[string]*diag.Diagnostic{}, map[*diag.Diagnostic]int{}
	for _, d := range list {
		if !d.Shared {
			folded = append(folded, d)
			continue
		}
		change := fmt.Sprint(d.Code.ID, d.Severity, strings.Join(d.Help, "\n"))
		if f := first[change]; f != nil {
			others[f]++
			f.WithRelated(d.Span, d.Message)
			continue
		}
		first[change] = d
		folded = append(folded, d)
	}
	for d, n := range others {
		d.Message += fmt.Sprintf(" (and %d more like it)", n)
	}
	return folded
}
