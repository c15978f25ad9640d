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
	// chooses says that the chain is compared, or is a condition: it contributes nothing
	// to the text of the result.
	chooses bool
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

// operandChains returns the operands between two tokens, at their level. It distinguishes
// no operators but comparisons and conditions: every other operand may be a part of the
// result.
func (o *outline) operandChains(from, to int) []chain {
	key := [2]int{from, to}
	if list, ok := o.parsed[key]; ok {
		return list
	}
	p := o.p
	var list []chain
	first, condition := 0, false // of the part that may be a condition
	for i := from; i < to; {
		o.spendSteps(1)
		switch {
		case p.lang == Python && p.hasText(i, "if"):
			condition = true
		case p.hasText(i, "else", "for", "async", ",", ":", "=>"):
			first, condition = len(list), false
		case p.lang == JavaScript && p.hasText(i, "?"):
			for k := range list[first:] {
				list[first+k].chooses = true
			}
			first = len(list)
		}
		c, next := o.chainAt(i, to, from)
		if next <= i {
			next = i + 1
		}
		if c != nil {
			c.chooses = condition || i > from && p.hasText(p.tokenBefore(i), comparisons...) || next < to && p.hasText(next, comparisons...)
			list = append(list, *c)
		}
		i = next
	}
	o.parsed[key] = list
	return list
}

// chainAt reads the operand at a token, if one begins there, and returns the
// token behind it.
func (o *outline) chainAt(i, to, from int) (*chain, int) {
	p := o.p
	t := &p.toks[i]
	c := &chain{atom: i}
	next := i + 1
	switch {
	case o.literals[i] != nil:
		c.fn = o.literals[i]
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
		if slices.Contains(separators[p.lang], t.text) && !p.hasText(i-1, ".", "?.") {
			return nil, next
		}
		if p.lang == JavaScript && p.hasText(next, ":") && next < to && p.hasText(i-1, "{", ",") && p.hasText(t.parent, "{") {
			return nil, next // a property's name
		}
	}
	for next < to {
		switch {
		case p.hasText(next, ".", "?.") && next+1 < to:
			at := next + 1
			if p.hasText(at, "#") {
				at++
			}
			if p.hasText(at, "(", "[") { // ?.( and ?.[
				next = at
				continue
			}
			if at < to && (p.isKind(at, word) || p.isKind(at, hole)) {
				c.trailers = append(c.trailers, trailer{'.', at})
			}
			next = at + 1
			continue
		case p.hasText(next, "(", "[") && p.toks[next].match > next:
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
		case p.lang == JavaScript && p.hasText(next, "!") && p.hasText(next+1, "(", "[", ".", "?."):
			next++
			continue
		case p.lang == JavaScript && p.hasText(next, "<"): // f<T>(x)
			open := next
			for k := next + 1; k < min(to, next+12) && p.hasText(open, "<") && (p.isKind(k, word) || p.hasText(k, ".", ",", "[", "]", "|", "<", ">")); k++ {
				if p.hasText(k, ">") && p.hasText(k+1, "(") {
					open = k + 1
				}
			}
			if open > next {
				next = open
				continue
			}
		}
		break
	}
	c.end = next
	return c, next
}

// comparisons yield no text.
var comparisons = []string{"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "is"}

// endsExpression reports whether an expression cannot continue at a token, given
// that it is at the expression's level.
func (p *program) endsExpression(i int) bool {
	t := &p.toks[i]
	if t.kind == newline || p.hasText(i, ";", ",") {
		return true
	}
	if p.lang != JavaScript || !t.breaks || t.kind != word && t.kind != hole || p.hasText(i, "in", "instanceof", "of", "as", "satisfies") {
		return false
	}
	b := p.tokenBefore(i)
	switch {
	case p.isKind(b, op):
		return p.hasText(b, ")", "]", "}", "++", "--")
	case p.isKind(b, word):
		return !slices.Contains(jsPrefixes, p.toks[b].text) || p.hasText(b-1, ".", "?.")
	}
	return true
}
