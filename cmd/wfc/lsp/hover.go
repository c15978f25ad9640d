package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// hover describes the name, the condition, the key or the code under the cursor.
func hover(ctx context.Context, c *call, params *protocol.TextDocumentPositionParams) (*protocol.Hover, error) {
	t, err := c.resolveTarget(ctx, params)
	if err != nil || t == nil {
		return nil, err
	}
	if t.ref != nil && spanContains(referenceSpan(t.ref), t.offset) {
		return hoverOf(t.a.describeReference(t.ref), referenceSpan(t.ref)), nil
	}
	if t.file != t.a.file {
		return nil, nil
	}
	if text, at, ok := hoverComment(t.a.doc, t.offset); ok {
		return hoverOf(text, at), nil
	}
	p := yamlAt(t.a.doc, t.offset)
	if p == nil {
		return nil, nil
	}
	if !p.onKey {
		if text, at, ok := t.a.hoverCondition(t.offset); ok {
			return hoverOf(text, at), nil
		}
		return nil, nil
	}
	if key := t.a.keyAt(p); key != nil {
		return hoverOf(describeKey(key), p.key.Span), nil
	}
	return nil, nil
}

func hoverOf(text string, at source.Span) *protocol.Hover {
	r := rangeOf(at)
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: text}, Range: &r}
}

// keyTableFormat returns the keys of the format of a file, or nil.
func (a *analysis) keyTableFormat() *keytable.Format {
	if a.format != nil || a.result == nil {
		return a.format
	}
	return a.result.Keys()
}

// keyAt returns the key at a place, or nil.
func (a *analysis) keyAt(p *yamlPlace) *keytable.Key {
	level, _ := a.keyTableFormat().At(p.steps[:len(p.steps)-1])
	return level.Key(p.key.Value)
}

// describeKey is the documentation of a key.
func describeKey(k *keytable.Key) string {
	doc := k.Doc
	if k.Required {
		doc = "Required. " + doc
	}
	return fmt.Sprintf("`%s`: %s\n\n%s", k.Name, k.Value, doc)
}

// hoverComment describes the code in a comment that ignores findings.
func hoverComment(doc *yamlsrc.Document, offset int) (text string, at source.Span, ok bool) {
	if doc == nil {
		return "", at, false
	}
	for _, comment := range doc.Comments {
		if !spanContains(comment.Span, offset) || !strings.HasPrefix(comment.Text, "wfc:ignore") {
			continue
		}
		at := wordAt(comment.Span, offset)
		if code, ok := codes.Lookup(at.Text()); ok {
			return describeCode(code), at, true
		}
	}
	return "", at, false
}

// describeCode is the explanation of a code.
func describeCode(code *diag.Code) string {
	return fmt.Sprintf("**%s** `%s` (%s)\n\n%s", code.ID, code.Slug, code.Severity, codes.DocumentOf(code).Text)
}

// wordAt returns the word of letters, digits and hyphens at an offset of a span.
func wordAt(s source.Span, offset int) source.Span {
	inside := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	before, after := string(s.File.Content[s.Start:offset]), string(s.File.Content[offset:s.End])
	s.Start += len(strings.TrimRightFunc(before, inside))
	s.End -= len(strings.TrimLeftFunc(after, inside))
	return s
}

// describeReference is the description of a reference.
func (a *analysis) describeReference(r *symbols.Reference) string {
	s := r.Symbol
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** `%s`", s.Kind, symbolTitle(s))
	if s.Node != nil && s.Kind == symbols.Node {
		fmt.Fprintf(&b, " · %s", s.Node.Action.Kind())
	}
	b.WriteString("\n\n")
	if s.Doc != "" {
		b.WriteString(s.Doc + "\n\n")
	}
	list := &items{}
	a.addFacts(list, r)
	b.WriteString(list.String())
	return strings.TrimSpace(b.String())
}

// symbolTitle is the name of a symbol with that of its owner.
func symbolTitle(s *symbols.Symbol) string {
	if s.Owner != nil {
		return s.Owner.Name + "." + s.Name
	}
	return s.Name
}

// items is a list of facts in Markdown.
type items struct{ strings.Builder }

func (l *items) add(label, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		fmt.Fprintf(l, "- %s: %s\n", label, text)
	}
}

func (a *analysis) addFacts(l *items, r *symbols.Reference) {
	s := r.Symbol
	switch s.Kind {
	case symbols.Agent, symbols.Model:
		l.add("used by", "%s", a.nodesThat(s, symbols.Names))
		return
	case symbols.Command, symbols.Script, symbols.Workflow, symbols.Prompt:
		if s.File != nil {
			l.add("file", "`%s`", s.File.Name)
		}
		l.add("used by", "%s", a.nodesThat(s, symbols.Names))
		return
	case symbols.Filter, symbols.Test, symbols.Variable:
		return
	}
	t := s.Type
	if r.Role == symbols.Reads && r.Type != nil && s.Kind != symbols.Node {
		t = r.Type
	}
	if s.Kind != symbols.Label {
		l.add("type", "%s", describeType(t))
	}
	if e := enumOf(t); e != nil {
		l.add("values", "`%s`", strings.Join(e.Values, "`, `"))
	}
	if s.Kind == symbols.Field && s.Optional {
		l.add("presence", "optional: the output may lack it")
	} else if r.Role == symbols.Reads {
		l.add("presence", "%s", describePresence(r.Presence))
	}
	if s.Input != nil {
		a.inputFacts(l, s.Input)
	}
	if s.State != nil {
		if lit, ok := s.State.Initial.(*expr.Literal); ok {
			l.add("initial value", "`%s`", lit.Text)
		}
		l.add("written by", "%s", a.nodesThat(s, symbols.Writes))
	}
	if s.Kind == symbols.Node {
		a.nodeFacts(l, s.Node)
	}
	l.add("read by", "%s", a.nodesThat(s, symbols.Reads))
}

