package script

import "slices"

// A function is a function, a method or a class of the script.
type function struct {
	// name is "" for a function without one; isClass says that it is a class.
	name    string
	isClass bool
	params  []param
	// start and end are the first token and the one after the last; body and
	// bodyEnd are those of the body.
	start, end, body, bodyEnd int
	// expression says that the body is an expression, the function's result.
	expression bool
	// heritage is the first token of a class's bases, or 0.
	heritage int
	// constructors are those of a class.
	constructors []*function
	result       value
}

// A param is a parameter: the names that it declares, with the default value.
type param struct {
	names    []string
	keys     []string // the properties that a pattern gives them, or ""
	rest     bool
	from, to int
}

// findFunctions finds the functions of a program.
func (o *outline) findFunctions() {
	for i := range o.p.toks {
		fn := o.functionAt(i)
		if fn != nil && o.literals[fn.start] == nil {
			o.functions = append(o.functions, fn)
			o.literals[fn.start] = fn
		}
	}
	slices.SortStableFunc(o.functions, func(a, b *function) int { return a.start - b.start })
}

// functionAt returns the function whose keyword, name or arrow is at a token, or nil.
func (o *outline) functionAt(i int) *function {
	p := o.p
	switch {
	case p.hasText(i-1, ".", "?."):
	case p.lang == Python && p.hasText(i, "lambda"):
		fn := &function{start: i}
		body := o.findMark(i+1, p.toks[i].parent, ":")
		fn.params = o.parseParams(i+1, body)
		return o.setExpressionBody(fn, body)
	case p.lang == Python && p.hasText(i, "def", "class") && p.isKind(i+1, word):
		fn := &function{name: p.toks[i+1].text, isClass: p.hasText(i, "class"), start: i}
		from, to := i+2, i+2
		if p.hasText(i+2, "(") && p.toks[i+2].match > 0 {
			from, to = i+3, p.toks[i+2].match
		}
		if fn.isClass && from < to {
			fn.heritage = from
		}
		fn.body = min(o.findMark(to, p.toks[i].parent, ":")+1, len(p.toks))
		fn.end = o.findDedent(fn.body, o.tokenColumn(p.lineStart(i)))
		fn.bodyEnd = fn.end
		fn.params = o.parseParams(from, to)
		if len(fn.params) > 0 && slices.Contains([]string{"self", "cls", "mcs"}, fn.params[0].names[0]) {
			fn.params = fn.params[1:]
		}
		return fn
	case p.lang == Python:
	case p.hasText(i, "class", "function"):
		fn := &function{start: i, isClass: p.hasText(i, "class")}
		open := i + 1
		if p.hasText(open, "*") {
			open++
		}
		if p.isKind(open, word) && !p.hasText(open, "extends") {
			fn.name = p.toks[open].text
		}
		if !fn.isClass {
			return o.parseBracedFunction(fn, o.findMark(open, p.toks[i].parent, "("))
		}
		for open < len(p.toks) && !p.hasText(open, "{") {
			o.spendSteps(1)
			if p.hasText(open, "extends") {
				fn.heritage = open + 1
			}
			open++
		}
		if open == len(p.toks) || p.toks[open].match < 0 {
			return nil
		}
		fn.body, fn.bodyEnd, fn.end = open+1, p.toks[open].match, p.toks[open].match+1
		return fn
	case p.hasText(i, "=>"):
		return o.parseArrowFunction(i)
	case p.hasText(i, "(") && p.hasText(p.toks[i].parent, "{") && p.toks[i].match > 0:
		// A method: name(…) {
		name := p.tokenBefore(i)
		if p.hasText(name, "]") {
			name = p.toks[name].match
		}
		if name < 0 || p.isKind(name, op) && !p.hasText(name, "[") || p.hasText(name, "if", "for", "while", "switch", "catch", "with", "function", "return", "await") || p.hasText(name-1, ".", "?.", "function", "new") {
			return nil
		}
		if body := p.toks[i].match + 1; !p.hasText(body, "{") && !(p.hasText(body, ":") && p.hasText(name-1, ";", "}", "{", "async", "static", "public", "private", ",", "get", "set")) {
			return nil
		}
		fn := &function{start: name}
		fn.name, _ = p.propertyName(name)
		return o.parseBracedFunction(fn, i)
	}
	return nil
}

// tokenColumn returns how far a token is from the start of its line.
func (o *outline) tokenColumn(i int) int {
	at := o.p.toks[i].start
	k := at
	for k > 0 && o.p.src[k-1] != '\n' && o.p.src[k-1] != '\r' {
		k--
	}
	return at - k
}

