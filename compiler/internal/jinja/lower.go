package jinja

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// lowerer gives the tree its meaning, in one round.
type lowerer struct {
	variables
	text  string
	scope Scope
	opt   Options
	// guards count the enclosing conditions under which a name, or an attribute of
	// one, is defined.
	guards map[string]int
	// asking says that the name being looked up may have no value.
	asking bool
	// loops is the number of enclosing for statements.
	loops int
}

// maxRounds is how often types may widen before they become Any.
const maxRounds = 5

// lowerInRounds runs do in rounds until types are settled.
func lowerInRounds(f *faults, scope Scope, opt Options, do func(l *lowerer)) {
	known := map[variableKey]types.Type{}
	mark, mutable := f.mark(), false
	for round := 0; ; round++ {
		l := &lowerer{text: f.text.Value, scope: scope, opt: opt, guards: map[string]int{}}
		l.variables = variables{faults: f, known: known, untyped: round >= maxRounds, mutable: mutable}
		do(l)
		if !l.widened && l.mutable == mutable || round > maxRounds {
			return
		}
		mutable = l.mutable
		f.drop(mark)
	}
}

// lowerBody lowers statements with their own variables.
func (l *lowerer) lowerBody(key bodyKey, list []stmt) []template.Part {
	l.pushFrame(false)
	defer l.popFrame()
	return l.lowerInFrame(key, list)
}

// lowerInFrame lowers statements in the current frame, and adds their variables to it.
func (l *lowerer) lowerInFrame(key bodyKey, list []stmt) []template.Part {
	params := len(l.frame.order)
	l.declareStores(key, list)
	parts := l.lowerParts(list)
	var begin []template.Part
	for _, v := range l.frame.order[min(params, len(l.frame.order)):] {
		if v.fallback != nil {
			at := 0
			if len(list) > 0 {
				at = list[0].where().start
			}
			begin = append(begin, &template.Set{Target: template.Target{Var: v.decl, At: v.decl.At}, Value: v.fallback, Start: at, End: at})
		}
	}
	return append(begin, parts...)
}

// lookupName returns the meaning of a name at the place of a read. deferred says that
// the place runs later.
func (l *lowerer) lookupName(name string, at place, f *frame, deferred bool) (expr.Expr, bool) {
	for ; f != nil; f = f.outer {
		if v := l.variableOf(f, name, at); v != nil {
			s := v.status
			if s == unset && deferred {
				s = maybe
			}
			if s == always {
				return l.localExpr(v, at), true
			}
			if s == maybe {
				l.mayLack(v, f, at, deferred)
				return l.localExpr(v, at), true
			}
		}
		deferred = deferred || f.later
	}
	if l.asking && l.isHidden(name) {
		return l.globalFunction(name, at)
	}
	if e, ok := l.scope.Lookup(name, l.placeSpan(at)); ok {
		return e, true
	}
	return l.globalFunction(name, at)
}

// isHidden reports whether a name has a value elsewhere and none here.
func (l *lowerer) isHidden(name string) bool {
	h, ok := l.scope.(Hider)
	return ok && h.Hidden(name)
}

// mayLack finds the initial value of a variable that may be unset at the place of a
// read.
func (l *lowerer) mayLack(v *variable, f *frame, at place, deferred bool) {
	if v.fallback != nil || v.decl.Maybe {
		return
	}
	if e, ok := l.lookupName(v.decl.Name, at, f.outer, deferred || f.later); ok {
		v.fallback = e
		if local, ok := e.(*expr.Local); ok {
			v.decl.Maybe = local.Of.Maybe
		}
		l.widenType(v, e.Type())
		return
	}
	v.decl.Maybe = true
}

// candidateNames are the names that could have been meant.
func (l *lowerer) candidateNames() []string {
	var list []string
	for f := l.frame; f != nil; f = f.outer {
		for _, v := range f.order {
			if v.status != unset {
				list = append(list, v.decl.Name)
			}
		}
	}
	list = append(list, l.scope.Names()...)
	return append(list, "range", "dict", "namespace", "cycler", "joiner", "true", "false", "none")
}

// reportUndefined reports an undefined name.
func (l *lowerer) reportUndefined(n *nameNode) expr.Expr {
	at := l.placeSpan(n.place)
	if isReserved(n.name) {
		l.faults.add(finding.TemplateSyntax(at, "expected an expression, got `"+n.name+"`"))
		return &expr.Bad{At: at}
	}
	d := finding.JinjaUndefined(at, n.name, l.candidateNames())
	if word, ok := foreignNames[n.name]; ok && plain.Nearest(n.name, l.candidateNames()) == "" {
		d = finding.JinjaUndefined(at, n.name, nil).WithHelp("write `"+word+"`").WithFix("replace with `"+word+"`", at, word)
	}
	for f := l.frame; f != nil; f = f.outer {
		if v := f.vars[n.name]; v != nil {
			d.WithRelated(v.decl.At, "it is set here, later")
			break
		}
	}
	if n.name == "loop" {
		d.WithHelp("use `loop` only inside a `for` of the template")
	}
	if n.name == "caller" || n.name == "varargs" || n.name == "kwargs" {
		d = finding.JinjaUndefined(at, n.name, nil).WithHelp("use `" + n.name + "` only inside a `macro`")
	}
	l.faults.add(d)
	return &expr.Bad{At: at}
}

// foreignNames are other languages' words for constants.
var foreignNames = map[string]string{
	"null": "none", "nil": "none", "undefined": "none", "NULL": "none", "Null": "none", "NONE": "none",
	"TRUE": "true", "FALSE": "false", "yes": "true", "no": "false", "on": "true", "off": "false",
}

// isReserved reports words that no one takes for variables.
func isReserved(name string) bool {
	return slices.Contains([]string{"if", "else", "and", "or", "not", "in", "is"}, name)
}
