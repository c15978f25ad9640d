package symbols

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A builder makes an index.
type builder struct {
	index *Index
	file  *source.File
	// nodes, state and inputs are by their names, fields and local variables by their
	// declarations: a name that several outputs share by an anchor is one field.
	nodes, state, inputs map[string]*Symbol
	fields               map[source.Span]*Symbol
	others               map[otherKey]*Symbol
	seen                 map[refKey]bool
	// around is the node that declares the added symbols.
	around *ir.Node
}

// An otherKey names a symbol that the file does not declare, or a label of a node.
type otherKey struct {
	kind Kind
	node string
	name string
}

// A refKey identifies a reference: a script and its bindings have the same expressions.
type refKey struct {
	symbol     *Symbol
	start, end int
	file       *source.File
}

func (b *builder) addSymbol(s *Symbol) *Symbol {
	b.index.Symbols = append(b.index.Symbols, s)
	return s
}

// addReference adds a reference whose name is somewhere in at.
func (b *builder) addReference(r Reference) {
	if r.Symbol == nil || !r.At.IsValid() {
		return
	}
	if !r.Name.IsValid() {
		r.Name, _ = locateName(r.At, r.Symbol.Name)
	}
	at := r.nameSpan()
	key := refKey{r.Symbol, at.Start, at.End, at.File}
	if b.seen[key] {
		return
	}
	b.seen[key] = true
	b.index.References = append(b.index.References, &r)
}

// addDeclaration adds the declaration of a symbol, and sets its Def.
func (b *builder) addDeclaration(s *Symbol, at source.Span) {
	if !at.IsValid() {
		return
	}
	name, ok := locateName(at, s.Name)
	if !ok {
		name = at
	}
	s.Def = name
	r := Reference{Symbol: s, At: at, Role: Declares, Type: s.Type, In: b.around}
	if ok {
		r.Name = name
	}
	b.addReference(r)
}

// declareWorkflow adds the symbols of a workflow.
func (b *builder) declareWorkflow(w *ir.Workflow) {
	if g, ok := w.Body.(*ir.Graph); ok && g.State != nil {
		for _, f := range g.State.Fields {
			s := b.addSymbol(&Symbol{Kind: State, Name: f.Name, Whole: f.Span, Type: f.Type, State: f})
			b.state[f.Name] = s
			b.addDeclaration(s, f.Span)
		}
	}
	replaced := map[string]*ir.Input{}
	for _, in := range w.Inputs {
		switch {
		case in.Replaces != "":
			replaced[in.Replaces] = in
		case b.state[in.Name] != nil:
			b.state[in.Name].Input = in
			b.inputs[in.Name] = b.state[in.Name]
		default:
			s := b.addSymbol(&Symbol{Kind: Input, Name: in.Name, Whole: in.Span, Type: in.Type, Doc: in.Doc, Input: in})
			b.inputs[in.Name] = s
			b.addDeclaration(s, in.Span)
		}
	}
	ir.Walk(w.Body, func(n *ir.Node) { b.addNode(n, replaced[n.ID]) })
	ir.Walk(w.Body, b.addNodeParts)
	b.around = nil
}

func (b *builder) addNode(n *ir.Node, given *ir.Input) {
	if known := b.nodes[n.ID]; known != nil {
		// The body of a loop has the id of its step; the output type of the body is more
		// exact.
		if _, structured := known.Node.Output.(*types.Struct); !structured {
			known.Type = n.Output
		}
		return
	}
	name := n.Local()
	if text := n.IDSpan.Text(); n.IDSpan.File != b.file && text != "" && strings.HasSuffix(name, "__"+text) {
		name = text // of a node of an included file
	}
	s := b.addSymbol(&Symbol{Kind: Node, Name: name, Whole: n.Span, Type: n.Output, Doc: n.Doc, Node: n})
	b.nodes[n.ID] = s
	if given != nil {
		s.Input = given
		b.inputs[given.Name] = s
	}
	b.around = n
	b.addDeclaration(s, n.IDSpan)
	if s.Def.IsValid() {
		b.fields[s.Def] = s // a field of a fork's output is the child
	}
}

