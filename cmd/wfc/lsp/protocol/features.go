package protocol

// A Hover describes the name under the cursor.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    *Range        `json:"range,omitempty"`
}

// ReferenceParams ask for the references to a name.
type ReferenceParams struct {
	TextDocumentPositionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// DocumentHighlightKind says how a name is used.
type DocumentHighlightKind int

// The kinds of highlights.
const (
	HighlightText  DocumentHighlightKind = 1
	HighlightRead  DocumentHighlightKind = 2
	HighlightWrite DocumentHighlightKind = 3
)

// A DocumentHighlight is a use of the name under the cursor.
type DocumentHighlight struct {
	Range Range                 `json:"range"`
	Kind  DocumentHighlightKind `json:"kind"`
}

// RenameParams rename the name under the cursor.
type RenameParams struct {
	TextDocumentPositionParams
	NewName string `json:"newName"`
}

// A PrepareRenameResult is the range of the name and its present text.
type PrepareRenameResult struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

// SymbolKind is the kind of a symbol.
type SymbolKind int

// The kinds that the server uses.
const (
	SymbolModule    SymbolKind = 2
	SymbolField     SymbolKind = 8
	SymbolFunction  SymbolKind = 12
	SymbolVariable  SymbolKind = 13
	SymbolConstant  SymbolKind = 14
	SymbolKey       SymbolKind = 20
	SymbolEnumValue SymbolKind = 22
)

// A DocumentSymbol is a name with the names inside it.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           SymbolKind       `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitempty"`
}

// WorkspaceSymbolParams search for names in all files.
type WorkspaceSymbolParams struct {
	Query string `json:"query"`
}

// A SymbolInformation is a name with its file.
type SymbolInformation struct {
	Name          string     `json:"name"`
	Kind          SymbolKind `json:"kind"`
	Location      Location   `json:"location"`
	ContainerName string     `json:"containerName,omitempty"`
}

// A FoldingRange can be folded: lines count from 0, and both belong to it.
type FoldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

// CompletionItemKind is the kind of a proposal.
type CompletionItemKind int

// The kinds that the server uses.
const (
	CompleteFunction  CompletionItemKind = 3
	CompleteField     CompletionItemKind = 5
	CompleteVariable  CompletionItemKind = 6
	CompleteModule    CompletionItemKind = 9
	CompleteProperty  CompletionItemKind = 10
	CompleteKeyword   CompletionItemKind = 14
	CompleteFile      CompletionItemKind = 17
	CompleteReference CompletionItemKind = 18
	CompleteEnum      CompletionItemKind = 20
	CompleteConstant  CompletionItemKind = 21
)

// A CompletionItem is a proposal.
type CompletionItem struct {
	Label         string             `json:"label"`
	Kind          CompletionItemKind `json:"kind"`
	Detail        string             `json:"detail,omitempty"`
	Documentation *MarkupContent     `json:"documentation,omitempty"`
	SortText      string             `json:"sortText,omitempty"`
	TextEdit      *TextEdit          `json:"textEdit,omitempty"`
}

// A CompletionList is the answer to completion.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// SemanticTokens are tokens of five numbers each: lines and characters from the last
// token, length, type, modifiers.
type SemanticTokens struct {
	Data []uint32 `json:"data"`
}

// InlayHintKind is the kind of an inlay hint.
type InlayHintKind int

// The kinds of hints.
const (
	TypeHint      InlayHintKind = 1
	ParameterHint InlayHintKind = 2
)

// An InlayHint is a text that the editor shows at a place.
type InlayHint struct {
	Position    Position      `json:"position"`
	Label       string        `json:"label"`
	Kind        InlayHintKind `json:"kind,omitempty"`
	PaddingLeft bool          `json:"paddingLeft,omitempty"`
}

// A CodeLens is a command that the editor shows above a line.
type CodeLens struct {
	Range   Range    `json:"range"`
	Command *Command `json:"command,omitempty"`
}

// A CallHierarchyItem is a node of the graph, or a workflow.
type CallHierarchyItem struct {
	Name           string     `json:"name"`
	Kind           SymbolKind `json:"kind"`
	Detail         string     `json:"detail,omitempty"`
	URI            URI        `json:"uri"`
	Range          Range      `json:"range"`
	SelectionRange Range      `json:"selectionRange"`
}

// CallHierarchyParams ask for the callers or the callees of an item.
type CallHierarchyParams struct {
	Item CallHierarchyItem `json:"item"`
}

// A CallHierarchyCall is a caller or a callee with the places of the calls.
type CallHierarchyCall struct {
	From       *CallHierarchyItem `json:"from,omitempty"`
	To         *CallHierarchyItem `json:"to,omitempty"`
	FromRanges []Range            `json:"fromRanges"`
}

// A Graph is the picture of a workflow. The method wfc/graph returns it; the protocol has
// no such method.
type Graph struct {
	Name string `json:"name"`
	// SVG is the picture. The group of a node has its key as the attribute data-node.
	SVG string `json:"svg"`
	// Stale is set if the text has no program: the picture is of the last version that had
	// one, and so are the ranges.
	Stale bool        `json:"stale"`
	Nodes []GraphNode `json:"nodes"`
}

// A GraphNode is a node of the workflow's file. Nodes inside a loop or a fork may have no
// box in the picture.
type GraphNode struct {
	Key            string `json:"key"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}
