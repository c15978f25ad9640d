package mutate

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// action visits the action of a node: its values and conditions.
func (f *finder) action(n *ir.Node, key string) {
	ran := []string{"node " + key}
	switch a := n.Action.(type) {
	case *ir.Bash:
		f.script(a.Original, a.Bindings, key, missingWord, ran)
		f.branches(a.Template, place{node: key, what: "condition in `" + key + "`", facts: ran})
	case *ir.Script:
		none := "None"
		if a.Runtime == "bun" {
			none = "null"
		}
		f.script(a.Original, a.Bindings, key, none, ran)
		f.branches(a.Template, place{node: key, what: "condition in `" + key + "`", facts: ran})
	case *ir.Prompt:
		f.holes(a.Text, key, ran)
	case *ir.Loop:
		if a.Until != nil {
			f.script(a.Until.Original, a.Until.Bindings, key, missingWord, ran)
		}
		if a.Gate != nil {
			f.holes(a.Gate.Message, key, ran)
		}
	case *ir.Approval:
		f.holes(a.Gate.Message, key, ran)
		if a.Rework != nil {
			f.holes(a.Rework.Text, key, ran)
		}
	case *ir.Cancel:
		f.holes(a.Reason, key, ran)
	case *ir.Wait:
		f.holes(a.Attention, key, ran)
	case *ir.Human:
		f.holes(a.Message, key, ran)
	case *ir.Join:
		if a.Prompt != nil {
			f.holes(a.Prompt.Text, key, ran)
		}
	case *ir.Decision:
		f.condition(a.Cond, place{node: key, what: "condition of `" + key + "`", facts: ran, flow: true, decides: true})
	case *ir.Repeat:
		f.condition(a.Cond, place{node: key, what: "condition of the loop `" + key + "`", facts: ran})
	case *ir.Call:
		for _, arg := range a.Args {
			if at := f.index.scalar(arg.Span); f.here(arg.Span) && at != nil {
				f.drop(at, Binding, key, ran, "`%s` does not get the input `%s`", key, arg.Name)
			}
		}
	}
}

// missingWord takes the place of a value in bash. It is not empty: a script may put a slash
// behind it, and delete the folder.
const missingWord = "missing"

// script visits the values of a program. none is the script language's literal for a
// missing value.
func (f *finder) script(t *template.Template, bindings []ir.Binding, key, none string, facts []string) {
	if t == nil {
		return
	}
	seen := map[int]bool{}
	for _, b := range bindings {
		if f.here(b.Span) {
			seen[b.Span.Start] = true
			f.missing(b.Span, b.Value, key, none, facts)
		}
	}
	for _, h := range t.Holes() {
		if at := t.Span(h); f.here(at) && !seen[at.Start] {
			f.missing(at, h.Expr, key, none, facts)
		}
	}
}

// holes visits the values in a text.
func (f *finder) holes(t *template.Template, key string, facts []string) {
	if t == nil {
		return
	}
	for _, h := range t.Holes() {
		if at := t.Span(h); f.here(at) {
			f.missing(at, h.Expr, key, "", facts)
		}
	}
	f.branches(t, place{node: key, what: "condition in `" + key + "`", facts: facts})
}

// missing adds the fault that a value is missing.
func (f *finder) missing(at source.Span, e expr.Expr, key, none string, facts []string) {
	written := f.raw(at)
	if strings.Contains(written, "\n") {
		return
	}
	f.add(&site{class: Binding, node: key, at: at.Start, facts: facts, text: fmt.Sprintf("`%s` does not get %s", key, quoted(written)), edits: []edit{{at.Start, at.End, none}}})
}
