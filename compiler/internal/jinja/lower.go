package jinja

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Scopes of templates.
//
// The bodies of for, macro, call, filter, with and of a set block have their own
// variables; the branches of an if do not. A variable belongs to the body that sets
// it, anywhere in it. Where it has no value yet, a read returns the variable of
// that name outside, and at last the value of the workflow. So a body's variable
// that has a value only in some branch begins with the outer one's value: such
// bodies begin with a Set that the template does not contain.
//
// Macros and the bodies of calls run later than their place. They see the outer
// variables as they are then, so a variable that is set further on may have a
// value.
//
// A variable has one type at all places. Its values are not known before the whole
// body is read, so a template is lowered again when a type turned out too narrow.
// Types only widen, and become Any after some rounds.

// bodyKey names a body over all rounds: the statement, and which of its bodies.
type bodyKey struct {
	of   stmt
	part int
}

type variableKey struct {
	body bodyKey
	name string
}

// status says whether a variable has a value.
type status int

const (
	unset status = iota
	maybe
	always
)

// A variable is one of a body.
type variable struct {
	key    variableKey
	decl   *expr.Declared
	status status
	// typed says that decl has a type.
	typed bool
	// fallback is the outer value that it begins with, if that matters.
	fallback expr.Expr
	// macro is its macro, if it is set only once, to a macro.
	macro *template.Macro
	sets  int
	// elem is the type of a loop's items, of the variable `loop`.
	elem types.Type
	loop bool
}

// A frame is the variables of a body.
type frame struct {
	outer *frame
	vars  map[string]*variable
	order []*variable
	// later says that the body runs later than its place.
	later bool
	// macro is that of a later body, whose special variables come with reading
	// them.
	macro *template.Macro
}

// change is a status that a variable had before.
type change struct {
	v   *variable
	was status
}

// lowerer gives the tree its meaning, in one round.
type lowerer struct {
	faults *faults
	text   string
	scope  Scope
	opt    Options
	frame  *frame
	// changes are the statuses that changed since the outermost branch began.
	changes []change
	// known are the types of variables as of earlier rounds; a change of it makes
	// another round.
	known   map[variableKey]types.Type
	widened bool
	// untyped says that types of variables were given up.
	untyped bool
	// mutable says that the template changes lists in place.
	mutable bool
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
		l := &lowerer{faults: f, text: f.text.Value, scope: scope, opt: opt, known: known, guards: map[string]int{}, untyped: round >= maxRounds, mutable: mutable}
		do(l)
		if !l.widened && l.mutable == mutable || round > maxRounds {
			return
		}
		mutable = l.mutable
		f.drop(mark)
	}
}

func (l *lowerer) placeSpan(p place) source.Span { return l.faults.placeSpan(p) }

func (l *lowerer) pushFrame(later bool) {
	l.frame = &frame{outer: l.frame, vars: map[string]*variable{}, later: later}
}

func (l *lowerer) popFrame() { l.frame = l.frame.outer }

// declareVariable adds a variable to the frame, unless it is there.
func (l *lowerer) declareVariable(body bodyKey, name string, at place) *variable {
	v := l.frame.vars[name]
	if v == nil {
		v = &variable{key: variableKey{body, name}, decl: &expr.Declared{Name: name, Typ: types.Any, At: l.placeSpan(at)}}
		if t, ok := l.known[v.key]; ok {
			v.decl.Typ, v.typed = t, true
		}
		if l.untyped {
			v.decl.Typ, v.typed = types.Any, true
		}
		l.frame.vars[name] = v
		l.frame.order = append(l.frame.order, v)
	}
	v.sets++
	return v
}

