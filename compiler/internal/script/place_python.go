package script

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// pyDeclarations are the words behind which a name is declared.
var pyDeclarations = []string{
	"def", "class", "import", "from", "global", "nonlocal", "as", "for", "lambda", "del",
}

// pythonCode returns why a hole cannot be in code at its place, or nil.
func (p *program) pythonCode(i int) *diag.Diagnostic {
	s := p.toks[i].spot
	before, next := p.before(i), p.after(i)
	if p.isKind(next, newline) {
		next = -1
	}
	switch {
	case p.is(before, "."):
		return p.asName(s, "the name of an attribute").WithHelp("look the attribute up by name: `getattr(object, '" + s.Label + "')`")
	case p.is(before, "@") && p.startsLine(before):
		return p.asName(s, "a decorator").WithHelp("name the decorator in the script")
	case p.is(before, "from") && p.lineHas(before, "yield", "raise"):
		return nil
	case p.isKind(before, word) && slices.Contains(pyDeclarations, p.toks[before].text):
		return p.asName(s, "a name").WithHelp("keep the value under a fixed name: `value = " + s.Label + "`")
	case p.inPattern(i):
		return patternError(p, s)
	case p.is(p.toks[i].parent, "(") && p.is(next, "="):
		return p.asName(s, "the name of an argument").WithHelp("pass the name as a string: `function(**{'" + s.Label + "': …})`")
	case p.isAssignment(next):
		return p.asName(s, "the target of an assignment").WithHelp("assign the value to a fixed name: `value = " + s.Label + "`")
	case p.is(next, "("):
		return p.called(s)
	case p.isLineAlone(i):
		return aloneError(p, s)
	}
	return nil
}

func patternError(p *program, s *spot) *diag.Diagnostic {
	return finding.ScriptHole(p.at(s), s.Label, "in the pattern of a `case`").
		WithHelp("compare in a guard: `case value if value == '" + s.Label + "':`")
}

// lineStart returns the index of the first token of the logical line or simple
// statement that a token of the outermost level is in.
func (p *program) lineStart(i int) int {
	for p.toks[i].parent >= 0 {
		i = p.toks[i].parent
	}
	for {
		prev := p.prev(i)
		if prev < 0 || p.isKind(prev, newline) || p.is(prev, ";") {
			return i
		}
		i = prev
	}
}

func (p *program) startsLine(i int) bool { return p.lineStart(i) == i }

// lineHas reports whether the statement has one of the words before a token.
func (p *program) lineHas(i int, words ...string) bool {
	for i = p.prev(i); i >= 0 && !p.isKind(i, newline); i = p.prev(i) {
		if p.is(i, words...) {
			return true
		}
	}
	return false
}

// isLineAlone reports whether a hole is a whole statement.
func (p *program) isLineAlone(i int) bool {
	if p.toks[i].parent >= 0 {
		return false
	}
	before, next := p.before(i), p.after(i)
	begins := before < 0 || p.isKind(before, newline) || p.is(before, ";")
	if p.is(before, ":") {
		// The body of a compound statement on the line of its head; a colon also is
		// in annotations, lambdas and slices.
		first := p.lineStart(i)
		begins = p.is(first, "if", "else", "elif", "while", "for", "try", "except", "finally", "with", "def", "class") && !p.lineHas(before, "lambda")
	}
	return begins && (next < 0 || p.isKind(next, newline) || p.is(next, ";"))
}

// inPattern reports whether a token is in the pattern of a case.
func (p *program) inPattern(i int) bool {
	outer := i
	for p.toks[outer].parent >= 0 {
		outer = p.toks[outer].parent
	}
	first := p.lineStart(outer)
	second := p.after(first)
	// `case` is a name too: case = 1, case.x, case: int, case(…) without a colon.
	if !p.is(first, "case") || first == outer || p.is(second, ".", ":") || p.isAssignment(second) {
		return false
	}
	for k := second; k >= 0 && !p.isKind(k, newline); k = p.after(k) {
		if k >= outer && p.is(k, ":") {
			return k > outer && !p.lineHas(outer, "if")
		}
		if k < outer && p.is(k, ":") {
			return false
		}
	}
	return false
}

// pythonText decides how to bind a literal with holes.
func (p *program) pythonText(i int) {
	first, last := p.adjacent(i)
	switch {
	case p.toks[i].lit.has("b"):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return finding.ScriptHole(p.at(s), s.Label, "in a bytes literal").
				WithHelp("encode a string: `'" + s.Label + "'.encode()`")
		})
	case p.inPattern(i):
		p.noExpression(i, func(s *spot) *diag.Diagnostic { return patternError(p, s) })
	case p.isStatement(first, last) && p.isDocstring(first):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return finding.ScriptHole(p.at(s), s.Label, "in a docstring").
				WithHelp("use a comment, or assign the string: `__doc__ = '" + s.Label + "'`")
		})
	case p.isStatement(first, last) && !p.toks[i].lit.holds:
		// A string that is a separate statement is a comment.
		for _, s := range p.toks[i].lit.spots {
			s.place = inComment
		}
		p.toks[i].lit.spots = nil
	default:
		p.checkFormat(i, first, last)
	}
}

// adjacent returns the first and last of the adjacent literals that the language
// joins to one.
func (p *program) adjacent(i int) (first, last int) {
	first, last = i, i
	for b := p.before(first); p.isKind(b, text); b = p.before(first) {
		first = b
	}
	for a := p.after(last); p.isKind(a, text); a = p.after(last) {
		last = a
	}
	return first, last
}

// isStatement reports whether joined literals are a whole statement.
func (p *program) isStatement(first, last int) bool {
	if p.toks[first].parent >= 0 {
		return false
	}
	before, next := p.before(first), p.after(last)
	return (before < 0 || p.isKind(before, newline) || p.is(before, ";") || p.isDocstring(first)) &&
		(next < 0 || p.isKind(next, newline) || p.is(next, ";"))
}

// isDocstring reports whether a string that is a statement is the first one of
// the program or of a body.
func (p *program) isDocstring(first int) bool {
	before := p.before(first)
	if p.isKind(before, newline) {
		before--
	}
	if before < 0 {
		return true
	}
	if !p.is(before, ":") {
		return false
	}
	head := p.lineStart(before)
	return p.is(head, "def", "class", "async")
}

// checkFormat refuses a text that is a template for something else: in it the
// value's own percent signs or braces would be read as places to fill.
func (p *program) checkFormat(i, first, last int) {
	next := p.after(last)
	for next < 0 && p.is(p.toks[first].parent, "(") && p.before(first) < 0 && p.toks[p.toks[first].parent].match >= 0 {
		first = p.toks[first].parent
		last = first
		next = p.after(last)
	}
	var help string
	switch {
	case p.is(next, "%"):
		help = "use an f-string for the other values, or pass this one too: `'%s …' % ('LABEL', …)`"
	case p.is(next, ".") && p.is(p.after(next), "format", "format_map"):
		help = "use an f-string for the other values, or pass this one too: `'{} …'.format('LABEL', …)`"
	default:
		return
	}
	p.noExpression(i, func(s *spot) *diag.Diagnostic {
		return finding.ScriptHoleInFormat(p.at(s), s.Label, p.toks[next].text).WithHelp(replaceLabel(help, s.Label))
	})
}
