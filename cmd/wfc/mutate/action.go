package mutate

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// visitAction visits the action of a node: its values and conditions.
func (f *finder) visitAction(n *ir.Node, key string) {
	ran := []string{"node " + key}
	switch a := n.Action.(type) {
	case *ir.Bash:
		f.visitScript(a.Original, a.Bindings, key, missingWord, ran)
		f.addBranchFaults(a.Template, place{node: key, what: "condition in `" + key + "`", facts: ran})
	case *ir.Script:
		none := "None"
		if a.Runtime == "bun" {
			none = "null"
		}
		f.visitScript(a.Original, a.Bindings, key, none, ran)
		f.addBranchFaults(a.Template, place{node: key, what: "condition in `" + key + "`", facts: ran})
	case *ir.Prompt:
		f.visitHoles(a.Text, key, ran)
	case *ir.Loop:
		if a.Until != nil {
			f.visitScript(a.Until.Original, a.Until.Bindings, key, missingWord, ran)
		}
		if a.Gate != nil {
			f.visitHoles(a.Gate.Message, key, ran)
		}
	case *ir.Approval:
		f.visitHoles(a.Gate.Message, key, ran)
		if a.Rework != nil {
			f.visitHoles(a.Rework.Text, key, ran)
		}
	case *ir.Cancel:
		f.visitHoles(a.Reason, key, ran)
	case *ir.Wait:
		f.visitHoles(a.Attention, key, ran)
	case *ir.Human:
		f.visitHoles(a.Message, key, ran)
	case *ir.Join:
		if a.Prompt != nil {
			f.visitHoles(a.Prompt.Text, key, ran)
		}
	case *ir.Decision:
		f.addConditionFaults(a.Cond, place{node: key, what: "condition of `" + key + "`", facts: ran, flow: true, decides: true})
	case *ir.Repeat:
		f.addConditionFaults(a.Cond, place{node: key, what: "condition of the loop `" + key + "`", facts: ran})
	case *ir.Call:
		for _, arg := range a.Args {
			if at := f.index.scalarAt(arg.Span); f.isInFile(arg.Span) && at != nil {
				f.addMissingKey(at, Binding, key, ran, "`%s` does not get the input `%s`", key, arg.Name)
			}
		}
	}
}

// missingWord takes the place of a value in bash. It is not empty: a script may put a slash
// behind it, and delete the folder.
const missingWord = "missing"

// visitScript visits the values of a program. none is the script language's literal for a
// missing value.
func (f *finder) visitScript(t *template.Template, bindings []ir.Binding, key, none string, facts []string) {
	if t == nil {
		return
	}
	seen := map[int]bool{}
	for _, b := range bindings {
		if f.isInFile(b.Span) {
			seen[b.Span.Start] = true
			f.addMissingValue(b.Span, b.Value, key, none, facts)
		}
	}
	for _, h := range t.Holes() {
		if at := t.Span(h); f.isInFile(at) && !seen[at.Start] {
			f.addMissingValue(at, h.Expr, key, none, facts)
		}
	}
}

// visitHoles visits the values in a text.
func (f *finder) visitHoles(t *template.Template, key string, facts []string) {
	if t == nil {
		return
	}
	for _, h := range t.Holes() {
		if at := t.Span(h); f.isInFile(at) {
			f.addMissingValue(at, h.Expr, key, "", facts)
		}
	}
	f.addBranchFaults(t, place{node: key, what: "condition in `" + key + "`", facts: facts})
}

// addMissingValue adds the fault that a value is missing.
func (f *finder) addMissingValue(at source.Span, e expr.Expr, key, none string, facts []string) {
	written := f.sourceText(at)
	if strings.Contains(written, "\n") {
		return
	}
	f.addSite(&site{class: Binding, node: key, at: at.Start, facts: facts, text: fmt.Sprintf("`%s` does not get %s", key, quoteExcerpt(written)), edits: []edit{{at.Start, at.End, none}}})
}
