package template

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
)

// If is the parts of the first branch whose condition is true, else those of
// Else.
type If struct {
	Branches []Branch
	Else     []Part
	// Start and End are the offsets of the whole statement in the template's
	// source, from its first tag to the end of its last.
	Start, End int
}

// A Branch is a branch of an If.
type Branch struct {
	// Cond counts by its truth as a value.
	Cond expr.Expr
	Body []Part
}

// For repeats its body for each item of a value, or is Else if there is none.
type For struct {
	// Target takes the item's value.
	Target Target
	Items  expr.Expr
	// Where leaves out the items for which it is not true; nil leaves out none. It
	// sees the Target's variables and not Loop.
	Where expr.Expr
	// Loop is the variable `loop`.
	Loop       *expr.Declared
	Body, Else []Part
	Start, End int
}

// A Target receives an assigned value: one variable, several variables that share
// the items, or a field of a namespace.
type Target struct {
	Var *expr.Declared
	// Items divide the value when Var and Object are nil.
	Items []Target
	// Object has Field set.
	Object expr.Expr
	Field  string
	At     source.Span
}

// Set assigns a value.
type Set struct {
	Target Target
	// Value is the assigned value; the text of a block is an expr.Rendered.
	Value      expr.Expr
	Start, End int
}

// Scope is parts whose variables are their own.
type Scope struct {
	Body       []Part
	Start, End int
}

// Macro declares a function that makes a text.
type Macro struct {
	Var    *expr.Declared
	Params []Param
	Body   []Part
	// Varargs, Kwargs and Caller are the variables of these names when the body
	// reads them, else nil.
	Varargs, Kwargs, Caller *expr.Declared
	Start, End              int
}

// A Param is a parameter of a Macro.
type Param struct {
	Var *expr.Declared
	// Default is nil when the parameter has none: it is undefined then when no
	// argument is given.
	Default expr.Expr
}

// Bound is a hole of a program. The value goes into a variable of the program, and
// the text reads that variable: Before, the variable's name, After. A Bound in a
// For makes a variable in each iteration.
type Bound struct {
	Name          string
	Before, After string
	Expr          expr.Expr
	// Integer, Literal, Words and Echoed are as in ir.Binding.
	Integer, Literal, Words, Echoed bool
	// Start and End are the offsets of the hole in the source.
	Start, End int
}

func (p *If) Pos() int    { return p.Start }
func (p *For) Pos() int   { return p.Start }
func (p *Set) Pos() int   { return p.Start }
func (p *Scope) Pos() int { return p.Start }
func (p *Macro) Pos() int { return p.Start }
func (p *Bound) Pos() int { return p.Start }

// Statements reports whether the template has more than text and holes.
func (t *Template) Statements() bool {
	for _, p := range t.Parts {
		switch p.(type) {
		case *Text, *Hole, *Bound:
		default:
			return true
		}
	}
	return false
}

// WalkParts calls visit for each part and, while it returns true, for the parts
// inside it, in order.
func WalkParts(parts []Part, visit func(Part) bool) {
	for _, p := range parts {
		if visit(p) {
			EachBody(p, func(body *[]Part) { WalkParts(*body, visit) })
		}
	}
}

// EachBody calls do for each list of parts inside a part, in order.
func EachBody(p Part, do func(body *[]Part)) {
	switch p := p.(type) {
	case *If:
		for i := range p.Branches {
			do(&p.Branches[i].Body)
		}
		do(&p.Else)
	case *For:
		do(&p.Body)
		do(&p.Else)
	case *Scope:
		do(&p.Body)
	case *Macro:
		do(&p.Body)
	}
}

// Exprs calls visit for the expressions of the template, in order, as expr.Walk
// does.
func (t *Template) Exprs(visit func(expr.Expr) bool) {
	if t == nil {
		return
	}
	WalkParts(t.Parts, func(p Part) bool {
		for _, e := range ownExprs(p) {
			expr.Walk(*e, visit)
		}
		return true
	})
}

// Rewrite replaces the expressions of the template as expr.Rewrite does, in place.
func (t *Template) Rewrite(f func(expr.Expr) expr.Expr) {
	if t == nil {
		return
	}
	WalkParts(t.Parts, func(p Part) bool {
		for _, e := range ownExprs(p) {
			*e = expr.Rewrite(*e, f)
		}
		return true
	})
}

// ownExprs returns the places of a part's expressions, without those of the parts inside
// it.
func ownExprs(p Part) []*expr.Expr {
	var list []*expr.Expr
	add := func(e *expr.Expr) {
		if *e != nil {
			list = append(list, e)
		}
	}
	switch p := p.(type) {
	case *Hole:
		add(&p.Expr)
	case *Bound:
		add(&p.Expr)
	case *If:
		for i := range p.Branches {
			add(&p.Branches[i].Cond)
		}
	case *For:
		add(&p.Items)
		add(&p.Where)
		p.Target.visitObjects(add)
	case *Set:
		add(&p.Value)
		p.Target.visitObjects(add)
	case *Macro:
		for i := range p.Params {
			add(&p.Params[i].Default)
		}
	}
	return list
}

func (t *Target) visitObjects(add func(*expr.Expr)) {
	add(&t.Object)
	for i := range t.Items {
		t.Items[i].visitObjects(add)
	}
}
