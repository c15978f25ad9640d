package compiler

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/keytable"
)

// Schema returns the JSON Schema (draft 2020-12) of the workflow files of a dialect, made
// from the tables by which Compile reads them. It reports false for an unknown dialect.
//
// The schema accepts every file in which Compile finds nothing to report about keys and
// values (codes WFC1xx). If strict is false, it accepts unknown keys. If strict is true, it
// refuses them, except keys that begin with x-.
func Schema(dialect string, strict bool) (text []byte, ok bool) {
	if f := frontendNamed(allFrontends(), dialect); f != nil {
		return keyFormat(f).Schema(strict), true
	}
	return nil, false
}

// keyFormat is the format of a front end's files.
func keyFormat(f dialect.Frontend) keys.Format {
	format := keys.Format{Name: f.Name(), Title: f.Name() + " workflow", Tables: f.Tables(), Typed: f.Typed()}
	if versions := formats.Named(f.Name()); versions != nil {
		format.Since = versions.KeySince
	}
	return format
}

// Keys returns the keys of the file's dialect, or nil if the dialect is unknown. It is an
// opaque value for the language server of wfc: no public function takes it. Schema
// describes the same keys for other programs.
func (r *Result) Keys() *keytable.Format {
	if f := frontendNamed(allFrontends(), r.Dialect); f != nil {
		return keysOf(f.Tables())
	}
	return nil
}

// keysOf describes tables of keys.
func keysOf(tables []decode.Table) *keytable.Format {
	f := &keytable.Format{}
	levels := map[string]*keytable.Level{}
	for _, t := range tables {
		l := &keytable.Level{Where: t.Level.Where}
		levels[l.Where] = l
		f.Levels = append(f.Levels, l)
	}
	var shape func(s *decode.Shape) *keytable.Shape
	shape = func(s *decode.Shape) *keytable.Shape {
		if s == nil {
			return nil
		}
		out := &keytable.Shape{
			Choices: s.Choices, Bool: s.Kind == decode.BoolKind, Text: s.Kind == decode.StringKind,
			List: s.Kind == decode.ListKind, Of: shape(s.Of), Or: shape(s.Or),
		}
		if s.Level != nil {
			out.Level = levels[s.Level.Where]
		}
		return out
	}
	for i, t := range tables {
		for _, k := range t.Keys {
			f.Levels[i].Keys = append(f.Levels[i].Keys, keytable.Key{
				Name: k.Name, Doc: k.Doc, Value: k.Shape.String(), Required: k.Required, Shape: shape(&k.Shape),
			})
		}
	}
	return f
}
