package compiler

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/keytable"
)

// Keys returns the keys of the file's dialect, an opaque value for editors; nil if the
// dialect is unknown.
func (r *Result) Keys() *keytable.Format {
	for _, f := range frontends() {
		if f.Name() == r.Dialect {
			return keysOf(f.Tables())
		}
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
