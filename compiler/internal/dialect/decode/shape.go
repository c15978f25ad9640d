package decode

import (
	"slices"
	"strings"
)

// A Kind is a kind of values in YAML.
type Kind int

const (
	// AnyKind is every value.
	AnyKind Kind = iota
	// StringKind, IntegerKind, NumberKind and BoolKind are kinds of scalars.
	StringKind
	IntegerKind
	NumberKind
	BoolKind
	// ListKind is a sequence whose items have the shape Of.
	ListKind
	// MapKind is a mapping with free keys whose values have the shape Of.
	MapKind
	// ObjectKind is a mapping with the keys of Level.
	ObjectKind
)

var kindNames = [...]string{"any value", "string", "integer", "number", "bool", "list", "object", "object"}

// A Shape describes the values that a key accepts, for users, editors and schemas.
// Read decides.
type Shape struct {
	Kind Kind
	// Choices are the strings that are accepted; nil means all.
	Choices []string
	// Of is the shape of the items of a list or of the values of a map.
	Of *Shape
	// Level is the kind of mapping that an object is.
	Level *Level
	// Limit completes the kind, such as "from 1 to 5".
	Limit string
	// Or is another shape that is accepted, or nil.
	Or *Shape
}

// The shapes of plain values.
var (
	Any     = Shape{}
	String  = Shape{Kind: StringKind}
	Integer = Shape{Kind: IntegerKind}
	Number  = Shape{Kind: NumberKind}
	Bool    = Shape{Kind: BoolKind}
)

// OneOf is the shape of the given strings.
func OneOf(choices ...string) Shape { return Shape{Kind: StringKind, Choices: choices} }

// ListOf is the shape of lists.
func ListOf(item Shape) Shape { return Shape{Kind: ListKind, Of: &item} }

// MapOf is the shape of mappings with free keys.
func MapOf(value Shape) Shape { return Shape{Kind: MapKind, Of: &value} }

// Object is the shape of mappings of a level.
func Object(l *Level) Shape { return Shape{Kind: ObjectKind, Level: l} }

// onlyMapping reports whether the shape accepts mappings and nothing else.
func (s *Shape) onlyMapping() bool {
	return (s.Kind == MapKind || s.Kind == ObjectKind) && (s.Or == nil || s.Or.onlyMapping())
}

// With returns the shape with a limit, such as "from 1 to 5".
func (s Shape) With(limit string) Shape {
	s.Limit = limit
	return s
}

// Else returns the shape of values that have one shape or another.
func (s Shape) Else(other Shape) Shape {
	s.Or = &other
	return s
}

// String describes the values, as "list of strings" and "integer from 1 to 5".
func (s Shape) String() string { return s.describe(false) }

func (s Shape) describe(plural bool) string {
	text := kindNames[s.Kind]
	switch {
	case len(s.Choices) > 0:
		quoted := make([]string, len(s.Choices))
		for i, c := range s.Choices {
			quoted[i] = "`" + c + "`"
		}
		text = strings.Join(quoted, ", ")
	case s.Kind == AnyKind && plural:
		text = "values"
	case plural:
		text += "s"
	}
	switch s.Kind {
	case ListKind:
		text += " of " + s.Of.describe(true)
	case MapKind:
		if s.Of.Kind != AnyKind {
			text += " with " + s.Of.describe(true)
		}
	}
	if s.Limit != "" {
		text += " " + s.Limit
	}
	if s.Or != nil {
		text += ", or " + s.Or.describe(plural)
	}
	return text
}

// A Key is a key of a level.
type Key struct {
	Name  string
	Shape Shape
	// Doc is the description of the key: one or two sentences.
	Doc string
	// Required says that a mapping without the key is wrong.
	Required bool
	// Since is the version of the format that introduced the key, or "" for one that
	// every supported version has.
	Since string
}

// A Table is a level with the keys that it knows.
type Table struct {
	Level Level
	Keys  []Key
}

// TableOf returns the table of a level whose keys are those of fields.
func TableOf[D Front, T any](l Level, fields []Field[D, T]) Table {
	t := Table{Level: l}
	for _, f := range fields {
		t.Keys = append(t.Keys, Key{Name: f.Name, Shape: f.Shape, Doc: f.Doc, Required: f.Required, Since: f.Since})
	}
	return t
}

// Required lists the keys that a mapping of a table of fields must have.
func Required[D Front, T any](fields []Field[D, T]) []string {
	var names []string
	for _, f := range fields {
		if f.Required {
			names = append(names, f.Name)
		}
	}
	return names
}

// Has reports whether the level knows a key.
func (t *Table) Has(key string) bool {
	return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Name == key })
}
