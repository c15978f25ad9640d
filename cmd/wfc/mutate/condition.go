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

func (f *finder) addFault(at place, where source.Span, text, to string) {
	f.addSite(&site{class: Condition, node: at.node, at: where.Start, facts: at.facts, flow: at.flow, condition: at.decides, hint: at.hint, text: at.what + ": " + text,
		edits: []edit{{where.Start, where.End, to}}})
}

// addConditionFaults adds the faults of a condition and of its terms.
func (f *finder) addConditionFaults(e expr.Expr, at place) {
	switch e := e.(type) {
	case *expr.Logic:
		f.addConnectiveFaults(e.At, e.X, e.Y, at)
	case *expr.Either:
		f.addConnectiveFaults(e.At, e.X, e.Y, at)
	case *expr.Not:
		f.addMissingNegation(e.At, e.X, at)
	case *expr.Negation:
		f.addMissingNegation(e.At, e.X, at)
	case *expr.Compare:
		f.addComparisonFaults(e, e.Op.String(), e.X, e.Y, at)
	case *expr.Relation:
		if len(e.Links) == 1 {
			f.addComparisonFaults(e, e.Links[0].Op.String(), e.X, e.Links[0].Y, at)
			return
		}
		f.addNegation(e, at)
	case *expr.Holds:
		f.addConditionFaults(e.X, at)
	case *expr.Str:
		f.addConditionFaults(e.X, at)
	case *expr.Rendered:
		if t, ok := e.Text.(*template.Template); ok {
			f.addTemplateFaults(t, at)
		}
	case *expr.Literal, *expr.Bad, nil:
	default:
		f.addNegation(e, at)
	}
}

// addTemplateFaults adds the faults of a template that is a condition.
func (f *finder) addTemplateFaults(t *template.Template, at place) {
	template.WalkParts(t.Parts, func(p template.Part) bool {
		if h, ok := p.(*template.Hole); ok {
			f.addConditionFaults(h.Expr, at)
		}
		return true
	})
	f.addBranchFaults(t, at)
}

// addBranchFaults adds the faults of the conditions of statements in a template.
func (f *finder) addBranchFaults(t *template.Template, at place) {
	if t == nil {
		return
	}
	template.WalkParts(t.Parts, func(p template.Part) bool {
		if s, ok := p.(*template.If); ok {
			for _, b := range s.Branches {
				f.addConditionFaults(b.Cond, at)
			}
		}
		return true
	})
}

