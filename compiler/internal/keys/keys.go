// Package keys makes JSON Schemas from the tables of keys that decoders read files by. A table is
// the only list of its keys: the decoder, the schema and the page of the reference, which the
// tests of package config make, say the same.
package keys

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
)

// A Format is a kind of files with the tables of its keys.
type Format struct {
	// Name is the name of the format in a file name, such as "archon".
	Name string
	// Title says in a few words which files the format is for.
	Title string
	// Tables are the kinds of mappings of the format, the file itself first.
	Tables []decode.Table
	// Typed says that scalars have types; see decode.Decoder.
	Typed bool
	// Since returns the version of the format that introduced a key of a level, or "" for a
	// key of the first version. Nil is a format without versions.
	Since func(where, key string) string
}

// LevelName is the name of a level without the words around it: "node" for "on a node",
// "sandbox.network" for "under `sandbox.network:`".
func LevelName(l *decode.Level) string {
	name := strings.NewReplacer("`", "", ":", "").Replace(l.Where)
	for _, start := range []string{"on ", "in ", "under ", "at the ", "a ", "an "} {
		name = strings.TrimPrefix(name, start)
	}
	return strings.ReplaceAll(name, " ", "-")
}
