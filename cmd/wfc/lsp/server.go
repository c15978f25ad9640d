package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// Options configure a server.
type Options struct {
	// Version is the version of wfc, for the client.
	Version string
	// Home is the user's home folder, or ""; see compiler.Options.
	Home string
}

// ErrNoShutdown is the error of Serve for a client that ended the connection without the
// request shutdown.
var ErrNoShutdown = errors.New("the client ended the connection without a shutdown request")

// Serve answers the client on a stream until the client ends the connection or the context
// ends. It closes the stream.
func Serve(ctx context.Context, stream io.ReadWriteCloser, opt Options) error {
	s := newServer(opt)
	ended := ctx.Err
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := jsonrpc2.SetLogger(log.New(io.Discard, "", 0)) // the error of Serve says it
	// The first messages may arrive before conn is set: they wait for started.
	s.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), s, quiet)
	close(s.started)
	publishing := make(chan struct{})
	go func() {
		defer close(publishing)
		s.publishChanges(ctx)
	}()
	<-s.conn.DisconnectNotify()
	cancel()
	s.requests.Wait()
	<-publishing
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != shutDown && ended() == nil {
		return ErrNoShutdown
	}
	return nil
}

// phase is the part of a server's life.
type phase int

const (
	fresh phase = iota
	initialized
	shutDown
)

// A server is the state of one connection.
type server struct {
	opt     Options
	conn    *jsonrpc2.Conn
	started chan struct{}
	// requests are those that run.
	requests sync.WaitGroup
	// changed wakes the publisher of diagnostics; it holds at most one value.
	changed chan struct{}
	// published is used by the publisher alone.
	published publications

	mu      sync.Mutex
	phase   phase
	client  protocol.ClientCapabilities
	running map[jsonrpc2.ID]context.CancelFunc
	files   view
}

func newServer(opt Options) *server {
	return &server{
		opt: opt, started: make(chan struct{}), changed: make(chan struct{}, 1),
		running:   map[jsonrpc2.ID]context.CancelFunc{},
		files:     newView(opt.Home),
		published: publications{of: map[string]*publication{}},
	}
}

// wakePublisher tells the publisher that diagnostics may have changed.
func (s *server) wakePublisher() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// logError shows an error in the client's log.
func (s *server) logError(ctx context.Context, format string, args ...any) {
	params := object{"type": 1, "message": fmt.Sprintf(format, args...)}
	_ = s.conn.Notify(ctx, "window/logMessage", params) // the connection has ended
}

func (s *server) initialize(raw json.RawMessage) (any, error) {
	var params protocol.InitializeParams
	if err := json.Unmarshal(raw, &params); err != nil {
		return nil, invalidParams(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != fresh {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is already initialized"}
	}
	s.phase, s.client = initialized, params.Capabilities
	for _, folder := range params.WorkspaceFolders {
		s.files.addFolder(pathOfURI(folder.URI))
	}
	if len(params.WorkspaceFolders) == 0 {
		s.files.addFolder(pathOfURI(params.RootURI))
		if params.RootURI == "" && filepath.IsAbs(params.RootPath) {
			s.files.addFolder(filepath.Clean(params.RootPath))
		}
	}
	return object{
		"capabilities": s.capabilities(),
		"serverInfo":   object{"name": "wfc", "version": s.opt.Version},
	}, nil
}

// An object is a message with the names of the specification.
type object = map[string]any

func (s *server) capabilities() object {
	c := object{
		"positionEncoding":   "utf-16",
		"textDocumentSync":   object{"openClose": true, "change": 2, "save": true}, // changes are of ranges
		"codeActionProvider": object{"codeActionKinds": []protocol.CodeActionKind{protocol.QuickFix, protocol.SourceFixAll}},
		"renameProvider":     object{"prepareProvider": true},
		"completionProvider": object{"triggerCharacters": strings.Split("$.{ ['\"|(:#", "")},
		"semanticTokensProvider": object{
			"legend": object{"tokenTypes": tokenTypes, "tokenModifiers": tokenModifiers}, "full": true, "range": true,
		},
		"diagnosticProvider": object{"identifier": "wfc", "interFileDependencies": true, "workspaceDiagnostics": true},
		"workspace":          object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
	}
	for _, feature := range []string{
		"hover", "definition", "references", "documentHighlight", "documentSymbol", "workspaceSymbol", "foldingRange", "callHierarchy", "inlayHint",
	} {
		c[feature+"Provider"] = true
	}
	if len(s.client.Experimental.Commands) > 0 {
		c["codeLensProvider"] = object{}
	}
	return c
}

// initialized asks the client to watch the files that workflows are made of.
func (s *server) initialized(json.RawMessage) error {
	s.mu.Lock()
	watches := s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration
	s.mu.Unlock()
	if !watches {
		return nil
	}
	params := object{"registrations": []object{{
		"id": "files", "method": "workspace/didChangeWatchedFiles",
		"registerOptions": object{"watchers": []object{{"globPattern": "**/*.{yaml,yml,md,py,js,ts,json}"}}},
	}}}
	// The answer arrives after this message has been handled, and nothing depends on it.
	s.requests.Go(func() {
		ctx, cancel := s.connectionContext()
		defer cancel()
		_ = s.conn.Call(ctx, "client/registerCapability", params, nil) // didSave covers a client that refuses
	})
	return nil
}

// connectionContext returns a context that ends with the connection.
func (s *server) connectionContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-s.conn.DisconnectNotify():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func (s *server) shutdown() (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == fresh {
		return nil, &jsonrpc2.Error{Code: protocol.ServerNotInitialized, Message: "the first request must be initialize"}
	}
	s.phase = shutDown
	for _, cancel := range s.running {
		cancel()
	}
	return nil, nil
}
