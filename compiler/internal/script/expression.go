package script

import (
	"slices"
)

// A chain is an operand of an expression: an atom, such as a name or a literal, and
// its trailers. `f(x)["y"].z` is the atom `f` with three trailers.
type chain struct {
	// atom is the token that the chain begins with, or a function's first token.
	atom int
	// fn is the function literal that the chain begins with, or nil.
	fn       *function
	trailers []trailer
	// end is the token behind the chain.
	end int
	// compared says that only the outcome of a comparison is left of the chain.
	compared bool
}

// A trailer is an attribute, a subscript, a call, or a tagged template.
type trailer struct {
	// kind is '.', '[', '(' or '`'.
	kind byte
	// tok is the token of the attribute's name, of the bracket or of the template.
	tok int
}

// separators are the words that join operands or begin statements.
var separators = map[Language][]string{
	Python: {
		"and", "or", "not", "in", "is", "if", "else", "elif", "for", "while", "await", "async", "yield", "return", "from", "import", "as", "with",
		"assert", "del", "raise", "global", "nonlocal", "pass", "break", "continue", "try", "except", "finally", "def", "class", "lambda",
		"True", "False", "None",
	},
	JavaScript: {
		"return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "yield", "await", "extends", "default",
		"if", "for", "while", "switch", "try", "catch", "finally", "const", "let", "var", "async", "as", "satisfies", "class", "function", "export", "from",
		"true", "false", "null", "undefined", "break", "continue", "static", "public", "private", "protected", "readonly", "declare",
	},
}

// chains returns the operands between two tokens, at their level. It does not
// distinguish operators: every operand may be a part of the result.
func (f *flow) chains(from, to int) []chain {
	key := [2]int{from, to}
	if list, ok := f.parsed[key]; ok {
		return list
	}
	p := f.p
	var list []chain
	for i := from; i < to; {
		f.spend(1)
		c, next := f.chainAt(i, to, from)
		if next <= i {
			next = i + 1
		}
		if c != nil {
			c.compared = i > from && p.is(p.before(i), comparisons...) || next < to && p.is(next, comparisons...)
			list = append(list, *c)
		}
		i = next
	}
	f.parsed[key] = list
	return list
}

// chainAt reads the operand at a token, if one begins there, and returns the
// token behind it.
func (f *flow) chainAt(i, to, from int) (*chain, int) {
	p := f.p
	t := &p.toks[i]
	c := &chain{atom: i}
	next := i + 1
	switch {
	case f.literals[i] != nil:
		c.fn = f.literals[i]
		next = c.fn.end
	case t.kind == op && t.match > i:
		if t.block {
			return nil, t.match + 1
		}
		next = t.match + 1
	case t.kind == op || t.kind == newline || t.kind == textEnd:
		return nil, next
	case t.kind == text && t.match > i:
		next = t.match + 1
	case t.kind == word:
		if slices.Contains(separators[p.lang], t.text) && !p.is(i-1, ".", "?.") {
			return nil, next
		}
		if p.lang == JavaScript && p.is(next, ":") && next < to && p.is(i-1, "{", ",") && p.is(t.parent, "{") {
			return nil, next // a property's name
		}
	}
	for next < to {
		switch {
		case p.is(next, ".", "?.") && next+1 < to:
			at := next + 1
			if p.is(at, "#") {
				at++
			}
			if p.is(at, "(", "[") { // ?.( and ?.[
				next = at
				continue
			}
			if at < to && (p.isKind(at, word) || p.isKind(at, hole)) {
				c.trailers = append(c.trailers, trailer{'.', at})
			}
			next = at + 1
			continue
		case p.is(next, "(", "[") && p.toks[next].match > next:
			if p.lang == JavaScript && p.toks[next].text == "[" && t.kind == number {
				break
			}
			c.trailers = append(c.trailers, trailer{p.toks[next].text[0], next})
			next = p.toks[next].match + 1
			continue
		case p.lang == JavaScript && p.isKind(next, text) && p.toks[next].lit.tagged:
			c.trailers = append(c.trailers, trailer{'`', next})
			next = max(p.toks[next].match, next) + 1
			continue
		case p.lang == JavaScript && p.is(next, "!") && p.is(next+1, "(", "[", ".", "?."):
			next++
			continue
		case p.lang == JavaScript && p.is(next, "<"):
			if open := f.typeArguments(next, to); open > 0 {
				next = open
				continue
			}
		}
		break
	}
	c.end = next
	return c, next
}

// typeArguments returns the parenthesis of a call behind type arguments, as in
// f<T>(x), or 0.
func (f *flow) typeArguments(i, to int) int {
	p, depth := f.p, 0
	for k := i; k < to && k < i+60; k++ {
		f.spend(1)
		t := &p.toks[k]
		switch {
		case p.is(k, "<"):
			depth++
		case p.is(k, ">", ">>", ">>>"):
			if depth -= len(t.text); depth <= 0 {
				if p.is(k+1, "(") && k+1 < to {
					return k + 1
				}
				return 0
			}
		case t.kind == op && t.match > k:
			k = t.match
		case t.kind == op && !p.is(k, ".", ",", "|", "&", "=>", ":", "?"):
			return 0
		}
	}
	return 0
}

// inner returns the operands within a bracket, or those in the substitutions of
// a text.
func (f *flow) inner(open int) []chain {
	t := &f.p.toks[open]
	if t.match <= open {
		return nil
	}
	return f.chains(open+1, t.match)
}

// root returns the name that a chain begins with, or "".
func (f *flow) root(c *chain) string {
	if c.fn != nil || !f.p.isKind(c.atom, word) {
		return ""
	}
	return f.p.toks[c.atom].text
}

// comparisons yield no text.
var comparisons = []string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "is"}

// endsExpression reports whether an expression cannot continue at a token, given
// that it is at the expression's level.
func (p *program) endsExpression(i int) bool {
	t := &p.toks[i]
	if t.kind == newline || p.is(i, ";", ",") {
		return true
	}
	if p.lang != JavaScript || !t.breaks || t.kind != word && t.kind != hole || p.is(i, "in", "instanceof", "of", "as", "satisfies") {
		return false
	}
	b := p.before(i)
	switch {
	case p.isKind(b, op):
		return p.is(b, ")", "]", "}", "++", "--")
	case p.isKind(b, word):
		return !slices.Contains(jsPrefixes, p.toks[b].text) || p.is(b-1, ".", "?.")
	}
	return true
}
