//go:build unix

package attacks

import (
	"regexp"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A script is the text of a compiled program. It is known when it is compiled, without any
// value, or its parts are.
type script []template.Part

// scriptsOf are the scripts of a program by the ids of their steps.
func scriptsOf(p *ir.Program) map[string]script {
	all := map[string]script{}
	add := func(id, whole string, t *template.Template) {
		if t != nil {
			all[id] = t.Parts
		} else {
			all[id] = script{&template.Text{Value: whole}}
		}
	}
	ir.Walk(p.Workflow.Body, func(n *ir.Node) {
		switch a := n.Action.(type) {
		case *ir.Bash:
			add(n.ID, a.Script, a.Template)
		case *ir.Script:
			add(n.ID, a.Source, a.Template)
		}
	})
	return all
}

// prelude is what precedes the script in a text, which has to end with it.
func (s script) prelude(text string) (prelude string, ok bool) {
	for i := 0; i <= len(text) && !ok; i++ {
		ok = matches(s, text[i:], func(rest string) bool { return rest == "" })
		prelude = text[:i]
	}
	return prelude, ok
}

// iteration is behind the name of a variable in a loop.
var iteration = regexp.MustCompile(`^_\d+`)

// matches reports whether a text begins with parts of a program, whichever branches they take
// and however often they repeat, and its rest is right. A hole that is not bound would insert
// its value, so no text matches it.
func matches(parts []template.Part, text string, right func(rest string) bool) bool {
	if len(parts) == 0 {
		return right(text)
	}
	next := func(rest string) bool { return matches(parts[1:], rest, right) }
	switch p := parts[0].(type) {
	case *template.Text:
		rest, ok := strings.CutPrefix(text, p.Value)
		return ok && next(rest)
	case *template.Bound:
		rest, ok := strings.CutPrefix(text, p.Before+p.Name)
		if !ok {
			return false
		}
		after := func(rest string) bool {
			rest, ok := strings.CutPrefix(rest, p.After)
			return ok && next(rest)
		}
		return after(rest) || after(strings.TrimPrefix(rest, iteration.FindString(rest)))
	case *template.If:
		for _, b := range p.Branches {
			if matches(b.Body, text, next) {
				return true
			}
		}
		return matches(p.Else, text, next)
	case *template.For:
		var again func(text string) bool
		again = func(text string) bool {
			return matches(p.Body, text, func(rest string) bool { return next(rest) || len(rest) < len(text) && again(rest) })
		}
		return again(text) || matches(p.Else, text, next)
	case *template.Scope:
		return matches(p.Body, text, next)
	case *template.Hole:
		return false
	}
	return next(text) // it only declares something
}