// findDedent returns the token behind the block that begins at a token and is
// indented deeper than a column.
func (o *outline) findDedent(i, column int) int {
	p := o.p
	if i < len(p.toks) && !p.isKind(i, newline) {
		return o.findMark(i, global)
	}
	for ; i < len(p.toks); i++ {
		o.spendSteps(1)
		if p.isKind(i, newline) && i+1 < len(p.toks) && o.tokenColumn(i+1) <= column {
			return i
		}
	}
	return len(p.toks)
}

// expressionEnd returns the token behind the expression that begins at a token
// of a level.
func (o *outline) expressionEnd(from, level int) int {
	p, end := o.p, len(o.p.toks)
	if level >= 0 && p.toks[level].match >= 0 {
		end = p.toks[level].match
	}
	for i := from; i < end; i++ {
		o.spendSteps(1)
		if p.toks[i].parent == level && (i > from && p.endsExpression(i) || p.isKind(i, newline) || p.hasText(i, ";", ",")) {
			return i
		}
	}
	return end
}

// parseParams reads the parameters between two tokens.
func (o *outline) parseParams(from, to int) []param {
	p := o.p
	var list []param
	if from >= to {
		return nil
	}
	level := p.toks[from].parent
	for i := from; i < to; {
		end := i
		for end < to && !(p.toks[end].parent == level && p.hasText(end, ",")) {
			end++
		}
		one := param{from: end, to: end}
		typed := false
		for k := i; k < end && one.from == end; k++ {
			o.spendSteps(1)
			outside := p.toks[k].parent == level
			switch {
			case outside && p.hasText(k, "*", "**", "..."):
				one.rest = true
			case outside && p.hasText(k, "="):
				one.from = k + 1
			case outside && p.hasText(k, ":"):
				typed = true
			case p.isKind(k, word) && !typed && (outside || !p.hasText(k+1, ":")) && !p.hasText(k, "public", "private", "protected", "readonly"):
				key := ""
				if !outside {
					key = p.toks[k].text
				}
				if !outside && p.hasText(k-1, ":") {
					key = p.toks[k-2].text
				}
				one.names, one.keys = append(one.names, p.toks[k].text), append(one.keys, key)
			}
		}
		if len(one.names) > 0 {
			list = append(list, one)
		}
		i = end + 1
	}
	if o.p.hasText(from-1, "(") {
		o.parameters[from-1] = true
	}
	return list
}

// parseBracedFunction reads parameters and a body in braces.
func (o *outline) parseBracedFunction(fn *function, open int) *function {
	p := o.p
	if open >= len(p.toks) || p.toks[open].match < 0 {
		return nil
	}
	level := p.toks[open].parent
	for k := p.toks[open].match + 1; k < len(p.toks) && p.toks[k].parent == level && !p.hasText(k, ";", "=", ","); k++ {
		o.spendSteps(1)
		if p.hasText(k, "{") && !p.hasText(p.tokenBefore(k), ":", "|", "&", "<", ",", "=>") {
			if p.toks[k].match < 0 {
				return nil
			}
			fn.body, fn.bodyEnd, fn.end = k+1, p.toks[k].match, p.toks[k].match+1
			fn.params = o.parseParams(open+1, p.toks[open].match)
			return fn
		}
		k = max(k, p.toks[k].match)
	}
	return nil
}

// parseArrowFunction reads the arrow function at an arrow.
func (o *outline) parseArrowFunction(i int) *function {
	p := o.p
	last := p.prevSibling(i)
	for k := last; k >= 0 && !p.hasText(k, ";", "=", "?", ","); k = p.prevSibling(k) { // (x): Type => …
		o.spendSteps(1)
		if p.hasText(k, ":") && p.hasText(p.prevSibling(k), "(") {
			last = p.prevSibling(k)
			break
		}
	}
	fn := &function{start: last, body: i + 1}
	switch {
	case p.hasText(last, "("):
		fn.params = o.parseParams(last+1, p.toks[last].match)
	case p.isKind(last, word):
		fn.params = o.parseParams(last, i)
	default:
		return nil
	}
	if p.hasText(p.prevSibling(last), "async") {
		fn.start = p.prevSibling(last)
	}
	if p.hasText(i+1, "{") && p.toks[i+1].match > 0 {
		p.toks[i+1].block = true
		fn.body, fn.bodyEnd, fn.end = i+2, p.toks[i+1].match, p.toks[i+1].match+1
		return fn
	}
	return o.setExpressionBody(fn, i)
}

// setExpressionBody gives a function the expression behind a token as its body.
func (o *outline) setExpressionBody(fn *function, before int) *function {
	fn.expression, fn.body = true, min(before+1, len(o.p.toks))
	fn.bodyEnd = o.expressionEnd(fn.body, o.p.toks[fn.body-1].parent)
	fn.end = fn.bodyEnd
	return fn
}
