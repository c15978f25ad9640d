package lsp

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/lsp/protocol"
	"github.com/wfc-lang/wfc/internal/search"
	"github.com/wfc-lang/wfc/internal/symbols"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
)

// itemOf is the proposal of a symbol.
func (p *proposals) itemOf(s *symbols.Symbol) protocol.CompletionItem {
	kinds := map[symbols.Kind]protocol.CompletionItemKind{
		symbols.Node: protocol.CompleteModule, symbols.Field: protocol.CompleteField, symbols.Label: protocol.CompleteEnum,
		symbols.State: protocol.CompleteVariable, symbols.Input: protocol.CompleteVariable, symbols.Local: protocol.CompleteVariable,
	}
	item := protocol.CompletionItem{Label: s.Name, Kind: kinds[s.Kind], Documentation: documented(s.Doc)}
	switch {
	case s.Kind == symbols.Node && s.Node != nil:
		item.Detail = s.Node.Action.Kind() + " · " + describeType(s.Type)
	case s.Kind != symbols.Label:
		item.Detail = describeType(s.Type)
	}
	return item
}

// idPattern finds the ids of nodes in a file that does not compile.
var idPattern = lazyregexp.New(`(?m)^\s*(?:- )?\s*(?:id|name):\s*["']?([A-Za-z_][\w-]*)`)

// nodes returns the nodes of the last good version, but for the one at the cursor. Without
// such a version, they are found by their keys.
func (p *proposals) nodes() []*symbols.Symbol {
	if p.good == nil || p.good.index == nil {
		var list []*symbols.Symbol
		for _, m := range idPattern().FindAllStringSubmatch(p.text, -1) {
			list = append(list, &symbols.Symbol{Kind: symbols.Node, Name: m[1], Type: types.Text})
		}
		return list
	}
	here := p.here()
	return slices.DeleteFunc(p.symbolsOf(symbols.Node), func(s *symbols.Symbol) bool { return s.Name == "" || s.Name == here })
}

// here is the name of the node around the cursor, or "".
func (p *proposals) here() string {
	if id := p.keys["id"]; id != "" {
		return strings.Trim(id, `"'`)
	}
	if len(p.steps) > 1 && p.steps[0].Key == "nodes" {
		return p.steps[1].Key
	}
	return ""
}

// symbolsOf returns the symbols of kinds in the last good version.
func (p *proposals) symbolsOf(kinds ...symbols.Kind) []*symbols.Symbol {
	if p.good == nil || p.good.index == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.good.index.Symbols), func(s *symbols.Symbol) bool { return !slices.Contains(kinds, s.Kind) })
}

// node returns the node of a name in the last good version, or nil.
func (p *proposals) node(name string) *ir.Node {
	for _, s := range p.symbolsOf(symbols.Node) {
		if s.Name == name {
			return s.Node
		}
	}
	return nil
}

// labelsHere returns the outputs of the node around the cursor, or of the node that the
// edge around it leaves.
func (p *proposals) labelsHere() []*symbols.Symbol {
	name := p.here()
	if from := p.keys["from"]; from != "" {
		name = strings.Trim(from, `"'`)
	}
	return p.labelsOf(name)
}

// labelsOf returns the outputs of a node.
func (p *proposals) labelsOf(node string) []*symbols.Symbol {
	return slices.DeleteFunc(p.symbolsOf(symbols.Label), func(s *symbols.Symbol) bool { return s.Owner == nil || s.Owner.Name != node })
}

// fieldsHere proposes the fields of the output of the node around the cursor.
func (p *proposals) fieldsHere(n int) {
	if p.good == nil || p.good.index == nil {
		return
	}
	node := cmp.Or(p.node(p.here()), p.good.result.Workflow.Workflow.Returns)
	if node != nil {
		p.fieldsOf(node.Output, n)
	}
}

// fieldsOf proposes the fields of a type.
func (p *proposals) fieldsOf(t types.Type, n int) {
	switch t := t.(type) {
	case *types.Optional:
		p.fieldsOf(t.Elem, n)
	case *types.Struct:
		for _, f := range t.Fields {
			item := protocol.CompletionItem{Label: f.Name, Kind: protocol.CompleteField, Detail: describeType(f.Type), Documentation: documented(f.Doc)}
			p.add(n, item, f.Name)
		}
	}
}