// declareParam adds a variable that has a value of a type from the start.
func (l *lowerer) declareParam(body bodyKey, name string, at place, t types.Type) *variable {
	v := l.declareVariable(body, name, at)
	l.widenType(v, t)
	v.status = always
	return v
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

// declareStores declares the variables that statements set in the current frame.
func (l *lowerer) declareStores(key bodyKey, list []stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *setStmt:
			l.storeTarget(key, s.target)
		case *macroStmt:
			l.declareVariable(key, s.name, s.at)
		case *ifStmt:
			for _, b := range s.branches {
				l.declareStores(key, b.body)
			}
			l.declareStores(key, s.els)
		}
	}
}

func (l *lowerer) storeTarget(key bodyKey, target node) {
	switch t := target.(type) {
	case *nameNode:
		l.declareVariable(key, t.name, t.place)
	case *listNode:
		for _, item := range t.items {
			l.storeTarget(key, item)
		}
	}
}

// widenType widens the type of a variable by that of a value.
func (l *lowerer) widenType(v *variable, t types.Type) {
	if _, list := t.(*types.List); list && l.mutable || t == types.Null {
		t = types.Any
	}
	if !v.typed {
		v.decl.Typ, v.typed = t, true
		return
	}
	if wide := joinTypes(v.decl.Typ, t); !types.Identical(wide, v.decl.Typ) && !l.untyped {
		v.decl.Typ, l.known[v.key], l.widened = wide, wide, true
	}
}

// recordAssignment records that a variable gets a value of a type.
func (l *lowerer) recordAssignment(v *variable, t types.Type) {
	l.widenType(v, t)
	l.setStatus(v, always)
}

func (l *lowerer) setStatus(v *variable, s status) {
	if v.status != s {
		l.changes = append(l.changes, change{v, v.status})
		v.status = s
	}
}

// runBranch runs do and undoes its changes to variables; it returns their values at
// the end of do.
func (l *lowerer) runBranch(do func()) map[*variable]status {
	from := len(l.changes)
	do()
	ends := map[*variable]status{}
	for _, c := range l.changes[from:] {
		ends[c.v] = c.v.status
	}
	for _, c := range slices.Backward(l.changes[from:]) {
		c.v.status = c.was
	}
	l.changes = l.changes[:from]
	return ends
}

// mergeBranches continues behind branches, one of which is taken.
func (l *lowerer) mergeBranches(branches []map[*variable]status) {
	// Variables are marked in the order of the frame, not that of a map.
	count := map[*variable]int{}
	for _, ends := range branches {
		for v, s := range ends {
			if s == always {
				count[v]++
			} else if count[v] == 0 {
				count[v] = 0
			}
		}
	}
	for v, n := range count {
		switch {
		case v.status == always:
		case n == len(branches):
			l.setStatus(v, always)
		default:
			l.setStatus(v, maybe)
		}
	}
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

func (l *lowerer) localExpr(v *variable, at place) expr.Expr {
	if !v.typed {
		l.widenType(v, types.Any) // it is read before anything is known of it
		l.known[v.key] = types.Any
		l.widened = true
	}
	return &expr.Local{At: l.placeSpan(at), Of: v.decl}
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

// variableOf returns a variable of a frame; the special ones of macros come with
// it.
func (l *lowerer) variableOf(f *frame, name string, at place) *variable {
	v := f.vars[name]
	if v != nil || f.macro == nil {
		return v
	}
	var to **expr.Declared
	switch name {
	case "varargs":
		to = &f.macro.Varargs
	case "kwargs":
		to = &f.macro.Kwargs
	case "caller":
		to = &f.macro.Caller
	default:
		return nil
	}
	v = &variable{key: variableKey{name: name}, status: always, typed: true, decl: &expr.Declared{Name: name, Typ: types.Any, Maybe: name == "caller", At: l.placeSpan(at)}}
	*to = v.decl
	f.vars[name] = v
	return v
}

// variableNamed returns the variable that a name reads, nil when it reads none.
func (l *lowerer) variableNamed(name string) *variable {
	for f := l.frame; f != nil; f = f.outer {
		if v := f.vars[name]; v != nil && v.status != unset {
			return v
		}
	}
	return nil
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

// reportUndefined reports a name that means nothing.
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
