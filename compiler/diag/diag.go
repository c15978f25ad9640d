// Package diag defines the compiler's reports about a workflow: diagnostics with
// exact places, remedies, and stable codes. A program prints those of a compiler.Result
// in its own form:
//
//	for _, d := range result.Diagnostics {
//		fmt.Printf("%s %s: %s\n", d.Severity, d.Code, d.Message)
//		for _, help := range d.Help {
//			fmt.Println("  help:", help)
//		}
//	}
//
// The command wfc explain describes every code, with examples of the fault and of its remedy.
//
// Only the compiler and its checks make diagnostics: Bag, Code.New and the methods of
// Diagnostic are for them.
package diag

import (
	"cmp"
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
)

// Severity orders diagnostics from Off to Error. The zero Severity is Note.
type Severity int

const (
	// Off hides a finding: only configurations have it.
	Off Severity = iota - 1
	// Note informs and never fails a check.
	Note
	// Warning marks a construct that is accepted but probably wrong; it fails a check only
	// with --strict.
	Warning
	// Error stops compilation.
	Error
)

// String returns "off", "note", "warning" or, for any other value, "error".
func (s Severity) String() string {
	switch s {
	case Off:
		return "off"
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "error"
}

// A Diagnostic is one finding.
type Diagnostic struct {
	// Code names the kind of finding.
	Code *Code
	// Severity starts as the code's own; configuration may change it.
	Severity Severity
	// Span is where the fault is. In a compiler.Result it is valid, unless the fault is
	// in a text of compiler.Options that comes from no file.
	Span source.Span
	// Message describes the fault, in the user's words: lower case, present tense,
	// names from the workflow in backticks, no full stop at the end.
	Message string
	// Label is a few words about the span, printed under it, such as "defined here"; may
	// be empty.
	Label string
	// Related are further places that explain the finding.
	Related []RelatedPlace
	// Help are remedies, one per line.
	Help []string
	// Fixes are edits that resolve the finding.
	Fixes []Fix
	// Shared says that one change at another place resolves this finding and all others of its
	// code with the same help. A compiler.Result has one finding for all of them in a file, with
	// the places of the others in Related.
	Shared bool
	// Portability marks findings that only report a difference from the original engine;
	// see Code.Portability.
	Portability bool
	// Private says that reports show the place but not the source line, which may hold a
	// password.
	Private bool
}

// A RelatedPlace is a secondary place with a few words about it.
type RelatedPlace struct {
	Span source.Span
	Text string
}

// A Fix is a set of edits that resolve a diagnostic together.
type Fix struct {
	// Title describes the fix, as an imperative: "replace with `kind`".
	Title string
	Edits []Edit
	// Safe says that the fix is sure: it is the only remedy and changes nothing but the fault
	// that the finding describes, so a tool may apply it unasked. Any other fix is a suggestion,
	// such as a similar name: a person decides about it.
	Safe bool
}

// An Edit replaces the bytes of Span by New.
type Edit struct {
	Span source.Span
	New  string
	// Decoded says that New is a plain string, which must still be encoded as YAML: it
	// replaces the value of the scalar at Span, or the part of the value that Span covers.
	// The compiler encodes such edits before it returns a Result, so outside of the
	// compiler Decoded is always false.
	Decoded bool
	// Scalar reports that the edit changes only the value of one scalar.
	Scalar bool
}

// WithLabel sets the text under the span and returns d.
func (d *Diagnostic) WithLabel(text string) *Diagnostic { d.Label = text; return d }

// WithRelated adds a secondary place, unless it is invalid, and returns d.
func (d *Diagnostic) WithRelated(at source.Span, text string) *Diagnostic {
	if at.IsValid() {
		d.Related = append(d.Related, RelatedPlace{at, text})
	}
	return d
}

// WithHelp adds a line of advice and returns d.
func (d *Diagnostic) WithHelp(text string) *Diagnostic { d.Help = append(d.Help, text); return d }

// WithFix adds a suggestion that replaces the value of the YAML scalar at a place, or the part
// of the value there, by text, and returns d. WithFix adds nothing if the place is invalid.
func (d *Diagnostic) WithFix(title string, at source.Span, text string) *Diagnostic {
	return d.withEdit(title, Edit{Span: at, New: text, Decoded: true}, false)
}

// WithSureFix is WithFix for a sure fix; see Fix.Safe.
func (d *Diagnostic) WithSureFix(title string, at source.Span, text string) *Diagnostic {
	return d.withEdit(title, Edit{Span: at, New: text, Decoded: true}, true)
}

// WithSourceFix adds a suggestion that replaces the bytes of the file at a place by yaml, which
// must be valid there without encoding, and returns d.
func (d *Diagnostic) WithSourceFix(title string, at source.Span, yaml string) *Diagnostic {
	return d.withEdit(title, Edit{Span: at, New: yaml}, false)
}

// WithSureSourceFix is WithSourceFix for a sure fix; see Fix.Safe.
func (d *Diagnostic) WithSureSourceFix(title string, at source.Span, yaml string) *Diagnostic {
	return d.withEdit(title, Edit{Span: at, New: yaml}, true)
}

func (d *Diagnostic) withEdit(title string, e Edit, safe bool) *Diagnostic {
	if e.Span.IsValid() {
		d.Fixes = append(d.Fixes, Fix{Title: title, Edits: []Edit{e}, Safe: safe})
	}
	return d
}

// BestFix returns the first sure fix or, with suggestions, the first fix if none is sure. It
// returns nil if there is none.
func (d *Diagnostic) BestFix(suggestions bool) *Fix {
	for i := range d.Fixes {
		if d.Fixes[i].Safe {
			return &d.Fixes[i]
		}
	}
	if !suggestions || len(d.Fixes) == 0 {
		return nil
	}
	return &d.Fixes[0]
}

// A Bag collects diagnostics. The zero Bag is ready for use; it is not safe
// for concurrent use.
type Bag struct {
	list []*Diagnostic
}

// Add adds diagnostics and ignores nil ones.
func (b *Bag) Add(ds ...*Diagnostic) {
	for _, d := range ds {
		if d != nil {
			b.list = append(b.list, d)
		}
	}
}

// Len returns how many diagnostics were added.
func (b *Bag) Len() int { return len(b.list) }

// HasErrors reports whether any diagnostic is an error.
func (b *Bag) HasErrors() bool { return HasErrors(b.list) }

// Sorted returns the diagnostics by position, then code, then message, without duplicates.
// It does not change the bag.
func (b *Bag) Sorted() []*Diagnostic {
	list := slices.Clone(b.list)
	slices.SortStableFunc(list, func(x, y *Diagnostic) int {
		return cmp.Or(x.Span.Compare(y.Span), cmp.Compare(x.Code.ID, y.Code.ID), cmp.Compare(x.Message, y.Message))
	})
	return slices.CompactFunc(list, func(x, y *Diagnostic) bool {
		return x.Code == y.Code && x.Message == y.Message && x.Span == y.Span
	})
}

// HasErrors reports whether any of the diagnostics is an error.
func HasErrors(list []*Diagnostic) bool {
	return slices.ContainsFunc(list, func(d *Diagnostic) bool { return d.Severity == Error })
}
