package jinja

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
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

// A variable is a variable of a body.
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

// variables are the variables of the frames around the place that is being lowered.
type variables struct {
	*faults
	frame *frame
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
}

func (vs *variables) pushFrame(later bool) {
	vs.frame = &frame{outer: vs.frame, vars: map[string]*variable{}, later: later}
}

func (vs *variables) popFrame() { vs.frame = vs.frame.outer }

// declareVariable adds a variable to the frame if it is new.
func (vs *variables) declareVariable(body bodyKey, name string, at place) *variable {
	v := vs.frame.vars[name]
	if v == nil {
		v = &variable{key: variableKey{body, name}, decl: &expr.Declared{Name: name, Typ: types.Any, At: vs.placeSpan(at)}}
		if t, ok := vs.known[v.key]; ok {
			v.decl.Typ, v.typed = t, true
		}
		if vs.untyped {
			v.decl.Typ, v.typed = types.Any, true
		}
		vs.frame.vars[name] = v
		vs.frame.order = append(vs.frame.order, v)
	}
	v.sets++
	return v
}

// declareParam adds a variable that has a value of a type from the start.
func (vs *variables) declareParam(body bodyKey, name string, at place, t types.Type) *variable {
	v := vs.declareVariable(body, name, at)
	vs.widenType(v, t)
	v.status = always
	return v
}

// declareStores declares the variables that statements set in the current frame.
func (vs *variables) declareStores(key bodyKey, list []stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *setStmt:
			vs.storeTarget(key, s.target)
		case *macroStmt:
			vs.declareVariable(key, s.name, s.at)
		case *ifStmt:
			for _, b := range s.branches {
				vs.declareStores(key, b.body)
			}
			vs.declareStores(key, s.els)
		}
	}
}

func (vs *variables) storeTarget(key bodyKey, target node) {
	switch t := target.(type) {
	case *nameNode:
		vs.declareVariable(key, t.name, t.place)
	case *listNode:
		for _, item := range t.items {
			vs.storeTarget(key, item)
		}
	}
}

// widenType widens the type of a variable by that of a value.
func (vs *variables) widenType(v *variable, t types.Type) {
	if _, list := t.(*types.List); list && vs.mutable || t == types.Null {
		t = types.Any
	}
	if !v.typed {
		v.decl.Typ, v.typed = t, true
		return
	}
	if wide := joinTypes(v.decl.Typ, t); !types.Identical(wide, v.decl.Typ) && !vs.untyped {
		v.decl.Typ, vs.known[v.key], vs.widened = wide, wide, true
	}
}

// recordAssignment records that a variable gets a value of a type.
func (vs *variables) recordAssignment(v *variable, t types.Type) {
	vs.widenType(v, t)
	vs.setStatus(v, always)
}

func (vs *variables) setStatus(v *variable, s status) {
	if v.status != s {
		vs.changes = append(vs.changes, change{v, v.status})
		v.status = s
	}
}

// runBranch runs do and undoes its changes to variables; it returns their values at
// the end of do.
func (vs *variables) runBranch(do func()) map[*variable]status {
	from := len(vs.changes)
	do()
	ends := map[*variable]status{}
	for _, c := range vs.changes[from:] {
		ends[c.v] = c.v.status
	}
	for _, c := range slices.Backward(vs.changes[from:]) {
		c.v.status = c.was
	}
	vs.changes = vs.changes[:from]
	return ends
}

// mergeBranches continues behind branches, of which a run takes one.
func (vs *variables) mergeBranches(branches []map[*variable]status) {
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
			vs.setStatus(v, always)
		default:
			vs.setStatus(v, maybe)
		}
	}
}

func (vs *variables) localExpr(v *variable, at place) expr.Expr {
	if !v.typed {
		vs.widenType(v, types.Any) // it is read before anything is known of it
		vs.known[v.key] = types.Any
		vs.widened = true
	}
	return &expr.Local{At: vs.placeSpan(at), Of: v.decl}
}

// variableOf returns a variable of a frame; the special ones of macros come with
// it.
func (vs *variables) variableOf(f *frame, name string, at place) *variable {
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
	v = &variable{key: variableKey{name: name}, status: always, typed: true, decl: &expr.Declared{Name: name, Typ: types.Any, Maybe: name == "caller", At: vs.placeSpan(at)}}
	*to = v.decl
	f.vars[name] = v
	return v
}

// variableNamed returns the variable that a name reads, nil when it reads none.
func (vs *variables) variableNamed(name string) *variable {
	for f := vs.frame; f != nil; f = f.outer {
		if v := f.vars[name]; v != nil && v.status != unset {
			return v
		}
	}
	return nil
}
