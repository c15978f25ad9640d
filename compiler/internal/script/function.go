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
	// escapes says that something other than the script's own calls by name may
	// call it.
	escapes bool
	result  value
}

// A param is a parameter: the names that it declares, with the default value.
type param struct {
	names    []string
	rest     bool
	from, to int
}

// findFunctions finds the functions of a program.
func (f *flow) findFunctions() {
	for i := range f.p.toks {
		var fn *function
		if f.p.lang == Python {
			fn = f.pythonFunction(i)
		} else {
			fn = f.javaScriptFunction(i)
		}
		if fn == nil || f.literals[fn.start] != nil {
			continue
		}
		f.functions = append(f.functions, fn)
		f.literals[fn.start] = fn
		if fn.name != "" {
			f.named[fn.name] = append(f.named[fn.name], fn)
		}
	}
}

func (f *flow) pythonFunction(i int) *function {
	p := f.p
	switch {
	case p.is(i, "def", "class") && p.isKind(i+1, word) && !p.is(i-1, "."):
		fn := &function{name: p.toks[i+1].text, isClass: p.is(i, "class"), start: i}
		head := i + 2
		if p.is(head, "(") && p.toks[head].match > 0 {
			if !fn.isClass {
				fn.params = f.params(head+1, p.toks[head].match)
			}
			head = p.toks[head].match + 1
		}
		for head < len(p.toks) && !p.is(head, ":") && !p.isKind(head, newline) {
			f.spend(1)
			head++
		}
		fn.body = min(head+1, len(p.toks))
		fn.end = f.dedent(fn.body, f.column(p.lineStart(i)))
		fn.bodyEnd = fn.end
		if n := len(fn.params); n > 0 && len(fn.params[0].names) > 0 && slices.Contains([]string{"self", "cls", "mcs"}, fn.params[0].names[0]) {
			fn.params = fn.params[1:]
		}
		if before := p.prev(p.lineStart(i)); p.isKind(before, newline) && f.decorated(before) && !fn.isClass {
			fn.escapes = true
		}
		return fn
	case p.is(i, "lambda"):
		fn := &function{start: i, expression: true}
		level := p.toks[i].parent
		k := i + 1
		for ; k < len(p.toks) && !(p.toks[k].parent == level && p.is(k, ":")); k++ {
			f.spend(1)
			if level >= 0 && k >= p.toks[level].match && p.toks[level].match > 0 || p.isKind(k, newline) && level < 0 {
				return nil
			}
		}
		fn.params = f.params(i+1, k)
		fn.body = min(k+1, len(p.toks))
		fn.bodyEnd = f.expressionEnd(fn.body, level)
		fn.end = fn.bodyEnd
		return fn
	}
	return nil
}

// decorated reports whether the logical line that a newline token ends is a
// decorator.
func (f *flow) decorated(end int) bool {
	before := f.p.prev(end)
	return before >= 0 && f.p.is(f.p.lineStart(before), "@")
}

// column returns how far a token is from the start of its line.
func (f *flow) column(i int) int {
	at := f.p.toks[i].start
	k := at
	for k > 0 && f.p.src[k-1] != '\n' && f.p.src[k-1] != '\r' {
		k--
	}
	return at - k
}

// dedent returns the token behind the block that begins at a token and is
// indented deeper than a column.
func (f *flow) dedent(i, column int) int {
	p := f.p
	if i < len(p.toks) && !p.isKind(i, newline) {
		for i < len(p.toks) && !(p.isKind(i, newline) && p.toks[i].parent < 0) {
			f.spend(1)
			i++
		}
		return i
	}
	for ; i < len(p.toks); i++ {
		f.spend(1)
		if p.isKind(i, newline) && i+1 < len(p.toks) && f.column(i+1) <= column {
			return i
		}
	}
	return len(p.toks)
}

// expressionEnd returns the token behind the expression that begins at a token
// of a level.
func (f *flow) expressionEnd(from, level int) int {
	p, end := f.p, len(f.p.toks)
	if level >= 0 && p.toks[level].match >= 0 {
		end = p.toks[level].match
	}
	for i := from; i < end; i++ {
		f.spend(1)
		if p.toks[i].parent != level {
			continue
		}
		if i > from && p.endsExpression(i) || p.isKind(i, newline) || p.is(i, ";", ",") {
			return i
		}
	}
	return end
}

// params reads the parameters between two tokens.
func (f *flow) params(from, to int) []param {
	p := f.p
	var list []param
	level := -1
	if from < to {
		level = p.toks[from].parent
	}
	for i := from; i < to; {
		end := i
		for end < to && !(p.toks[end].parent == level && p.is(end, ",")) {
			end++
		}
		one := param{from: end, to: end}
		typed := false
		for k := i; k < end; k++ {
			f.spend(1)
			t := &p.toks[k]
			if t.parent == level {
				switch {
				case p.is(k, "*", "**", "..."):
					one.rest = true
				case p.is(k, "="):
					one.from = k + 1
				case p.is(k, ":"):
					typed = true
				}
			}
			if one.from < end {
				break
			}
			if t.kind == word && !typed && (t.parent == level || !p.is(k+1, ":")) && !slices.Contains([]string{"public", "private", "protected", "readonly"}, t.text) {
				one.names = append(one.names, t.text)
			}
		}
		if len(one.names) > 0 {
			list = append(list, one)
		}
		i = end + 1
	}
	return list
}

