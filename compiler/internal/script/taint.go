package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/types"
)

// Taint says what the names of a script may be. It over-approximates: it keeps attributes
// apart by name and not by object, and the order of statements does not count. An operand
// passes what it is through every operator and call, but for functions whose result
// contains nothing of an argument's text. The marks of names grow until nothing changes.
//
// Nothing is followed through files, the environment, other programs and other modules.

// mark is a set of properties of a value.
type mark uint8

const (
	// hostile values contain a run-time value.
	hostile mark = 1 << iota
	// quoted values contain one that is quoted for a shell.
	quoted
	// parsed values may be objects rather than strings.
	parsed
)

// origin is where a hostile value comes from.
type origin struct {
	label      string
	start, end int
}

// value is the knowledge about an operand.
type value struct {
	marks mark
	// from is where a hostile or quoted value comes from.
	from *origin
	// names are what the operand may be of the names in the table of evaluators, and of
	// the modules and objects that lead to them.
	names []string
	// fns are the functions of the script that it may be or contain.
	fns []*function
}

// mostNames bounds the names, and the functions, of a value.
const mostNames = 24

// join returns the properties of either of two values.
func (v value) join(w value) value {
	v.marks |= w.marks
	v.from = cmp.Or(v.from, w.from)
	v.names = union(v.names, w.names)
	v.fns = union(v.fns, w.fns)
	return v
}

func union[E comparable](a, b []E) []E {
	for _, one := range b {
		if !slices.Contains(a, one) && len(a) < mostNames {
			a = append(slices.Clip(a), one)
		}
	}
	return a
}

// asData returns what a value passes on as data.
func (v value) asData() value {
	return value{marks: v.marks & (hostile | quoted | parsed), from: v.from}
}

// taint is the state of an analysis.
type taint struct {
	*outline
	state map[symbol]value // of names and attributes
	known map[[2]int]value // of chains up to a trailer, in this round
	grown bool
}

// mostRounds bounds the rounds of an analysis.
const mostRounds = 40

// propagateMarks finds the marks of all names.
func (t *taint) propagateMarks() {
	for range mostRounds {
		t.grown, t.known = false, map[[2]int]value{}
		for i := range t.bindings {
			t.applyBinding(&t.bindings[i])
		}
		for _, fn := range t.functions {
			t.applyFunction(fn)
		}
		for _, c := range t.calls {
			t.applyCall(c)
		}
		if !t.grown {
			t.known = map[[2]int]value{}
			return
		}
	}
	panic(overrun{})
}

func (t *taint) applyBinding(b *binding) {
	v := value{names: t.knownQualifiedName(b.module)}
	if b.from < b.to {
		v = t.expressionValue(b.from, b.to)
	}
	switch {
	case b.key != "":
		v = t.attributeValue(v, b.key)
	case b.element:
		v = t.elementValue(v)
	}
	if b.fn != nil {
		v.fns = union(v.fns, []*function{b.fn})
	}
	for _, s := range b.symbols {
		t.growSymbol(s, v)
	}
	if b.target != nil {
		if last := b.target.trailers[len(b.target.trailers)-1]; last.kind == '[' {
			v = v.join(t.bracketValue(last.tok).asData())
		}
		t.markMutated(b.target, v, 0)
	}
}

// growSymbol adds properties to a name.
func (t *taint) growSymbol(name symbol, v value) {
	was := t.state[name]
	now := was.join(v)
	if now.marks != was.marks || len(now.names) != len(was.names) || len(now.fns) != len(was.fns) {
		t.state[name] = now
		t.grown = true
	}
}

