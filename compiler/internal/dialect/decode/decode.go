// Package decode reads the mappings of workflow files by tables of their keys. All
// front ends share it; code for a single format stays in its front end.
//
// A front end declares a Level and a table of Fields for each kind of mapping of
// its format, and a Go type for the values of such a mapping. Fields iterates over
// a mapping, passes each value to its key's function, and reports unknown keys,
// with the place where they would be valid or the nearest spelling. The functions
// decode their values with the Decoder's methods, which report faults.
//
// A wrong value is reported and left out, so one fault has no followers: code that
// needs a value checks whether its key is present before it reports a missing key.
package decode

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Decoder holds the state of decoding: the receiver of faults, and the options by
// which dialects differ. A front end's own decoder embeds one.
type Decoder struct {
	// Bag takes the faults.
	Bag *diag.Bag
	// Typed says that scalars have the types of YAML 1.2: true and 5 are not strings, and
	// only true and false are booleans. Otherwise the key decides: as a string, any
	// scalar but null is valid; as a boolean, unquoted yes, no, on and off are valid too,
	// as in YAML 1.1.
	Typed bool
	// AnyNumber reports a value that is not a number as "must be a number", and
	// only a number out of range with its range. Otherwise both messages name the
	// range.
	AnyNumber bool
	// NearFirst says that an unknown key which resembles one of its level, or
	// begins one as timeout does timeout_minutes, is a misspelt one although
	// another level may know it. Otherwise it is a misplaced one.
	NearFirst bool
	// Tables returns the levels of the format with their keys, for telling where
	// a misplaced key would be valid. It is a function because the tables of
	// fields refer to the front end's methods. Nil means none.
	Tables func() []Table
	// Special checks an unknown key of a mapping before all other rules, and
	// reports whether it has handled the key. Nil means that no key is special.
	Special func(v Value, key *yamlsrc.Node) bool
	// meant are, for each mapping, the keys that its misspelt ones were meant to be.
	meant map[*yamlsrc.Node][]string
	// asked is the mapping that written was last asked about, and keys are its keys.
	asked *yamlsrc.Node
	keys  map[string]bool
	// tables is the cached result of Tables.
	tables []Table
	// unknown counts the keys that were reported.
	unknown int
}

// A Front is a front end's own decoder: it embeds a Decoder.
type Front interface{ self() *Decoder }

func (d *Decoder) self() *Decoder { return d }

// Fault reports a faulty value. If the original engine drops the value and the
// fault would otherwise be an error, it becomes a warning that the value is
// dropped.
func (d *Decoder) Fault(v Value, x *diag.Diagnostic) {
	if v.Lenient && x.Severity == diag.Error {
		dropped := finding.DroppedValue(x.Span, x.Message)
		dropped.Help, dropped.Fixes = x.Help, x.Fixes
		x = dropped
	}
	d.Bag.Add(x)
}

// StrictRoot is Root for formats in which a duplicate key is an error. A null
// document counts as an empty file, and faults are shown at its start.
func StrictRoot(doc *yamlsrc.Document, bag *diag.Bag) *yamlsrc.Node {
	if doc.Root.IsNull() {
		doc.Root = nil
	}
	return Root(doc, bag, diag.Error)
}

// Root returns the mapping at the top of a document, or nil if there is none. It
// reports duplicate keys with the given severity, and further documents.
func Root(doc *yamlsrc.Document, bag *diag.Bag, duplicates diag.Severity) *yamlsrc.Node {
	for _, dup := range doc.Duplicates {
		x := finding.DuplicateKey(dup.Key, dup.First, dup.Second)
		x.Severity = duplicates
		bag.Add(x)
	}
	if doc.More.IsValid() {
		bag.Add(codes.SeveralDocuments.New(doc.More, "a second document starts here, but a file contains one workflow").
			WithHelp("move the second document to another file"))
	}
	if doc.Root != nil && doc.Root.Kind == yamlsrc.Mapping {
		return doc.Root
	}
	at := source.Span{File: doc.File}
	if doc.Root != nil {
		at = doc.Root.Place()
	}
	if doc.Root.IsNull() {
		bag.Add(finding.EmptyFile(at))
	} else {
		bag.Add(finding.NotMapping(at, KindOf(doc.Root)))
	}
	return nil
}

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
	// Example is a right value as JSON, or "".
	Example string
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
	return Value{Node: n, Key: v.Key, Path: v.Path + " item", Lenient: v.Lenient, Shape: v.Shape.itemShape()}
}

// Member returns the value of one entry of v, a mapping whose keys are names of
// the user's own.
func (v Value) Member(p *yamlsrc.Pair) Value {
	return Value{Node: p.Value, Key: p.Key, Path: v.Path + "." + p.Key.Value, Lenient: v.Lenient, Shape: v.Shape.itemShape()}
}

// Keep returns a value that read accepts, to be resolved once the whole file is
// known; otherwise nil, with a fault that read reports. It fits methods such as
// Decoder.Text.
func Keep[T any](v Value, read func(Value) (T, bool)) *Value {
	if _, ok := read(v); !ok {
		return nil
	}
	return &v
}

// itemShape is the shape of the items of a list or of the values of a map; it may be nil.
func (s *Shape) itemShape() *Shape {
	if s == nil {
		return nil
	}
	return s.Of
}
