package lsp

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// testUses adds the uses of a name in the test files of its workflow.
func (c *call) testUses(ctx context.Context, workflow *analysis, s *symbols.Symbol, list []use) ([]use, error) {
	files, err := c.testsOf(ctx, workflow.path)
	for _, a := range files {
		for _, r := range a.tests.refs {
			if sameName(r.Symbol, s) {
				list = append(list, use{a, r})
			}
		}
	}
	return list, err
}

// sameName reports whether two versions of a workflow declare a symbol at the same place.
func sameName(a, b *symbols.Symbol) bool {
	return a == b || a.Kind == b.Kind && a.Name == b.Name && a.Def.Start == b.Def.Start
}

// testsOf returns the analyses of the test files of a workflow, in the order of their paths.
func (c *call) testsOf(ctx context.Context, workflow string) ([]*analysis, error) {
	paths, err := c.view.workflowFiles(ctx)
	if err != nil {
		return nil, err
	}
	paths = append(slices.Clone(paths), search.TestsOf(workflow)...) // the folders may not contain them
	slices.Sort(paths)
	var list []*analysis
	for _, path := range slices.Compact(paths) {
		if !search.IsTest(path) || !c.view.mayTest(path, workflow) {
			continue
		}
		a, err := c.view.analyzePath(ctx, path)
		if err != nil {
			return nil, err
		}
		if a != nil && a.tests.workflow == workflow {
			list = append(list, a)
		}
	}
	return list, nil
}

// mayTest reports whether a file may be for a workflow, without compiling it: by its name,
// or because it mentions the name of the workflow's file.
func (v *view) mayTest(path, workflow string) bool {
	if slices.Contains(search.TestsOf(workflow), path) {
		return true
	}
	f, err := v.readFile(path)
	return err == nil && strings.Contains(string(f.Content), filepath.Base(workflow))
}

// proposeTested proposes the names of the tested workflow.
func (p *proposals) proposeTested(keys bool) {
	if p.now == nil || p.now.tests == nil {
		return
	}
	kind, ok := testPlaceOf(p.cursor.symbolPath(), keys)
	if !ok {
		return
	}
	for _, s := range p.symbolsOf(symbols.Node, symbols.Input, symbols.State) {
		name := s.Name
		switch {
		case s.Kind == symbols.Argument:
			continue
		case kind == symbols.Input && s.Input != nil:
			name = s.Input.Name
		case kind != s.Kind:
			continue
		case kind == symbols.Node:
			name = s.Node.ID
		}
		if _, there := p.keys[name]; name == "" || keys && there && name != p.prefix {
			continue
		}
		item, text := p.itemOf(s), name
		if item.Label = name; keys {
			text += ": "
		}
		p.add(len(p.prefix), item, text)
	}
}

// A testCase is a test of a file.
type testCase struct {
	name string
	node *yamlsrc.Node
}

// testCases returns the tests of a test file.
func (a *analysis) testCases() []testCase {
	var list []testCase
	if a.doc == nil {
		return nil
	}
	all := a.doc.Root.Get("tests")
	if all == nil {
		return nil
	}
	base := strings.TrimSuffix(filepath.Base(a.path), search.TestSuffix)
	for _, n := range all.Items {
		if name := n.Get("name"); name != nil && name.Value != "" {
			list = append(list, testCase{base + "/" + name.Value, n})
		}
	}
	return list
}

// testLenses offers to run the tests of a workflow, those that mention a node, or one test
// of a test file.
func (c *call) testLenses(ctx context.Context, a *analysis) ([]protocol.CodeLens, error) {
	lens := func(at protocol.Range, title, path string, names []string) protocol.CodeLens {
		for i, name := range names {
			names[i] = regexp.QuoteMeta(name)
		}
		return protocol.CodeLens{Range: at, Command: &protocol.Command{
			Title: title, Command: commandTest, Arguments: []any{c.view.fileURI(path), "^(" + strings.Join(names, "|") + ")$"},
		}}
	}
	var list []protocol.CodeLens
	if a.tests != nil {
		for _, test := range a.testCases() {
			list = append(list, lens(rangeOf(test.node.Get("name").Span), "Run test", a.path, []string{test.name}))
		}
		return list, nil
	}
	files, err := c.testsOf(ctx, a.path)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	for _, s := range a.index.Symbols {
		if s.Kind != symbols.Node || s.Def.File != a.file {
			continue
		}
		var names []string
		for _, f := range files {
			for _, test := range f.testCases() {
				mentions := func(r *symbols.Reference) bool {
					return sameName(r.Symbol, s) && spanContains(test.node.Span, r.At.Start)
				}
				if slices.ContainsFunc(f.tests.refs, mentions) && !slices.Contains(names, test.name) {
					names = append(names, test.name)
				}
			}
		}
		if len(names) > 0 {
			list = append(list, lens(rangeOf(s.Def), plain.Count(len(names), "test"), a.path, names))
		}
	}
	return list, nil
}