// addNodeParts adds the fields, labels and handlers of a node.
func (b *builder) addNodeParts(n *ir.Node) {
	b.around = n
	owner := b.nodes[n.ID]
	b.structFields(owner, n.Output)
	if n.Spec != nil {
		b.structFields(owner, n.Spec.Type)
	}
	for _, l := range n.Labels {
		s := b.labelSymbol(n, l.Name)
		s.Whole = l.Span
		b.addDeclaration(s, l.Span)
	}
	for _, h := range n.Handlers {
		b.addReference(Reference{Symbol: b.labelSymbol(n, h.Label), At: h.LabelSpan, Role: Names, In: n})
		for _, a := range h.Assigns {
			if s := b.state[a.Field.Name]; s != nil {
				b.addReference(Reference{Symbol: s, At: a.Span, Role: Writes, Type: s.Type, In: n})
			}
		}
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		for _, v := range a.Vars {
			b.localSymbol(v.Var)
		}
	case *ir.Repeat:
		b.localSymbol(a.Previous)
	}
	b.templateLocals(ir.WrittenText(n.Action))
}

func (b *builder) labelSymbol(n *ir.Node, name string) *Symbol {
	key := otherKey{Label, n.ID, name}
	if b.others[key] == nil {
		b.others[key] = b.addSymbol(&Symbol{Kind: Label, Name: name, Owner: b.nodes[n.ID], Type: types.Text})
	}
	return b.others[key]
}

// structFields adds the fields of a type that this file declares, and those inside them.
func (b *builder) structFields(owner *Symbol, t types.Type) {
	switch t := t.(type) {
	case *types.Optional:
		b.structFields(owner, t.Elem)
	case *types.List:
		b.structFields(owner, t.Elem)
	case *types.Struct:
		for _, f := range t.Fields {
			b.fieldSymbol(owner, f)
			b.structFields(owner, f.Type)
		}
	}
}

// fieldSymbol returns the symbol of a field, or nil for one without a place.
func (b *builder) fieldSymbol(owner *Symbol, f *types.Field) *Symbol {
	if !f.Span.IsValid() {
		return nil
	}
	name, ok := locateName(f.Span, f.Name)
	if !ok {
		name = f.Span
	}
	if s := b.fields[name]; s != nil {
		return s
	}
	s := b.addSymbol(&Symbol{Kind: Field, Name: f.Name, Whole: f.Span, Type: f.Type, Doc: f.Doc, Owner: owner, Optional: !f.Required})
	b.fields[name] = s
	b.addDeclaration(s, f.Span)
	return s
}

// localSymbol returns the symbol of a variable that a template or loop declares, or nil for one
// without a place.
func (b *builder) localSymbol(d *expr.Declared) *Symbol {
	if d == nil || !d.At.IsValid() {
		return nil
	}
	name, ok := locateName(d.At, d.Name)
	if !ok {
		return nil
	}
	if s := b.fields[name]; s != nil {
		return s
	}
	s := b.addSymbol(&Symbol{Kind: Local, Name: d.Name, Whole: d.At, Type: d.Typ})
	b.fields[name] = s
	b.addDeclaration(s, d.At)
	return s
}

// templateLocals adds the variables that statements of a template declare.
func (b *builder) templateLocals(t *template.Template) {
	if t == nil {
		return
	}
	template.WalkParts(t.Parts, func(p template.Part) bool {
		switch p := p.(type) {
		case *template.For:
			b.addTarget(&p.Target)
		case *template.Set:
			b.addTarget(&p.Target)
		case *template.Macro:
			b.localSymbol(p.Var)
			for i := range p.Params {
				b.localSymbol(p.Params[i].Var)
			}
		}
		return true
	})
}

func (b *builder) addTarget(t *template.Target) {
	b.localSymbol(t.Var)
	for i := range t.Items {
		b.addTarget(&t.Items[i])
	}
}

// externalSymbol returns the symbol of a name that the file does not declare.
func (b *builder) externalSymbol(kind Kind, name string) *Symbol {
	key := otherKey{kind, "", name}
	if b.others[key] == nil {
		b.others[key] = b.addSymbol(&Symbol{Kind: kind, Name: name, Type: types.Text})
	}
	return b.others[key]
}

// locateName returns the place of a name in a span: the first one that is a whole word.
func locateName(at source.Span, name string) (source.Span, bool) {
	text := at.Text()
	for _, hyphens := range []bool{true, false} {
		for from := 0; name != ""; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			start := from + i
			end := start + len(name)
			if (start == 0 || !inWord(text[start-1], hyphens)) && (end == len(text) || !inWord(text[end], hyphens)) {
				return source.Span{File: at.File, Start: at.Start + start, End: at.Start + end}, true
			}
			from = start + 1
		}
	}
	return source.Span{}, false
}

// locateNameAfter is locate for a name behind an offset of a file, in the same expression.
func locateNameAfter(at source.Span, offset int, name string) (source.Span, bool) {
	at.Start = min(max(at.Start, offset), at.End)
	return locateName(at, name)
}

func inWord(c byte, hyphens bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80 || hyphens && c == '-'
}
