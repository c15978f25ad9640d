package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A place says where a condition belongs.
type place struct {
	node, what string
	facts      []string
	// flow is as in site, and decides is condition there.
	flow, decides bool
	// hint replaces that of the class if it is not "".
	hint string
}

func (f *finder) fault(at place, where source.Span, text, to string) {
	f.add(&site{class: Condition, node: at.node, at: where.Start, facts: at.facts, flow: at.flow, condition: at.decides, hint: at.hint, text: at.what + ": " + text,
		edits: []edit{{where.Start, where.End, to}}})
}

// condition adds the faults of a condition and of its terms.
func (f *finder) condition(e expr.Expr, at place) {
	switch e := e.(type) {
	case *expr.Logic:
		f.connective(e.At, e.X, e.Y, at)
	case *expr.Either:
		f.connective(e.At, e.X, e.Y, at)
	case *expr.Not:
		f.negation(e.At, e.X, at)
	case *expr.Negation:
		f.negation(e.At, e.X, at)
	case *expr.Compare:
		f.comparison(e, e.Op.String(), e.X, e.Y, at)
	case *expr.Relation:
		if len(e.Links) == 1 {
			f.comparison(e, e.Links[0].Op.String(), e.X, e.Links[0].Y, at)
			return
		}
		f.negate(e, at)
	case *expr.Holds:
		f.condition(e.X, at)
	case *expr.Str:
		f.condition(e.X, at)
	case *expr.Rendered:
		if t, ok := e.Text.(*template.Template); ok {
			f.template(t, at)
		}
	case *expr.Literal, *expr.Bad, nil:
	default:
		f.negate(e, at)
	}
}

// template adds the faults of a template that is a condition.
func (f *finder) template(t *template.Template, at place) {
	template.WalkParts(t.Parts, func(p template.Part) bool {
		if h, ok := p.(*template.Hole); ok {
			f.condition(h.Expr, at)
		}
		return true
	})
	f.branches(t, at)
}

// branches adds the faults of the conditions of statements in a template.
func (f *finder) branches(t *template.Template, at place) {
	if t == nil {
		return
	}
	template.WalkParts(t.Parts, func(p template.Part) bool {
		if s, ok := p.(*template.If); ok {
			for _, b := range s.Branches {
				f.condition(b.Cond, at)
			}
		}
		return true
	})
}

// balanced is a place with the parentheses that belong to it.
func (f *finder) balanced(at source.Span) source.Span {
	depth, least := 0, 0
	for _, c := range f.raw(at) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			least = min(least, depth)
		}
	}
	src := f.file.Content
	for open := -least; open > 0; open-- {
		i := at.Start
		for i > 0 && strings.IndexByte(" \t\n", src[i-1]) >= 0 {
			i--
		}
		if i == 0 || src[i-1] != '(' {
			return at
		}
		at.Start = i - 1
	}
	for closing := depth - least; closing > 0; closing-- {
		i := at.End
		for i < len(src) && strings.IndexByte(" \t\n", src[i]) >= 0 {
			i++
		}
		if i == len(src) || src[i] != ')' {
			return at
		}
		at.End = i + 1
	}
	return at
}

// connective adds the faults of `x && y` and `x || y`.
func (f *finder) connective(span source.Span, x, y expr.Expr, at place) {
	if f.here(span) && f.here(x.Span()) && f.here(y.Span()) {
		whole, left, right := f.balanced(span), f.balanced(x.Span()), f.balanced(y.Span())
		f.fault(at, whole, "only "+quoted(f.raw(left)), f.raw(left))
		f.fault(at, whole, "only "+quoted(f.raw(right)), f.raw(right))
		if left.End <= right.Start {
			between := source.Span{File: f.file, Start: left.End, End: right.Start}
			for _, pair := range [][2]string{{"&&", "||"}, {"||", "&&"}, {" and ", " or "}, {" or ", " and "}} {
				if written := f.raw(between); strings.Contains(written, pair[0]) {
					f.fault(at, between, fmt.Sprintf("`%s` instead of `%s`", strings.TrimSpace(pair[1]), strings.TrimSpace(pair[0])), strings.Replace(written, pair[0], pair[1], 1))
					break
				}
			}
		}
	}
	f.condition(x, at)
	f.condition(y, at)
}

