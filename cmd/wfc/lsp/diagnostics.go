package lsp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// documentation is the page with a row for each code, which `wfc explain` describes.
const documentation = "https://github.com/wfc-lang/wfc/blob/main/docs/checks.md"

// protocolDiagnostic is the one form that all messages about findings use.
func (v *view) protocolDiagnostic(a *analysis, d *diag.Diagnostic) protocol.Diagnostic {
	out := protocol.Diagnostic{
		Range: visibleRange(rangeOf(d.Span)), Severity: severityOf(d.Severity), Source: "wfc",
		Code: d.Code.ID, CodeDescription: &protocol.CodeDescription{Href: documentation + "#" + codeAnchor(d.Code)},
		Message: d.Message,
	}
	if d.Label != "" {
		out.Message += "\n" + d.Label
	}
	for _, help := range d.Help {
		out.Message += "\nhelp: " + help
	}
	switch d.Code {
	case codes.UnusedIgnore, codes.UnusedValue, codes.DeadCondition, codes.NeverRuns, codes.NoEffect:
		out.Tags = []protocol.DiagnosticTag{protocol.Unnecessary}
	case codes.DeprecatedKey:
		out.Tags = []protocol.DiagnosticTag{protocol.Deprecated}
	}
	for _, r := range d.Related {
		if path := a.pathOf(r.Span.File); path != "" {
			out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: v.fileURI(path), Range: rangeOf(r.Span)}, Message: r.Text,
			})
		}
	}
	return out
}

// visibleRange makes an empty range at the start of a line one character wide: editors hide
// empty ones.
func visibleRange(r protocol.Range) protocol.Range {
	if r.Start == r.End && r.Start.Character == 0 {
		r.End.Character++
	}
	return r
}

func severityOf(s diag.Severity) protocol.DiagnosticSeverity {
	return cmp.Or(severities[s], protocol.SeverityInformation)
}

var severities = map[diag.Severity]protocol.DiagnosticSeverity{diag.Error: protocol.SeverityError, diag.Warning: protocol.SeverityWarning}

// codeAnchor is the anchor of a code in its page.
func codeAnchor(c *diag.Code) string { return strings.ToLower(c.ID) + "-" + c.Slug }

// diagnosticsByPath returns the diagnostics of an analysis by the path of their file. Those of
// files whose path is unknown are shown at the start of the document.
func (v *view) diagnosticsByPath(a *analysis) map[string][]protocol.Diagnostic {
	all := map[string][]protocol.Diagnostic{a.path: {}}
	for _, d := range a.findings {
		path := a.pathOf(d.Span.File)
		out := v.protocolDiagnostic(a, d)
		if path == "" {
			path, out.Range = a.path, visibleRange(protocol.Range{})
		}
		all[path] = append(all[path], out)
	}
	if a.tests != nil {
		for _, f := range a.tests.faults {
			all[a.path] = append(all[a.path], f.toDiagnostic())
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
	doc, a, err := c.openAnalysis(ctx, params.TextDocument.URI)
	switch {
	case err != nil:
		return nil, err
	case doc == nil:
		return &protocol.DocumentDiagnosticReport{Kind: "full", Items: []protocol.Diagnostic{}}, nil
	}
	all := c.view.diagnosticsByPath(a)
	report := fullReport(all[doc.path])
	if report.ResultID == params.PreviousResultID {
		return &protocol.DocumentDiagnosticReport{Kind: "unchanged", ResultID: report.ResultID}, nil
	}
	if d := c.caps.TextDocument.Diagnostic; d != nil && d.RelatedDocumentSupport {
		for path, list := range all {
			if path != doc.path {
				plain.PutEntry(&report.RelatedDocuments, c.view.fileURI(path), fullReport(list))
			}
		}
	}
	return &report, nil
}

func fullReport(list []protocol.Diagnostic) protocol.DocumentDiagnosticReport {
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
		for path, list := range c.view.diagnosticsByPath(a) {
			all[path] = append(all[path], list...)
		}
	})
	if err != nil {
		return nil, err
	}
	report := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		item := protocol.WorkspaceDocumentDiagnosticReport{Kind: "full", URI: c.view.fileURI(path), Items: all[path], ResultID: resultID(all[path])}
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

// publications are the diagnostics that the client has, by the document from which they
// are.
type publications struct {
	of map[string]*publication
	// sent has the last message about each file.
	sent map[string][]byte
}

// A publication is the diagnostics from one open document, by path.
type publication struct {
	analysis *analysis
	lists    map[string][]protocol.Diagnostic
}

// publishChanges keeps the client's diagnostics up to date until the context ends. It
// works on the newest state: changes that arrive while it compiles wait for the next
// round, which handles them all. So a fast typist costs one compilation at a time.
func (s *server) publishChanges(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		_, err := s.runGuarded(ctx, "diagnostics", func(ctx context.Context) (any, error) { return nil, s.publishDiagnostics(ctx) })
		if err != nil && ctx.Err() == nil {
			s.logError(ctx, "diagnostics: %v", err)
		}
	}
}

