package compiler

import (
	"bytes"
	"fmt"
	"slices"
	"sort"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A FixResult is the outcome of applying a file's fixes.
type FixResult struct {
	// Result is the file with the fixes applied, compiled again.
	Result *Result
	// Applied counts the fixes, and Fixed are their findings. The places of these are in the
	// content that each fix changed.
	Applied int
	Fixed   []*diag.Diagnostic
	// Refused are the fixes that were not applied.
	Refused []Refusal
	// Unsafe counts the findings of Result that have suggestions alone, so that a person must
	// decide.
	Unsafe int
}

// A Refusal is a finding whose fix was not applied.
type Refusal struct {
	Finding *diag.Diagnostic
	// Why completes the sentence "it was not fixed because".
	Why string
}

// maxFixRounds is the number of times that fixes are applied to a file. Each round
// fixes the findings that the previous one uncovered.
const maxFixRounds = 10

// Fix applies the sure fixes of a result, compiles the file again, and repeats this until none
// is left. It writes no file. Fix calls compile to compile the same file with new content.
//
// Fix refuses a fix that edits another file, makes the YAML invalid, changes YAML values
// besides those that it edits, adds errors, or leaves its finding in place.
func Fix(r *Result, compile func(content []byte) *Result) *FixResult {
	return r.applyFixes(false, compile)
}

// FixAll is Fix for all findings with fixes: of those without a sure one, it applies the first
// suggestion.
func (r *Result) FixAll(compile func(content []byte) *Result) *FixResult {
	return r.applyFixes(true, compile)
}

func (r *Result) applyFixes(suggestions bool, compile func(content []byte) *Result) *FixResult {
	f := &FixResult{Result: r}
	for range maxFixRounds {
		round := fixRound{base: f.Result, next: f.Result, suggestions: suggestions, compile: compile}
		round.run()
		f.Result, f.Refused = round.next, round.refused
		f.Fixed = append(f.Fixed, round.taken...)
		f.Applied = len(f.Fixed)
		if len(round.taken) == 0 {
			break
		}
	}
	for _, d := range f.Result.Diagnostics {
		if len(d.Fixes) > 0 && d.BestFix(false) == nil {
			f.Unsafe++
		}
	}
	return f
}

// A fixRound applies the fixes of one result.
type fixRound struct {
	base        *Result
	suggestions bool
	compile     func(content []byte) *Result
	doc         *yamlsrc.Document // of the base

	taken   []*diag.Diagnostic
	edits   []diag.Edit // of those taken, in order
	next    *Result     // with those taken
	refused []Refusal
}

func (r *fixRound) run() {
	var list []*diag.Diagnostic
	var edits []diag.Edit
	for _, d := range r.base.Diagnostics {
		fix := d.BestFix(r.suggestions)
		switch {
		case fix == nil:
		case !inFile(r.base.File, fix.Edits):
			r.refused = append(r.refused, Refusal{d, "its fix is in another file"})
		default:
			if more, ok := mergeEdits(edits, fix.Edits); ok { // else a later round's
				list, edits = append(list, d), more
			}
		}
	}
	if len(list) > 0 {
		r.doc = yamlsrc.Parse(r.base.File, new(diag.Bag))
		r.takeFixes(list)
	}
}

// inFile reports whether there are edits, and all are of a file's bytes.
func inFile(file *source.File, edits []diag.Edit) bool {
	return len(edits) > 0 && !slices.ContainsFunc(edits, func(e diag.Edit) bool {
		return e.Span.File != file || e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(file.Content)
	})
}

// mergeEdits adds edits to a list in order, in place, unless they touch one of it
// or each other. Two edits at one place touch, even empty ones: their order would
// not be decided.
func mergeEdits(list, more []diag.Edit) ([]diag.Edit, bool) {
	for n, e := range more {
		i := placeOf(e, list)
		if i > 0 && (list[i-1].Span.End > e.Span.Start || list[i-1].Span.Start == e.Span.Start) || i < len(list) && list[i].Span.Start < e.Span.End {
			for _, e := range more[:n] {
				i := placeOf(e, list)
				list = slices.Delete(list, i-1, i)
			}
			return list, false
		}
		list = slices.Insert(list, i, e)
	}
	return list, true
}

// placeOf returns the index of an edit in a list, after those that begin at its
// start.
func placeOf(e diag.Edit, list []diag.Edit) int {
	return sort.Search(len(list), func(i int) bool { return list[i].Span.Start > e.Span.Start })
}

// takeFixes takes the fixes of findings. If it cannot take all together, it takes each half
// alone, down to the single fixes that it cannot take.
func (r *fixRound) takeFixes(list []*diag.Diagnostic) {
	edits := slices.Clone(r.edits)
	for _, d := range list {
		edits, _ = mergeEdits(edits, d.BestFix(r.suggestions).Edits)
	}
	next, why := r.tryEdits(list, edits)
	switch {
	case why == "":
		r.taken, r.edits, r.next = append(r.taken, list...), edits, next
	case len(list) == 1:
		r.refused = append(r.refused, Refusal{list[0], why})
	default:
		r.takeFixes(list[:len(list)/2])
		r.takeFixes(list[len(list)/2:])
	}
}

// tryEdits returns the result with edits, which are the fixes of a list, or why they cannot be.
func (r *fixRound) tryEdits(list []*diag.Diagnostic, edits []diag.Edit) (next *Result, why string) {
	content := applyEdits(r.base.File.Content, edits)
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile(r.base.File.Name, content), &bag)
	valid := doc != nil && doc.Root != nil && !bag.HasErrors()
	if r.doc == nil || r.doc.Root == nil {
		// The edits are of a fault of the YAML. Behind it, there may be another one.
		if next = r.compile(content); valid || restAfterError(next) < restAfterError(r.base) {
			return next, ""
		}
		return nil, "the file would still be invalid YAML there"
	}
	if !valid {
		return nil, "the file would no longer be valid YAML"
	}
	if at := r.doc.Damage(edits, doc); at.IsValid() {
		return nil, fmt.Sprintf("it would also change line %d", at.Position().Line)
	}
	next = r.compile(content)
	if errorsIn(next.Diagnostics) > errorsIn(r.base.Diagnostics) {
		return nil, "it would cause new errors"
	}
	for _, d := range list {
		alike := func(of *diag.Diagnostic) bool { return of.Code == d.Code && of.Message == d.Message }
		if countMatching(next.Diagnostics, alike)+countMatching(list, alike) > countMatching(r.base.Diagnostics, alike) {
			return nil, "the finding would remain"
		}
	}
	return next, ""
}

// restAfterError returns how many bytes follow the first error of a result.
func restAfterError(r *Result) int {
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			return len(r.File.Content) - d.Span.Start
		}
	}
	return 0
}

func errorsIn(list []*diag.Diagnostic) int {
	return countMatching(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
}

func countMatching(list []*diag.Diagnostic, is func(*diag.Diagnostic) bool) (n int) {
	for _, d := range list {
		if is(d) {
			n++
		}
	}
	return n
}

// applyEdits is a content with edits, which are in order and do not touch.
func applyEdits(content []byte, edits []diag.Edit) []byte {
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(content[at:e.Span.Start])
		out.WriteString(e.New)
		at = e.Span.End
	}
	out.Write(content[at:])
	return out.Bytes()
}
