package lsp

import (
	"context"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// inlayHints shows the types of references that are more than strings, and the agents of
// nodes that do not name one.
func inlayHints(ctx context.Context, c *call, params *protocol.RangeParams) ([]protocol.InlayHint, error) {
	a, file, err := c.owningAnalysis(ctx, c.view.open[c.view.pathOf(params.TextDocument.URI)])
	if err != nil || a == nil || a.index == nil || file == nil {
		return nil, err
	}
	start, end := toOffset(file, params.Range.Start), toOffset(file, params.Range.End)
	list := []protocol.InlayHint{}
	add := func(at int, label string, kind protocol.InlayHintKind) {
		list = append(list, protocol.InlayHint{Position: toPosition(file, at), Label: label, Kind: kind, PaddingLeft: kind == protocol.ParameterHint})
	}
	for _, r := range a.index.References {
		at := referenceSpan(r)
		if at.File != file || at.End < start || at.End > end {
			continue
		}
		switch {
		case r.Role == symbols.Reads && r.Name.IsValid():
			if text := hintOf(r); text != "" {
				add(r.At.End, ": "+text, protocol.TypeHint)
			}
		case r.Role == symbols.Declares && r.Symbol.Kind == symbols.Node:
			if agent := impliedAgent(r.Symbol.Node, file); agent != "" {
				add(at.End, "agent: "+agent, protocol.ParameterHint)
			}
		}
	}
	return list, nil
}

// hintOf is the type of a reference that reads more than a string, or "". Of a reference to
// a field of an output, the field has the hint.
func hintOf(r *symbols.Reference) string {
	t := r.Type
	if r.Symbol.Kind == symbols.Node || r.Symbol.Kind == symbols.Label || r.Symbol.Kind == symbols.Variable {
		return ""
	}
	if e := enumOf(t); e != nil {
		if len(e.Values) > 4 {
			return ""
		}
		return strings.Join(e.Values, " | ")
	}
	if t == nil || types.IsText(t) || t == types.Any || t == types.Invalid {
		return ""
	}
	if s, ok := t.(*types.Struct); ok {
		return s.String()
	}
	return t.String()
}

// impliedAgent is the agent of a node that does not name it, or "".
func impliedAgent(n *ir.Node, file *source.File) string {
	p, ok := n.Action.(*ir.Prompt)
	if !ok || p.Agent.Name == "" || p.Agent.Span.File != file || p.Agent.Span.Text() == p.Agent.Name {
		return ""
	}
	if p.Agent.Model != "" {
		return p.Agent.Name + " (" + p.Agent.Model + ")"
	}
	return p.Agent.Name
}

// Commands that clients carry out for code lenses. Each gets the URI of the workflow or
// test file, and wfc.test also a pattern of the names of tests, for wfc test --run.
const (
	commandRun    = "wfc.run"
	commandDryRun = "wfc.dryRun"
	commandTest   = "wfc.test"
)

// codeLenses offers to run the workflow, if the client can.
func codeLenses(ctx context.Context, c *call, params *protocol.DocumentParams) ([]protocol.CodeLens, error) {
	doc, a, err := c.openAnalysis(ctx, params.TextDocument.URI)
	if doc == nil || err != nil || len(c.caps.Experimental.Commands) == 0 || a.index == nil && a.tests == nil {
		return nil, err
	}
	var tests []protocol.CodeLens
	if slices.Contains(c.caps.Experimental.Commands, commandTest) {
		if tests, err = c.testLenses(ctx, a); err != nil || a.tests != nil {
			return tests, err
		}
	}
	if a.index == nil {
		return nil, nil
	}
	at := a.result.Workflow.Workflow.NameSpan
	if at.File != a.file {
		at = source.Span{File: a.file}
	}
	list := []protocol.CodeLens{}
	for _, lens := range []struct{ title, command string }{{"Run", commandRun}, {"Dry run", commandDryRun}} {
		if slices.Contains(c.caps.Experimental.Commands, lens.command) {
			list = append(list, protocol.CodeLens{Range: rangeOf(at), Command: &protocol.Command{
				Title: lens.title, Command: lens.command, Arguments: []any{doc.uri},
			}})
		}
	}
	return append(list, tests...), nil
}
