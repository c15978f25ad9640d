package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/compiler/source"
)

// bom is a byte order mark. For the compiler it is not a character of the first line, but
// an editor that sends one counts it.
const bom = "\ufeff"

// toPosition returns the place of a byte offset.
func toPosition(f *source.File, offset int) protocol.Position {
	offset = min(max(offset, 0), len(f.Content))
	for offset > 0 && offset < len(f.Content) && !utf8.RuneStart(f.Content[offset]) {
		offset--
	}
	if offset > 0 && offset < len(f.Content) && f.Content[offset] == '\n' && f.Content[offset-1] == '\r' {
		offset-- // the end of the line, not the middle of its break
	}
	line, column := f.UTF16(offset)
	if line == 0 && offset >= len(bom) && bytes.HasPrefix(f.Content, []byte(bom)) {
		column++
	}
	return protocol.Position{Line: line, Character: column}
}

// rangeOf returns the range of a span. That of an invalid span is the start of the file.
func rangeOf(s source.Span) protocol.Range {
	if !s.IsValid() {
		return protocol.Range{}
	}
	return protocol.Range{Start: toPosition(s.File, s.Start), End: toPosition(s.File, max(s.Start, s.End))}
}

// toOffset returns the byte offset of a place. A line or a character behind the end counts
// as the end.
func toOffset(f *source.File, p protocol.Position) int {
	if p.Line < 0 {
		return 0
	}
	text, start := f.Line(p.Line + 1)
	at := 0
	for units := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if units++; r > 0xFFFF {
			units++
		}
		if units > p.Character {
			break
		}
		at += n
	}
	return start + at
}

// pathOfURI returns the absolute path that a file URI names, or "" for another URI.
func pathOfURI(uri protocol.URI) string {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // /C:/folder
		if u.Host != "" {
			path = "//" + u.Host + u.Path
		}
		if len(path) > 1 && path[1] == ':' {
			path = strings.ToUpper(path[:1]) + path[1:]
		}
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uriOfPath returns the file URI of an absolute path.
func uriOfPath(path string) protocol.URI {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path}
	return protocol.URI(u.String())
}

// pathOf returns the path that a document counts as having. One that is not a file, such
// as a new document, counts as being in the first folder.
func (v *view) pathOf(uri protocol.URI) string {
	if path := pathOfURI(uri); path != "" {
		return path
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:?%*"<>|`, r) {
			return '-'
		}
		return r
	}, string(uri))
	dir := string(filepath.Separator)
	if len(v.folders) > 0 {
		dir = v.folders[0]
	}
	return filepath.Join(dir, name)
}

// fileURI returns the URI of the file at a path: for an open document that of the client,
// which may be encoded in another way.
func (v *view) fileURI(path string) protocol.URI {
	if doc := v.open[path]; doc != nil {
		return doc.uri
	}
	return uriOfPath(path)
}
