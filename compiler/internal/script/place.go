package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// checkPlaces refuses the holes that are where no expression can.
func (p *program) checkPlaces() {
	for i := range p.toks {
		t := &p.toks[i]
		switch {
		case t.kind == hole && !t.spot.refused:
			d := p.checkJoined(t.spot)
			if d == nil && p.lang == JavaScript {
				d = p.javaScriptCode(i)
			} else if d == nil {
				d = p.pythonCode(i)
			}
			if d != nil {
				p.refuseHole(t.spot, d)
			}
		case t.kind == text && len(t.lit.spots) > 0:
			if p.lang == JavaScript {
				p.javaScriptText(i)
			} else {
				p.pythonText(i)
			}
		}
	}
}

// checkJoined refuses a hole that is a part of a name or of a number.
func (p *program) checkJoined(s *spot) *diag.Diagnostic {
	before := s.Start > 0 && isWordByte(p.src[s.Start-1], p.lang)
	after := s.End < len(p.src) && isWordByte(p.src[s.End], p.lang)
	if !before && !after {
		return nil
	}
	return p.asName(s, "part of a name").WithHelp("put quotes around the whole string: " + p.quotedHole(s))
}

// quotedHole is a hole as a string, for advice.
func (p *program) quotedHole(s *spot) string { return "`'…" + s.Label + "…'`" }

// asName says that a hole is where a name belongs.
func (p *program) asName(s *spot, what string) *diag.Diagnostic {
	return finding.ValueAsName(p.holeSpan(s), "`"+s.Label+"`", what)
}

// noExpression says that a literal with a hole is where no expression can.
func (p *program) noExpression(i int, d func(s *spot) *diag.Diagnostic) {
	for _, s := range p.toks[i].lit.spots {
		p.refuseHole(s, d(s))
	}
}

func escapeError(p *program, s *spot, escape string) *diag.Diagnostic {
	return finding.ScriptHole(p.holeSpan(s), s.Label, fmt.Sprintf("in the middle of the escape sequence `%s…`", escape)).
		WithHelp("write all digits of the escape sequence, or double the backslash")
}

func regexError(p *program, s *spot) *diag.Diagnostic {
	return finding.ScriptHole(p.holeSpan(s), s.Label, "in a regular expression literal").
		WithHelp("search for the value: `text.includes('" + s.Label + "')`").
		WithHelp("use the value as a pattern: `new RegExp('" + s.Label + "')`")
}

// aloneError says that a hole is a whole statement.
func aloneError(p *program, s *spot) *diag.Diagnostic {
	print := "console.log"
	if p.lang == Python {
		print = "print"
	}
	return finding.ScriptHoleAlone(p.holeSpan(s), s.Label).
		WithHelp(fmt.Sprintf("print the value: `%s(%s)`", print, s.Label))
}

// assignments are the operators that assign to the expression before them.
var assignments = []string{
	"=", "+=", "-=", "*=", "/=", "%=", "**=", "//=", "<<=", ">>=", ">>>=", "&=", "|=", "^=",
	"&&=", "||=", "??=", "@=", ":=",
}

func (p *program) isAssignment(i int) bool {
	return p.isKind(i, op) && slices.Contains(assignments, p.toks[i].text)
}

// pyDeclarations are the words behind which a name is declared.
var pyDeclarations = []string{
	"def", "class", "import", "from", "global", "nonlocal", "as", "for", "lambda", "del",
}

// pythonCode returns why a hole cannot be in code at its place, or nil.
func (p *program) pythonCode(i int) *diag.Diagnostic {
	s := p.toks[i].spot
	before, next := p.tokenBefore(i), p.tokenAfter(i)
	if p.isKind(next, newline) {
		next = -1
	}
	switch {
	case p.hasText(before, "."):
		return p.asName(s, "the name of an attribute").WithHelp("look the attribute up by name: `getattr(object, '" + s.Label + "')`")
	case p.hasText(before, "@") && p.startsLine(before):
		return p.asName(s, "a decorator").WithHelp("name the decorator in the script")
	case p.hasText(before, "from") && p.lineHas(before, "yield", "raise"):
		return nil
	case p.isKind(before, word) && slices.Contains(pyDeclarations, p.toks[before].text):
		return p.asName(s, "a name").WithHelp("keep the value under a fixed name: `value = " + s.Label + "`")
	case p.inPattern(i):
		return patternError(p, s)
	case p.hasText(p.toks[i].parent, "(") && p.hasText(next, "="):
		return p.asName(s, "the name of an argument").WithHelp("pass the name as a string: `function(**{'" + s.Label + "': …})`")
	case p.isAssignment(next):
		return p.asName(s, "the target of an assignment").WithHelp("assign the value to a fixed name: `value = " + s.Label + "`")
	case p.hasText(next, "("):
		return p.calledHoleError(s)
	case p.isLineAlone(i):
		return aloneError(p, s)
	}
	return nil
}

func patternError(p *program, s *spot) *diag.Diagnostic {
	return finding.ScriptHole(p.holeSpan(s), s.Label, "in the pattern of a `case`").
		WithHelp("compare in a guard: `case value if value == '" + s.Label + "':`")
}

