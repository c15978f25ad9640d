// Package protocol has the types of the Language Server Protocol 3.17 that the server of
// wfc uses, by the names of the specification.
//
// Libraries with these types stop at version 3.16 or link much more than types. A field
// that the server neither reads nor writes is left out.
package protocol

// A URI names a document, almost always as file:///path.
type URI string

// A Position is a place in a document. Line and Character count from 0; Character counts
// UTF-16 code units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Range is the text from Start up to End, which is not part of it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Location is a range in a document.
type Location struct {
	URI   URI   `json:"uri"`
	Range Range `json:"range"`
}

// A LocationLink leads from a place to the target of a definition.
type LocationLink struct {
	// OriginSelectionRange is the name under the cursor.
	OriginSelectionRange *Range `json:"originSelectionRange,omitempty"`
	TargetURI            URI    `json:"targetUri"`
	// TargetRange is the whole target, TargetSelectionRange its name.
	TargetRange          Range `json:"targetRange"`
	TargetSelectionRange Range `json:"targetSelectionRange"`
}

// A TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI URI `json:"uri"`
}

// A VersionedTextDocumentIdentifier names a version of an open document.
type VersionedTextDocumentIdentifier struct {
	URI     URI   `json:"uri"`
	Version int32 `json:"version"`
}

// TextDocumentPositionParams are the parameters of requests about a place.
type TextDocumentPositionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Position     Position               `json:"position"`
}

// DocumentParams are the parameters of requests about a whole document.
type DocumentParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// RangeParams are the parameters of requests about a part of a document.
type RangeParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
}

// A Command is a command of the client or of the server.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// MarkupContent is text in Markdown or plain text.
type MarkupContent struct {
	Kind  MarkupKind `json:"kind"`
	Value string     `json:"value"`
}

// MarkupKind is a format of text.
type MarkupKind string

// The formats of text.
const (
	PlainText MarkupKind = "plaintext"
	Markdown  MarkupKind = "markdown"
)

// A TextEdit replaces a range by a text.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// A TextDocumentEdit has the edits of one version of a document.
type TextDocumentEdit struct {
	TextDocument OptionalVersion `json:"textDocument"`
	Edits        []TextEdit      `json:"edits"`
}

// An OptionalVersion names a document; Version is nil if the document is not open.
type OptionalVersion struct {
	URI     URI    `json:"uri"`
	Version *int32 `json:"version"`
}

// A RenameFile renames a file in a WorkspaceEdit.
type RenameFile struct {
	// Kind is "rename".
	Kind   string `json:"kind"`
	OldURI URI    `json:"oldUri"`
	NewURI URI    `json:"newUri"`
}

// A WorkspaceEdit changes documents. Exactly one of the fields is set: DocumentChanges
// if the client supports them.
type WorkspaceEdit struct {
	Changes map[URI][]TextEdit `json:"changes,omitempty"`
	// DocumentChanges has TextDocumentEdit and RenameFile values.
	DocumentChanges []any `json:"documentChanges,omitempty"`
}