func (f *flow) javaScriptFunction(i int) *function {
	p := f.p
	switch {
	case p.is(i, "function") && !p.is(i-1, ".", "?."):
		fn := &function{start: i}
		k := i + 1
		if p.is(k, "*") {
			k++
		}
		if p.isKind(k, word) {
			fn.name = p.toks[k].text
			k++
		}
		return f.blockFunction(fn, k)
	case p.is(i, "=>"):
		return f.arrow(i)
	case p.is(i, "class") && !p.is(i-1, ".", "?."):
		fn := &function{start: i, isClass: true}
		if p.isKind(i+1, word) && !p.is(i+1, "extends") {
			fn.name = p.toks[i+1].text
		}
		k := i + 1
		for k < len(p.toks) && !p.is(k, "{") {
			f.spend(1)
			k++
		}
		if k >= len(p.toks) || p.toks[k].match < 0 {
			return nil
		}
		fn.body, fn.bodyEnd = k+1, p.toks[k].match
		fn.end = fn.bodyEnd + 1
		return fn
	case p.isKind(i, word) && p.is(i+1, "(") && p.is(p.toks[i].parent, "{") && !p.is(i-1, ".", "?.", "function", "new") &&
		!p.is(i, "if", "for", "while", "switch", "catch", "with", "function", "return", "await"):
		// A method: name(…) {
		body := p.toks[i+1].match + 1
		if p.toks[i+1].match < 0 || !p.is(body, "{", ":") || body < len(p.toks) && p.toks[body].parent != p.toks[i].parent {
			return nil
		}
		if p.is(body, ":") && !p.is(i-1, ";", "}", "{", "async", "static", "public", "private", ",") {
			return nil
		}
		return f.blockFunction(&function{start: i, name: p.toks[i].text}, i+1)
	case (p.is(i, "[") || p.isKind(i, text)) && p.is(p.toks[i].parent, "{") && p.is(i-1, "{", ",", ";", "}", "async", "*", "static", "get", "set") && p.toks[i].match >= i && p.is(p.toks[i].match+1, "("):
		// A method with a computed name, or a quoted one.
		open := p.toks[i].match + 1
		if p.toks[open].match > 0 && p.is(p.toks[open].match+1, "{") {
			return f.blockFunction(&function{start: i, escapes: true}, open)
		}
	}
	return nil
}

// blockFunction reads parameters and a body in braces.
func (f *flow) blockFunction(fn *function, open int) *function {
	p := f.p
	if open < len(p.toks) && p.is(open, "<") {
		for open < len(p.toks) && !p.is(open, "(") {
			f.spend(1)
			open++
		}
	}
	if open >= len(p.toks) || !p.is(open, "(") || p.toks[open].match < 0 {
		return nil
	}
	fn.params = f.params(open+1, p.toks[open].match)
	level := p.toks[open].parent
	for k := p.toks[open].match + 1; k < len(p.toks) && p.toks[k].parent == level; k++ {
		f.spend(1)
		if p.is(k, "{") && !p.is(p.before(k), ":", "|", "&", "<", ",", "=>") {
			if p.toks[k].match < 0 {
				return nil
			}
			fn.body, fn.bodyEnd, fn.end = k+1, p.toks[k].match, p.toks[k].match+1
			return fn
		}
		if p.is(k, ";", "=", ",") {
			return nil
		}
		if m := p.toks[k].match; m > k {
			k = m
		}
	}
	return nil
}

// arrow reads the arrow function at an arrow.
func (f *flow) arrow(i int) *function {
	p := f.p
	fn := &function{}
	last := p.prev(i)
	switch {
	case p.is(last, "(") && !p.is(p.prev(last), ":", "|", "&"):
		fn.start, fn.params = last, f.params(last+1, p.toks[last].match)
	case p.isKind(last, word) && !p.is(p.before(last), ":", "<", "|", ".", "&"):
		fn.start, fn.params = last, []param{{names: []string{p.toks[last].text}}}
	default:
		// (x): Type => …
		for k := last; ; k = p.prev(k) {
			f.spend(1)
			if k < 0 {
				return nil
			}
			if p.is(k, ":") && p.is(p.prev(k), "(") {
				open := p.prev(k)
				fn.start, fn.params = open, f.params(open+1, p.toks[open].match)
				break
			}
			if p.is(k, ";", "=", "?") {
				return nil
			}
		}
	}
	if p.is(p.prev(fn.start), "async") {
		fn.start = p.prev(fn.start)
	}
	if p.is(i+1, "{") && p.toks[i+1].match > 0 {
		p.toks[i+1].block = true
		fn.body, fn.bodyEnd, fn.end = i+2, p.toks[i+1].match, p.toks[i+1].match+1
		return fn
	}
	fn.expression = true
	fn.body = min(i+1, len(p.toks))
	fn.bodyEnd = f.expressionEnd(fn.body, p.toks[i].parent)
	fn.end = fn.bodyEnd
	return fn
}