// balancedSpan is a place with the parentheses that belong to it.
func (f *finder) balancedSpan(at source.Span) source.Span {
	depth, least := 0, 0
	for _, c := range f.sourceText(at) {
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

// addConnectiveFaults adds the faults of `x && y` and `x || y`.
func (f *finder) addConnectiveFaults(span source.Span, x, y expr.Expr, at place) {
	if f.isInFile(span) && f.isInFile(x.Span()) && f.isInFile(y.Span()) {
		whole, left, right := f.balancedSpan(span), f.balancedSpan(x.Span()), f.balancedSpan(y.Span())
		f.addFault(at, whole, "only "+quoteExcerpt(f.sourceText(left)), f.sourceText(left))
		f.addFault(at, whole, "only "+quoteExcerpt(f.sourceText(right)), f.sourceText(right))
		if left.End <= right.Start {
			between := source.Span{File: f.file, Start: left.End, End: right.Start}
			for _, pair := range [][2]string{{"&&", "||"}, {"||", "&&"}, {" and ", " or "}, {" or ", " and "}} {
				if written := f.sourceText(between); strings.Contains(written, pair[0]) {
					f.addFault(at, between, fmt.Sprintf("`%s` instead of `%s`", strings.TrimSpace(pair[1]), strings.TrimSpace(pair[0])), strings.Replace(written, pair[0], pair[1], 1))
					break
				}
			}
		}
	}
	f.addConditionFaults(x, at)
	f.addConditionFaults(y, at)
}

// addMissingNegation adds the fault that a negation is missing.
func (f *finder) addMissingNegation(span source.Span, x expr.Expr, at place) {
	if f.isInFile(span) && f.isInFile(x.Span()) {
		f.addFault(at, f.balancedSpan(span), "not negated", f.sourceText(f.balancedSpan(x.Span())))
	}
	if _, inner := x.(*expr.Compare); inner {
		f.addConstantFaults(x.(*expr.Compare), at)
		return
	}
	switch x.(type) {
	case *expr.Logic, *expr.Either, *expr.Relation:
		f.addConditionFaults(x, at)
	}
}

// opposites are the operators that take the place of one, and borders those that differ from it only at
// the border.
var (
	opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
	borders   = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
)

// addComparisonFaults adds the faults of a comparison.
func (f *finder) addComparisonFaults(e expr.Expr, op string, x, y expr.Expr, at place) {
	if !f.isInFile(x.Span()) || !f.isInFile(y.Span()) || x.Span().End > y.Span().Start {
		f.addNegation(e, at)
		if c, ok := e.(*expr.Compare); ok {
			f.addConstantFaults(c, at)
		}
		return
	}
	between := source.Span{File: f.file, Start: x.Span().End, End: y.Span().Start}
	written := f.sourceText(between)
	if strings.Count(written, op) == 1 {
		f.addFault(at, between, fmt.Sprintf("`%s` instead of `%s`", opposites[op], op), strings.Replace(written, op, opposites[op], 1))
		if weaker := borders[op]; weaker != "" {
			f.addFault(at, between, fmt.Sprintf("`%s` instead of `%s`", weaker, op), strings.Replace(written, op, weaker, 1))
		}
	} else {
		f.addNegation(e, at)
	}
	f.addValueFaults(x, y, at)
}

func (f *finder) addConstantFaults(e *expr.Compare, at place) { f.addValueFaults(e.X, e.Y, at) }

// addValueFaults adds the faults that a compared constant has another value.
func (f *finder) addValueFaults(x, y expr.Expr, at place) {
	for _, pair := range [][2]expr.Expr{{x, y}, {y, x}} {
		lit, ok := pair[1].(*expr.Literal)
		if !ok || !f.isInFile(lit.At) {
			continue
		}
		of := types.WithoutNull(pair[0].Type())
		if enum, ok := of.(*types.Enum); ok && !slices.Contains(enum.Values, lit.Text) {
			continue
		}
		f.addLiteralFaults(lit, of, at)
	}
}

// tagged finds the condition in a tag of a template.
var tagged = lazyregexp.New(`(?s)\{\{-?\s*(?:(?:else\s+)?(?:if|with)\s+)?(.*?)\s*-?\}\}`)

// addNegation adds the fault that a condition without an operator is negated.
func (f *finder) addNegation(e expr.Expr, at place) {
	if !f.isInFile(e.Span()) {
		return
	}
	span := f.balancedSpan(e.Span())
	written := f.sourceText(span)
	// A condition may be the whole of a template.
	if trimmed := strings.TrimSpace(written); strings.HasPrefix(trimmed, "{{") || strings.HasPrefix(trimmed, "\"") || strings.HasPrefix(trimmed, "'") {
		if inner := tagged().FindStringSubmatchIndex(written); inner != nil {
			span.Start, span.End = span.Start+inner[2], span.Start+inner[3]
			f.addFault(at, span, quoteExcerpt(f.sourceText(span))+" is negated", "not ("+f.sourceText(span)+")")
		}
		return
	}
	to := "not (" + written + ")"
	if d := f.program.Dialect; d == "archon" || d == "graphloop" {
		to = "!(" + written + ")"
		if s := f.index.scalarAt(span); s != nil && s.node.Span.Start == span.Start { // a plain scalar cannot begin so
			to = "(!(" + written + "))"
		}
	}
	f.addFault(at, span, quoteExcerpt(written)+" is negated", to)
}
