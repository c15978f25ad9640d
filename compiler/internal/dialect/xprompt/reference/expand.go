package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// maxDepth is how deep prompts may refer to each other, and maxExpansions how
// many references of a workflow are expanded: a few prompts that each refer twice
// to the next one make a text without end.
const (
	maxDepth      = 100
	maxExpansions = 10_000
)

// Expand returns a prompt's template with its references expanded. outer are the
// names that prompts of the workflow's own file see beside their inputs.
func (l *Library) Expand(t *template.Template, outer jinja.Scope) *template.Template {
	if !strings.Contains(t.Source.Value, "#") {
		return t
	}
	e := &expander{library: l, outer: outer, files: new([]string)}
	parts := e.expandParts(t.Parts, t.Source)
	if !e.changed {
		return t
	}
	out := assembleTemplate(parts, t.Source)
	out.From = *e.files
	return out
}

// OutputOf returns the output of the first prompt with a declared output that a
// text refers to; nil if there is none.
func (l *Library) OutputOf(text string) *yamlsrc.Node {
	known := func(name string) bool { return l.findPrompt(name) != nil }
	for at := 0; ; {
		r, ok := nextRef(text, at, known, func(string, int, int) {})
		if !ok {
			return nil
		}
		if p := l.findPrompt(r.name); p.head != nil && !p.broken {
			if n := p.head.Get("output"); !n.IsNull() {
				return n
			}
		}
		at = r.nameEnd
	}
}

// An expander expands the references of one prompt.
type expander struct {
	library *Library
	outer   jinja.Scope
	// chain are the prompts that are being expanded, each referring to the next.
	chain   []string
	changed bool
	// files are the names of the files of the prompts that were expanded.
	files *[]string
}

// expandParts expands the references of the parts of a template.
func (e *expander) expandParts(parts []template.Part, src source.Text) []template.Part {
	e.expandStatements(parts, src)
	f := flattenParts(parts, src)
	if !strings.Contains(f.text, "#") {
		return parts
	}
	var list []template.Part
	done := 0
	for {
		r, ok := nextRef(f.text, done, e.isKnown, func(name string, start, end int) { e.reportUnknown(f, name, start, end) })
		if !ok {
			break
		}
		if expanded, ok := e.expandReference(f, &r); ok {
			list = append(list, f.partsOf(f.text[done:r.start])...)
			list = append(list, expanded...)
			done = r.end
			continue
		}
		list = append(list, f.partsOf(f.text[done:r.end])...)
		done = r.end
	}
	if done == 0 {
		return parts
	}
	return append(list, f.partsOf(f.text[done:])...)
}

// expandStatements expands the references inside statements, in place.
func (e *expander) expandStatements(parts []template.Part, src source.Text) {
	for _, p := range parts {
		switch p := p.(type) {
		case *template.If:
			for i := range p.Branches {
				p.Branches[i].Body = e.expandParts(p.Branches[i].Body, src)
			}
			p.Else = e.expandParts(p.Else, src)
		case *template.For:
			p.Body, p.Else = e.expandParts(p.Body, src), e.expandParts(p.Else, src)
		case *template.Scope:
			p.Body = e.expandParts(p.Body, src)
		case *template.Macro:
			p.Body = e.expandParts(p.Body, src)
		case *template.Set:
			if block, ok := p.Value.(*expr.Rendered); ok {
				if t, ok := block.Text.(*template.Template); ok {
					t.Parts = e.expandParts(t.Parts, src)
				}
			}
		}
	}
}

func (e *expander) isKnown(name string) bool { return e.library.findPrompt(name) != nil }

// reportUnknown reports a name of no prompt that resembles one.
func (e *expander) reportUnknown(f *flat, name string, start, end int) {
	const shortest = 4 // shorter words resemble too much
	if len(name) < shortest {
		return
	}
	if near := plain.Nearest(name, e.library.names); near != "" {
		e.library.bag.Add(finding.NearPrompt(f.textSpan(start, end), name, near))
	}
}

// expandReference returns the expansion of a reference; ok is false after a fault, which
// has been reported.
func (e *expander) expandReference(f *flat, r *ref) (parts []template.Part, ok bool) {
	l := e.library
	p := l.findPrompt(r.name)
	at := f.textSpan(r.start, r.nameEnd)
	if slices.Contains(e.chain, p.name) || len(e.chain) >= maxDepth || l.expansions >= maxExpansions {
		chain := e.chain
		if i := slices.Index(chain, p.name); i >= 0 {
			chain = chain[i:]
		} else if len(chain) > maxShown {
			chain = chain[len(chain)-maxShown:]
		}
		l.bag.Add(finding.PromptCycle(at, append(slices.Clone(chain), p.name)))
		return nil, false
	}
	l.expansions++
	l.noteReference(p, f.textSpan(r.start+1, r.nameEnd))
	if r.loose {
		l.bag.Add(codes.LooseCall.New(f.textSpan(r.nameEnd, r.nameEnd+1), fmt.Sprintf("the arguments of `#%s` are never closed: they are ignored", p.name)))
	}
	if !l.usePrompt(p) {
		return nil, false
	}
	r.takeText(p, l.Successor)
	values, ok := e.bindArguments(f, r, p)
	if !ok {
		return nil, false
	}
	e.changed = true
	if p.file != nil && !slices.Contains(*e.files, p.file.Name) {
		*e.files = append(*e.files, p.file.Name)
	}
	inner := *e
	inner.chain = append(slices.Clone(e.chain), p.name)
	body := inner.expandParts(inner.expandBody(p, values), p.body)
	if needsGap(body) && r.start > 0 && f.text[r.start-1] != '\n' {
		body = append([]template.Part{&template.Text{Value: "\n\n"}}, body...)
	}
	return body, true
}

// maxShown is how many prompts of a chain without a cycle are shown.
const maxShown = 5

// needsGap reports whether a body begins with a heading, which must begin a line.
func needsGap(parts []template.Part) bool {
	if len(parts) == 0 {
		return false
	}
	text, ok := parts[0].(*template.Text)
	return ok && strings.HasPrefix(text.Value, "###")
}

// holeText is what messages show of a value from another file.
func holeText(e expr.Expr) string {
	if s, ok := e.(*expr.Str); ok {
		e = s.X
	}
	if c, ok := e.(*expr.Convert); ok {
		if name, of, ok := strings.Cut(strings.TrimPrefix(c.What, "the argument `"), "`"); ok {
			return "{{ " + name + " }}" + of
		}
	}
	return "{{ … }}"
}

// assembleTemplate makes one template of parts from several files: only the place of the
// whole is known then.
func assembleTemplate(parts []template.Part, src source.Text) *template.Template {
	var shown strings.Builder
	var list []template.Part
	for _, p := range parts {
		start := shown.Len()
		switch p := p.(type) {
		case *template.Text:
			shown.WriteString(p.Value)
			if n := len(list) - 1; n >= 0 {
				if before, ok := list[n].(*template.Text); ok {
					before.Value += p.Value
					continue
				}
			}
			list = append(list, &template.Text{Value: p.Value, Start: start})
		case *template.Hole:
			shown.WriteString(holeText(p.Expr))
			list = append(list, &template.Hole{Expr: p.Expr, Start: start, End: shown.Len()})
		default:
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		list = []template.Part{&template.Text{}}
	}
	return &template.Template{Source: source.CoarseText(shown.String(), src.Whole()), Parts: list}
}