// lineStart returns the index of the first token of the logical line or simple
// statement that a token of the outermost level is in.
func (p *program) lineStart(i int) int {
	if p.starts == nil {
		p.starts = make([]int, len(p.toks))
		for i := range p.toks {
			prev := p.prevSibling(i)
			switch {
			case p.toks[i].parent >= 0:
				p.starts[i] = p.starts[p.toks[i].parent]
			case prev < 0 || p.isKind(prev, newline) || p.hasText(prev, ";"):
				p.starts[i] = i
			default:
				p.starts[i] = p.starts[prev]
			}
		}
	}
	return p.starts[i]
}

func (p *program) startsLine(i int) bool { return p.lineStart(i) == i }

// lineHas reports whether the statement has one of the words before a token.
func (p *program) lineHas(i int, words ...string) bool {
	for i = p.prevSibling(i); i >= 0 && !p.isKind(i, newline); i = p.prevSibling(i) {
		if p.hasText(i, words...) {
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
	before, next := p.tokenBefore(i), p.tokenAfter(i)
	begins := before < 0 || p.isKind(before, newline) || p.hasText(before, ";")
	if p.hasText(before, ":") {
		// The body of a compound statement on the line of its head; a colon also is
		// in annotations, lambdas and slices.
		first := p.lineStart(i)
		begins = p.hasText(first, "if", "else", "elif", "while", "for", "try", "except", "finally", "with", "def", "class") && !p.lineHas(before, "lambda")
	}
	return begins && (next < 0 || p.isKind(next, newline) || p.hasText(next, ";"))
}

// inPattern reports whether a token is in the pattern of a case.
func (p *program) inPattern(i int) bool {
	outer := i
	for p.toks[outer].parent >= 0 {
		outer = p.toks[outer].parent
	}
	first := p.lineStart(outer)
	second := p.tokenAfter(first)
	// `case` is a name too: case = 1, case.x, case: int, case(…) without a colon.
	if !p.hasText(first, "case") || first == outer || p.hasText(second, ".", ":") || p.isAssignment(second) {
		return false
	}
	for k := second; k >= 0 && !p.isKind(k, newline); k = p.tokenAfter(k) {
		if k >= outer && p.hasText(k, ":") {
			return k > outer && !p.lineHas(outer, "if")
		}
		if k < outer && p.hasText(k, ":") {
			return false
		}
	}
	return false
}

// pythonText decides how to bind a literal with holes.
func (p *program) pythonText(i int) {
	first, last := p.adjacentLiterals(i)
	switch {
	case p.toks[i].lit.hasPrefixLetter("b"):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return finding.ScriptHole(p.holeSpan(s), s.Label, "in a bytes literal").
				WithHelp("encode a string: `'" + s.Label + "'.encode()`")
		})
	case p.inPattern(i):
		p.noExpression(i, func(s *spot) *diag.Diagnostic { return patternError(p, s) })
	case p.isStatement(first, last) && p.isDocstring(first):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return finding.ScriptHole(p.holeSpan(s), s.Label, "in a docstring").
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

// adjacentLiterals returns the first and last of the adjacent literals that the language
// joins to one.
func (p *program) adjacentLiterals(i int) (first, last int) {
	if p.joined[0] <= i && i < p.joined[1] && p.toks[i].parent == p.toks[p.joined[0]].parent {
		return p.joined[0], p.joined[1]
	}
	first, last = i, i
	for b := p.tokenBefore(first); p.isKind(b, text); b = p.tokenBefore(first) {
		first = b
	}
	for a := p.tokenAfter(last); p.isKind(a, text); a = p.tokenAfter(last) {
		last = a
	}
	p.joined = [2]int{first, last}
	return first, last
}

// isStatement reports whether joined literals are a whole statement.
func (p *program) isStatement(first, last int) bool {
	if p.toks[first].parent >= 0 {
		return false
	}
	before, next := p.tokenBefore(first), p.tokenAfter(last)
	return (before < 0 || p.isKind(before, newline) || p.hasText(before, ";") || p.isDocstring(first)) &&
		(next < 0 || p.isKind(next, newline) || p.hasText(next, ";"))
}

// isDocstring reports whether a string that is a statement is the first one of
// the program or of a body.
func (p *program) isDocstring(first int) bool {
	before := p.tokenBefore(first)
	if p.isKind(before, newline) {
		before--
	}
	if before < 0 {
		return true
	}
	if !p.hasText(before, ":") {
		return false
	}
	head := p.lineStart(before)
	return p.hasText(head, "def", "class", "async")
}

// checkFormat refuses a text that is a template for something else: in it the
// value's own percent signs or braces would be read as places to fill.
func (p *program) checkFormat(i, first, last int) {
	next := p.tokenAfter(last)
	for next < 0 && p.hasText(p.toks[first].parent, "(") && p.tokenBefore(first) < 0 && p.toks[p.toks[first].parent].match >= 0 {
		first = p.toks[first].parent
		last = first
		next = p.tokenAfter(last)
	}
	var help string
	switch {
	case p.hasText(next, "%"):
		help = "use an f-string for the other values, or pass this one too: `'%s …' % ('LABEL', …)`"
	case p.hasText(next, ".") && p.hasText(p.tokenAfter(next), "format", "format_map"):
		help = "use an f-string for the other values, or pass this one too: `'{} …'.format('LABEL', …)`"
	default:
		return
	}
	p.noExpression(i, func(s *spot) *diag.Diagnostic {
		return finding.ScriptHoleInFormat(p.holeSpan(s), s.Label, p.toks[next].text).WithHelp(replaceLabel(help, s.Label))
	})
}

// jsDeclarations are the words behind which a name is declared.
var jsDeclarations = []string{
	"var", "let", "const", "function", "class", "import", "interface", "enum", "namespace", "type", "catch", "as", "get", "set", "break", "continue",
}

// javaScriptCode returns why a hole cannot be in code at its place, or nil.
func (p *program) javaScriptCode(i int) *diag.Diagnostic {
	s := p.toks[i].spot
	before, prev, next := p.tokenBefore(i), p.prevSibling(i), p.tokenAfter(i)
	switch {
	case p.hasText(before, ".", "?.", "#"):
		return p.asName(s, "the name of a property").WithHelp("look the property up by name: `object['" + s.Label + "']`")
	case p.hasText(before, "@"):
		return p.asName(s, "a decorator").WithHelp("name the decorator in the script")
	case p.isKind(before, word) && slices.Contains(jsDeclarations, p.toks[before].text) && !p.hasText(p.tokenBefore(before), "."):
		return p.asName(s, "a name").WithHelp("keep the value under a fixed name: `const value = " + s.Label + "`")
	case p.isAssignment(next), p.hasText(next, "++", "--"), p.hasText(before, "++", "--"):
		return p.asName(s, "the target of an assignment").WithHelp("assign the value to a fixed name: `let value = " + s.Label + "`")
	case p.hasText(next, "=>"):
		return p.asName(s, "a parameter").WithHelp("use a fixed name for the parameter")
	case p.hasText(next, ":") && p.isKey(prev, i):
		return p.asName(s, "the name of a property").WithHelp("compute the name: `{ ['" + s.Label + "']: … }`")
	case p.isShorthand(i, prev, next):
		return p.asName(s, "a property without a value").WithHelp("name the property: `{ value: " + s.Label + " }`")
	case p.hasText(next, "(") && !p.toks[next].breaks:
		return p.calledHoleError(s)
	case p.isAlone(i, before, next):
		return aloneError(p, s)
	}
	return nil
}

// calledHoleError refuses a hole in place of a function. The last part of a reference
// may have been meant as a method of the value.
func (p *program) calledHoleError(s *spot) *diag.Diagnostic {
	d := p.asName(s, "a function")
	dot := strings.LastIndexByte(s.Label, '.')
	if dot < 0 {
		return d.WithHelp("name the function in the script and pass the value to it")
	}
	assign := "const value = "
	if p.lang == Python {
		assign = "value = "
	}
	return d.WithLabel(fmt.Sprintf("`%s` is read as a field of the output", s.Label[dot+1:])).
		WithHelp(fmt.Sprintf("assign the value to a name to call a method on it: `%s%s`, `value%s(…)`", assign, s.Label[:dot], s.Label[dot:]))
}

// isKey reports whether the token after prev is the name of a property, given that
// a colon follows.
func (p *program) isKey(prev, i int) bool {
	parent := p.toks[i].parent
	return p.hasText(parent, "{") && (prev < 0 || p.hasText(prev, ","))
}

// isShorthand reports whether a hole is an object's property without a value.
func (p *program) isShorthand(i, prev, next int) bool {
	parent := p.toks[i].parent
	return p.hasText(parent, "{") && !p.toks[parent].block && (prev < 0 || p.hasText(prev, ",")) && (next < 0 || p.hasText(next, ","))
}

// isAlone reports whether a hole is a whole statement.
func (p *program) isAlone(i, before, next int) bool {
	parent := p.toks[i].parent
	if parent >= 0 && !p.toks[parent].block {
		return false
	}
	begins := before < 0 || p.hasText(before, ";", "}", "{")
	ends := next < 0 || p.hasText(next, ";", "}") || p.toks[next].breaks && (p.toks[next].kind == word || p.toks[next].kind == hole)
	return begins && ends
}

// javaScriptText refuses the holes of a literal that is not an expression.
func (p *program) javaScriptText(i int) {
	before, prev, next := p.tokenBefore(i), p.prevSibling(i), p.tokenAfter(i)
	switch {
	case p.hasText(before, "from", "import") && !p.hasText(p.tokenBefore(before), "."):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return finding.ScriptHole(p.holeSpan(s), s.Label, "in the name of an imported module").
				WithHelp("name the module in the script; choose between fixed modules with an `if`, or read data with `JSON.parse`")
		})
	case p.hasText(next, "(", "=") && p.toks[i].lit.quote != "`",
		p.hasText(next, ":") && p.isKey(prev, i):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return p.asName(s, "the name of a property").
				WithHelp("compute the name: `{ [" + p.src[p.toks[i].start:p.toks[i].lit.end] + "]: … }`")
		})
	}
}
