package decode

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Value is the value of a key, or an item of a list.
type Value struct {
	Node *yamlsrc.Node
	// Key is the key's own node; for an item that of its list; nil for the
	// whole file.
	Key *yamlsrc.Node
	// Path is how messages call the value, as "retry.max_attempts".
	Path string
	// Lenient says that the engine drops a wrong value with a warning where it
	// otherwise rejects the file.
	Lenient bool
	// Shape describes the values that are accepted; nil means any.
	Shape *Shape
}

// Place is where faults of the value are shown: at the key when nothing is
// written behind it.
func (v Value) Place() source.Span {
	at := v.Node.Place()
	if at.Start == at.End && v.Key != nil {
		return v.Key.Span
	}
	return at
}

// Head is where faults of a whole mapping or list are shown that something is
// before: at its key, if it has one.
func (v Value) Head() source.Span {
	if v.Key != nil {
		return v.Key.Span
	}
	return v.Place()
}

// FirstKey is where faults of a whole mapping are shown that nothing is before: at
// its first key, if there is one.
func (v Value) FirstKey() source.Span {
	if len(v.Node.Pairs) > 0 {
		return v.Node.Pairs[0].Key.Span
	}
	return v.Place()
}

// Item returns the value that an item of the list v is.
func (v Value) Item(n *yamlsrc.Node) Value {
	return Value{Node: n, Key: v.Key, Path: v.Path + " item", Lenient: v.Lenient, Shape: v.Shape.of()}
}

// Member returns the value of one entry of v, a mapping whose keys are names of
// the user's own.
func (v Value) Member(p *yamlsrc.Pair) Value {
	return Value{Node: p.Value, Key: p.Key, Path: v.Path + "." + p.Key.Value, Lenient: v.Lenient, Shape: v.Shape.of()}
}

// Keep returns a value that read accepts, to be resolved once the whole file is
// known; otherwise nil, with a fault that read reports. It fits methods such as
// Decoder.Text.
func Keep(v Value, read func(Value) (string, bool)) *Value {
	if _, ok := read(v); !ok {
		return nil
	}
	return &v
}

// of is the shape of the items of a list or of the values of a map; it may be nil.
func (s *Shape) of() *Shape {
	if s == nil {
		return nil
	}
	return s.Of
}
