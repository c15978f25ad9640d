// Package jinja parses Jinja2 templates, resolves their names, and finds their
// faults before anything runs.
//
// The language is that of Jinja2 3.1 without extensions and loaders. A text passes
// through four steps: scan.go splits it into text and tags, lex.go a tag into
// tokens, parse_*.go build a tree of them without resolving names (tree.go), and
// lower_*.go resolve names and type expressions, which makes a template.Template. A
// fault of one tag hides none in others; followers of a fault are not reported.
package jinja

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/template"
)

// A Scope knows the names of a template's surroundings.
type Scope interface {
	// Lookup returns the meaning of a name; ok is false if it is unknown. at is the
	// place of the read. It may be called for the same place more than once.
	Lookup(name string, at source.Span) (e expr.Expr, ok bool)
	// Names are all names it knows, for suggestions.
	Names() []string
}

// A Hider is a Scope with names that have a value elsewhere but none at the place of the
// template. Lookup reports their use as a fault; the test `is defined` is false for them.
type Hider interface {
	// Hidden reports whether a name is one of these.
	Hidden(name string) bool
}

// An Attributer is a Scope whose values have special attributes: the review of a
// step is an attribute of its output.
type Attributer interface {
	// Attribute returns the meaning of x.name; ok is false if it has its usual
	// meaning.
	Attribute(x expr.Expr, name string, at source.Span) (e expr.Expr, ok bool)
}

// Options select the use of a text.
type Options struct {
	// Condition: the text is a condition, so that fields of steps' outputs are
	// Lenient.
	Condition bool
}

// Template parses a template. It is never nil; where something was reported its
// expressions are expr.Bad. A line break at the end of the text is dropped, as
// the engine does.
//
// Each hole is an expr.Str, but for those that were reported. Without errors its
// statements are whole; with some of them they may be left out.
func Template(text source.Text, scope Scope, opt Options, bag *diag.Bag) *template.Template {
	f := &faults{text: text}
	list := parseStatements(f)
	var t *template.Template
	lowerInRounds(f, scope, opt, func(l *lowerer) {
		t = &template.Template{Source: text, Parts: l.lowerBody(bodyKey{}, list)}
	})
	if f.unpaired {
		t.Parts = flattenParts(t.Parts)
	}
	bag.Add(f.list...)
	return t
}

// flattenParts returns the literal parts and holes of a template whose statements are not closed
// properly. The ends of the statements are unknown, so the places of their tags are not
// checked.
func flattenParts(parts []template.Part) []template.Part {
	var list []template.Part
	for _, p := range parts {
		switch p := p.(type) {
		case *template.If:
			list = append(list, flattenParts(p.Branches[0].Body)...)
		case *template.For:
			list = append(list, flattenParts(p.Body)...)
		case *template.Scope:
			list = append(list, flattenParts(p.Body)...)
		case *template.Text, *template.Hole:
			list = append(list, p)
		}
	}
	return list
}

// Expression parses a text that is one expression, such as the list of a loop; it
// may be between {{ and }}. It is never nil; faulty parts are expr.Bad.
func Expression(text source.Text, scope Scope, opt Options, bag *diag.Bag) expr.Expr {
	text = stripBraces(text)
	f := &faults{text: text}
	var e expr.Expr = &expr.Bad{At: text.Whole()}
	x, ok := readExpression(f)
	if ok {
		lowerInRounds(f, scope, opt, func(l *lowerer) {
			l.pushFrame(false)
			e = l.requireValue(l.lowerExpr(x))
			l.popFrame()
		})
	}
	bag.Add(f.list...)
	return e
}

// stripBraces takes the braces of a hole off a text that is one.
func stripBraces(text source.Text) source.Text {
	text = text.TrimFunc(scalar.IsSpace)
	if s := text.Value; len(s) >= 4 && strings.HasPrefix(s, "{{") && strings.HasSuffix(s, "}}") {
		return text.Slice(2, len(s)-2).TrimFunc(scalar.IsSpace)
	}
	return text
}

// readExpression parses a text that is all one expression.
func readExpression(f *faults) (node, bool) {
	if f.text.Value == "" {
		f.add(finding.TemplateSyntax(f.text.Whole(), "an expression is missing"))
		return nil, false
	}
	t := lexAs(f.text.Value, 0, "", f, false)
	if t.lost {
		return nil, false
	}
	p := &parser{text: f.text.Value, tokens: t.tokens, whole: place{0, len(f.text.Value)}, quiet: t.faulty, faults: f}
	x := p.parseExpression()
	if p.isOp(",") {
		p.reportFault(p.peek().place, "only one expression is allowed here").WithHelp("put several in brackets: `[a, b]`")
	}
	p.expectEnd()
	return x, !p.failed && !t.garbled
}

// faults collects the findings of one text; followers of a wrong reading can be
// dropped.
type faults struct {
	text source.Text
	list []*diag.Diagnostic
	// unpaired says that statements are not closed as they should be.
	unpaired bool
}

func (f *faults) add(d *diag.Diagnostic) { f.list = append(f.list, d) }

func (f *faults) mark() int { return len(f.list) }

func (f *faults) drop(mark int) { f.list = f.list[:mark] }

func (f *faults) placeSpan(p place) source.Span { return f.text.Span(p.start, p.end) }
