package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp"
	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A client speaks the protocol with a server in the same process, as an editor does.
type client struct {
	t      testing.TB
	conn   *jsonrpc2.Conn
	ended  chan error
	files  map[string]string // open documents, by path
	result struct {
		Capabilities struct {
			SemanticTokensProvider struct{ Legend struct{ TokenTypes []string } }
		}
	}

	mu       sync.Mutex
	arrived  *sync.Cond
	messages map[string]protocol.PublishDiagnosticsParams // the last ones, by path
	count    int                                          // of messages
	logged   []string
	calls    []string // methods that the server called
}

// connect starts a server and initializes it for a folder.
func connect(t testing.TB, folder string, change func(*protocol.InitializeParams)) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	c := &client{t: t, ended: make(chan error, 1), files: map[string]string{}, messages: map[string]protocol.PublishDiagnosticsParams{}}
	c.arrived = sync.NewCond(&c.mu)
	go func() { c.ended <- lsp.Serve(context.Background(), theirs, lsp.Options{Version: "test"}) }()
	c.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(ours, jsonrpc2.VSCodeObjectCodec{}), c)
	params := &protocol.InitializeParams{RootURI: uri(folder)}
	params.Capabilities.Workspace.WorkspaceEdit.DocumentChanges = true
	params.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = []string{"rename"}
	if change != nil {
		change(params)
	}
	c.call("initialize", params, &c.result)
	c.notify("initialized", struct{}{})
	t.Cleanup(c.close)
	return c
}

// close shuts the server down and checks that it reported no internal error.
func (c *client) close() {
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	if err := <-c.ended; err != nil {
		c.t.Errorf("the server ended with %v", err)
	}
	_ = c.conn.Close()
	for _, message := range c.logged {
		c.t.Errorf("the server logged: %s", message)
	}
}

// Handle implements jsonrpc2.Handler.
func (c *client) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch req.Method {
	case "textDocument/publishDiagnostics":
		var params protocol.PublishDiagnosticsParams
		if err := json.Unmarshal(*req.Params, &params); err != nil {
			c.t.Error(err)
		}
		c.messages[path(params.URI)] = params
		c.count++
		c.arrived.Broadcast()
	case "window/logMessage":
		c.logged = append(c.logged, string(*req.Params))
	default:
		c.calls = append(c.calls, req.Method)
		c.arrived.Broadcast()
		if !req.Notif {
			go func() { _ = conn.Reply(ctx, req.ID, nil) }()
		}
	}
}

func uri(path string) protocol.URI { return protocol.URI("file://" + filepath.ToSlash(path)) }

func path(uri protocol.URI) string { return strings.TrimPrefix(string(uri), "file://") }

func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.conn.Call(context.Background(), method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// try is call for requests that may fail; it returns the error's code and message.
func (c *client) try(method string, params, result any) (code int64, message string) {
	var failure *jsonrpc2.Error
	err := c.conn.Call(context.Background(), method, params, result)
	if errors.As(err, &failure) {
		return failure.Code, failure.Message
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return 0, ""
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) open(path, text string) {
	c.t.Helper()
	c.files[path] = text
	c.notify("textDocument/didOpen", protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{URI: uri(path), LanguageID: "yaml", Version: 1, Text: text},
	})
}

// replace changes a document to another text in one edit of the part that differs.
func (c *client) replace(path string, version int32, start, end int, text string) {
	c.t.Helper()
	old := c.files[path]
	c.files[path] = old[:start] + text + old[end:]
	c.notify("textDocument/didChange", protocol.DidChangeTextDocumentParams{
		TextDocument: protocol.VersionedTextDocumentIdentifier{URI: uri(path), Version: version},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{{
			Range: &protocol.Range{Start: referenceSpan(old, start), End: referenceSpan(old, end)}, Text: text,
		}},
	})
}

func (c *client) at(path string, offset int) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri(path)}, Position: referenceSpan(c.files[path], offset),
	}
}

// after returns the offset behind the n-th occurrence of a text in a document, from 1 on.
func (c *client) after(path, text string, n int) int {
	c.t.Helper()
	at := 0
	for range n {
		i := strings.Index(c.files[path][at:], text)
		if i < 0 {
			c.t.Fatalf("%s has no %q", path, text)
		}
		at += i + len(text)
	}
	return at
}

// diagnostics waits for the diagnostics of a version of a document.
func (c *client) diagnostics(path string, version int32) []protocol.Diagnostic {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		m, ok := c.messages[path]
		if ok && (m.Version == nil && version == 0 || m.Version != nil && *m.Version == version) {
			return m.Diagnostics
		}
		c.arrived.Wait()
	}
}

// referenceSpan converts an offset as an editor does.
func referenceSpan(text string, offset int) protocol.Position {
	line, column := source.NewFile("", []byte(text)).UTF16(offset)
	return protocol.Position{Line: line, Character: column}
}

// offsetOf converts a position back, and fails if it is not in the text.
func offsetOf(t testing.TB, text string, p protocol.Position) int {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	if p.Line < 0 || p.Line >= len(lines) {
		t.Fatalf("line %d is not in the document", p.Line)
	}
	at := 0
	for _, line := range lines[:p.Line] {
		at += len(line)
	}
	units := 0
	for i, r := range lines[p.Line] + "\x00" {
		if units == p.Character {
			return at + i
		}
		if units++; r > 0xFFFF {
			units++
		}
	}
	t.Fatalf("character %d is not in line %d", p.Character, p.Line)
	return 0
}

// textOf returns the text of a range.
func textOf(t testing.TB, text string, r protocol.Range) string {
	t.Helper()
	return text[offsetOf(t, text, r.Start):offsetOf(t, text, r.End)]
}

// applied returns a text with edits.
func applied(t testing.TB, text string, edits []protocol.TextEdit) string {
	t.Helper()
	for i := len(edits) - 1; i >= 0; i-- { // the server sends them in order
		start, end := offsetOf(t, text, edits[i].Range.Start), offsetOf(t, text, edits[i].Range.End)
		text = text[:start] + edits[i].NewText + text[end:]
	}
	return text
}

// write writes a file with its folders.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// until waits for a message after which a condition holds.
func (c *client) until(holds func() bool) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !holds() {
		c.arrived.Wait()
	}
}
