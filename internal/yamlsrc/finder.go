package yamlsrc

// Finding the fault in a file that is not YAML.
//
// yaml.v3 describes a fault in the terms of its grammar, with a line that is the
// construct's first, the next one or absent, and never a column. The finder
// therefore reads the rejected file a second time, like a user who searches for the
// mistake: it follows indentation, keys, list items, quotes and brackets, and stops
// at the first thing that cannot be right.
//
// It runs only on rejected files, so it need not accept all of YAML. At a construct
// that it does not follow (explicit keys, directives) it gives up, and the fault is
// reported at the place where yaml.v3 stopped. It must never blame a correct line;
// hence it follows yaml.v3's rules, not the standard's, where the two differ.

import (
	"strings"

	"cmp"
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A level is an open block collection.
type level struct {
	column int
	seq    bool
	at     int // where it starts
	// want says that a value is still to come, behind `key:` or `-`.
	want bool
}

type finder struct {
	file    *source.File
	src     []byte
	lines   *lineTable
	levels  []level
	anchors []string
	fault   *diag.Diagnostic
	// rootWant says that the document's root is still to come.
	rootWant bool
	// last is the value read last, for messages.
	last part
	// pending says that only the properties of a value were read.
	pending bool
	// depth counts the open brackets.
	depth int
}

// A part is a piece of content: a scalar, alias or flow collection.
type part struct {
	start, end int
	style      Style
	flow       bool
}

// findFault returns the fault of a file that yaml.v3 rejects, or nil.
func findFault(f *source.File) *diag.Diagnostic {
	s := &finder{file: f, src: f.Content, lines: newLineTable(f), rootWant: true}
	s.scanDocument()
	if s.fault != nil && strings.HasPrefix(s.fault.Span.Text(), string(question)) {
		// The mark may be valid, and the fault be behind it.
		if patched := patchQuestions(f.Content); patched != nil {
			other := &finder{file: f, src: patched, lines: s.lines, rootWant: true}
			other.scanDocument()
			return other.fault
		}
	}
	return s.fault
}

// blameRange reports the fault; only the first counts.
func (s *finder) blameRange(start, end int, problem string, help ...string) *diag.Diagnostic {
	d := finding.YAMLSyntax(s.sourceSpan(start, end), problem)
	for _, h := range help {
		d.WithHelp(h)
	}
	s.fault = cmp.Or(s.fault, d)
	return d
}

func (s *finder) sourceSpan(start, end int) source.Span {
	return source.Span{File: s.file, Start: start, End: min(max(start, end), len(s.src))}
}

// lineNumber is the number of the line that holds offset i.
func (s *finder) lineNumber(i int) int { return s.file.Position(i).Line }

func (s *finder) topLevel() *level {
	if len(s.levels) == 0 {
		return nil
	}
	return &s.levels[len(s.levels)-1]
}

// scanDocument follows the block structure until a fault or the end of the first
// document.
func (s *finder) scanDocument() {
	i, fresh := bomLen(s.src), true
	for s.fault == nil {
		i, fresh = s.skipGap(i, fresh)
		if s.fault != nil || i >= len(s.src) {
			return
		}
		column := s.lines.columnAt(i)
		if column == 0 {
			switch {
			case s.src[i] == '%' && s.rootWant:
				i = lineEnd(s.src, i)
				continue
			case isMarker(s.src, i):
				if !s.rootWant || s.src[i] == '.' {
					return
				}
				i, fresh = i+3, false
				continue
			}
		}
		popped := s.closeLevels(column)
		switch c := s.src[i]; {
		case c == '?' && isGap(s.src, i+1):
			return
		case c == '-' && isGap(s.src, i+1):
			s.handleItem(i, column, fresh, popped)
			i, fresh = i+1, true
		case c == ':' && isGap(s.src, i+1):
			s.strayColon(i)
		default:
			i, fresh = s.handleContent(i, column, fresh, popped)
		}
	}
}

// skipGap steps over spaces, breaks and comments of the block structure. fresh says
// whether a key or item may start: on a new line, or behind `-`.
func (s *finder) skipGap(i int, fresh bool) (int, bool) {
	for i < len(s.src) {
		n := breakLen(s.src, i)
		switch {
		case n > 0:
			i, fresh = i+n, true
		case s.src[i] == ' ':
			i++
		case s.src[i] == '\t' && !fresh:
			i++
		case s.src[i] == '\t':
			end := i
			for end < len(s.src) && s.src[end] == '\t' {
				end++
			}
			s.blameRange(i, end, "a tab is not allowed here", "indent with spaces")
			return i, fresh
		case s.src[i] == '#':
			i = lineEnd(s.src, i)
		default:
			return i, fresh
		}
	}
	return i, fresh
}

// closeLevels closes the collections that a line at the column ends, and reports
// whether it closed any.
func (s *finder) closeLevels(column int) bool {
	popped := false
	for len(s.levels) > 0 && s.topLevel().column > column {
		s.levels = s.levels[:len(s.levels)-1]
		popped = true
	}
	return popped
}

// wantsValue reports whether a value may start in a deeper column than those open.
func (s *finder) wantsValue() bool {
	if t := s.topLevel(); t != nil {
		return t.want
	}
	return s.rootWant
}

// markValueSeen notes that the wanted value has come.
func (s *finder) markValueSeen() {
	if t := s.topLevel(); t != nil {
		t.want = false
	}
	s.rootWant = false
}

// handleItem handles the `-` of a list at i.
func (s *finder) handleItem(i, column int, fresh, popped bool) {
	if !fresh {
		s.blameRange(i, i+1, "a list item cannot start on the line of its key", "put the list on the next line, or write it as `[a, b]`")
		return
	}
	t := s.topLevel()
	switch {
	case t != nil && t.column == column && t.seq:
		t.want = true
	case t != nil && t.column == column && !t.want:
		s.blameRange(i, i+1, "a list item is not allowed among the keys of a mapping").
			WithRelated(s.sourceSpan(t.at, lineEnd(s.src, t.at)), "the mapping starts here").
			WithHelp("indent it under the key that it belongs to")
	case !s.wantsValue():
		s.blameMisplaced(i, column, popped)
	default:
		s.markValueSeen()
		s.levels = append(s.levels, level{column: column, seq: true, at: i, want: true})
	}
}

// handleContent handles anything else at i, and the key it may be.
func (s *finder) handleContent(i, column int, fresh, popped bool) (int, bool) {
	p := s.scanPart(i, s.parentColumn(column), false)
	if s.fault != nil {
		return i, false
	}
	colon := skipBlanks(s.src, p.end)
	isBlock := p.style == Literal || p.style == Folded
	if !isBlock && colon < len(s.src) && s.src[colon] == ':' && isGap(s.src, colon+1) {
		s.handleKey(p, column, colon, fresh, popped)
		s.last = part{}
		return colon + 1, false
	}
	if s.pending {
		s.pending = false
		return p.end, fresh
	}
	s.handleValue(p, column, popped)
	s.last = p
	return p.end, false
}

// parentColumn is the column that the lines of a text at column must be deeper than.
func (s *finder) parentColumn(column int) int {
	t := s.topLevel()
	switch {
	case t == nil:
		return -1
	case t.seq && t.column == column && len(s.levels) > 1:
		return s.levels[len(s.levels)-2].column
	}
	return t.column
}

// handleKey handles a key whose colon is at offset colon.
func (s *finder) handleKey(p part, column, colon int, fresh, popped bool) {
	switch {
	case s.lineNumber(p.start) != s.lineNumber(colon):
		s.multilineKey(p, colon, fresh)
		return
	case !fresh:
		s.secondColon(p, colon)
		return
	}
	if t := s.topLevel(); t != nil && t.seq && t.column == column && len(s.levels) > 1 && s.levels[len(s.levels)-2].column == column {
		s.levels = s.levels[:len(s.levels)-1] // the list was at its key's column
	}
	t := s.topLevel()
	switch {
	case t != nil && t.column == column && t.seq:
		s.blameRange(p.start, p.end, fmt.Sprintf("expected a list item, got key %s", quoteSnippet(s.src[p.start:p.end]))).
			WithRelated(s.sourceSpan(t.at, t.at+1), "the list starts here").
			WithHelp("start it with `- `, or indent it as part of an item")
	case t != nil && t.column == column:
		t.want = true
	case !s.wantsValue():
		s.blameMisplaced(p.start, column, popped)
	default:
		s.markValueSeen()
		s.levels = append(s.levels, level{column: column, at: p.start, want: true})
	}
}

// handleValue handles content that is not a key.
func (s *finder) handleValue(p part, column int, popped bool) {
	t := s.topLevel()
	switch {
	case t != nil && t.column == column && t.seq:
		s.blameRange(p.start, p.end, "a list item must start with `- `").
			WithRelated(s.sourceSpan(t.at, t.at+1), "the list starts here")
	case t != nil && t.column == column:
		s.missingColon(p)
	case !s.wantsValue():
		s.blameMisplaced(p.start, column, popped)
	default:
		s.markValueSeen()
	}
}
