// Package types is the type system that all dialects share: the types of outputs,
// inputs, state and expressions.
package types

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Type is a set of possible values. Types are compared with Identical.
type Type interface {
	// String is the type as messages show it.
	String() string
	isType()
}

// Basic is a type without parts.
type Basic int

const (
	// Invalid is the type of a value whose fault is already reported. It is
	// compatible with everything, so a fault has no followers.
	Invalid Basic = iota
	// Any is a JSON value of which nothing is known.
	Any
	// Text is any text.
	Text
	// Word is text without white space.
	Word
	// Line is text without a line break.
	Line
	// Path is text that names an existing file, without white space.
	Path
	// Int is a whole number.
	Int
	// Float is a number.
	Float
	// Bool is true or false.
	Bool
	// Null is the JSON null alone.
	Null
)

var basicNames = [...]string{"invalid", "any", "text", "word", "line", "path", "int", "float", "bool", "null"}

func (b Basic) String() string { return basicNames[b] }
func (Basic) isType()          {}

// Enum is text that is one of a few values.
type Enum struct {
	Values []string
}

func (e *Enum) String() string { return "one of " + strings.Join(e.Values, ", ") }
func (*Enum) isType()          {}

// List is a list of values of one type.
type List struct {
	Elem Type
}

func (l *List) String() string { return "list of " + l.Elem.String() }
func (*List) isType()          {}

// Optional is a value that may also be null. A field that may be missing is
// not an Optional but a Field that is not Required.
type Optional struct {
	Elem Type
}

func (o *Optional) String() string { return o.Elem.String() + " or null" }
func (*Optional) isType()          {}

// WithoutNull returns the type of the values of a type that are not null.
func WithoutNull(t Type) Type {
	if o, ok := t.(*Optional); ok {
		return o.Elem
	}
	return t
}

// Struct is an object with known fields.
type Struct struct {
	Fields []*Field
	// Open says that other fields may be there too.
	Open bool
}

func (s *Struct) String() string { return "object" }
func (*Struct) isType()          {}

// A Field is one field of a Struct.
type Field struct {
	Name string
	Type Type
	// Required says that the field is always there.
	Required bool
	// Doc is the schema's description.
	Doc string
	// Span is where the field is declared.
	Span source.Span
}

// Field returns the field of the given name, or nil.
func (s *Struct) Field(name string) *Field {
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// FieldNames returns the names of the fields in order.
func (s *Struct) FieldNames() []string {
	return plain.Texts(s.Fields, func(f *Field) string { return f.Name })
}

// IsText reports whether values of the type are strings: Text, Word, Line, Path and
// enums.
func IsText(t Type) bool {
	switch t := t.(type) {
	case Basic:
		return t == Text || t == Word || t == Line || t == Path
	case *Enum:
		return true
	}
	return false
}

// IsNumber reports whether values of the type are numbers.
func IsNumber(t Type) bool { return t == Int || t == Float }

// IsHarmless reports whether no value of a type can be code in any language: numbers, bools,
// null and enums of plain words.
func IsHarmless(t Type) bool {
	switch t := t.(type) {
	case Basic:
		return IsNumber(t) || t == Bool || t == Null
	case *Optional:
		return IsHarmless(t.Elem)
	case *Enum:
		return !slices.ContainsFunc(t.Values, func(v string) bool {
			return strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != ""
		})
	}
	return false
}

// Identical reports whether two types are the same.
func Identical(a, b Type) bool {
	switch a := a.(type) {
	case Basic:
		return a == b
	case *Enum:
		b, ok := b.(*Enum)
		return ok && equalStrings(a.Values, b.Values)
	case *List:
		b, ok := b.(*List)
		return ok && Identical(a.Elem, b.Elem)
	case *Optional:
		b, ok := b.(*Optional)
		return ok && Identical(a.Elem, b.Elem)
	case *Struct:
		b, ok := b.(*Struct)
		if !ok || a.Open != b.Open || len(a.Fields) != len(b.Fields) {
			return false
		}
		for i, f := range a.Fields {
			g := b.Fields[i]
			if f.Name != g.Name || f.Required != g.Required || !Identical(f.Type, g.Type) {
				return false
			}
		}
		return true
	}
	return a == b
}

func equalStrings(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
