package script

import (
	"slices"
	"strings"
)

// A binding is a place where names, or attributes, get a value.
type binding struct {
	names   []string
	at      int // the token whose scope the names are in
	symbols []symbol
	// attribute says that the names are attributes.
	attribute bool
	// target is the chain that is assigned to, such as x["y"], or nil.
	target *chain
	// from and to are the tokens of the expression.
	from, to int
	// module is the qualified name that an import binds.
	module string
	// key is the property of the expression that a pattern binds.
	key string
	// element says that the names get elements of the expression.
	element bool
	fn      *function
}

func (o *outline) addBinding(b binding) { o.bindings = append(o.bindings, b) }

// declareNames says that names belong to the function around a token.
func (o *outline) declareNames(at int, names ...string) {
	for _, n := range names {
		if s := (symbol{n, o.scopes[at]}); s.scope >= 0 && !o.outer[s] {
			o.declared[s] = true
		}
	}
}

// functionBindings binds the names of functions and of parameters.
func (o *outline) functionBindings() {
	for i, fn := range o.functions {
		for _, one := range fn.params {
			for _, n := range one.names {
				o.declared[symbol{n, i}] = true
			}
			o.addBinding(binding{names: one.names, at: fn.body - 1, from: one.from, to: one.to, element: one.rest})
		}
		if fn.name == "" {
			continue
		}
		b := binding{names: []string{fn.name}, at: fn.start, fn: fn, attribute: o.members[fn.start]}
		if o.p.lang == JavaScript {
			b.attribute = !o.p.hasText(fn.start, "function", "class")
		}
		if !b.attribute {
			o.declareNames(fn.start, fn.name)
		}
		if fn.heritage > 0 {
			b.from, b.to = fn.heritage, fn.body-1
		}
		o.addBinding(b)
	}
}

// wordsBetween returns the words between two tokens that are not attributes.
func (p *program) wordsBetween(from, to int) []string {
	var list []string
	for i := from; i < to && i < len(p.toks); i++ {
		if p.isKind(i, word) && !p.hasText(i-1, ".", "?.") && !slices.Contains(separators[p.lang], p.toks[i].text) {
			list = append(list, p.toks[i].text)
		}
	}
	return list
}

// bindTargets binds the targets of an assignment between two tokens.
func (o *outline) bindTargets(from, to int, b binding) {
	list := o.operandChains(from, to)
	if o.p.lang == JavaScript {
		list = list[:min(1, len(list))] // a type or a default value follows
	}
	for k := range list {
		c := &list[k]
		one := b
		one.element, one.at = b.element || len(list) > 1, c.atom
		o.bindChain(c, one)
	}
}

// bindChain binds a chain.
func (o *outline) bindChain(c *chain, b binding) {
	p := o.p
	switch {
	case len(c.trailers) > 0:
		b.target = c
		if s, ok := o.chainRoot(c); ok {
			o.written[s] = append(o.written[s], argument{from: b.from, to: b.to})
		}
		if last := c.trailers[len(c.trailers)-1]; p.isKind(last.tok, word) {
			b.names, b.attribute = []string{p.toks[last.tok].text}, true
		}
		o.addBinding(b)
	case p.isKind(c.atom, word):
		b.names = []string{p.toks[c.atom].text}
		if p.lang == Python {
			o.declareNames(c.atom, b.names...)
		}
		o.addBinding(b)
		if o.members[c.atom] {
			b.attribute = true
			o.addBinding(b)
		}
	case p.hasText(c.atom, "(", "[", "{"):
		b.element = true
		for _, part := range p.splitAtCommas(c.atom) {
			one, from := b, part[0]
			if p.hasText(c.atom, "{") {
				one.key, from = p.objectEntry(part)
			}
			if p.hasText(from, "...", "*") {
				from++
			}
			o.bindTargets(from, part[1]+1, one)
		}
	}
}

