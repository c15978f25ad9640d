package protocol

import "encoding/json"

// DiagnosticSeverity is the severity of a diagnostic.
type DiagnosticSeverity int

// The severities.
const (
	SeverityError       DiagnosticSeverity = 1
	SeverityWarning     DiagnosticSeverity = 2
	SeverityInformation DiagnosticSeverity = 3
)

// DiagnosticTag says how an editor shows a diagnostic.
type DiagnosticTag int

// The tags.
const (
	Unnecessary DiagnosticTag = 1
	Deprecated  DiagnosticTag = 2
)

// A Diagnostic is a finding in a document.
type Diagnostic struct {
	Range              Range                          `json:"range"`
	Severity           DiagnosticSeverity             `json:"severity"`
	Code               string                         `json:"code"`
	CodeDescription    *CodeDescription               `json:"codeDescription,omitempty"`
	Source             string                         `json:"source"`
	Message            string                         `json:"message"`
	Tags               []DiagnosticTag                `json:"tags,omitempty"`
	RelatedInformation []DiagnosticRelatedInformation `json:"relatedInformation,omitempty"`
}

// A CodeDescription links to the documentation of a code.
type CodeDescription struct {
	Href string `json:"href"`
}

// A DiagnosticRelatedInformation is another place that explains a diagnostic.
type DiagnosticRelatedInformation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// PublishDiagnosticsParams are all diagnostics of a document. Version is nil if the
// document is not open.
type PublishDiagnosticsParams struct {
	URI         URI          `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// DocumentDiagnosticParams ask for the diagnostics of a document.
type DocumentDiagnosticParams struct {
	TextDocument     TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                 `json:"previousResultId,omitempty"`
}

// A DocumentDiagnosticReport is the answer: Kind is "full", or "unchanged" without Items.
type DocumentDiagnosticReport struct {
	Kind             string                           `json:"kind"`
	ResultID         string                           `json:"resultId,omitempty"`
	Items            []Diagnostic                     `json:"items"`
	RelatedDocuments map[URI]DocumentDiagnosticReport `json:"relatedDocuments,omitempty"`
}

// MarshalJSON leaves out the items of an unchanged report.
func (r DocumentDiagnosticReport) MarshalJSON() ([]byte, error) {
	if r.Kind == "unchanged" {
		return json.Marshal(struct {
			Kind     string `json:"kind"`
			ResultID string `json:"resultId"`
		}{r.Kind, r.ResultID})
	}
	type plain DocumentDiagnosticReport
	return json.Marshal(plain(r))
}

// WorkspaceDiagnosticParams ask for the diagnostics of all files.
type WorkspaceDiagnosticParams struct {
	PreviousResultIDs []PreviousResultID `json:"previousResultIds"`
}

// A PreviousResultID is the last result that the client has of a document.
type PreviousResultID struct {
	URI   URI    `json:"uri"`
	Value string `json:"value"`
}

// A WorkspaceDiagnosticReport is the answer to WorkspaceDiagnosticParams.
type WorkspaceDiagnosticReport struct {
	Items []WorkspaceDocumentDiagnosticReport `json:"items"`
}

// A WorkspaceDocumentDiagnosticReport has the diagnostics of one file. Version is nil if
// the file is not open.
type WorkspaceDocumentDiagnosticReport struct {
	Kind     string       `json:"kind"`
	ResultID string       `json:"resultId,omitempty"`
	URI      URI          `json:"uri"`
	Version  *int32       `json:"version"`
	Items    []Diagnostic `json:"items"`
}

// CodeActionKind is the kind of a code action.
type CodeActionKind string

// The kinds that the server offers.
const (
	QuickFix     CodeActionKind = "quickfix"
	SourceFixAll CodeActionKind = "source.fixAll"
)

// CodeActionParams ask for the code actions of a range.
type CodeActionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
	Context      CodeActionContext      `json:"context"`
}

// A CodeActionContext has the kinds that the client asks for; none means all.
type CodeActionContext struct {
	Diagnostics []Diagnostic     `json:"diagnostics"`
	Only        []CodeActionKind `json:"only,omitempty"`
}

// A CodeAction is a change that resolves diagnostics.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        CodeActionKind `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
}
