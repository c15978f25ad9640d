package decode

import (
	"math"
	"strconv"
)

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

// limited reports whether users must know of the upper limit.
func (r *Range) limited() bool { return r.Max != longestCount && r.Max != NoLimit }

// String describes the range, as "of milliseconds above 0" and "from 1 to 5".
func (r *Range) String() string {
	text := ""
	if r.Unit != "" {
		text = "of " + r.Unit + " "
	}
	low := strconv.FormatFloat(r.Min, 'f', -1, 64)
	switch {
	case r.limited():
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

// limit completes the kind in words, or is "".
func (s *Shape) limit() string {
	if s.Range != nil && (s.Kind == IntegerKind || s.Kind == NumberKind) {
		return s.Range.String()
	}
	return s.Limit
}
