package lsp

import (
	"encoding/json"
	"maps"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/oracle"
)

// A document is one version of an open document. It never changes: an edit makes another
// one.
type document struct {
	uri     protocol.URI
	path    string
	version int32
	file    *source.File
	// good is the analysis of the last version before this one that has a program, or nil.
	good *analysis
	cell cell // its analysis
}

// withChanges returns the document with changes, in their order.
func (d *document) withChanges(version int32, changes []protocol.TextDocumentContentChangeEvent) *document {
	file := d.file
	for _, c := range changes {
		text := c.Text
		if c.Range != nil {
			start := toOffset(file, c.Range.Start)
			end := max(start, toOffset(file, c.Range.End))
			text = string(file.Content[:start]) + c.Text + string(file.Content[end:])
		}
		file = source.NewFile(file.Name, []byte(text))
	}
	return &document{uri: d.uri, path: d.path, version: version, file: file, good: d.lastGood()}
}

// lastGood returns the analysis of the newest version up to this one that has a program and
// was compiled, or nil. It waits for no compilation.
func (d *document) lastGood() *analysis {
	if !d.cell.mu.TryLock() {
		return d.good
	}
	defer d.cell.mu.Unlock()
	if a := d.cell.result; a != nil && a.index != nil {
		return a
	}
	return d.good
}

func didOpen(s *server, params *protocol.DidOpenTextDocumentParams) {
	item := params.TextDocument
	s.mu.Lock()
	path := s.files.pathOf(item.URI)
	s.files.putDocument(&document{
		uri: item.URI, path: path, version: item.Version,
		file: source.NewFile(s.files.displayPath(path), []byte(item.Text)),
	})
	s.mu.Unlock()
	s.wakePublisher()
}

func didChange(s *server, params *protocol.DidChangeTextDocumentParams) {
	s.mu.Lock()
	if doc := s.files.open[s.files.pathOf(params.TextDocument.URI)]; doc != nil {
		s.files.putDocument(doc.withChanges(params.TextDocument.Version, params.ContentChanges))
	}
	s.mu.Unlock()
	s.wakePublisher()
}

// didSave forgets the disk: a client that watches no files says only by this that one
// changed.
func didSave(s *server, _ *json.RawMessage) {
	s.mu.Lock()
	s.files.forgetDisk()
	s.mu.Unlock()
	s.wakePublisher()
}

func didClose(s *server, params *protocol.DocumentParams) {
	s.mu.Lock()
	s.files.removeDocument(s.files.pathOf(params.TextDocument.URI))
	s.mu.Unlock()
	s.wakePublisher()
}

func didChangeWatchedFiles(s *server, params *protocol.DidChangeWatchedFilesParams) {
	s.mu.Lock()
	outside := false
	for _, change := range params.Changes {
		// The editor's text of an open document is newer than the file.
		outside = outside || change.Type != 2 || s.files.open[s.files.pathOf(change.URI)] == nil
	}
	if outside {
		s.files.forgetDisk()
	}
	s.mu.Unlock()
	s.wakePublisher()
}

func didChangeWorkspaceFolders(s *server, params *protocol.DidChangeWorkspaceFoldersParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, folder := range params.Event.Removed {
		s.files.removeFolder(pathOfURI(folder.URI))
	}
	for _, folder := range params.Event.Added {
		s.files.addFolder(pathOfURI(folder.URI))
	}
}

// A view is the state of all files at one moment. Its documents and maps do not change: the server's
// own view gets others.
type view struct {
	open    map[string]*document // by path
	disk    *disk
	folders []string
	home    string
	ask     oracle.Ask
	// generation is the number of the last change.
	generation uint64
	// edits have the generation of the last change of each document that was open.
	edits map[string]uint64
}

func newView(home string) view {
	return view{open: map[string]*document{}, disk: newDisk(), home: home, ask: oracle.OnPath(), edits: map[string]uint64{}}
}

// putDocument adds a document, or replaces its version.
func (v *view) putDocument(doc *document) {
	v.open = maps.Clone(v.open)
	v.open[doc.path] = doc
	v.markEdited(doc.path)
}

func (v *view) removeDocument(path string) {
	v.open = maps.Clone(v.open)
	delete(v.open, path)
	v.markEdited(path)
	v.forgetDisk()
}

// markEdited notes a change of a document. A configuration decides about many files, so one
// that changes takes what was derived from the disk with it.
func (v *view) markEdited(path string) {
	v.generation++
	v.edits = maps.Clone(v.edits)
	v.edits[path] = v.generation
	if isConfig(path) {
		v.forgetDisk()
	}
}

// forgetDisk makes later readers read the disk again.
func (v *view) forgetDisk() {
	v.generation++
	v.disk = newDisk()
}
