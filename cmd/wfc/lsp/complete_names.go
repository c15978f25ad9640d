package lsp

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/types"
)

// itemOf is the proposal of a symbol.
func (p *proposals) itemOf(s *symbols.Symbol) protocol.CompletionItem {
	kinds := map[symbols.Kind]protocol.CompletionItemKind{
		symbols.Node: protocol.CompleteModule, symbols.Field: protocol.CompleteField, symbols.Label: protocol.CompleteEnum,
		symbols.State: protocol.CompleteVariable, symbols.Input: protocol.CompleteVariable, symbols.Local: protocol.CompleteVariable,
	}
	item := protocol.CompletionItem{Label: s.Name, Kind: kinds[s.Kind], Documentation: markupContent(s.Doc)}
	switch {
	case s.Kind == symbols.Node && s.Node != nil:
		item.Detail = s.Node.Action.Kind() + " · " + describeType(s.Type)
	case s.Kind != symbols.Label:
		item.Detail = describeType(s.Type)
	}
	return item
}

// idPattern finds the ids of nodes in a file that does not compile.
var idPattern = lazyregexp.New(`(?m)^\s*(?:- )?\s*\{?\s*(?:id|name):\s*["']?([A-Za-z_][\w-]*)`)

// knownNodes returns the nodes of the last good version, but for the one at the cursor. Without
// such a version, they are found by their keys.
func (p *proposals) knownNodes() []*symbols.Symbol {
	if p.good == nil || p.good.index == nil {
		var list []*symbols.Symbol
		for _, m := range idPattern().FindAllStringSubmatch(p.text, -1) {
			list = append(list, &symbols.Symbol{Kind: symbols.Node, Name: m[1], Type: types.Text})
		}
		return list
	}
	here := p.enclosingNodeName()
	return slices.DeleteFunc(p.symbolsOf(symbols.Node), func(s *symbols.Symbol) bool { return s.Name == "" || s.Name == here })
}

// enclosingNodeName is the name of the node around the cursor, or "".
func (p *proposals) enclosingNodeName() string {
	if id := p.keys["id"]; id != "" {
		return strings.Trim(id, `"'`)
	}
	if len(p.steps) > 1 && p.steps[0].Key == "nodes" && p.steps[1].Key != "" {
		return p.steps[1].Key
	}
	if p.dialect != "archon" {
		return ""
	}
	return namePattern().FindString(p.nodeText())
}

// symbolsOf returns the symbols of kinds in the last good version.
func (p *proposals) symbolsOf(kinds ...symbols.Kind) []*symbols.Symbol {
	if p.good == nil || p.good.index == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.good.index.Symbols), func(s *symbols.Symbol) bool { return !slices.Contains(kinds, s.Kind) })
}

// lookupNode returns the node of a name in the last good version, or nil.
func (p *proposals) lookupNode(name string) *ir.Node {
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
	name := p.enclosingNodeName()
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
	node := cmp.Or(p.lookupNode(p.enclosingNodeName()), p.good.result.Workflow.Workflow.Returns)
	if node != nil {
		p.fieldsOf(node.Output, n)
	}
}

// fieldsOf proposes the fields of a type.
func (p *proposals) fieldsOf(t types.Type, n int) {
	if t, ok := types.WithoutNull(t).(*types.Struct); ok {
		for _, f := range t.Fields {
			item := protocol.CompletionItem{Label: f.Name, Kind: protocol.CompleteField, Detail: describeType(f.Type), Documentation: markupContent(f.Doc)}
			p.add(n, item, f.Name)
		}
	}
}

// outsideKinds are the kinds of names that compiler.Names knows.
var outsideKinds = map[symbols.Kind]string{
	symbols.Command: "command", symbols.Script: "script", symbols.Workflow: "workflow", symbols.Agent: "provider",
	symbols.Model: "model", symbols.Tool: "tool", symbols.Skill: "skill",
}

// providerPattern finds the agent of a node in its text, or else that of the workflow, which
// starts its line.
var providerPattern, topProvider = lazyregexp.New(`\bprovider:[ \t]*["']?([\w.-]+)`), lazyregexp.New(`(?m)^provider:[ \t]*["']?([\w.-]+)`)