// applyFunction binds defaults and finds the result.
func (t *taint) applyFunction(fn *function) {
	p, was := t.p, fn.result
	switch {
	case fn.isClass:
		return
	case fn.expression:
		fn.result = fn.result.join(t.expressionValue(fn.body, fn.bodyEnd))
	default:
		t.spendSteps((fn.bodyEnd - fn.body) / 8)
		for i := fn.body; i < fn.bodyEnd; i++ {
			if p.hasText(i, "return", "yield") && !p.hasText(i-1, ".", "?.") && i+1 < fn.bodyEnd {
				end := min(t.expressionEnd(i+1, p.toks[i].parent), fn.bodyEnd)
				fn.result = fn.result.join(t.expressionValue(i+1, end))
			}
		}
	}
	t.grown = t.grown || fn.result.marks != was.marks || len(fn.result.names) != len(was.names) || len(fn.result.fns) != len(was.fns)
}

func (t *taint) growParam(fn *function, i int, v value) {
	one := fn.params[i]
	if one.rest {
		v = t.elementValue(v)
	}
	for k, n := range one.names {
		of := v
		if one.keys[k] != "" {
			of = t.elementValue(t.attributeValue(v, one.keys[k])).join(t.elementValue(v).asData())
		}
		t.growSymbol(t.resolveSymbol(n, fn.body-1), of)
	}
}

// expressionValue returns the value of the expression between two tokens.
func (t *taint) expressionValue(from, to int) value {
	var v value
	list := t.operandChains(from, to)
	t.spendSteps(1 + len(list))
	for i := range list {
		if c := &list[i]; !c.chooses {
			v = v.join(t.upTo(c, len(c.trailers)))
		}
	}
	if v.marks&quoted != 0 {
		v = t.markIfQuotingUndone(v, from, to)
	}
	return v
}

// bracketValue returns the value of a bracket's content.
func (t *taint) bracketValue(open int) value {
	if t.p.toks[open].match <= open {
		return value{}
	}
	return t.expressionValue(open+1, t.p.toks[open].match)
}

// upTo returns the value of a chain with the first of its trailers.
func (t *taint) upTo(c *chain, trailers int) value {
	key := [2]int{c.atom, trailers}
	if v, ok := t.known[key]; ok {
		return v
	}
	t.known[key] = value{} // of itself, while it is being found
	var v value
	if trailers == 0 {
		v = t.atomValue(c)
	} else {
		v = t.upTo(c, trailers-1)
		switch last := c.trailers[trailers-1]; {
		case last.kind == '[':
			v = t.subscriptValue(last.tok, v)
		case last.kind != '.':
			v = t.callResult(c, trailers-1, v)
		case t.p.isKind(last.tok, word):
			own := t.p.hasText(c.atom, "this", "super") && trailers == 1
			if name := t.p.toks[last.tok].text; name != "constructor" || !own {
				v = t.attributeValue(v, name)
			}
		}
	}
	t.known[key] = v
	return v
}

// atomValue returns the value of a chain without its trailers.
func (t *taint) atomValue(c *chain) value {
	p := t.p
	if c.fn != nil {
		return value{fns: []*function{c.fn}}
	}
	var v value
	switch tok := &p.toks[c.atom]; tok.kind {
	case hole:
		if v = spotValue(tok.spot); v.marks != 0 {
			v.marks |= parsed
		}
	case text:
		for _, s := range tok.lit.spots {
			v = v.join(spotValue(s))
		}
		for i := c.atom + 1; i < tok.match; i++ {
			if p.toks[i].parent == c.atom && p.toks[i].kind == op && p.toks[i].match > i {
				v = v.join(t.bracketValue(i).asData())
				i = p.toks[i].match
			}
		}
		v.marks &^= parsed
	case op:
		v = t.bracketValue(c.atom)
		if v.marks&hostile != 0 && p.lang == JavaScript && tok.text == "{" && len(p.propertyValues(argument{from: c.atom, to: tok.match + 1}, "raw")) > 0 {
			v.marks |= parsed // Bun treats such an object as text of a shell
		}
	case word:
		return t.rootNameValue(c)
	}
	return v
}

