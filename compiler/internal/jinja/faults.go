package jinja

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// faults collects the findings of one text; followers of a wrong reading can be
// dropped.
type faults struct {
	text source.Text
	list []*diag.Diagnostic
	// unpaired says that statements are not closed as they should be.
	unpaired bool
}

func (f *faults) add(d *diag.Diagnostic) { f.list = append(f.list, d) }

func (f *faults) mark() int { return len(f.list) }

func (f *faults) drop(mark int) { f.list = f.list[:mark] }

func (f *faults) span(p place) source.Span { return f.text.Span(p.start, p.end) }
