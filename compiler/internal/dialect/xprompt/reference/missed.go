package reference

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// An author can write what looks like a reference where the format has none, or where wfc
// cannot know the name: such text would reach the agent silently.

// findGlued reports the # at an offset, where no reference begins, if the name of a prompt
// follows it: the # is then behind a punctuation mark or a value. A # within a word or an
// address is text, and so is one behind a backslash.
func (s *scanner) findGlued(at int) {
	end := nameEnd(s.text, at+1)
	if end == at+1 || !s.known(s.text[at+1:end]) {
		return
	}
	before, _ := utf8.DecodeLastRuneInString(s.text[:at])
	behindValue := at >= markLength && s.text[at-markLength] == markByte
	if !behindValue && (strings.ContainsRune("\\`/_#&", before) || !unicode.IsPunct(before) && !unicode.IsSymbol(before)) {
		return
	}
	word := s.text[strings.LastIndexAny(s.text[:at], " \t\r\n")+1 : at]
	if strings.Contains(word, "://") || s.literal.contain(s.text, at) {
		return
	}
	s.unknown(&ref{name: s.text[at+1 : end], start: at, nameEnd: end, end: end, missed: gluedRef})
}

// A missedKind says why a text is no reference.
type missedKind int

const (
	notMissed missedKind = iota
	// gluedRef is a # behind a character that no reference follows.
	gluedRef
	// computedRef is a name of which a value is a part.
	computedRef
	// foreignRef is a name with letters beyond ASCII.
	foreignRef
)

// readName reads the name behind the # of a reference, from an offset on. A name of which a
// value is a part ends behind that part.
func (s *scanner) readName(r *ref, at int) {
	text := s.text
	r.nameEnd = nameEnd(text, at)
	r.name = text[at:r.nameEnd]
	if end := computedEnd(text, at); end > r.nameEnd && (r.name != "" || isCallAt(text, end) || strings.Contains(text[at:end], "/")) {
		r.nameEnd, r.missed = end, computedRef
		return
	}
	if end := foreignEnd(text, at); end > r.nameEnd && (r.name == "" || !s.known(r.name)) {
		r.name, r.nameEnd, r.missed = text[at:end], end, foreignRef
	}
}

// computedEnd is where a name ends that begins at an offset and contains values; without a
// value, it is the offset.
func computedEnd(text string, at int) int {
	end, found := at, false
	for end < len(text) {
		switch {
		case text[end] == markByte:
			end += markLength
			found = true
			continue
		case nameEnd(text, end) > end:
			end = nameEnd(text, end)
			continue
		case found && isDigit(text[end]), text[end] == '/' && end > at && end+1 < len(text) && (text[end+1] == markByte || nameEnd(text, end+1) > end+1):
			end++
			continue
		}
		break
	}
	if !found {
		return at
	}
	return end
}

// isCallAt reports whether the arguments of a reference are at an offset.
func isCallAt(text string, at int) bool {
	return at < len(text) && (text[at] == '(' || text[at] == ':' && at+1 < len(text) && strings.IndexByte(" \t\r\n:", text[at+1]) < 0)
}

// foreignEnd is where a name ends that begins at an offset and has letters of any alphabet.
func foreignEnd(text string, at int) int {
	end := at
	for i, c := range text[at:] {
		if c == utf8.RuneError || !unicode.IsLetter(c) && c != '_' && (i == 0 || !unicode.IsDigit(c) && !unicode.IsMark(c)) {
			break
		}
		end = at + i + utf8.RuneLen(c)
	}
	return end
}

// reportMissed reports what an author may take for a reference, as it is written behind the #.
// A number that a value provides is the number of an issue.
func (e *expander) reportMissed(f *flat, r *ref, written string) {
	at := f.textSpan(r.start, r.nameEnd)
	switch r.missed {
	case gluedRef:
		e.library.bag.Add(finding.GluedPrompt(at, r.name))
	case computedRef:
		hole, ok := f.partsOf(f.text[r.start+1 : r.nameEnd])[0].(*template.Hole)
		if ok && isNumber(hole.Expr) {
			return
		}
		certain := e.library.Successor || r.name == "" || slices.ContainsFunc(e.library.names, func(name string) bool { return strings.HasPrefix(name, r.name) })
		e.library.bag.Add(finding.ComputedPrompt(at, written, certain))
	case foreignRef:
		e.library.bag.Add(finding.ForeignPrompt(at, r.name, r.isCall() || e.library.Successor || e.isKnown(r.name)))
	}
}

func isNumber(x expr.Expr) bool {
	if s, ok := x.(*expr.Str); ok {
		x = s.X
	}
	return x.Type() == types.Int || x.Type() == types.Float
}

// findQuoted reports the references in the strings of an expression whose value becomes text
// of the prompt.
func (e *expander) findQuoted(x expr.Expr) {
	switch x := x.(type) {
	case *expr.Literal:
		if x.Typ != types.Text || !strings.Contains(x.Text, "#") {
			return
		}
		s := newScanner(x.Text, e.library.Successor, e.isKnown, func(*ref) {})
		if r, ok := s.next(0); ok && !r.literal {
			e.library.bag.Add(finding.QuotedPrompt(x.At, r.name))
		}
	case *expr.Str:
		e.findQuoted(x.X)
	case *expr.Choose:
		e.findQuoted(x.Then)
		if x.Else != nil {
			e.findQuoted(x.Else)
		}
	case *expr.Either:
		e.findQuoted(x.X)
		e.findQuoted(x.Y)
	case *expr.Arith:
		e.findQuoted(x.X)
		e.findQuoted(x.Y)
	case *expr.Concat:
		for _, part := range x.Parts {
			e.findQuoted(part)
		}
	case *expr.ListOf:
		for _, item := range x.Items {
			e.findQuoted(item)
		}
	case *expr.Filter:
		e.findQuoted(x.X)
		if x.Name == "default" || x.Name == "d" {
			e.findQuotedArgs(x.Args)
		}
	case *expr.Call:
		e.findQuotedArgs(x.Args)
	}
}

func (e *expander) findQuotedArgs(args []expr.Arg) {
	for _, a := range args {
		e.findQuoted(a.Value)
	}
}