// propertyName returns the name of the property at a token.
func (p *program) propertyName(i int) (string, bool) {
	if text, ok := p.constantText(i, i+1); ok {
		return text, true
	}
	if p.isKind(i, word) {
		return p.toks[i].text, true
	}
	return p.soleText(i)
}

// findBindings finds where a program binds names, but for functions.
func (o *outline) findBindings() {
	p := o.p
	for i := range p.toks {
		level := p.toks[i].parent
		switch {
		case p.hasText(i-1, ".", "?."):
		case p.isAssignment(i):
			o.bindAssignment(i)
		case p.hasText(i, "global", "nonlocal") && p.lang == Python:
			for k := i + 1; k < len(p.toks) && !p.isKind(k, newline); k++ {
				o.outer[symbol{p.toks[k].text, o.scopes[i]}] = true
			}
		case p.hasText(i, "of", "in") && p.lang == JavaScript:
			if p.hasText(level, "(") && p.hasText(level-1, "for", "await") {
				o.bindDeclaration(level+1, i, binding{from: i + 1, to: p.toks[level].match, element: true})
			}
		case p.hasText(i, "import") && (p.lang == Python || !p.hasText(i+1, "(", ".")):
			o.bindImports(i)
		case p.hasText(i, ":") && p.lang == JavaScript && o.literals[i+1] != nil && p.isKey(p.prevSibling(i-1), i-1):
			name, _ := p.propertyName(i - 1)
			o.addBinding(binding{names: []string{name}, attribute: true, fn: o.literals[i+1]})
		case p.lang == JavaScript:
		case p.hasText(i, "for"):
			in := o.findMark(i+1, level, "in")
			o.bindTargets(i+1, in, binding{from: in + 1, to: o.findMark(in+1, level, ":", "for", "if", "async", ","), element: true})
		case p.hasText(i, "as") && !p.hasText(p.lineStart(i), "import", "from") && i+1 < len(p.toks):
			start := i
			for start > 0 && p.toks[start-1].parent >= level && !p.isKind(start-1, newline) && !p.hasText(start-1, "with", "except", "case") {
				o.spendSteps(1)
				start--
			}
			o.bindTargets(i+1, i+2, binding{from: start, to: i})
		}
	}
}

// findMark returns the first of some marks behind a token, at a level, or the end of the
// bracket or the line.
func (o *outline) findMark(from, level int, marks ...string) int {
	p := o.p
	for i := from; i < len(p.toks); i++ {
		o.spendSteps(1)
		if level >= 0 && i == p.toks[level].match || p.isKind(i, newline) || p.toks[i].parent == level && p.hasText(i, marks...) && !(p.hasText(i, ",") && level < 0) {
			return i
		}
	}
	return len(p.toks)
}

// enders are the marks and words before the target of an assignment.
var enders = []string{";", "=", "=>", "?", "&&", "||", "??", "return", "else", "do", "await", "static", "readonly", "public", "private", "export"}

