package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
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
	if !strings.Contains(t.Source.Value, "#") && !(l.Successor && strings.Contains(t.Source.Value, "%")) {
		return t
	}
	e := &expander{library: l, outer: outer, files: new([]string)}
	parts := e.expandParts(t.Parts, t.Source)
	if l.Successor {
		parts = e.dropMarkers(parts)
	}
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
	s := newScanner(text, l.Successor, known, func(*ref) {})
	for at := 0; ; {
		r, ok := s.next(at)
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
	// helpers are the prompts that only the prompt being expanded sees.
	helpers *helpers
	// chain are the prompts that are being expanded, each referring to the next.
	chain   []string
	changed bool
	// files are the names of the files of the prompts that were expanded.
	files *[]string
	// noted gets the references that are reported, if it is not nil. reported are those in
	// arguments of the chain.
	noted    *[]string
	reported []string
}

// helpers are the prompts that another one has for itself.
type helpers struct {
	prompts map[string]*prompt
	// scope is what they see beside their inputs: the names of their owner.
	scope *bodyScope
	// outer are those that their owner sees if it is a helper, too.
	outer *helpers
}

// find returns the helper of a name, and the helpers that it sees itself; it may be nil.
func (h *helpers) find(name string) (*prompt, *helpers) {
	for ; h != nil; h = h.outer {
		if p := h.prompts[name]; p != nil {
			return p, h
		}
	}
	return nil, nil
}

// names are the names of all helpers, in order.
func (h *helpers) names() []string {
	var list []string
	for ; h != nil; h = h.outer {
		list = append(list, slices.Sorted(maps.Keys(h.prompts))...)
	}
	return list
}

// expandParts expands the references of the parts of a template.
func (e *expander) expandParts(parts []template.Part, src source.Text) []template.Part {
	e.expandStatements(parts, src)
	f := flattenParts(parts, src)
	refs := newScanner(f.text, e.library.Successor, e.isKnown, func(r *ref) { e.reportUnknown(f, r) })
	e.findDirectives(f, &refs.literal)
	if !strings.Contains(f.text, "#") {
		return parts
	}
	var list []template.Part
	done := 0
	for {
		r, ok := refs.next(done)
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

// expandStatements expands the references inside statements, in place, and reports those in
// expressions.
func (e *expander) expandStatements(parts []template.Part, src source.Text) {
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Hole:
			e.findQuoted(p.Expr)
		case *template.For:
			e.findQuoted(p.Items)
		case *template.Set:
			e.findQuoted(p.Value)
			if block, ok := p.Value.(*expr.Rendered); ok {
				if t, ok := block.Text.(*template.Template); ok {
					t.Parts = e.expandParts(t.Parts, src)
				}
			}
		}
		template.EachBody(p, func(body *[]template.Part) { *body = e.expandParts(*body, src) })
	}
}

func (e *expander) isKnown(name string) bool { return e.findPrompt(name) != nil }

// findPrompt returns the prompt of a name that the text being expanded can refer to, or nil.
func (e *expander) findPrompt(name string) *prompt {
	if p, _ := e.helpers.find(name); p != nil {
		return p
	}
	return e.library.findPrompt(name)
}

// reportUnknown reports a reference that would stay text. A single word with a # is an
// error only where it resembles a prompt, or where the format's successor would warn
// about it.
func (e *expander) reportUnknown(f *flat, r *ref) {
	l := e.library
	at, written := f.textSpan(r.start, r.nameEnd), f.shown(r.start+1, r.nameEnd)
	if r.literal || slices.Contains(e.reported, written) {
		return
	}
	if e.noted != nil {
		*e.noted = append(*e.noted, written)
	}
	if r.missed != notMissed {
		e.reportMissed(f, r, written)
		return
	}
	if r.launch {
		l.bag.Add(finding.LaunchedWorkflow(at, r.name))
		return
	}
	if path := l.workflows[r.name]; path != "" {
		l.bag.Add(finding.InsertedWorkflow(at, r.name, path))
		return
	}
	near := ""
	const shortest = 4 // shorter words resemble too much
	if len(r.name) >= shortest {
		near = plain.Nearest(r.name, append(e.helpers.names(), l.names...))
	}
	if near == "" && !r.isCall() && (isColour(r.name) || isLinkTarget(f.text, r.start)) {
		return
	}
	l.bag.Add(finding.UnknownPrompt(at, r.name, near, r.isCall() || l.Successor))
}

// isColour reports whether a name is also a colour of CSS, such as fff.
func isColour(name string) bool {
	n := len(name)
	return (n == 3 || n == 4 || n == 6 || n == 8) && strings.Trim(name, "0123456789abcdefABCDEF") == ""
}

// isLinkTarget reports whether the # at an offset begins the target of a link of Markdown.
func isLinkTarget(text string, at int) bool { return strings.HasSuffix(text[:at], "](") }

// expandReference returns the expansion of a reference; ok is false after a fault, which
// has been reported.
func (e *expander) expandReference(f *flat, r *ref) (parts []template.Part, ok bool) {
	l := e.library
	p := e.findPrompt(r.name)
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
	if r.review != "" {
		l.bag.Add(finding.PromptReview(f.textSpan(r.nameEnd, r.nameEnd+len(r.review)), r.review))
		return nil, false
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
	inner.chain, inner.reported = append(slices.Clone(e.chain), p.name), slices.Concat(e.reported, values.reported)
	scope := &bodyScope{prompt: p, values: values}
	if _, inner.helpers = e.helpers.find(p.name); inner.helpers != nil {
		scope.outer = inner.helpers.scope
	} else if p.local {
		scope.outer = e.outer
	}
	if len(p.helpers) > 0 {
		inner.helpers = &helpers{prompts: p.helpers, scope: scope, outer: inner.helpers}
	}
	body := inner.expandParts(inner.expandBody(scope), p.body)
	if needsGap(body) && r.start > 0 && f.text[r.start-1] != '\n' {
		body = append([]template.Part{&template.Text{Value: "\n\n"}}, body...)
	}
	if l.Successor && endsWithHeading(body) && r.end < len(f.text) && f.text[r.end] != '\n' {
		body = append(slices.Clone(body), &template.Text{Value: "\n\n"})
	}
	return body, true
}

// marker is a mark of a region in which references are only text.
var marker = lazyregexp.New(`(?m)^[ \t]*%(?:xprompts|macros)_enabled:(?:false|true)[ \t]*\n?|[ \t]+%(?:xprompts|macros)_enabled:(?:false|true)[ \t]*`)

// dropMarkers removes the marks of regions from texts.
func (e *expander) dropMarkers(parts []template.Part) []template.Part {
	list := slices.Clone(parts)
	for i, p := range list {
		text, ok := p.(*template.Text)
		if !ok || !strings.Contains(text.Value, "s_enabled:") {
			continue
		}
		list[i] = &template.Text{Value: marker().ReplaceAllString(text.Value, ""), Start: text.Start}
		e.changed = true
	}
	return list
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

// heading is the beginning of a line that is a heading.
var heading = lazyregexp.New(`^#{1,6}\s`)

// endsWithHeading reports whether the last line of a body is a heading that no line break
// ends.
func endsWithHeading(parts []template.Part) bool {
	line := ""
	for i := len(parts) - 1; i >= 0; i-- {
		text, ok := parts[i].(*template.Text)
		if !ok {
			line = string([]byte{markByte}) + line
			continue
		}
		if at := strings.LastIndexByte(text.Value, '\n'); at >= 0 {
			line = text.Value[at+1:] + line
			break
		}
		line = text.Value + line
	}
	return heading().MatchString(line)
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