func spotValue(s *spot) value {
	if s.place == inComment || s.place == escaped || types.IsHarmless(s.Type) {
		return value{}
	}
	return value{marks: hostile, from: &origin{s.Label, s.Start, s.End}}
}

// rootNameValue returns the value of the name that a chain begins with.
func (t *taint) rootNameValue(c *chain) value {
	s, _ := t.chainRoot(c)
	if len(t.bound[s]) > 0 {
		return t.state[s]
	}
	v := t.state[symbol{s.name, attributes}].asData() // perhaps globalThis.x
	v.names = t.knownQualifiedName(s.name)
	for _, m := range t.stars {
		v.names = union(v.names, t.knownQualifiedName(m+s.name))
	}
	return v
}

// attributeValue returns the value of an attribute of a value.
func (t *taint) attributeValue(v value, name string) value {
	out := v.asData()
	if slices.Contains(measures, name) {
		out = value{}
	}
	for _, n := range v.names {
		switch {
		case slices.Contains(environments, n):
			if slices.Contains(t.p.vars, name) {
				out = out.join(value{marks: hostile, from: &origin{label: name}})
			}
		case name == "__dict__", strings.HasPrefix(n, started) && slices.Contains(feeders, name):
			out.names = union(out.names, []string{n})
		case strings.HasPrefix(n, started):
		default:
			if isEvaluator(t.p.lang, n) && !slices.Contains(descriptions, name) && !slices.Contains(accessors, name) {
				out.names = union(out.names, []string{n}) // f.call, f.apply
			}
			out.names = union(out.names, t.knownQualifiedName(n+"."+name))
		}
	}
	if reflects := reflection[t.p.lang][name]; reflects != "" {
		out.names = union(out.names, []string{reflects})
	}
	if slices.Contains(callers, name) {
		out.fns = v.fns
	}
	of := t.state[symbol{name, attributes}]
	for _, fn := range of.fns {
		out = out.join(fn.result.asData()) // perhaps a property
	}
	return out.join(of)
}

// subscriptValue returns the value of an element of a value.
func (t *taint) subscriptValue(open int, v value) value {
	p := t.p
	if list := t.listElements(open+1, p.toks[open].match, 5); len(list) == 1 && list[0].isFixed() {
		return t.elementValue(v).join(t.attributeValue(v, list[0].text))
	}
	return t.elementValue(v)
}

// elementValue returns an element of a value, or the result of one of its functions.
func (t *taint) elementValue(v value) value {
	for _, fn := range v.fns {
		v = v.join(value{marks: fn.result.marks, from: fn.result.from, names: fn.result.names})
	}
	return v
}

// markMutated marks the name that a chain begins with, the name that it is an alias of, and the
// attributes in the chain.
func (t *taint) markMutated(c *chain, v value, depth int) {
	if v.marks == 0 && len(v.names) == 0 && len(v.fns) == 0 || depth > 4 {
		return
	}
	s, ok := t.chainRoot(c)
	if ok && s.name != "self" && s.name != "this" && len(t.bound[s]) > 0 && !t.isModule(s) {
		if was := t.state[s]; was.marks|v.marks != was.marks {
			t.spendSteps(len(t.bound[s]))
			for _, i := range t.bound[s] {
				if list := t.operandChains(t.bindings[i].from, t.bindings[i].to); len(list) == 1 && list[0].fn == nil {
					t.markMutated(&list[0], v, depth+1)
				}
			}
		}
		t.growSymbol(s, v)
	}
	for k, tr := range c.trailers {
		if tr.kind == '.' && t.p.isKind(tr.tok, word) && k+1 < len(c.trailers) && c.trailers[k+1].kind != '(' {
			t.growSymbol(symbol{t.p.toks[tr.tok].text, attributes}, v)
		}
	}
}

// isModule reports whether only imports bind a name.
func (t *taint) isModule(s symbol) bool {
	return !slices.ContainsFunc(t.bound[s], func(i int) bool { return t.bindings[i].module == "" })
}
