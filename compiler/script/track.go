package script

import "slices"

// A value may come to a sink by way of a variable. Names are followed without
// regard to scopes: what an assignment puts into a name is a text with a value
// in it when the hole, or another such name, stands in the assigned expression
// itself, in a string's substitution, a list or a group, or in an argument of a
// function that returns its argument in another form. Behind any other function
// the result is taken for something else, so that the outcome of a comparison
// or the length of a text is no reason for an error.

// passing are functions whose result holds the text of their argument.
var passing = []string{
	"String", "str", "repr", "parse", "loads", "concat", "join", "push", "append", "format", "trim", "strip", "quote", "replace", "raw",
}

// comparisons yield no text.
var comparisons = []string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "is"}

// track returns the names that hold a value, with a hole of each.
func (p *program) track() map[string]*spot {
	tainted := map[string]*spot{}
	for changed := true; changed; {
		changed = false
		for i := range p.toks {
			name := p.assigned(i)
			if name == "" || tainted[name] != nil {
				continue
			}
			if h := p.valueIn(i+1, tainted); h != nil {
				tainted[name], changed = h, true
			}
		}
	}
	return tainted
}

// assigned returns the name that the assignment at a token assigns to.
func (p *program) assigned(i int) string {
	if !p.is(i, "=", "+=", ":=") || p.lang == Python && p.is(i, "=") && p.is(p.toks[i].parent, "(") {
		return ""
	}
	k := p.before(i)
	for back := k; back >= 0 && k-back < 8; back = p.before(back) {
		// const name: Type = …, name: Type = …
		if p.is(back, ":") {
			k = p.before(back)
			break
		}
		if p.is(back, ";", ",", "=") || p.isKind(back, newline) {
			break
		}
	}
	if !p.isKind(k, word) || p.is(p.before(k), ".", "?.") {
		return ""
	}
	return p.toks[k].text
}

// valueIn returns a hole that the expression from a token on passes on.
func (p *program) valueIn(from int, tainted map[string]*spot) *spot {
	if from >= len(p.toks) {
		return nil
	}
	level, end := p.toks[from].parent, len(p.toks)
	if level >= 0 && p.toks[level].match >= 0 {
		end = p.toks[level].match
	}
	for i := from; i < end; i++ {
		t := &p.toks[i]
		if t.parent == level && i > from && p.endsExpression(i) {
			return nil
		}
		switch {
		case p.is(i, "(") && t.match > i && !p.passes(i), p.is(i, "{") && t.block && t.match > i:
			i = t.match
		case t.kind == hole && !p.isCompared(i):
			return t.spot
		case t.kind == text && len(t.lit.spots) > 0 && !p.isCompared(i):
			return t.lit.spots[0]
		case t.kind == word && !p.is(p.before(i), ".", "?.") && tainted[t.text] != nil && !p.isCompared(i):
			return tainted[t.text]
		}
	}
	return nil
}

// endsExpression reports whether an expression cannot go on at a token, given
// that it stands at the expression's level.
func (p *program) endsExpression(i int) bool {
	t := &p.toks[i]
	if t.kind == newline || p.is(i, ";", ",") {
		return true
	}
	return p.lang == JavaScript && t.breaks && (t.kind == word || t.kind == hole) && !p.isKind(p.before(i), op)
}

// passes reports whether a parenthesis groups, or calls a function that passes
// its arguments on.
func (p *program) passes(open int) bool {
	b := p.before(open)
	if b < 0 || p.isKind(b, op) && !p.is(b, ")", "]") {
		return true
	}
	return p.isKind(b, word) && slices.Contains(passing, p.toks[b].text)
}

func (p *program) isCompared(i int) bool {
	return p.is(p.before(i), comparisons...) || p.is(p.after(i), comparisons...)
}
