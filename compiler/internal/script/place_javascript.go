package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// jsDeclarations are the words behind which a name is declared.
var jsDeclarations = []string{
	"var", "let", "const", "function", "class", "import", "interface", "enum", "namespace", "type", "catch", "as", "get", "set", "break", "continue",
}

// javaScriptCode returns why a hole cannot be in code at its place, or nil.
func (p *program) javaScriptCode(i int) *diag.Diagnostic {
	s := p.toks[i].spot
	before, prev, next := p.before(i), p.prev(i), p.after(i)
	switch {
	case p.is(before, ".", "?.", "#"):
		return p.asName(s, "the name of a property").WithHelp("look the property up by name: `object['" + s.Label + "']`")
	case p.is(before, "@"):
		return p.asName(s, "a decorator").WithHelp("name the decorator in the script")
	case p.isKind(before, word) && slices.Contains(jsDeclarations, p.toks[before].text) && !p.is(p.before(before), "."):
		return p.asName(s, "a name").WithHelp("keep the value under a fixed name: `const value = " + s.Label + "`")
	case p.isAssignment(next), p.is(next, "++", "--"), p.is(before, "++", "--"):
		return p.asName(s, "the target of an assignment").WithHelp("assign the value to a fixed name: `let value = " + s.Label + "`")
	case p.is(next, "=>"):
		return p.asName(s, "a parameter").WithHelp("use a fixed name for the parameter")
	case p.is(next, ":") && p.isKey(prev, i):
		return p.asName(s, "the name of a property").WithHelp("compute the name: `{ ['" + s.Label + "']: … }`")
	case p.isShorthand(i, prev, next):
		return p.asName(s, "a property without a value").WithHelp("name the property: `{ value: " + s.Label + " }`")
	case p.is(next, "(") && !p.toks[next].breaks:
		return p.called(s)
	case p.isAlone(i, before, next):
		return aloneError(p, s)
	}
	return nil
}

// called refuses a hole in place of a function. The last part of a reference
// may have been meant as a method of the value.
func (p *program) called(s *spot) *diag.Diagnostic {
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
	return p.is(parent, "{") && (prev < 0 || p.is(prev, ","))
}

// isShorthand reports whether a hole is an object's property without a value.
func (p *program) isShorthand(i, prev, next int) bool {
	parent := p.toks[i].parent
	return p.is(parent, "{") && !p.toks[parent].block && (prev < 0 || p.is(prev, ",")) && (next < 0 || p.is(next, ","))
}

// isAlone reports whether a hole is a whole statement.
func (p *program) isAlone(i, before, next int) bool {
	parent := p.toks[i].parent
	if parent >= 0 && !p.toks[parent].block {
		return false
	}
	begins := before < 0 || p.is(before, ";", "}", "{")
	ends := next < 0 || p.is(next, ";", "}") || p.toks[next].breaks && (p.toks[next].kind == word || p.toks[next].kind == hole)
	return begins && ends
}

// javaScriptText refuses the holes of a literal that is not an expression.
func (p *program) javaScriptText(i int) {
	before, prev, next := p.before(i), p.prev(i), p.after(i)
	switch {
	case p.is(before, "from", "import") && !p.is(p.before(before), "."):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return finding.ScriptHole(p.at(s), s.Label, "in the name of an imported module").
				WithHelp("name the module in the script; choose between fixed modules with an `if`, or read data with `JSON.parse`")
		})
	case p.is(next, "(", "=") && p.toks[i].lit.quote != "`",
		p.is(next, ":") && p.isKey(prev, i):
		p.noExpression(i, func(s *spot) *diag.Diagnostic {
			return p.asName(s, "the name of a property").
				WithHelp("compute the name: `{ [" + p.src[p.toks[i].start:p.toks[i].lit.end] + "]: … }`")
		})
	}
}
