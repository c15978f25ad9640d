package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/lsp/protocol"
)

// publications are the diagnostics that the client has, by the document from which they
// are.
type publications struct {
	of map[string]*publication
	// sent has the last message about each file.
	sent map[string][]byte
}

// A publication is the diagnostics from one open document, by path.
type publication struct {
	analysis *analysis
	lists    map[string][]protocol.Diagnostic
}

// publishChanges keeps the client's diagnostics up to date until the context ends. It
// works on the newest state: changes that arrive while it compiles wait for the next
// round, and all of them are one round. So a fast writer costs one compilation at a time.
func (s *server) publishChanges(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		_, err := s.guarded(ctx, "diagnostics", func(ctx context.Context) (any, error) { return nil, s.publish(ctx) })
		if err != nil && ctx.Err() == nil {
			s.log(ctx, protocol.ErrorMessage, fmt.Sprintf("diagnostics: %v", err))
		}
	}
}

// publish sends the diagnostics that changed. A client that pulls diagnostics is asked to
// pull again if those of a document changed that was not edited.
func (s *server) publish(ctx context.Context) error {
	s.mu.Lock()
	v, pulls, refresh := s.files.now(), s.client.TextDocument.Diagnostic != nil, s.client.Workspace.Diagnostics.RefreshSupport
	s.mu.Unlock()
	if pulls {
		if refresh && len(v.open) > 1 {
			s.refresh("workspace/diagnostic/refresh")
		}
		return nil
	}
	p := &s.published
	touched := map[string]bool{}
	for path, old := range p.of {
		if v.open[path] == nil {
			delete(p.of, path)
			for file := range old.lists {
				touched[file] = true
			}
		}
	}
	for _, doc := range newestFirst(v) {
		a, err := v.analyze(ctx, doc)
		if err != nil {
			return err
		}
		if s.outdated(doc) {
			s.wake() // another round follows, with the newer text
			continue
		}
		old := p.of[doc.path]
		if old != nil && old.analysis == a {
			continue
		}
		next := &publication{a, v.diagnostics(a)}
		p.of[doc.path] = next
		for file := range next.lists {
			touched[file] = true
		}
		if old != nil {
			for file := range old.lists {
				touched[file] = true
			}
		}
	}
	// Only now, because a document has findings of others that use it.
	s.send(ctx, &v, touched)
	return nil
}

// outdated reports whether a document has a newer version.
func (s *server) outdated(doc *document) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.open[doc.path] != doc
}

// newestFirst returns the open documents, the one that changed last first.
func newestFirst(v view) []*document {
	list := make([]*document, 0, len(v.open))
	for _, path := range sortedKeys(v.open) {
		list = append(list, v.open[path])
	}
	slices.SortStableFunc(list, func(a, b *document) int { return int(v.edits[b.path]) - int(v.edits[a.path]) })
	return list
}

// send publishes the diagnostics of files, from whatever document they are, unless the
// client has the same.
func (s *server) send(ctx context.Context, v *view, touched map[string]bool) {
	p := &s.published
	for _, file := range sortedKeys(touched) {
		list := []protocol.Diagnostic{}
		for _, from := range sortedKeys(p.of) {
			for _, d := range p.of[from].lists[file] {
				if !slices.ContainsFunc(list, func(e protocol.Diagnostic) bool { return same(d, e) }) {
					list = append(list, d)
				}
			}
		}
		params := protocol.PublishDiagnosticsParams{URI: v.uri(file), Diagnostics: list}
		if doc := v.open[file]; doc != nil {
			params.Version = &doc.version
		}
		message, _ := json.Marshal(params) // has only strings and numbers
		if v.open[file] == nil && len(list) == 0 && p.sent[file] == nil || bytes.Equal(p.sent[file], message) {
			continue
		}
		if p.sent == nil {
			p.sent = map[string][]byte{}
		}
		p.sent[file] = message
		if v.open[file] == nil && len(list) == 0 {
			delete(p.sent, file)
		}
		_ = s.conn.Notify(ctx, "textDocument/publishDiagnostics", json.RawMessage(message)) // the connection has ended
	}
}

// same reports whether two workflows have one finding about a file that both use.
func same(a, b protocol.Diagnostic) bool {
	return a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
}

// refresh asks the client to request something again.
func (s *server) refresh(method string) {
	s.requests.Go(func() {
		ctx, cancel := s.connected()
		defer cancel()
		_ = s.conn.Call(ctx, method, nil, nil) // a client that refuses asks at the next edit
	})
}
