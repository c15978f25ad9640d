// Package decode reads the mappings of workflow files by tables of the keys
// that they know. It is what the decoders of all front ends have in common; what
// one format alone does stays with its front end.
//
// A front end declares a Level and a table of Fields for each kind of mapping of
// its format, and a Go type that holds what such a mapping says. Fields goes
// through a mapping, hands each value to its key's function, and reports the
// keys that nothing knows, with the place where they would be valid or the
// spelling that was perhaps meant. The functions take their values apart with
// the Decoder's methods, which report what is wrong.
//
// A value that is wrong is reported and left out, so that one fault has no
// followers: whoever needs a value asks whether its key was written at all
// before calling it missing.
package decode

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Decoder holds what reading values takes: where faults go, and what the
// dialects differ in. A front end's own decoder embeds one.
type Decoder struct {
	// Bag takes the faults.
	Bag *diag.Bag
	// Typed says that scalars have types, those of YAML 1.2: true and 5 are not
	// texts, and nothing but true and false is a boolean. Otherwise a scalar is
	// read as it is written: where a text is asked for every scalar but null is
	// one, and where a boolean is, yes, no, on and off without quotes are booleans
	// too, as they were in YAML 1.1.
	Typed bool
	// AnyNumber says that a value which is not a number is told to be a number, and
	// only a number outside of its range to be one of that range. Otherwise the
	// range is told at once.
	AnyNumber bool
	// NearFirst says that an unknown key which resembles one of its level, or
	// begins one as timeout does timeout_minutes, is a misspelt one although
	// another level may know it. Otherwise it is a misplaced one.
	NearFirst bool
	// Tables returns the levels of the format with their keys, for telling where
	// a misplaced key would be valid. It is a function because the tables of
	// fields refer to the front end's methods. Nil means none.
	Tables func() []Table
	// Special looks at an unknown key of a mapping before everything else, and
	// reports whether nothing more is to be said about it. Nil means that no key
	// is special.
	Special func(v Value, key *yamlsrc.Node) bool
	// meant are, for each mapping, the keys that its misspelt ones were meant to be.
	meant map[*yamlsrc.Node][]string
	// asked is the mapping that written was last asked about, and keys are its keys.
	asked *yamlsrc.Node
	keys  map[string]bool
	// tables is what Tables returns, once it was asked for.
	tables []Table
	// unknown counts the keys that were reported.
	unknown int
}

// A Front is a front end's own decoder: it embeds a Decoder.
type Front interface{ self() *Decoder }

func (d *Decoder) self() *Decoder { return d }

// Fault reports something wrong with a value. What the original engine drops,
// and what would otherwise be an error, becomes the warning that it is dropped.
func (d *Decoder) Fault(v Value, x *diag.Diagnostic) {
	if v.Lenient && x.Severity == diag.Error {
		dropped := finding.DroppedValue(x.Span, x.Message)
		dropped.Help = x.Help
		x = dropped
	}
	d.Bag.Add(x)
}

// StrictRoot is Root for formats in which a key that stands twice is an error. A
// document that is null is no more than an empty file there, and shown where that
// begins.
func StrictRoot(doc *yamlsrc.Document, bag *diag.Bag) *yamlsrc.Node {
	if doc.Root.IsNull() {
		doc.Root = nil
	}
	return Root(doc, bag, diag.Error)
}

// Root returns the mapping that a document is, or nil when it is none, and
// reports keys that stand twice, with the given severity, and further documents.
func Root(doc *yamlsrc.Document, bag *diag.Bag, duplicates diag.Severity) *yamlsrc.Node {
	for _, dup := range doc.Duplicates {
		x := finding.DuplicateKey(dup.Key, dup.First, dup.Second)
		x.Severity = duplicates
		bag.Add(x)
	}
	if doc.More.IsValid() {
		bag.Add(finding.SeveralDocuments(doc.More))
	}
	if doc.Root != nil && doc.Root.Kind == yamlsrc.Mapping {
		return doc.Root
	}
	at, kind := source.Span{File: doc.File}, "empty"
	if doc.Root != nil {
		at = doc.Root.Place()
	}
	if !doc.Root.IsNull() {
		kind = KindOf(doc.Root)
	}
	bag.Add(finding.NotMapping(at, kind))
	return nil
}
