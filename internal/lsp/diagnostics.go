package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/lsp/protocol"
)

// documentation is the page with the explanation of each code.
const documentation = "https://github.com/wfc-lang/wfc/blob/main/docs/checks.md"

// diagnostic is the one form that all messages about findings use.
func (v *view) diagnostic(a *analysis, d *diag.Diagnostic) protocol.Diagnostic {
	out := protocol.Diagnostic{
		Range: visible(rangeOf(d.Span)), Severity: severityOf(d.Severity), Source: "wfc",
		Code: d.Code.ID, CodeDescription: &protocol.CodeDescription{Href: documentation + "#" + anchor(d.Code)},
		Message: d.Message,
	}
	if d.Label != "" {
		out.Message += "\n" + d.Label
	}
	for _, help := range d.Help {
		out.Message += "\nhelp: " + help
	}
	switch d.Code.Slug {
	case "unused-ignore", "unused-variable", "unused-input", "unused-binding", "dead-edge", "never-runs", "no-effect":
		out.Tags = []protocol.DiagnosticTag{protocol.Unnecessary}
	case "deprecated-key":
		out.Tags = []protocol.DiagnosticTag{protocol.Deprecated}
	}
	for _, r := range d.Related {
		if path := a.pathOf(r.Span.File); path != "" {
			out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: v.uri(path), Range: rangeOf(r.Span)}, Message: r.Text,
			})
		}
	}
	return out
}

// visible makes an empty range at the start of a line one character wide: editors hide
// empty ones.
func visible(r protocol.Range) protocol.Range {
	if r.Start == r.End && r.Start.Character == 0 {
		r.End.Character++
	}
	return r
}

func severityOf(s diag.Severity) protocol.DiagnosticSeverity {
	switch s {
	case diag.Error:
		return protocol.SeverityError
	case diag.Warning:
		return protocol.SeverityWarning
	}
	return protocol.SeverityInformation
}

// anchor is the anchor of a code in its page.
func anchor(c *diag.Code) string { return strings.ToLower(c.ID) + "-" + c.Slug }

// diagnostics returns the diagnostics of an analysis by the path of their file. Those of
// files whose path is unknown are shown at the start of the document.
func (v *view) diagnostics(a *analysis) map[string][]protocol.Diagnostic {
	all := map[string][]protocol.Diagnostic{a.path: {}}
	for _, d := range a.findings {
		path := a.pathOf(d.Span.File)
		out := v.diagnostic(a, d)
		if path == "" {
			path, out.Range = a.path, visible(protocol.Range{})
		}
		all[path] = append(all[path], out)
	}
	if a.tests != nil {
		for _, f := range a.tests.faults {
			all[a.path] = append(all[a.path], protocol.Diagnostic{Range: visible(rangeOf(f.at)), Severity: protocol.SeverityError, Source: "wfc", Message: f.message})
		}
	}
	return all
}

// resultID identifies diagnostics by their content.
func resultID(list []protocol.Diagnostic) string {
	encoded, _ := json.Marshal(list) // has only strings and numbers
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}

func pullDiagnostics(ctx context.Context, c *call, params *protocol.DocumentDiagnosticParams) (*protocol.DocumentDiagnosticReport, error) {
	doc := c.view.open[c.view.pathOf(params.TextDocument.URI)]
	if doc == nil {
		return &protocol.DocumentDiagnosticReport{Kind: "full", Items: []protocol.Diagnostic{}}, nil
	}
	a, err := c.view.analyze(ctx, doc)
	if err != nil {
		return nil, err
	}
	all := c.view.diagnostics(a)
	report := full(all[doc.path])
	if report.ResultID == params.PreviousResultID {
		return &protocol.DocumentDiagnosticReport{Kind: "unchanged", ResultID: report.ResultID}, nil
	}
	if d := c.caps.TextDocument.Diagnostic; d != nil && d.RelatedDocumentSupport {
		for path, list := range all {
			if path != doc.path {
				if report.RelatedDocuments == nil {
					report.RelatedDocuments = map[protocol.URI]protocol.DocumentDiagnosticReport{}
				}
				report.RelatedDocuments[c.view.uri(path)] = full(list)
			}
		}
	}
	return &report, nil
}

func full(list []protocol.Diagnostic) protocol.DocumentDiagnosticReport {
	return protocol.DocumentDiagnosticReport{Kind: "full", ResultID: resultID(list), Items: list}
}

// pullAllDiagnostics reports the diagnostics of all workflows and configurations of the
// folders.
func pullAllDiagnostics(ctx context.Context, c *call, params *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	known := map[protocol.URI]string{}
	for _, p := range params.PreviousResultIDs {
		known[p.URI] = p.Value
	}
	all := map[string][]protocol.Diagnostic{}
	err := c.view.eachFile(ctx, func(a *analysis) {
		for path, list := range c.view.diagnostics(a) {
			all[path] = append(all[path], list...)
		}
	})
	if err != nil {
		return nil, err
	}
	report := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	for _, path := range sortedKeys(all) {
		item := protocol.WorkspaceDocumentDiagnosticReport{Kind: "full", URI: c.view.uri(path), Items: all[path], ResultID: resultID(all[path])}
		if doc := c.view.open[path]; doc != nil {
			item.Version = &doc.version
		}
		if known[item.URI] == item.ResultID {
			item.Kind, item.Items = "unchanged", nil
		}
		report.Items = append(report.Items, item)
	}
	return report, nil
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
