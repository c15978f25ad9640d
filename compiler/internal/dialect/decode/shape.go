package decode

import (
	"math"
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
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
)

var kindNames = [...]string{"any value", "string", "integer", "number", "bool", "list", "object", "object", "`false`"}

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
	// Range limits a number; for a list or a map, the number of its items. Nil means no
	// limit.
	Range *Range
	// Quoted says that a string with an integer is accepted as an integer.
	Quoted bool
	// Of is the shape of the items of a list or of the values of a map.
	Of *Shape
	// Names are the only names that a map has; nil means any. Each may have its own
	// shape.
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

// A Content is the least content of a string.
type Content int

const (
	// MayBeEmpty strings may be empty.
	MayBeEmpty Content = iota
	// Full strings have at least one character.
	Full
	// Filled strings have at least one character that is not a space.
	Filled
)

// The shapes of plain values. Off is that of OffKind.
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

// onlyMapping reports whether the shape accepts only mappings.
func (s *Shape) onlyMapping() bool {
	return (s.Kind == MapKind || s.Kind == ObjectKind) && (s.Or == nil || s.Or.onlyMapping())
}

// fitsValue reports whether a value is of the kind that the shape takes, as far as its first
// item; one that is not yet written fits.
func (s *Shape) fitsValue(v *yamlsrc.Node) bool {
	if v.IsNull() || s.Or != nil && s.Or.fitsValue(v) {
		return true
	}
	switch s.Kind {
	case StringKind:
		return v.IsString()
	case ListKind:
		// A mapping is one item that should be in a list.
		return v.Kind == yamlsrc.Mapping && s.Of.fitsValue(v) || v.Kind == yamlsrc.Sequence && (len(v.Items) == 0 || s.Of.fitsValue(v.Items[0]))
	case MapKind, ObjectKind:
		return v.Kind == yamlsrc.Mapping
	case BoolKind:
		return v.Kind == yamlsrc.Scalar && v.Tag == yamlsrc.TagBool
	case IntegerKind, NumberKind:
		return v.Kind == yamlsrc.Scalar && (v.Tag == yamlsrc.TagInt || v.Tag == yamlsrc.TagFloat)
	}
	return true
}

// mayAccept is false for a string that isn't one of the shape's choices.
func (s *Shape) mayAccept(v *yamlsrc.Node) bool {
	closed := s.Choices != nil && !s.Open && s.Or == nil
	return !closed || v.Kind != yamlsrc.Scalar || slices.Contains(s.Choices, v.Value)
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
func (s Shape) String() string { return s.describeKind(false) }

func (s Shape) describeKind(plural bool) string {
	text := kindNames[s.Kind]
	switch {
	case len(s.Choices) > 0:
		text = plain.NameList(s.Choices)
	case s.Kind == AnyKind && plural:
		text = "values"
	case plural:
		text += "s"
	}
	switch s.Kind {
	case ListKind:
		text += " of " + s.Of.describeKind(true)
	case MapKind:
		if s.Of.Kind != AnyKind {
			text += " with " + s.Of.describeKind(true)
		}
	}
	if limit := s.describeLimit(); limit != "" {
		text += " " + limit
	}
	if s.Or != nil {
		text += ", or " + s.Or.describeKind(plural)
	}
	return text
}

// A Range is a range of numbers.
type Range struct {
	// Min and Max are the limits; -NoLimit and NoLimit are none.
	Min, Max float64
	// Above says that Min itself is outside.
	Above bool
	// Unit is the unit of the numbers in words, such as "milliseconds", or "".
	Unit string
}

// NoLimit is the largest number of ranges without an upper limit. Infinite numbers are
// in no range.
const NoLimit = math.MaxFloat64

// longestCount is the largest integer of ranges without an upper limit.
const longestCount = math.MaxInt32

// contains reports whether a number is in the range.
func (r *Range) contains(f float64) bool {
	return (f > r.Min || f == r.Min && !r.Above) && f <= r.Max
}

// hasUpperLimit reports whether users must know of the upper limit.
func (r *Range) hasUpperLimit() bool { return r.Max != longestCount && r.Max != NoLimit }

// String describes the range, as "of milliseconds above 0" and "from 1 to 5".
func (r *Range) String() string {
	text := ""
	if r.Unit != "" {
		text = "of " + r.Unit + " "
	}
	low := strconv.FormatFloat(r.Min, 'f', -1, 64)
	switch {
	case r.hasUpperLimit():
		return text + "from " + low + " to " + strconv.FormatFloat(r.Max, 'f', -1, 64)
	case r.Above:
		return text + "above " + low
	case text != "":
		return text + "from " + low
	}
	return "of at least " + low
}

// AtLeast returns the shape of numbers from a limit on; for lists and maps, of at least
// that many items.
func (s Shape) AtLeast(low int) Shape {
	top := NoLimit
	if s.Kind == IntegerKind {
		top = longestCount
	}
	s.Range = &Range{Min: float64(low), Max: top}
	return s
}

// From returns the shape of numbers from one limit to another; for lists and maps, of
// that many items.
func (s Shape) From(low, high int) Shape {
	s.Range = &Range{Min: float64(low), Max: float64(high)}
	return s
}

// Above returns the shape of numbers above a limit.
func (s Shape) Above(low int) Shape {
	s.Range = &Range{Min: float64(low), Max: NoLimit, Above: true}
	return s
}

// In returns the shape of numbers in a unit, such as "milliseconds".
func (s Shape) In(unit string) Shape {
	r := Range{Min: -NoLimit, Max: NoLimit}
	if s.Range != nil {
		r = *s.Range
	}
	r.Unit = unit
	s.Range = &r
	return s
}

// describeLimit completes the kind in words, or is "".
func (s *Shape) describeLimit() string {
	if s.Range != nil && (s.Kind == IntegerKind || s.Kind == NumberKind) {
		return s.Range.String()
	}
	return s.Limit
}
