package compiler

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// Fix returns the file's content with the safe fixes of the findings applied,
// and how many there were. Fixes that reach into other files are left out, and
// so is one that overlaps another: after the first has been applied the next
// check says whether it is still wanted.
func Fix(file *source.File, findings []*diag.Diagnostic) (content []byte, applied int) {
	var edits []diag.Edit
	for _, d := range findings {
		i := slices.IndexFunc(d.Fixes, func(f diag.Fix) bool { return f.Safe })
		if i < 0 || !fits(file, d.Fixes[i].Edits, edits) {
			continue
		}
		edits = append(edits, d.Fixes[i].Edits...)
		applied++
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(file.Content[at:e.Span.Start])
		out.WriteString(e.New)
		at = e.Span.End
	}
	out.Write(file.Content[at:])
	return out.Bytes(), applied
}

// fits reports whether edits lie in the file and touch neither each other nor
// those taken already. Two edits at one place touch, even empty ones: their
// order would not be decided.
func fits(file *source.File, edits, taken []diag.Edit) bool {
	for i, e := range edits {
		if e.Span.File != file || e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(file.Content) {
			return false
		}
		touches := func(o diag.Edit) bool {
			return e.Span.Start < o.Span.End && o.Span.Start < e.Span.End || e.Span.Start == o.Span.Start
		}
		if slices.ContainsFunc(taken, touches) || slices.ContainsFunc(edits[:i], touches) {
			return false
		}
	}
	return len(edits) > 0
}
