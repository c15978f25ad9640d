package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// A call is a request while it runs: the documents as they were when it arrived.
type call struct {
	*server
	view view
	caps protocol.ClientCapabilities
}

// A handler answers a request.
type handler func(ctx context.Context, c *call, params json.RawMessage) (any, error)

// requestHandler makes a handler of a method that takes decoded parameters.
func requestHandler[P, R any](method func(ctx context.Context, c *call, params *P) (R, error)) handler {
	return func(ctx context.Context, c *call, raw json.RawMessage) (any, error) {
		var params P
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, invalidParams(err)
		}
		return method(ctx, c, &params)
	}
}

func invalidParams(err error) error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "invalid parameters: " + err.Error()}
}

// refusalError is the error of a request that cannot be carried out, with the reason for the
// user.
func refusalError(format string, args ...any) error {
	return &jsonrpc2.Error{Code: protocol.RequestFailed, Message: fmt.Sprintf(format, args...)}
}

// requestHandlers are the methods that a client may call once the server is initialized.
func requestHandlers() map[string]handler {
	return map[string]handler{
		"callHierarchy/incomingCalls":       requestHandler(incomingCalls),
		"callHierarchy/outgoingCalls":       requestHandler(outgoingCalls),
		"textDocument/codeAction":           requestHandler(codeActions),
		"textDocument/codeLens":             requestHandler(codeLenses),
		"textDocument/completion":           requestHandler(completion),
		"textDocument/definition":           requestHandler(definition),
		"textDocument/diagnostic":           requestHandler(pullDiagnostics),
		"textDocument/documentHighlight":    requestHandler(documentHighlight),
		"textDocument/documentSymbol":       requestHandler(documentSymbols),
		"textDocument/foldingRange":         requestHandler(foldingRanges),
		"textDocument/hover":                requestHandler(hover),
		"textDocument/inlayHint":            requestHandler(inlayHints),
		"textDocument/prepareCallHierarchy": requestHandler(prepareCallHierarchy),
		"textDocument/prepareRename":        requestHandler(prepareRename),
		"textDocument/references":           requestHandler(references),
		"textDocument/rename":               requestHandler(rename),
		"textDocument/semanticTokens/full":  requestHandler(semanticTokensFull),
		"textDocument/semanticTokens/range": requestHandler(semanticTokensRange),
		"workspace/diagnostic":              requestHandler(pullAllDiagnostics),
		"workspace/symbol":                  requestHandler(workspaceSymbols),
		graphMethod:                         requestHandler(drawGraph),
	}
}

// notifications are the messages that change the server's state.
var notifications = map[string]func(s *server, params json.RawMessage) error{
	"initialized":                         (*server).initialized,
	"textDocument/didOpen":                notificationHandler(didOpen),
	"textDocument/didChange":              notificationHandler(didChange),
	"textDocument/didSave":                notificationHandler(didSave),
	"textDocument/didClose":               notificationHandler(didClose),
	"workspace/didChangeWatchedFiles":     notificationHandler(didChangeWatchedFiles),
	"workspace/didChangeWorkspaceFolders": notificationHandler(didChangeWorkspaceFolders),
	"$/cancelRequest":                     (*server).cancelRequest,
}

// notificationHandler makes a handler of a notification with decoded parameters.
func notificationHandler[P any](handle func(s *server, params *P)) func(*server, json.RawMessage) error {
	return func(s *server, raw json.RawMessage) error {
		var params P
		if err := json.Unmarshal(raw, &params); err != nil {
			return err
		}
		handle(s, &params)
		return nil
	}
}

// Handle implements jsonrpc2.Handler. The connection calls it for one message at a time.
func (s *server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	<-s.started
	params := json.RawMessage("null")
	if req.Params != nil {
		params = *req.Params
	}
	if req.Notif {
		s.handleNotification(ctx, req.Method, params)
		return
	}
	switch req.Method {
	case "initialize":
		s.sendAnswer(ctx, req.ID, func(context.Context) (any, error) { return s.initialize(params) })
	case "shutdown":
		s.sendAnswer(ctx, req.ID, func(context.Context) (any, error) { return s.shutdown() })
	default:
		s.startRequest(ctx, req.ID, req.Method, params)
	}
}

// handleNotification handles a notification. Clients may send any; unknown ones are ignored.
func (s *server) handleNotification(ctx context.Context, method string, params json.RawMessage) {
	if method == "exit" {
		_ = s.conn.Close() // it has ended already
		return
	}
	handle := notifications[method]
	if handle == nil {
		return
	}
	_, err := s.runGuarded(ctx, method, func(context.Context) (any, error) { return nil, handle(s, params) })
	if err != nil {
		s.logError(ctx, "%s: %v", method, err)
	}
}

// startRequest runs a request beside the others.
func (s *server) startRequest(ctx context.Context, id jsonrpc2.ID, method string, params json.RawMessage) {
	handle := requestHandlers()[method]
	s.mu.Lock()
	if handle == nil || s.phase != initialized {
		phase := s.phase
		s.mu.Unlock()
		s.sendAnswer(ctx, id, func(context.Context) (any, error) { return nil, notReady(method, handle == nil, phase) })
		return
	}
	c := &call{server: s, view: s.files, caps: s.client}
	ctx, cancel := context.WithCancel(ctx)
	s.running[id] = cancel
	s.mu.Unlock()
	s.requests.Go(func() {
		s.sendAnswer(ctx, id, func(ctx context.Context) (any, error) {
			return s.runGuarded(ctx, method, func(ctx context.Context) (any, error) { return handle(ctx, c, params) })
		})
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		cancel()
	})
}

// notReady is the error of a request that no handler gets.
func notReady(method string, unknown bool, p phase) error {
	switch {
	case p == fresh:
		return &jsonrpc2.Error{Code: protocol.ServerNotInitialized, Message: "the first request must be initialize"}
	case p == shutDown:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is shut down"}
	case unknown:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "unknown method " + method}
	}
	return nil
}

// runGuarded runs a step and turns a panic into an error, with its stack in the client's
// log.
func (s *server) runGuarded(ctx context.Context, method string, step func(context.Context) (any, error)) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.logError(ctx, "wfc: internal error in %s: %v\n%s", method, fault, debug.Stack())
			result, err = nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprintf("internal error: %v", fault)}
		}
	}()
	return step(ctx)
}

// sendAnswer sends the result of a step.
func (s *server) sendAnswer(ctx context.Context, id jsonrpc2.ID, step func(context.Context) (any, error)) {
	result, err := step(ctx)
	if err == nil {
		if _, encoded := result.(json.RawMessage); !encoded {
			if result, err = json.Marshal(result); err == nil {
				result = json.RawMessage(result.([]byte))
			}
		}
	}
	if err == nil {
		raw := result.(json.RawMessage)
		_ = s.conn.SendResponse(ctx, &jsonrpc2.Response{ID: id, Result: &raw}) // the connection has ended
		return
	}
	var known *jsonrpc2.Error
	switch {
	case errors.Is(err, context.Canceled):
		known = &jsonrpc2.Error{Code: protocol.RequestCancelled, Message: "cancelled"}
	case !errors.As(err, &known):
		known = &jsonrpc2.Error{Code: protocol.RequestFailed, Message: err.Error()}
	}
	_ = s.conn.ReplyWithError(ctx, id, known) // the connection has ended
}

func (s *server) cancelRequest(raw json.RawMessage) error {
	var params protocol.CancelParams
	var id jsonrpc2.ID
	if err := json.Unmarshal(raw, &params); err != nil {
		return err
	}
	if err := json.Unmarshal(params.ID, &id); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
	}
	return nil
}
