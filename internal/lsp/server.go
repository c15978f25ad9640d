package lsp

import (
	"context"
	"errors"
	"io"
	"log"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wfc-lang/wfc/internal/lsp/protocol"
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
	files   files
}

func newServer(opt Options) *server {
	return &server{
		opt: opt, started: make(chan struct{}), changed: make(chan struct{}, 1),
		running:   map[jsonrpc2.ID]context.CancelFunc{},
		files:     newFiles(opt.Home),
		published: publications{of: map[string]*publication{}},
	}
}

// wake tells the publisher that diagnostics may have changed.
func (s *server) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// log shows a message in the client's log.
func (s *server) log(ctx context.Context, kind protocol.MessageType, message string) {
	_ = s.conn.Notify(ctx, "window/logMessage", protocol.LogMessageParams{Type: kind, Message: message}) // the connection has ended
}
