package symbols

import (
	"cmp"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A place is a place in the YAML of a dialect whose scalars are names: the keys that lead
// there, where * is any key or any item of a list.
type place struct {
	path string
	kind Kind
	// keys says that the keys of the mapping at the place are the names.
	keys bool
}

// places are those of each dialect that expressions do not have.
var places = map[string][]place{
	"archon": {
		{path: "returns", kind: Node},
		{path: "outcome_field", kind: Field},
		{path: "provider", kind: Agent},
		{path: "model", kind: Model},
		{path: "nodes.*.depends_on.*", kind: Node},
		{path: "nodes.*.command", kind: Command},
		{path: "nodes.*.loop.command", kind: Command},
		{path: "nodes.*.loop.until_field", kind: Field},
		{path: "nodes.*.loop_group.until_field", kind: Field},
		{path: "nodes.*.script", kind: Script},
		{path: "nodes.*.workflow", kind: Workflow},
		{path: "nodes.*.include", kind: Workflow},
		{path: "nodes.*.with", kind: Argument, keys: true},
		{path: "nodes.*.fan_out.as", kind: Argument},
		{path: "nodes.*.provider", kind: Agent},
		{path: "nodes.*.model", kind: Model},
		{path: "fallbackModel", kind: Model},
		{path: "nodes.*.fallbackModel", kind: Model},
		{path: "nodes.*.agents.*.model", kind: Model},
		{path: "nodes.*.allowed_tools.*", kind: Tool},
		{path: "nodes.*.denied_tools.*", kind: Tool},
		{path: "nodes.*.agents.*.tools.*", kind: Tool},
		{path: "nodes.*.agents.*.disallowedTools.*", kind: Tool},
		{path: "nodes.*.skills.*", kind: Skill},
		{path: "nodes.*.agents.*.skills.*", kind: Skill},
	},
	"graphloop": {
		{path: "nodes.*.branches.*", kind: Node},
		{path: "nodes.*.wait_for.*", kind: Node},
		{path: "nodes.*.default_output", kind: Label},
		{path: "nodes.*.on_output", kind: Label, keys: true},
		{path: "nodes.*.agent", kind: Agent},
		{path: "nodes.*.model", kind: Model},
		{path: "edges.*.from", kind: Node},
		{path: "edges.*.to", kind: Node},
		{path: "interrupts.*.before", kind: Node},
		{path: "interrupts.*.after", kind: Node},
	},
	"lango": {
		{path: "steps.*.depends_on.*", kind: Node},
		{path: "steps.*.agent", kind: Agent},
	},
}

// PlaceOf returns the kind of the names at a path of keys of a dialect, in which * is an
// item of a list. ok is false for a path whose values are not names.
func PlaceOf(dialect string, path []string) (kind Kind, ok bool) {
	path = stripGroups(path)
	for _, p := range places[dialect] {
		if !p.keys && Matches(p.path, path) {
			return p.kind, true
		}
	}
	return 0, false
}

// stripGroups removes the groups around a node from a path, so that nodes inside others have
// the places of other nodes.
func stripGroups(path []string) []string {
	for len(path) > 3 && path[0] == "nodes" && path[2] == "loop_group" && path[3] == "nodes" {
		path = path[3:]
	}
	return path
}

// Matches reports whether a path of keys matches a pattern of keys with dots between them,
// in which * is any key.
func Matches(pattern string, path []string) bool {
	i := 0
	for part := range strings.SplitSeq(pattern, ".") {
		if i == len(path) || part != "*" && part != path[i] {
			return false
		}
		i++
	}
	return i == len(path)
}

// addStructure adds the names that are whole values of the YAML.
func (b *builder) addStructure(p *ir.Program, root *yamlsrc.Node) {
	s := &structure{builder: b, program: p, list: places[p.Dialect], parsed: map[*source.File]*yamlsrc.Document{}}
	s.walkYAML(root, nil)
}

// maxPath bounds the depth of the places of names.
const maxPath = 64

type structure struct {
	*builder
	program *ir.Program
	list    []place
	// parsed are included files.
	parsed map[*source.File]*yamlsrc.Document
}

func (s *structure) walkYAML(n *yamlsrc.Node, path []string) {
	if n.Alias.IsValid() || len(path) > maxPath {
		return
	}
	s.addRequired(n)
	place := stripGroups(path)
	for _, item := range n.Items {
		s.addValue(item, append(path, "*"))
	}
	for i := range n.Pairs {
		pair := &n.Pairs[i]
		if pair.Merged {
			continue
		}
		for _, p := range s.list {
			if p.keys && Matches(p.path, place) {
				s.addName(pair.Key, p.kind)
			}
		}
		s.addValue(pair.Value, append(path, pair.Key.Value))
	}
}

// addRequired adds the fields that a JSON Schema lists as required.
func (s *structure) addRequired(n *yamlsrc.Node) {
	properties, required := n.Get("properties"), n.Get("required")
	if properties == nil || required == nil || required.Alias.IsValid() {
		return
	}
	for _, item := range required.Items {
		if p := properties.Pair(item.Value); p != nil && !item.Alias.IsValid() {
			if name, ok := locateName(p.Key.Span, p.Key.Value); ok && s.fields[name] != nil {
				b := s.builder
				b.addReference(Reference{Symbol: s.fields[name], At: item.Span, Role: Names, In: s.index.Enclosing(item.Span.Start)})
			}
		}
	}
}

func (s *structure) addValue(n *yamlsrc.Node, path []string) {
	if n.Kind != yamlsrc.Scalar {
		s.walkYAML(n, path)
		return
	}
	if n.Alias.IsValid() {
		return
	}
	path = stripGroups(path)
	for _, p := range s.list {
		if !p.keys && Matches(p.path, path) {
			s.addName(n, p.kind)
		}
	}
}

// addName adds a reference by a scalar.
func (s *structure) addName(n *yamlsrc.Node, kind Kind) {
	in := s.index.Enclosing(n.Span.Start)
	r := Reference{At: n.Span, Role: Names, In: in}
	switch kind {
	case Node:
		r.Symbol = s.nodeNear(n.Value, in)
	case Label:
		if in != nil && in.Label(n.Value) != nil {
			r.Symbol = s.labelSymbol(in, n.Value)
		}
	case Field:
		owner := cmp.Or(in, s.program.Workflow.Returns)
		if owner != nil {
			if f := FieldOf(owner.Output, n.Value); f != nil {
				r.Symbol, r.Role = s.fieldSymbol(s.nodes[owner.ID], f), Reads
			}
		}
	case Command:
		r.Symbol = s.externalSymbol(Command, n.Value)
		if in != nil && r.Symbol.File == nil {
			r.Symbol.File = commandFile(in, s.program.File)
		}
	case Workflow:
		if file := s.usedFile(in); file != nil {
			r.Symbol = s.externalSymbol(Workflow, n.Value)
			r.Symbol.File = file
		}
	case Argument:
		if call, ok := actionOf[*ir.Call](in); ok && call.Callee != nil {
			r.Symbol, r.Role = s.argumentSymbol(call.Callee, n.Value), Writes
		} else if file := s.usedFile(in); file != nil {
			r.Symbol, r.Role = s.includedInput(file, n.Value), Writes
		}
	case Script:
		if script, ok := actionOf[*ir.Script](in); ok && script.Name != "" && script.Original != nil {
			r.Symbol = s.externalSymbol(Script, n.Value)
			r.Symbol.File = script.Original.Source.File()
		}
	default:
		r.Symbol = s.externalSymbol(kind, n.Value)
	}
	b := s.builder
	b.addReference(r)
}

// argumentSymbol returns the symbol of an input of another workflow, or nil.
func (b *builder) argumentSymbol(callee *ir.Program, name string) *Symbol {
	for _, in := range callee.Workflow.Inputs {
		if in.Name != name || !in.Span.IsValid() {
			continue
		}
		key := otherKey{Argument, callee.File.Name, name}
		if b.others[key] == nil {
			def, _ := locateName(in.Span, name)
			b.others[key] = b.addSymbol(&Symbol{Kind: Argument, Name: name, Def: def, Whole: in.Span, Type: in.Type, Doc: in.Doc, Input: in})
		}
		return b.others[key]
	}
	return nil
}

// usedFile returns the file of the workflow that a node runs or includes, or nil.
func (s *structure) usedFile(n *ir.Node) *source.File {
	if call, ok := actionOf[*ir.Call](n); ok && call.Callee != nil {
		return call.Callee.File
	}
	if _, ok := actionOf[*ir.Include](n); !ok {
		return nil
	}
	for _, use := range s.program.Used {
		if use.At.File == n.Span.File && n.Span.Start <= use.At.Start && use.At.End <= n.Span.End {
			return use.File
		}
	}
	return nil
}

// includedInput returns the symbol of an input of an included file, or nil. The program has no
// such input: its value is at the places that read it.
func (s *structure) includedInput(file *source.File, name string) *Symbol {
	key := otherKey{Argument, file.Name, name}
	if known := s.others[key]; known != nil {
		return known
	}
	doc := s.parsed[file]
	if doc == nil {
		doc = yamlsrc.Parse(file, new(diag.Bag)) // the compiler reports the faults
		s.parsed[file] = doc
	}
	if doc == nil || doc.Root == nil {
		return nil
	}
	pair := doc.Root.Get("inputs").Pair(name)
	if pair == nil {
		return nil
	}
	def, _ := locateName(pair.Key.Span, name)
	out := &Symbol{Kind: Argument, Name: name, Def: def, Whole: pair.Key.Span, Type: types.Text}
	if about := pair.Value.Get("description"); about != nil {
		out.Doc = strings.TrimSpace(about.Value)
	}
	s.others[key] = s.addSymbol(out)
	return out
}

// nodeNear returns the node that a name means in a node: of those in the same body, or
// else around it.
func (s *structure) nodeNear(name string, in *ir.Node) *Symbol {
	if in != nil {
		prefix := strings.TrimSuffix(in.ID, in.Local())
		for prefix != "" {
			if found := s.nodes[prefix+name]; found != nil {
				return found
			}
			prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "."), '.')+1]
		}
	}
	return s.nodes[name]
}

// actionOf returns the action of a node, or of the body that it repeats, if it has the
// type.
func actionOf[A ir.Action](n *ir.Node) (action A, ok bool) {
	if n == nil {
		return action, false
	}
	if action, ok = n.Action.(A); ok {
		return action, true
	}
	for _, inner := range n.Inner() {
		if action, ok = actionOf[A](inner); ok {
			return action, true
		}
	}
	return action, false
}

// commandFile returns the file that the prompt of a node came from, or nil.
func commandFile(n *ir.Node, workflow *source.File) *source.File {
	prompt, ok := actionOf[*ir.Prompt](n)
	if !ok || prompt.Text == nil {
		return nil
	}
	if f := prompt.Text.Source.File(); f != workflow {
		return f
	}
	return nil
}
