package protocol

import (
	"encoding/json"
)

// InitializeParams are the parameters of the request initialize.
type InitializeParams struct {
	RootPath         string             `json:"rootPath,omitempty"`
	RootURI          URI                `json:"rootUri,omitempty"`
	WorkspaceFolders []WorkspaceFolder  `json:"workspaceFolders,omitempty"`
	Capabilities     ClientCapabilities `json:"capabilities"`
}

// A WorkspaceFolder is a folder that the client has open.
type WorkspaceFolder struct {
	URI  URI    `json:"uri"`
	Name string `json:"name"`
}

// DidChangeWorkspaceFoldersParams say which folders the client opened and closed.
type DidChangeWorkspaceFoldersParams struct {
	Event struct {
		Added   []WorkspaceFolder `json:"added"`
		Removed []WorkspaceFolder `json:"removed"`
	} `json:"event"`
}

// ClientCapabilities are the abilities of the client that the server asks about.
type ClientCapabilities struct {
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges,omitempty"`
			ResourceOperations []string `json:"resourceOperations,omitempty"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration,omitempty"`
		} `json:"didChangeWatchedFiles"`
		Diagnostics struct {
			RefreshSupport bool `json:"refreshSupport,omitempty"`
		} `json:"diagnostics"`
	} `json:"workspace"`
	TextDocument struct {
		// Diagnostic is not nil if the client pulls diagnostics.
		Diagnostic *struct {
			RelatedDocumentSupport bool `json:"relatedDocumentSupport,omitempty"`
		} `json:"diagnostic,omitempty"`
		Definition struct {
			LinkSupport bool `json:"linkSupport,omitempty"`
		} `json:"definition"`
	} `json:"textDocument"`
	Experimental struct {
		// Commands are the commands of wfc that the client carries out for code lenses,
		// such as wfc.run.
		Commands []string `json:"commands,omitempty"`
	} `json:"experimental"`
}

// CancelParams name the request that the client cancels: ID is a number or a string.
type CancelParams struct {
	ID json.RawMessage `json:"id"`
}

// DidChangeWatchedFilesParams list files that changed on the disk.
type DidChangeWatchedFilesParams struct {
	Changes []FileEvent `json:"changes"`
}

// A FileEvent is a change of a file: Type is 1 for created, 2 for changed, 3 for deleted.
type FileEvent struct {
	URI  URI `json:"uri"`
	Type int `json:"type"`
}

// The codes of errors of the Language Server Protocol.
const (
	ServerNotInitialized = -32002
	RequestFailed        = -32803
	RequestCancelled     = -32800
)

// A TextDocumentItem is a document that the client opens.
type TextDocumentItem struct {
	URI        URI    `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int32  `json:"version"`
	Text       string `json:"text"`
}

// DidOpenTextDocumentParams open a document.
type DidOpenTextDocumentParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidChangeTextDocumentParams change an open document, in order.
type DidChangeTextDocumentParams struct {
	TextDocument   VersionedTextDocumentIdentifier  `json:"textDocument"`
	ContentChanges []TextDocumentContentChangeEvent `json:"contentChanges"`
}

// A TextDocumentContentChangeEvent replaces a range, or all if Range is nil.
type TextDocumentContentChangeEvent struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}
