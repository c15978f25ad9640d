package reference

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// expandBody returns the parts of a prompt's body with its arguments in place. A body
// without templates may have places for arguments: {1}, or {1:default}. In the format's
// successor, neither is in a block of code.
func (e *expander) expandBody(sc *bodyScope) []template.Part {
	body := sc.prompt.body
	var blocks []stretch
	if e.library.Successor {
		blocks = codeBlocks(body.Value)
		body.Value = hideBraces(body.Value, blocks)
	}
	if !isTemplate(body.Value) {
		return e.fillLegacyPlaces(sc.prompt, sc.values, blocks)
	}
	parts := jinja.Template(body, sc, jinja.Options{}, e.library.bag).Parts
	if len(blocks) > 0 {
		showBraces(parts)
	}
	return pruneBranches(foldConstants(parts).Parts)
}

// hiddenBrace replaces a brace in which no template may begin: it is in no UTF-8 text.
const hiddenBrace = '\xfe'

// hideBraces hides the braces of stretches from the parser of templates.
func hideBraces(text string, stretches []stretch) string {
	hidden := []byte(text)
	for _, s := range stretches {
		for i := s.start; i < s.end; i++ {
			if hidden[i] == '{' {
				hidden[i] = hiddenBrace
			}
		}
	}
	return string(hidden)
}

// showBraces undoes hideBraces in the texts of parts.
func showBraces(parts []template.Part) {
	template.WalkParts(parts, func(p template.Part) bool {
		switch p := p.(type) {
		case *template.Text:
			p.Value = strings.ReplaceAll(p.Value, string([]byte{hiddenBrace}), "{")
		case *template.Set:
			if block, ok := p.Value.(*expr.Rendered); ok {
				if t, ok := block.Text.(*template.Template); ok {
					showBraces(t.Parts)
				}
			}
		}
		return true
	})
}

// pruneBranches are parts without the branches that constants decide against.
func pruneBranches(parts []template.Part) []template.Part {
	var list []template.Part
	for _, p := range parts {
		branch, ok := p.(*template.If)
		if !ok {
			list = append(list, p)
			continue
		}
		list = append(list, prunedIf(branch)...)
	}
	return list
}

func prunedIf(p *template.If) []template.Part {
	kept := &template.If{Start: p.Start, End: p.End, Else: pruneBranches(p.Else)}
	for _, b := range p.Branches {
		body := pruneBranches(b.Body)
		lit, constant := b.Cond.(*expr.Literal)
		switch {
		case !constant:
			kept.Branches = append(kept.Branches, template.Branch{Cond: b.Cond, Body: body})
			continue
		case !pythonTruth(lit):
			continue
		}
		kept.Else = body
		break
	}
	if len(kept.Branches) == 0 {
		return kept.Else
	}
	return []template.Part{kept}
}

// pythonTruth is the truth of a constant in Python.
func pythonTruth(lit *expr.Literal) bool {
	switch lit.Typ {
	case types.Bool:
		return lit.Text == "true"
	case types.Null:
		return false
	case types.Int, types.Float:
		return strings.Trim(lit.Text, "-0.") != ""
	}
	return lit.Text != ""
}

func isTemplate(s string) bool {
	return strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#")
}

// fillLegacyPlaces fills in the places of a body without templates, outside of stretches.
func (e *expander) fillLegacyPlaces(p *prompt, v *values, literal []stretch) []template.Part {
	s := p.body.Value
	var parts []template.Part
	done := 0
	for at := 0; ; {
		m := legacyPlace().FindStringSubmatchIndex(s[at:])
		if m == nil {
			break
		}
		start := at + m[0]
		n, err := strconv.Atoi(s[at+m[2] : at+m[3]])
		if err != nil || isIn(literal, start) {
			at = start + 1
			continue
		}
		parts = append(parts, &template.Text{Value: s[done:start], Start: done})
		switch {
		case n <= len(v.given):
			parts = append(parts, v.given[n-1]...)
		case m[4] >= 0:
			parts = append(parts, &template.Text{Value: s[at+m[4] : at+m[5]], Start: start})
		default:
			e.library.bag.Add(finding.PromptCall(v.at, p.name, fmt.Sprintf("needs argument number %d", n), ""))
		}
		at += m[1]
		done = at
	}
	return append(parts, &template.Text{Value: s[done:], Start: done})
}

// legacyPlace is {1} or {1:default}.
var legacyPlace = lazyregexp.New(`\{(0*[1-9][0-9]*)(?::([^}]*))?\}`)

// A bodyScope is the scope of a prompt's body.
type bodyScope struct {
	prompt *prompt
	values *values
	outer  jinja.Scope
}

// Lookup implements jinja.Scope.
func (s *bodyScope) Lookup(name string, at source.Span) (expr.Expr, bool) {
	if x := s.values.named[name]; x != nil {
		return x, true
	}
	if name == "_args" {
		l := &expr.ListOf{At: at, Typ: &types.List{Elem: types.Text}}
		for _, parts := range s.values.given {
			l.Items = append(l.Items, textExpr(parts, at))
		}
		return l, true
	}
	if digits, ok := strings.CutPrefix(name, "_"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= len(s.values.given) {
			return textExpr(s.values.given[n-1], at), true
		}
	}
	if s.outer != nil {
		return s.outer.Lookup(name, at)
	}
	return nil, false
}

// Hidden implements jinja.Hider.
func (s *bodyScope) Hidden(name string) bool {
	h, ok := s.outer.(jinja.Hider)
	return ok && s.values.named[name] == nil && h.Hidden(name)
}

// Attribute implements jinja.Attributer.
func (s *bodyScope) Attribute(x expr.Expr, name string, at source.Span) (expr.Expr, bool) {
	if a, ok := s.outer.(jinja.Attributer); ok {
		return a.Attribute(x, name, at)
	}
	return nil, false
}

// textExpr is the text of an argument.
func textExpr(parts []template.Part, at source.Span) expr.Expr {
	t := foldConstants(parts)
	if s, constant := t.Constant(); constant {
		return &expr.Literal{At: at, Text: s, Typ: types.Text}
	}
	return &expr.Rendered{At: at, Text: t}
}

// Names implements jinja.Scope.
func (s *bodyScope) Names() []string {
	names := s.prompt.inputNames()
	if s.outer != nil {
		names = append(names, s.outer.Names()...)
	}
	return names
}