// ownProvider is the agent that the node around the cursor names, or "".
func (p *proposals) ownProvider() string {
	if m := providerPattern().FindStringSubmatch(p.nodeText()); m != nil {
		return m[1]
	}
	return ""
}

// namesOutside returns the names of a kind from other files and from the configuration, as
// the compiler finds them, with their files.
func (p *proposals) namesOutside(kind symbols.Kind) map[string]string {
	own, top := p.ownProvider(), topProvider().FindStringSubmatch(p.text)
	if own == "" && top != nil {
		own = top[1]
	}
	opt := p.now.project.config.Options(p.doc.path)
	opt.Path, opt.Root, opt.Home, opt.Files = p.doc.path, p.now.project.root, p.view.home, &overlay{view: &p.view, read: map[string]bool{}}
	return compiler.Names(opt, outsideKinds[kind], own)
}

// proposeOutsideNames proposes the names that namesOutside returns.
func (p *proposals) proposeOutsideNames(n int, kind symbols.Kind) {
	names := p.namesOutside(kind)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		item := protocol.CompletionItem{Label: name, Kind: protocol.CompleteReference}
		switch of := names[name]; {
		case kind == symbols.Model:
			if own := p.ownProvider(); own != "" && of != "" && of != own {
				continue // the model chooses another agent
			}
			item.Detail = of
		case of != "":
			item.Kind, item.Detail = protocol.CompleteFile, p.view.displayPath(of)
		}
		if runtime := p.keys["runtime"]; kind == symbols.Script && runtime != "" && (runtime == "uv") != (filepath.Ext(names[name]) == ".py") {
			continue
		}
		text := name
		if strings.HasPrefix(name, "@") && !strings.ContainsAny(p.line, `"'`) {
			text = "'" + name + "'" // YAML has no plain scalar that starts so
		}
		p.add(n, item, text)
	}
}

// proposeAgents proposes the agents of wfc.yaml, and those that need no definition.
func (p *proposals) proposeAgents(n int) {
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
	// callPattern finds the workflow that a node runs or includes.
	callPattern = lazyregexp.New(`(?m)^[ \t]*(?:- )?(?:workflow|include):[ \t]*["']?([^"'#\r\n]+)`)
	// nodePattern finds the start of a node, and namePattern the id there.
	nodePattern = lazyregexp.New(`(?m)^[ \t]*- \{?[ \t]*id:`)
	namePattern = lazyregexp.New(`[A-Za-z_][\w-]*`)
)

// proposeArguments proposes the inputs of the workflow that a node runs: as keys of `with`, or as
// values.
func (p *proposals) proposeArguments(ctx context.Context, keys bool) {
	for _, in := range p.calleeInputs(ctx) {
		if _, there := p.keys[in.Name]; keys && there && in.Name != p.prefix {
			continue
		}
		text := in.Name
		if keys {
			text += ": "
		}
		p.add(len(p.prefix), protocol.CompletionItem{Label: in.Name, Kind: protocol.CompleteVariable, Detail: describeType(in.Type), Documentation: markupContent(in.Doc)}, text)
	}
}

// nodeText returns the text of the node around the cursor behind its id. Without its values,
// a node often does not compile.
func (p *proposals) nodeText() string {
	starts := nodePattern().FindAllStringIndex(p.text[:p.offset], -1)
	if len(starts) == 0 {
		return ""
	}
	node := p.text[starts[len(starts)-1][1]:]
	if next := nodePattern().FindStringIndex(node); next != nil {
		node = node[:next[0]]
	}
	return node
}

// calleeInputs returns the inputs of the workflow that the node around the cursor runs.
func (p *proposals) calleeInputs(ctx context.Context) []*ir.Input {
	m := callPattern().FindStringSubmatch(p.nodeText())
	if m == nil {
		return nil
	}
	path := p.namesOutside(symbols.Workflow)[strings.TrimSpace(m[1])]
	if path == "" {
		return nil
	}
	a, err := p.view.analyzePath(ctx, path)
	if err != nil || a == nil || a.index == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.result.Workflow.Workflow.Inputs), func(in *ir.Input) bool { return !in.Span.IsValid() })
}