func (a *analysis) inputFacts(l *items, in *ir.Input) {
	switch lit, ok := in.Default.(*expr.Literal); {
	case in.Default == nil:
		l.add("default", "none: every run needs a value")
	case ok:
		l.add("default", "`%s`", lit.Text)
	}
}

func (a *analysis) nodeFacts(l *items, n *ir.Node) {
	if p, ok := n.Action.(*ir.Prompt); ok {
		agent := p.Agent.Name
		if p.Agent.Model != "" {
			agent += " (" + p.Agent.Model + ")"
		}
		l.add("agent", "%s", agent)
	}
	if n.WhenText != "" {
		l.add("condition", "`%s`", n.WhenText)
	}
	needs := plain.Texts(n.Needs, func(need *ir.Need) string { return "`" + need.Node.Local() + "`" })
	l.add("runs after", "%s", strings.Join(needs, ", "))
	l.add("outputs", "%s", labelsOf(n, ", "))
}

// nodesThat names the nodes with references of a role to a symbol.
func (a *analysis) nodesThat(s *symbols.Symbol, role symbols.Role) string {
	var names []string
	for _, r := range a.index.Of(s) {
		if r.Role != role || r.In == nil {
			continue
		}
		names = plain.AddNew(names, "`"+r.In.Local()+"`")
	}
	return strings.Join(names, ", ")
}

// describePresence says whether a value exists when it is read.
func describePresence(p expr.Presence) string {
	if p.Always() {
		return "always there"
	}
	var why []string
	if p&expr.MaybeSkipped != 0 {
		why = append(why, "the node may have been skipped")
	}
	if p&expr.MaybeFailed != 0 {
		why = append(why, "the node may have failed")
	}
	if p&expr.MaybeAbsent != 0 {
		why = append(why, "the output may lack it")
	}
	return strings.Join(why, "; ")
}

// describeType is a type with the fields of objects.
func describeType(t types.Type) string {
	switch t := t.(type) {
	case nil:
		return ""
	case *types.Struct:
		var fields []string
		for _, f := range t.Fields {
			name := f.Name
			if !f.Required {
				name += "?"
			}
			fields = append(fields, name+": "+f.Type.String())
		}
		return "object { " + strings.Join(fields, ", ") + " }"
	case *types.List:
		return "list of " + describeType(t.Elem)
	case *types.Optional:
		return describeType(t.Elem) + " or null"
	case *types.Enum:
		return "string"
	case types.Basic:
		switch t {
		case types.Text:
			return "string"
		case types.Invalid:
			return ""
		}
	}
	return t.String()
}

func enumOf(t types.Type) *types.Enum {
	e, _ := types.WithoutNull(t).(*types.Enum)
	return e
}

// hoverCondition describes what is known where the condition at an offset is decided.
func (a *analysis) hoverCondition(offset int) (text string, at source.Span, ok bool) {
	if a.index == nil {
		return "", at, false
	}
	if n := a.index.Enclosing(offset); n != nil && n.When != nil && spanContains(n.When.Span(), offset) {
		return describeKnownBefore(n), n.When.Span(), true
	}
	g, ok := a.result.Workflow.Workflow.Body.(*ir.Graph)
	if !ok {
		return "", at, false
	}
	for _, n := range g.Nodes {
		for i, e := range n.Out {
			if e.GuardSpan.IsValid() && spanContains(e.GuardSpan, offset) {
				return describeKnownAtEdge(n, i), e.GuardSpan, true
			}
		}
	}
	return "", at, false
}

// describeKnownBefore lists what holds whenever the condition of a DAG node is decided: the ends
// of the nodes that it needs, and their conditions.
func describeKnownBefore(n *ir.Node) string {
	l := &items{}
	seen := map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if n.Rule != ir.AllSuccess {
			return
		}
		for _, need := range n.Needs {
			if need.Order || seen[need.Node] {
				continue
			}
			seen[need.Node] = true
			if l.add(fmt.Sprintf("`%s`", need.Node.Local()), "completed"); need.Node.WhenText != "" {
				l.add("condition of `"+need.Node.Local()+"` was true", "`%s`", need.Node.WhenText)
			}
			visit(need.Node)
		}
	}
	visit(n)
	if l.Len() == 0 {
		return fmt.Sprintf("Nothing is known when the condition of `%s` is decided.", n.Local())
	}
	return fmt.Sprintf("Known when the condition of `%s` is decided:\n\n%s", n.Local(), strings.TrimSpace(l.String()))
}

// describeKnownAtEdge lists what holds whenever the condition of an edge is decided.
func describeKnownAtEdge(n *ir.Node, i int) string {
	l := &items{}
	l.add(fmt.Sprintf("`%s`", n.ID), "has ended with %s", labelsOf(n, " or "))
	for _, e := range n.Out[:i] {
		if e.GuardText != "" {
			l.add("condition of an earlier edge was false", "`%s`", e.GuardText)
		}
	}
	return "Known when the condition of this edge is decided:\n\n" + strings.TrimSpace(l.String())
}

func labelsOf(n *ir.Node, separator string) string {
	return strings.Join(plain.Texts(n.Labels, func(label *ir.Label) string { return "`" + label.Name + "`" }), separator)
}