// files proposes the names of command files or scripts: those of the project's folders.
func (p *proposals) files(n int, folder string, endings ...string) {
	files := &overlay{view: &p.view, read: map[string]bool{}}
	root := p.now.project.root
	settings := p.now.project.config.Options(p.doc.path).Settings
	dirs := settings.Commands
	if folder == "scripts" {
		dirs = settings.Scripts
	}
	list := []string{filepath.Join(root, ".archon", folder), filepath.Join(root, folder)}
	for _, dir := range dirs {
		list = append(list, filepath.Join(p.now.project.config.Dir, filepath.FromSlash(dir)))
	}
	seen := map[string]bool{}
	for _, dir := range list {
		for _, name := range files.List(dir) {
			stem := strings.TrimSuffix(name, filepath.Ext(name))
			if !slices.Contains(endings, filepath.Ext(name)) || seen[stem] {
				continue
			}
			seen[stem] = true
			detail := p.view.shown(filepath.Join(dir, name))
			p.add(n, protocol.CompletionItem{Label: stem, Kind: protocol.CompleteFile, Detail: detail}, stem)
		}
	}
}

// agents proposes the agents of wfc.yaml, and those that need no definition.
func (p *proposals) agents(n int) {
	seen := map[string]bool{}
	add := func(name, detail string) {
		if !seen[name] {
			seen[name] = true
			p.add(n, protocol.CompletionItem{Label: name, Kind: protocol.CompleteReference, Detail: detail}, name)
		}
	}
	for _, a := range p.now.project.config.Options(p.doc.path).Settings.Agents {
		add(a.Name, "wfc.yaml")
	}
	if p.dialect == "graphloop" {
		add("self", "")
		add("bash", "runs `command`")
	}
	for _, a := range catalog.Agents() {
		add(a.Name, a.Kind)
	}
	for _, s := range p.symbolsOf(symbols.Agent) {
		add(s.Name, "in this file")
	}
}

var (
	// namePattern finds the name of a workflow in its file. Completion compiles only the file
	// that it needs.
	namePattern = lazyregexp.New(`(?m)^name:[ \t]*["']?([^"'#\r\n]+)`)
	// callPattern finds the workflow that a node runs or includes, and nodePattern the start of a node.
	callPattern = lazyregexp.New(`(?m)^[ \t]*(?:- )?(?:workflow|include):[ \t]*["']?([^"'#\r\n]+)`)
	nodePattern = lazyregexp.New(`(?m)^[ \t]*- id:`)
)

// eachWorkflow calls visit with the path and the name of the other workflows of the project.
func (p *proposals) eachWorkflow(ctx context.Context, visit func(path, name string)) {
	paths, err := p.view.workflowFiles(ctx)
	if err != nil {
		return
	}
	files := &overlay{view: &p.view, read: map[string]bool{}}
	for _, path := range paths {
		if path == p.doc.path || search.BelongsToTests(path) || isConfig(path) || p.view.project(path).root != p.now.project.root {
			continue
		}
		content, err := files.Read(path)
		if err != nil {
			continue
		}
		if m := namePattern().FindSubmatch(content); m != nil {
			visit(path, strings.TrimSpace(string(m[1])))
		}
	}
}

// workflows proposes the other workflows of the project.
func (p *proposals) workflows(ctx context.Context, n int) {
	p.eachWorkflow(ctx, func(path, name string) {
		p.add(n, protocol.CompletionItem{Label: name, Kind: protocol.CompleteFile, Detail: p.view.shown(path)}, name)
	})
}

// arguments proposes the inputs of the workflow that a node runs: as keys of `with`, or as
// values.
func (p *proposals) arguments(ctx context.Context, keys bool) {
	for _, in := range p.calleeInputs(ctx) {
		if _, there := p.keys[in.Name]; keys && there && in.Name != p.prefix {
			continue
		}
		text := in.Name
		if keys {
			text += ": "
		}
		p.add(len(p.prefix), protocol.CompletionItem{Label: in.Name, Kind: protocol.CompleteVariable, Detail: describeType(in.Type), Documentation: documented(in.Doc)}, text)
	}
}

// calleeInputs returns the inputs of the workflow that the node around the cursor runs. It
// finds the node by its text: without its values, it often does not compile.
func (p *proposals) calleeInputs(ctx context.Context) []*ir.Input {
	starts := nodePattern().FindAllStringIndex(p.text[:p.offset], -1)
	if len(starts) == 0 {
		return nil
	}
	node := p.text[starts[len(starts)-1][1]:] // after the id
	if next := nodePattern().FindStringIndex(node); next != nil {
		node = node[:next[0]]
	}
	m := callPattern().FindStringSubmatch(node)
	if m == nil {
		return nil
	}
	var list []*ir.Input
	p.eachWorkflow(ctx, func(path, name string) {
		if name != strings.TrimSpace(m[1]) || list != nil {
			return
		}
		a, err := p.view.analyzePath(ctx, path)
		if err != nil || a == nil || a.index == nil {
			return
		}
		for _, in := range a.result.Workflow.Workflow.Inputs {
			if in.Span.IsValid() {
				list = append(list, in)
			}
		}
	})
	return list
}