// negation adds the fault that a negation is missing.
func (f *finder) negation(span source.Span, x expr.Expr, at place) {
	if f.here(span) && f.here(x.Span()) {
		f.fault(at, f.balanced(span), "not negated", f.raw(f.balanced(x.Span())))
	}
	if _, inner := x.(*expr.Compare); inner {
		f.constants(x.(*expr.Compare), at)
		return
	}
	switch x.(type) {
	case *expr.Logic, *expr.Either, *expr.Relation:
		f.condition(x, at)
	}
}

// opposites and weaker are the operators that take the place of one.
var (
	opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
	borders   = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
)

// comparison adds the faults of a comparison.
func (f *finder) comparison(e expr.Expr, op string, x, y expr.Expr, at place) {
	if !f.here(x.Span()) || !f.here(y.Span()) || x.Span().End > y.Span().Start {
		f.negate(e, at)
		if c, ok := e.(*expr.Compare); ok {
			f.constants(c, at)
		}
		return
	}
	between := source.Span{File: f.file, Start: x.Span().End, End: y.Span().Start}
	written := f.raw(between)
	if strings.Count(written, op) == 1 {
		f.fault(at, between, fmt.Sprintf("`%s` instead of `%s`", opposites[op], op), strings.Replace(written, op, opposites[op], 1))
		if weaker := borders[op]; weaker != "" {
			f.fault(at, between, fmt.Sprintf("`%s` instead of `%s`", weaker, op), strings.Replace(written, op, weaker, 1))
		}
	} else {
		f.negate(e, at)
	}
	f.values(x, y, at)
}

func (f *finder) constants(e *expr.Compare, at place) { f.values(e.X, e.Y, at) }

// values adds the faults that a compared constant has another value.
func (f *finder) values(x, y expr.Expr, at place) {
	for _, pair := range [][2]expr.Expr{{x, y}, {y, x}} {
		lit, ok := pair[1].(*expr.Literal)
		if !ok || !f.here(lit.At) {
			continue
		}
		of := pair[0].Type()
		if optional, ok := of.(*types.Optional); ok {
			of = optional.Elem
		}
		if enum, ok := of.(*types.Enum); ok && !slices.Contains(enum.Values, lit.Text) {
			continue
		}
		f.literal(lit, of, at)
	}
}

// tagged finds the condition in a tag of a template.
var tagged = lazyregexp.New(`(?s)\{\{-?\s*(?:(?:else\s+)?(?:if|with)\s+)?(.*?)\s*-?\}\}`)

// negate adds the fault that a condition without an operator is negated.
func (f *finder) negate(e expr.Expr, at place) {
	if !f.here(e.Span()) {
		return
	}
	span := f.balanced(e.Span())
	written := f.raw(span)
	// A condition may be the whole of a template.
	if trimmed := strings.TrimSpace(written); strings.HasPrefix(trimmed, "{{") || strings.HasPrefix(trimmed, "\"") || strings.HasPrefix(trimmed, "'") {
		if inner := tagged().FindStringSubmatchIndex(written); inner != nil {
			span.Start, span.End = span.Start+inner[2], span.Start+inner[3]
			f.fault(at, span, quoted(f.raw(span))+" is negated", "not ("+f.raw(span)+")")
		}
		return
	}
	to := "not (" + written + ")"
	if d := f.program.Dialect; d == "archon" || d == "graphloop" {
		to = "!(" + written + ")"
		if s := f.index.scalar(span); s != nil && s.node.Span.Start == span.Start { // a plain scalar cannot begin so
			to = "(!(" + written + "))"
		}
	}
	f.fault(at, span, quoted(written)+" is negated", to)
}