// publishDiagnostics sends the diagnostics that changed. A client that pulls diagnostics is asked to
// pull again if those of a document changed that was not edited.
func (s *server) publishDiagnostics(ctx context.Context) error {
	s.mu.Lock()
	v, pulls, refresh := s.files, s.client.TextDocument.Diagnostic != nil, s.client.Workspace.Diagnostics.RefreshSupport
	s.mu.Unlock()
	if pulls {
		if refresh && len(v.open) > 1 {
			s.requestRefresh("workspace/diagnostic/refresh")
		}
		return nil
	}
	p := &s.published
	touched := map[string]bool{}
	touch := func(p *publication) {
		for file := range p.lists {
			touched[file] = true
		}
	}
	for path, old := range p.of {
		if v.open[path] == nil {
			delete(p.of, path)
			touch(old)
		}
	}
	for _, doc := range newestFirst(v) {
		a, err := v.analyzeDocument(ctx, doc)
		if err != nil {
			return err
		}
		if s.isOutdated(doc) {
			s.wakePublisher() // another round follows, with the newer text
			continue
		}
		old := p.of[doc.path]
		if old != nil && old.analysis == a {
			continue
		}
		next := &publication{a, v.diagnosticsByPath(a)}
		p.of[doc.path] = next
		touch(next)
		if old != nil {
			touch(old)
		}
	}
	// Only now, because a document has findings of others that use it.
	s.sendDiagnostics(ctx, &v, touched)
	return nil
}

// isOutdated reports whether a document has a newer version.
func (s *server) isOutdated(doc *document) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.open[doc.path] != doc
}

// newestFirst returns the open documents, the one that changed last first.
func newestFirst(v view) []*document {
	list := make([]*document, 0, len(v.open))
	for _, path := range slices.Sorted(maps.Keys(v.open)) {
		list = append(list, v.open[path])
	}
	slices.SortStableFunc(list, func(a, b *document) int { return int(v.edits[b.path]) - int(v.edits[a.path]) })
	return list
}

// sendDiagnostics publishes the diagnostics of files, from whatever document they are, unless the
// client has the same.
func (s *server) sendDiagnostics(ctx context.Context, v *view, touched map[string]bool) {
	p := &s.published
	for _, file := range slices.Sorted(maps.Keys(touched)) {
		list := []protocol.Diagnostic{}
		for _, from := range slices.Sorted(maps.Keys(p.of)) {
			for _, d := range p.of[from].lists[file] {
				if !slices.ContainsFunc(list, func(e protocol.Diagnostic) bool { return sameFinding(d, e) }) {
					list = append(list, d)
				}
			}
		}
		params := protocol.PublishDiagnosticsParams{URI: v.fileURI(file), Diagnostics: list}
		if doc := v.open[file]; doc != nil {
			params.Version = &doc.version
		}
		message, _ := json.Marshal(params) // has only strings and numbers
		if v.open[file] == nil && len(list) == 0 && p.sent[file] == nil || bytes.Equal(p.sent[file], message) {
			continue
		}
		plain.PutEntry(&p.sent, file, message)
		if v.open[file] == nil && len(list) == 0 {
			delete(p.sent, file)
		}
		_ = s.conn.Notify(ctx, "textDocument/publishDiagnostics", json.RawMessage(message)) // the connection has ended
	}
}

// sameFinding reports whether two workflows have one finding about a file that both use.
func sameFinding(a, b protocol.Diagnostic) bool {
	return a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
}

// requestRefresh asks the client to request something again.
func (s *server) requestRefresh(method string) {
	s.requests.Go(func() {
		ctx, cancel := s.connectionContext()
		defer cancel()
		_ = s.conn.Call(ctx, method, nil, nil) // a client that refuses asks at the next edit
	})
}
