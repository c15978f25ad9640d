package protocol

import (
	"encoding/json"
)

// InitializeParams are the parameters of the request initialize.
type InitializeParams struct {
	ProcessID             *int               `json:"processId"`
	RootPath              string             `json:"rootPath,omitempty"`
	RootURI               URI                `json:"rootUri,omitempty"`
	WorkspaceFolders      []WorkspaceFolder  `json:"workspaceFolders,omitempty"`
	Capabilities          ClientCapabilities `json:"capabilities"`
	InitializationOptions json.RawMessage    `json:"initializationOptions,omitempty"`
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
		Diagnostics    RefreshSupport `json:"diagnostics"`
		SemanticTokens RefreshSupport `json:"semanticTokens"`
		InlayHint      RefreshSupport `json:"inlayHint"`
		CodeLens       RefreshSupport `json:"codeLens"`
	} `json:"workspace"`
	TextDocument struct {
		PublishDiagnostics struct {
			RelatedInformation     bool `json:"relatedInformation,omitempty"`
			CodeDescriptionSupport bool `json:"codeDescriptionSupport,omitempty"`
			DataSupport            bool `json:"dataSupport,omitempty"`
		} `json:"publishDiagnostics"`
		// Diagnostic is not nil if the client pulls diagnostics.
		Diagnostic *struct {
			RelatedDocumentSupport bool `json:"relatedDocumentSupport,omitempty"`
		} `json:"diagnostic,omitempty"`
		Definition struct {
			LinkSupport bool `json:"linkSupport,omitempty"`
		} `json:"definition"`
		Completion struct {
			CompletionItem struct {
				SnippetSupport bool `json:"snippetSupport,omitempty"`
			} `json:"completionItem"`
		} `json:"completion"`
	} `json:"textDocument"`
	Experimental struct {
		// Commands are the commands of wfc that the client carries out for code lenses,
		// such as wfc.run.
		Commands []string `json:"commands,omitempty"`
	} `json:"experimental"`
}

// RefreshSupport says whether the client asks again when the server tells it to.
type RefreshSupport struct {
	RefreshSupport bool `json:"refreshSupport,omitempty"`
}

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	Capabilities ServerCapabilities `json:"capabilities"`
	ServerInfo   ServerInfo         `json:"serverInfo"`
}

// ServerInfo names the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// ServerCapabilities are the abilities of the server.
type ServerCapabilities struct {
	PositionEncoding          string                      `json:"positionEncoding"`
	TextDocumentSync          TextDocumentSyncOptions     `json:"textDocumentSync"`
	HoverProvider             bool                        `json:"hoverProvider,omitempty"`
	CompletionProvider        *CompletionOptions          `json:"completionProvider,omitempty"`
	DefinitionProvider        bool                        `json:"definitionProvider,omitempty"`
	ReferencesProvider        bool                        `json:"referencesProvider,omitempty"`
	DocumentHighlightProvider bool                        `json:"documentHighlightProvider,omitempty"`
	DocumentSymbolProvider    bool                        `json:"documentSymbolProvider,omitempty"`
	WorkspaceSymbolProvider   bool                        `json:"workspaceSymbolProvider,omitempty"`
	CodeActionProvider        *CodeActionOptions          `json:"codeActionProvider,omitempty"`
	CodeLensProvider          *CodeLensOptions            `json:"codeLensProvider,omitempty"`
	RenameProvider            *RenameOptions              `json:"renameProvider,omitempty"`
	FoldingRangeProvider      bool                        `json:"foldingRangeProvider,omitempty"`
	CallHierarchyProvider     bool                        `json:"callHierarchyProvider,omitempty"`
	SemanticTokensProvider    *SemanticTokensOptions      `json:"semanticTokensProvider,omitempty"`
	InlayHintProvider         bool                        `json:"inlayHintProvider,omitempty"`
	DiagnosticProvider        *DiagnosticOptions          `json:"diagnosticProvider,omitempty"`
	Workspace                 WorkspaceServerCapabilities `json:"workspace"`
}

// WorkspaceServerCapabilities are the abilities of the server for folders.
type WorkspaceServerCapabilities struct {
	WorkspaceFolders struct {
		Supported           bool `json:"supported"`
		ChangeNotifications bool `json:"changeNotifications"`
	} `json:"workspaceFolders"`
}

// TextDocumentSyncOptions say how the client reports changes of documents.
type TextDocumentSyncOptions struct {
	OpenClose bool                 `json:"openClose"`
	Change    TextDocumentSyncKind `json:"change"`
	Save      bool                 `json:"save"`
}

// TextDocumentSyncKind is the form of a change.
type TextDocumentSyncKind int

// Incremental changes replace ranges.
const Incremental TextDocumentSyncKind = 2

// CompletionOptions are the options of completion.
type CompletionOptions struct {
	TriggerCharacters []string `json:"triggerCharacters,omitempty"`
}

// CodeActionOptions are the options of code actions.
type CodeActionOptions struct {
	CodeActionKinds []CodeActionKind `json:"codeActionKinds,omitempty"`
}

// CodeLensOptions are the options of code lenses.
type CodeLensOptions struct{}

// RenameOptions are the options of rename.
type RenameOptions struct {
	PrepareProvider bool `json:"prepareProvider"`
}

// SemanticTokensOptions are the options of semantic tokens.
type SemanticTokensOptions struct {
	Legend SemanticTokensLegend `json:"legend"`
	Full   bool                 `json:"full"`
	Range  bool                 `json:"range"`
}

// DiagnosticOptions are the options of pulled diagnostics.
type DiagnosticOptions struct {
	Identifier            string `json:"identifier,omitempty"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}

// CancelParams name the request that the client cancels: ID is a number or a string.
type CancelParams struct {
	ID json.RawMessage `json:"id"`
}

// Registration is a capability that the server registers later.
type Registration struct {
	ID              string `json:"id"`
	Method          string `json:"method"`
	RegisterOptions any    `json:"registerOptions,omitempty"`
}

// RegistrationParams are the parameters of client/registerCapability.
type RegistrationParams struct {
	Registrations []Registration `json:"registrations"`
}

// FileSystemWatcher says which files the client watches.
type FileSystemWatcher struct {
	GlobPattern string `json:"globPattern"`
}

// DidChangeWatchedFilesRegistrationOptions are the files that the client watches.
type DidChangeWatchedFilesRegistrationOptions struct {
	Watchers []FileSystemWatcher `json:"watchers"`
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

// LogMessageParams are the parameters of window/logMessage.
type LogMessageParams struct {
	Type    MessageType `json:"type"`
	Message string      `json:"message"`
}

// MessageType is the kind of a message.
type MessageType int

// ErrorMessage is the kind of messages that the server sends.
const ErrorMessage MessageType = 1

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
