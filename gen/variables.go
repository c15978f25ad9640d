package gen

import (
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// Where the variables of a template are declared in Go.
//
// A template may assign a variable in a branch, or several times, or in a place
// after a macro that reads it. Go wants one declaration around all of them. So a
// variable that is assigned once, before all that reads it and not in a branch, is
// declared there; others are declared where the innermost scope begins that holds
// all their places, as undefined. Variables without reads are not declared, because Go
// doesn't allow them.

// A scopeKey names a scope: of a For, a Macro, a Scope, or of a template inside an
// expression.
type scopeKey struct {
	of   any
	part int
}

const (
	bodyScope = iota
	elseScope
)

// A scope is parts whose variables are their own.
type scope struct {
	outer *scope
	depth int
	// hoisted are the variables that are declared where the scope begins.
	hoisted []*expr.Declared
}

// An occurrence is where a variable is assigned or read.
type occurrence struct {
	at    template.Part // the statement that assigns it; nil for a read
	scope *scope
	order int
	// direct says that the statement is not in a branch of its scope.
	direct bool
}

// A variablePlan says where a template's variables are declared.
type variablePlan struct {
	root   *scope
	scopes map[scopeKey]*scope
	reads  map[*expr.Declared]int
	// declares are the statements that declare what they assign.
	declares map[*expr.Declared]template.Part
	// given are the variables that statements declare in their own way: those of
	// loops and the parameters of macros.
	given map[*expr.Declared]bool
	// places are where a variable is assigned or read.
	places map[*expr.Declared][]occurrence
	// assigns are the variables that are assigned, and seq the same in order.
	assigns map[*expr.Declared]bool
	seq     []*expr.Declared
	order   int
	// macros are the macros, and dead those without calls, which are left out: their reads
	// don't count.
	macros []*template.Macro
	dead   map[*template.Macro]bool
}

func planVariables(t *template.Template) *variablePlan {
	p := &variablePlan{dead: map[*template.Macro]bool{}}
	for alive := true; alive; {
		p = &variablePlan{
			root: &scope{}, scopes: map[scopeKey]*scope{}, reads: map[*expr.Declared]int{},
			declares: map[*expr.Declared]template.Part{}, given: map[*expr.Declared]bool{}, places: map[*expr.Declared][]occurrence{},
			assigns: map[*expr.Declared]bool{}, dead: p.dead,
		}
		p.planParts(t.Parts, p.root, true)
		alive = false
		for _, m := range p.macros {
			if p.reads[m.Var] == 0 {
				p.dead[m], alive = true, true
			}
		}
	}
	for _, d := range p.seq {
		if !p.given[d] && p.reads[d] > 0 {
			p.settlePlace(d)
		}
	}
	return p
}

// isRead reports whether anything reads a variable.
func (p *variablePlan) isRead(d *expr.Declared) bool { return p.reads[d] > 0 }

// forgetTargets says that nothing reads the variables of a loop whose body does not.
func (p *variablePlan) forgetTargets(t *template.Target, reads map[*expr.Declared]int) {
	if t.Var != nil && reads[t.Var] == 0 {
		p.reads[t.Var] = 0
	}
	for i := range t.Items {
		p.forgetTargets(&t.Items[i], reads)
	}
}

// declaresHere reports whether a statement declares the variable that it assigns.
func (p *variablePlan) declaresHere(d *expr.Declared, at template.Part) bool {
	return p.isRead(d) && p.declares[d] == at
}

// settlePlace finds the place of a variable's declaration.
func (p *variablePlan) settlePlace(d *expr.Declared) {
	places := p.places[d]
	home := places[0].scope
	var sets []occurrence
	first := -1
	for _, o := range places {
		home = commonScope(home, o.scope)
		if o.at != nil {
			sets = append(sets, o)
		} else if first < 0 {
			first = o.order
		}
	}
	if len(sets) == 1 && sets[0].direct && sets[0].scope == home && sets[0].order < first {
		p.declares[d] = sets[0].at
		return
	}
	home.hoisted = append(home.hoisted, d)
}

// commonScope is the innermost scope around two.
func commonScope(a, b *scope) *scope {
	for a != b {
		if a.depth < b.depth {
			a, b = b, a
		}
		a = a.outer
	}
	return a
}

func (p *variablePlan) innerScope(outer *scope, key scopeKey) *scope {
	s := &scope{outer: outer, depth: outer.depth + 1}
	p.scopes[key] = s
	return s
}

func (p *variablePlan) planParts(parts []template.Part, s *scope, direct bool) {
	for _, part := range parts {
		switch part := part.(type) {
		case *template.Hole:
			p.noteReads(part.Expr, s)
		case *template.Bound:
			p.noteReads(part.Expr, s)
		case *template.If:
			for _, b := range part.Branches {
				p.noteReads(b.Cond, s)
				p.planParts(b.Body, s, false)
			}
			p.planParts(part.Else, s, false)
		case *template.For:
			p.noteReads(part.Items, s)
			body := p.innerScope(s, scopeKey{part, bodyScope})
			p.given[part.Loop] = true
			p.noteLoopTargets(&part.Target, body)
			p.noteReads(part.Where, body)
			p.planParts(part.Body, body, true)
			p.planParts(part.Else, p.innerScope(s, scopeKey{part, elseScope}), true)
		case *template.Set:
			p.noteReads(part.Value, s)
			p.noteAssigned(&part.Target, part, s, direct)
		case *template.Scope:
			p.planParts(part.Body, p.innerScope(s, scopeKey{part, bodyScope}), true)
		case *template.Macro:
			p.planMacro(part, s, direct)
		}
	}
}

func (p *variablePlan) planMacro(m *template.Macro, s *scope, direct bool) {
	if p.dead[m] {
		return
	}
	p.macros = append(p.macros, m)
	body := p.innerScope(s, scopeKey{m, bodyScope})
	for _, param := range m.Params {
		p.given[param.Var] = true
		p.noteReads(param.Default, body)
	}
	for _, d := range []*expr.Declared{m.Varargs, m.Kwargs, m.Caller} {
		p.given[d] = true
	}
	p.planParts(m.Body, body, true)
	// A macro that calls itself reads its variable before it is declared.
	p.noteAssignment(m.Var, m, s, direct)
}

// noteLoopTargets notes the variables of a loop.
func (p *variablePlan) noteLoopTargets(t *template.Target, s *scope) {
	if t.Var != nil {
		p.given[t.Var] = true
	}
	p.noteReads(t.Object, s)
	for i := range t.Items {
		p.noteLoopTargets(&t.Items[i], s)
	}
}

// noteAssigned notes what a set statement assigns. One that divides its value declares
// nothing itself.
func (p *variablePlan) noteAssigned(t *template.Target, at template.Part, s *scope, direct bool) {
	p.noteReads(t.Object, s)
	if t.Var != nil {
		p.noteAssignment(t.Var, at, s, direct)
	}
	for i := range t.Items {
		p.noteAssigned(&t.Items[i], at, s, false)
	}
}

func (p *variablePlan) noteAssignment(d *expr.Declared, at template.Part, s *scope, direct bool) {
	if !p.assigns[d] {
		p.assigns[d] = true
		p.seq = append(p.seq, d)
	}
	p.order++
	p.places[d] = append(p.places[d], occurrence{at: at, scope: s, order: p.order, direct: direct})
}

// noteReads notes what an expression reads.
func (p *variablePlan) noteReads(e expr.Expr, s *scope) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Local:
			p.reads[e.Of]++
			p.order++
			p.places[e.Of] = append(p.places[e.Of], occurrence{scope: s, order: p.order})
		case *expr.Rendered:
			if t, ok := e.Text.(*template.Template); ok {
				p.planParts(t.Parts, p.innerScope(s, scopeKey{t, bodyScope}), true)
				return false
			}
		}
		return true
	})
}

// countReads counts how often parts read each declared value.
func countReads(parts []template.Part) map[*expr.Declared]int {
	reads := map[*expr.Declared]int{}
	(&template.Template{Parts: parts}).Exprs(func(e expr.Expr) bool {
		if l, ok := e.(*expr.Local); ok {
			reads[l.Of]++
		}
		return true
	})
	return reads
}

// countIn is countReads for an expression.
func countIn(e expr.Expr) map[*expr.Declared]int {
	return countReads([]template.Part{&template.Hole{Expr: e}})
}
