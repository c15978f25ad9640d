// Package lsp is the language server of wfc: `wfc lsp`.
//
// It answers from the results of the compiler and never parses a workflow itself. Four
// parts follow each other:
//
//   - server.go and dispatch.go carry out the protocol. Notifications are handled one
//     after the other, in the order in which the client sent them. Each request gets the
//     documents as they were when it arrived, and then runs beside the others, so a
//     slow one holds up nothing and a cancelled one ends at its next check.
//   - document.go and disk.go hold the files: the text of open documents, and
//     for all others what was on the disk when the server first asked. A compilation per
//     keystroke therefore reads no file twice. The client says which files changed.
//   - analysis.go compiles a document and makes its index of names (package symbols), once
//     for each version of it and of the files that it read.
//   - The other files have one feature each. They turn spans into ranges only at the end.
//
// Beyond LSP 3.17, the method wfc/graph takes the parameters of textDocument/documentSymbol and returns
// `name`, `svg`, `stale` and `nodes` with `key`, `range` and `selectionRange`. A client that lists
// commands in its capabilities,
//
//	{"capabilities": {"experimental": {"commands": ["wfc.run", "wfc.dryRun", "wfc.test"]}}}
//
// gets code lenses for them, with the workflow's URI, and for wfc.test a regular expression for --run.
//
// Every position that leaves the server goes through position.go, which counts UTF-16
// code units. No feature may trust a position of the client: it may be from an older
// version of the document, so conversion moves it into the document.
package lsp
