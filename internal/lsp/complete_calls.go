package lsp

import (
	"context"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/lsp/protocol"
	"github.com/wfc-lang/wfc/internal/search"
)

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
		if m := namePattern.FindSubmatch(content); m != nil {
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
	starts := nodePattern.FindAllStringIndex(p.text[:p.offset], -1)
	if len(starts) == 0 {
		return nil
	}
	node := p.text[starts[len(starts)-1][1]:] // after the id
	if next := nodePattern.FindStringIndex(node); next != nil {
		node = node[:next[0]]
	}
	m := callPattern.FindStringSubmatch(node)
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
		for _, in := range a.result.Program.Workflow.Inputs {
			if in.Span.IsValid() {
				list = append(list, in)
			}
		}
	})
	return list
}
