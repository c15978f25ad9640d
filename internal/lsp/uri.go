package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/internal/lsp/protocol"
)

// isConfig reports whether the file at a path is a configuration.
func isConfig(path string) bool { return filepath.Base(path) == config.FileName }

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

// uri returns the URI of the file at a path: for an open document that of the client,
// which may be encoded in another way.
func (v *view) uri(path string) protocol.URI {
	if doc := v.open[path]; doc != nil {
		return doc.uri
	}
	return uriOfPath(path)
}

// shown returns a path as messages show it: relative to the folder that contains it.
func (v *view) shown(path string) string {
	for _, folder := range v.folders {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

func (v *view) addFolder(path string) {
	if path != "" && !slices.Contains(v.folders, path) {
		v.folders = append(slices.Clone(v.folders), path)
	}
}

func (v *view) removeFolder(path string) {
	v.folders = slices.DeleteFunc(slices.Clone(v.folders), func(f string) bool { return f == path })
}
