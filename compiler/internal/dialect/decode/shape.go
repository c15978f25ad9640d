package decode

import (
	"slices"
	"strconv"
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
	// ObjectKind is a mapping with the keys of Level, or of one of Cases.
	ObjectKind
	// OffKind is false, or a mapping whose key `enabled` is false: the values of a key
	// that wfc does not support and that change nothing.
	OffKind
	// NeverKind is no value at all: the key is always a fault.
	NeverKind
)

var kindNames = [...]string{"any value", "string", "integer", "number", "bool", "list", "object", "object", "`false`", "no value"}

// A Shape describes the values that a key accepts: decoders take choices and ranges
// from it, the reference its words, editors their hints, and schemas all of it. Tests
// compare it with the values that Read accepts.
type Shape struct {
	Kind Kind
	// Choices are the strings that are accepted; nil means all.
	Choices []string
	// Open says that Choices are only the usual strings, and that others are accepted.
	Open bool
	// Content is the least content of a string.
	Content Content
	// Pattern is a regular expression that strings match, or "": the part of it that Go
	// and JavaScript read alike.
	Pattern string
	// Range limits a number; for a list or a map, the number of its items. Nil is no
	// limit.
	Range *Range
	// Quoted says that a string with an integer is accepted as an integer.
	Quoted bool
	// Of is the shape of the items of a list or of the values of a map.
	Of *Shape
	// Names are the only names that a map has; nil means any. Each may have a shape of
	// its own.
	Names []Key
	// NamePattern is a regular expression for further names beside Names, or "".
	NamePattern string
	// Level is the kind of mapping that an object is.
	Level *Level
	// Needs are keys that an object must have here, although its level does not
	// require them everywhere.
	Needs []string
	// By is a key of an object whose value selects one of Cases, and Unless a key
	// whose presence makes the keys of all cases optional; both may be "".
	By, Unless string
	Cases      []Case
	// Null says that null counts as an absent key.
	Null bool
	// Limit completes the kind in words, such as "(cron expression)".
	Limit string
	// Or is another shape that is accepted, or nil.
	Or *Shape
}

// A Case is the kind of mapping that an object is if its key Shape.By has a value.
type Case struct {
	Value string
	Level *Level
}

// The shapes of plain values. Off and Never are those of OffKind and NeverKind.
var (
	Any    = Shape{}
	String = Shape{Kind: StringKind}
	// FullString has at least one character, and FilledString one that is not a space.
	FullString   = Shape{Kind: StringKind, Content: Full}
	FilledString = Shape{Kind: StringKind, Content: Filled}
	Integer      = Shape{Kind: IntegerKind}
	Number       = Shape{Kind: NumberKind}
	Bool         = Shape{Kind: BoolKind}
	Off          = Shape{Kind: OffKind}
	Never        = Shape{Kind: NeverKind}
)

// OneOf is the shape of the given strings.
func OneOf(choices ...string) Shape { return Shape{Kind: StringKind, Choices: choices} }

// Usually is the shape of strings that are mostly one of the given ones.
func Usually(choices ...string) Shape {
	return Shape{Kind: StringKind, Choices: choices, Open: true}
}

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

// ByKey is the shape of mappings whose kind depends on the value of one of their keys. A
// mapping with the key unless, which may be "", may lack any other.
func ByKey(key, unless string, cases ...Case) Shape {
	return Shape{Kind: ObjectKind, By: key, Unless: unless, Cases: cases}
}

// Named returns the shape of a map with the only names that it can have.
func (s Shape) Named(names ...string) Shape {
	for _, name := range names {
		s.Names = append(s.Names, Key{Name: name, Shape: *s.Of})
	}
	return s
}

// NamedLike returns the shape of a map whose names match a pattern; see Shape.Pattern.
func (s Shape) NamedLike(pattern string) Shape {
	s.NamePattern = pattern
	return s
}

// Needing returns the shape of an object with keys that it must have here.
func (s Shape) Needing(keys ...string) Shape {
	s.Needs = keys
	return s
}

// Matching returns the shape of strings that match a pattern; see Shape.Pattern.
func (s Shape) Matching(pattern string) Shape {
	s.Pattern = pattern
	return s
}

// OrNull returns the shape of values that null represents the absence of.
func (s Shape) OrNull() Shape {
	s.Null = true
	return s
}

// OrQuoted returns the shape of an integer that may be in quotes.
func (s Shape) OrQuoted() Shape {
	s.Quoted = true
	return s
}

// With returns the shape with a limit in words, such as "(cron expression)".
func (s Shape) With(limit string) Shape {
	s.Limit = limit
	return s
}

// Else returns the shape of values that have one shape or another.
func (s Shape) Else(other Shape) Shape {
	if s.Or != nil {
		other = s.Or.Else(other)
	}
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
	if limit := s.limit(); limit != "" {
		text += " " + limit
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
	// Default is the value that counts if the key is absent, as JSON, or "".
	Default string
	// Examples are values of the key, as JSON.
	Examples []string
	// Since is the version of the format that introduced the key, or "" for one that
	// every supported version has.
	Since string
}

// Text describes the key in words: whether it is required, its description, its default
// and examples.
func (k *Key) Text() string {
	text := k.Doc
	if k.Required {
		text = "Required. " + text
	}
	if k.Default != "" {
		text += " Default: `" + Plain(k.Default) + "`."
	}
	if len(k.Examples) > 0 {
		text += " Example: `" + Plain(k.Examples[0]) + "`."
	}
	return text
}

// Plain is a JSON value as YAML has it: strings without quotes.
func Plain(json string) string {
	if text, err := strconv.Unquote(json); err == nil {
		return text
	}
	return json
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
		t.Keys = append(t.Keys, f.Key())
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

// Names lists the keys that the level knows, in order.
func (t *Table) Names() []string {
	list := make([]string, len(t.Keys))
	for i, k := range t.Keys {
		list[i] = k.Name
	}
	return list
}

// Has reports whether the level knows a key.
func (t *Table) Has(key string) bool {
	return slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Name == key })
}