// bindAssignment binds the targets before an assignment.
func (o *outline) bindAssignment(i int) {
	p := o.p
	level := p.toks[i].parent
	if level >= 0 && (p.lang == Python && !p.hasText(i, ":=") || p.hasText(level, "(") && o.parameters[level]) {
		return // the name of an argument, or a default, which params reads
	}
	start, typed := i, -1
	for start > 0 && !p.hasText(start, "const", "let", "var") {
		o.spendSteps(1)
		k := start - 1
		if p.lang == JavaScript && p.toks[start].breaks && p.isKind(start, word) && start < i && typed < 0 && !p.hasText(k, ".", "?.") {
			break
		}
		if (p.toks[k].kind == op || p.toks[k].kind == textEnd) && p.toks[k].match >= 0 && p.toks[k].match < k {
			if open := p.toks[k].match; start < i && p.toks[open].block && !p.hasText(p.prevSibling(open), ":") || start < i && p.lang == JavaScript && p.hasText(open, "(") && p.toks[start].kind == word {
				break
			}
			start = p.toks[k].match
			continue
		}
		if p.toks[k].parent != level || k == level || p.isKind(k, newline) || p.hasText(k, enders...) || p.hasText(k, ",") && (p.lang == JavaScript && typed < 0 || level >= 0) || p.hasText(i, ":=") && !p.isKind(k, word) {
			break
		}
		if p.hasText(k, ":") {
			if p.lang == Python && p.hasText(p.lineStart(k), "if", "else", "elif", "while", "for", "try", "except", "finally", "with", "def", "class", "case") {
				break // the body on the line of its head
			}
			typed = k
		}
		start--
	}
	to, from := i, i+1
	if typed > start {
		to = typed
	}
	for p.hasText(i+1, "<") && from < len(p.toks) && !p.hasText(from, "(", ";") { // type parameters
		from++
	}
	end := o.expressionEnd(from, level)
	for p.lang == Python && level < 0 && end < len(p.toks) && p.hasText(end, ",") { // a tuple
		end = o.expressionEnd(end+1, level)
	}
	o.bindDeclaration(start, to, binding{from: from, to: end})
}

// bindDeclaration binds targets behind a word that declares them, or without one.
func (o *outline) bindDeclaration(start, to int, b binding) {
	p := o.p
	if p.hasText(start, "const", "let", "var", "using") {
		start++
		o.declareNames(start, p.wordsBetween(start, to)...)
	}
	if p.hasText(start, "{") {
		p.toks[start].block = false // it is a pattern
	}
	o.bindTargets(start, to, b)
}

// bindImports binds the names of an import statement.
func (o *outline) bindImports(i int) {
	p := o.p
	first, module, end := p.lineStart(i), "", o.findMark(i+1, p.toks[i].parent, ";")
	switch {
	case p.lang == JavaScript:
		for end = i + 1; end < len(p.toks) && !p.isKind(end, text) && !p.hasText(end, ";", "("); end++ {
			o.spendSteps(1)
		}
		path, _ := p.constantText(end, min(end+1, len(p.toks)))
		module = moduleName(path) + "."
	case p.hasText(first, "from"):
		module = strings.ReplaceAll(p.src[p.toks[first].end:p.toks[i].start], " ", "") + "."
	}
	if p.hasText(i+1, "(") {
		end = p.toks[i+1].match
	}
	for k := i + 1; k < end && !p.hasText(k, "from"); k++ {
		if p.hasText(k, "*") && !p.hasText(k+1, "as") {
			o.stars = append(o.stars, module)
		}
		if !p.isKind(k, word) && !p.hasText(k, "*") || p.hasText(k, "type") && p.isKind(k+1, word) {
			continue
		}
		first := k
		for ; k+2 < end && p.hasText(k+1, "."); k += 2 {
		}
		qualified := module + p.src[p.toks[first].start:p.toks[k].end]
		if p.lang == JavaScript && (p.hasText(k, "*", "default") || !p.hasText(p.toks[k].parent, "{")) {
			qualified = strings.TrimSuffix(module, ".")
		}
		if k+2 < end && p.hasText(k+1, "as") {
			k += 2
		} else if p.lang == Python {
			qualified, k = module+p.toks[first].text, first
		}
		o.declareNames(k, p.toks[k].text)
		o.addBinding(binding{names: []string{p.toks[k].text}, at: k, module: qualified})
		for k+2 < end && p.hasText(k+1, ".") {
			k += 2
		}
	}
}

// moduleName returns a module's name as the table has it.
func moduleName(path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "node:"), "bun:")
	return strings.ReplaceAll(strings.TrimSuffix(path, "/promises"), "/", ".")
}

// soleText returns the text of a bracket that holds one string without values.
func (p *program) soleText(open int) (string, bool) {
	if !p.isKind(open, op) || p.toks[open].match < 0 || open+1 >= p.toks[open].match {
		return "", false
	}
	return p.constantText(open+1, p.toks[open].match)
}
