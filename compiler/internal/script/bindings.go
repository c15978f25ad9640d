package script

import (
	"slices"
	"strings"
)

// pythonBindings finds where a Python program binds names.
func (f *flow) pythonBindings() {
	p := f.p
	for i := range p.toks {
		t := &p.toks[i]
		switch {
		case p.isAssignment(i):
			f.pythonAssignment(i)
		case p.is(i, "for") && !p.is(i-1, "."):
			k := i + 1
			for k < len(p.toks) && !(p.toks[k].parent == t.parent && p.is(k, "in")) && !p.isKind(k, newline) {
				f.spend(1)
				k++
			}
			if k < len(p.toks) && p.is(k, "in") {
				end := k + 1
				for end < len(p.toks) && !f.endsClause(end, k, t.parent) {
					f.spend(1)
					end++
				}
				f.target(i+1, k, k+1, end, true)
			}
		case p.is(i, "as") && p.isKind(i-1, word) && f.imported(i):
		case p.is(i, "as") && i+1 < len(p.toks):
			// with … as x, except … as e, case … as x
			start := i
			for start > 0 && p.toks[start-1].parent >= t.parent && !p.isKind(start-1, newline) && !p.is(start-1, "with", "except", "case") {
				f.spend(1)
				start--
			}
			end := i + 1
			for end < len(p.toks) && !p.is(end, ":", ",", ")") && !p.isKind(end, newline) {
				end++
			}
			f.target(i+1, end, start, i, true)
			if p.is(start-1, "except") {
				f.bindLost(words(p, i+1, end))
			}
		case p.is(i, "import") && !p.is(i-1, ".") && (i == 0 || p.isKind(i-1, newline) || p.is(i-1, ";", ":") || p.is(p.lineStart(i), "from")):
			f.pythonImport(i)
		case p.is(i, "case") && p.startsLine(i) && !p.is(i+1, "=", ".", "(") || p.is(i, "case") && p.startsLine(i) && p.is(i+1, "("):
			end := i + 1
			for end < len(p.toks) && !(p.is(end, ":") && p.toks[end].parent == t.parent) && !p.isKind(end, newline) {
				end++
			}
			if p.is(end, ":") {
				f.bindLost(words(p, i+1, end))
			}
		}
	}
	f.functionBindings()
}

// bindLost binds names to values that the analysis cannot follow.
func (f *flow) bindLost(names []string) {
	f.bindings = append(f.bindings, binding{names: names})
	for _, n := range names {
		f.state[n] = f.lostValue()
	}
}

// words returns the words between two tokens that are not attributes.
func words(p *program, from, to int) []string {
	var list []string
	for i := from; i < to && i < len(p.toks); i++ {
		if p.isKind(i, word) && !p.is(i-1, ".", "?.") && !slices.Contains(separators[p.lang], p.toks[i].text) {
			list = append(list, p.toks[i].text)
		}
	}
	return list
}

// endsClause reports whether the iterable of a for ends at a token.
func (f *flow) endsClause(i, in, level int) bool {
	p := f.p
	if p.isKind(i, newline) {
		return true
	}
	if level >= 0 && i >= p.toks[level].match && p.toks[level].match > 0 {
		return true
	}
	if p.toks[i].parent != level || i == in {
		return false
	}
	return p.is(i, ":", "for", "if", "async") || level >= 0 && p.is(i, ",")
}

// functionBindings binds the names of functions, so that they are the script's,
// and the names of parameters.
func (f *flow) functionBindings() {
	for _, fn := range f.functions {
		for _, one := range fn.params {
			f.bindings = append(f.bindings, binding{names: one.names})
		}
	}
}

// pythonAssignment binds the targets before an assignment.
func (f *flow) pythonAssignment(i int) {
	p := f.p
	level := p.toks[i].parent
	if level >= 0 && !p.is(i, ":=") {
		return // the name of an argument, or a default, which params reads
	}
	start := i
	for start > 0 {
		f.spend(1)
		k := start - 1
		if p.toks[k].kind == op && p.toks[k].match >= 0 && p.toks[k].match < k {
			start = p.toks[k].match
			continue
		}
		if p.toks[k].parent != level || p.isKind(k, newline) || p.is(k, ";", "=") || level >= 0 && (p.is(k, ",") || k == level) {
			break
		}
		if p.is(i, ":=") && !p.isKind(k, word) {
			break
		}
		start--
	}
	end := f.expressionEnd(i+1, level)
	if level < 0 {
		// A tuple continues behind its commas.
		for end < len(p.toks) && p.is(end, ",") {
			end = f.expressionEnd(end+1, level)
		}
	}
	// name: Type = …
	to := i
	for k := start; k < i; k++ {
		f.spend(1)
		if p.toks[k].parent == level && p.is(k, ":") {
			if p.is(start, "if", "else", "elif", "while", "for", "try", "except", "finally", "with", "def", "class", "case", "match", "lambda") {
				start = k + 1 // the body on the line of its head
				continue
			}
			to = k
			break
		}
	}
	f.target(start, to, i+1, end, false)
}

// target binds the targets of an assignment between two tokens.
func (f *flow) target(start, to, from, end int, element bool) {
	list := f.chains(start, to)
	several := len(list) > 1 || element
	for k := range list {
		f.assign(&list[k], from, end, several)
	}
}

// assign binds a chain to an expression.
func (f *flow) assign(c *chain, from, end int, element bool) {
	p := f.p
	if len(c.trailers) == 0 {
		switch {
		case p.isKind(c.atom, word):
			f.bindings = append(f.bindings, binding{names: []string{p.toks[c.atom].text}, from: from, to: end, element: element})
			if f.inClass(c.atom) {
				f.bindings = append(f.bindings, binding{names: []string{p.toks[c.atom].text}, attribute: true, from: from, to: end, element: element})
			}
		case p.is(c.atom, "(", "[", "{"):
			for _, inner := range f.inner(c.atom) {
				f.assign(&inner, from, end, true)
			}
		}
		return
	}
	last := c.trailers[len(c.trailers)-1]
	f.writes = append(f.writes, write{*c, from, end})
	if last.kind == '.' && p.isKind(last.tok, word) {
		f.bindings = append(f.bindings, binding{names: []string{p.toks[last.tok].text}, attribute: true, from: from, to: end, element: element})
	}
}

// imported reports whether an `as` belongs to an import.
func (f *flow) imported(i int) bool {
	first := f.p.lineStart(i)
	return f.p.is(first, "import", "from")
}

// pythonImport binds the names of an import statement.
func (f *flow) pythonImport(i int) {
	p := f.p
	module := ""
	if from := p.prev(i); from >= 0 {
		for k := i - 1; k >= 0 && !p.isKind(k, newline) && !p.is(k, ";", ":"); k-- {
			if p.is(k, "from") {
				for j := k + 1; j < i; j++ {
					module += p.src[p.toks[j].start:p.toks[j].end]
				}
				break
			}
		}
	}
	end := i + 1
	if p.is(end, "(") {
		end = p.toks[end].match
	} else {
		for end < len(p.toks) && !p.isKind(end, newline) && !p.is(end, ";") {
			end++
		}
	}
	for k := i + 1; k < end; {
		if !p.isKind(k, word) {
			if p.is(k, "*") && module != "" {
				f.stars = append(f.stars, module)
			}
			k++
			continue
		}
		path := p.toks[k].text
		k++
		for k+1 < end && p.is(k, ".") {
			path += "." + p.toks[k+1].text
			k += 2
		}
		f.imports = append(f.imports, strings.TrimPrefix(module+"."+path, "."))
		name, qualified := path, path
		if module != "" {
			qualified = module + "." + path
		} else if cut := strings.IndexByte(path, '.'); cut > 0 {
			name, qualified = path[:cut], path[:cut]
		}
		if k+1 < end && p.is(k, "as") {
			name = p.toks[k+1].text
			if module == "" {
				qualified = path
			}
			k += 2
		}
		f.bindings = append(f.bindings, binding{names: []string{name}, module: qualified})
	}
	if module != "" {
		f.imports = append(f.imports, module)
	}
}

// javaScriptBindings finds where a JavaScript program binds names.
func (f *flow) javaScriptBindings() {
	p := f.p
	for i := range p.toks {
		t := &p.toks[i]
		switch {
		case p.isAssignment(i):
			f.javaScriptAssignment(i)
		case p.is(i, "of", "in") && p.is(t.parent, "(") && p.is(t.parent-1, "for", "await"):
			f.pattern(t.parent+1, i, i+1, p.toks[t.parent].match, true)
		case p.is(i, "catch") && p.is(i+1, "(") && !p.is(i-1, "."):
			f.bindLost(words(p, i+2, p.toks[i+1].match))
		case p.is(i, "import") && !p.is(i-1, ".", "?.") && !p.is(i+1, "(", "."):
			f.javaScriptImport(i)
		}
	}
	f.functionBindings()
}

func (f *flow) javaScriptAssignment(i int) {
	p := f.p
	level := p.toks[i].parent
	if level >= 0 && p.is(level, "(") && f.isParameters(level) {
		return
	}
	if i == 0 {
		return
	}
	end := f.expressionEnd(i+1, level)
	start := i
	typed, angles := -1, 0
	for start > 0 {
		f.spend(1)
		k := start - 1
		if (p.toks[k].kind == op || p.toks[k].kind == textEnd) && p.toks[k].match >= 0 && p.toks[k].match < k {
			if p.is(p.toks[k].match, "{") && p.toks[p.toks[k].match].block && !p.is(p.prev(p.toks[k].match), ":") && start < i {
				break
			}
			start = p.toks[k].match
			continue
		}
		switch {
		case p.is(k, ">", ">>", ">>>"):
			angles += len(p.toks[k].text)
		case p.is(k, "<"):
			angles--
		}
		if p.is(k, ",", "=>", "?") && angles > 0 && p.toks[k].parent == level {
			start--
			continue
		}
		if p.toks[k].parent != level || k == level || p.is(k, ";", ",", "=", "=>", "?", "&&", "||", "??") || p.is(k, "const", "let", "var", "return", "else", "do", "await", "static", "readonly", "public", "private") && !p.is(k-1, ".") {
			break
		}
		if p.is(k, ":") {
			typed = k
		}
		if p.toks[start].breaks && p.isKind(start, word) && !p.is(k, ".", "?.", ":", "|", "&", "<") && typed < 0 && start < i {
			break
		}
		start--
	}
	to := i
	if typed > start {
		to = typed
	}
	f.pattern(start, to, i+1, end, false)
	if level >= 0 && p.is(level, "{") && p.toks[level].block && p.isKind(i-1, word) && !p.is(i-2, ".", "?.", "const", "let", "var") {
		// Perhaps the field of a class.
		f.bindings = append(f.bindings, binding{names: []string{p.toks[i-1].text}, attribute: true, from: i + 1, to: end})
	}
}

// isParameters reports whether a parenthesis holds the parameters of a function.
func (f *flow) isParameters(open int) bool {
	if f.literals[open] != nil || f.literals[open-1] != nil && f.p.is(open-1, "async") {
		return true
	}
	for k := open - 1; k >= 0 && k >= open-3; k-- {
		if fn := f.literals[k]; fn != nil && fn.body > f.p.toks[open].match && f.p.toks[open].match > 0 && !f.p.is(open-1, "=", "=>") {
			return k == open-1 || f.p.is(k, "function", "async")
		}
	}
	return false
}

// pattern binds the names of a target or of a destructuring pattern.
func (f *flow) pattern(start, to, from, end int, element bool) {
	p := f.p
	for start < to && p.is(start, "const", "let", "var", "await") {
		start++
	}
	if !p.is(start, "{", "[") || p.toks[start].match != to-1 {
		list := f.chains(start, to)
		for k := range list {
			f.assign(&list[k], from, end, element)
		}
		return
	}
	if p.is(start, "[") || element {
		f.bindings = append(f.bindings, binding{names: words(p, start+1, to-1), from: from, to: end, element: true})
		return
	}
	keyed := map[string]string{}
	var rest []string
	for _, part := range p.arguments(start) {
		switch {
		case p.isKind(part[0], word) && p.is(part[0]+1, ":") && p.isKind(part[0]+2, word):
			keyed[p.toks[part[0]].text] = p.toks[part[0]+2].text
			rest = append(rest, words(p, part[0]+3, part[1]+1)...)
		case p.isKind(part[0], word) && !p.is(part[0]+1, ":"):
			keyed[p.toks[part[0]].text] = p.toks[part[0]].text
		default:
			rest = append(rest, words(p, part[0], part[1]+1)...)
		}
	}
	f.bindings = append(f.bindings, binding{names: rest, keyed: keyed, from: from, to: end})
}

func (f *flow) javaScriptImport(i int) {
	p := f.p
	k := i + 1
	for k < len(p.toks) && !p.isKind(k, text) && !p.is(k, ";") && k < i+400 {
		f.spend(1)
		k++
	}
	if !p.isKind(k, text) {
		return
	}
	l := p.toks[k].lit
	module := moduleName(p.src[l.body[0]:l.body[1]])
	f.imports = append(f.imports, p.src[l.body[0]:l.body[1]])
	inBraces := false
	for j := i + 1; j < k && !p.is(j, "from"); j++ {
		switch {
		case p.is(j, "{"):
			inBraces = true
		case p.is(j, "}"):
			inBraces = false
		case p.is(j, "type", "as") && p.isKind(j+1, word) && !p.is(j+1, "from"):
		case p.isKind(j, word) && inBraces:
			name := module + "." + p.toks[j].text
			if p.is(j, "default") {
				name = module
			}
			if p.is(j+1, "as") {
				j += 2
			}
			f.bindings = append(f.bindings, binding{names: []string{p.toks[j].text}, module: name})
		case p.isKind(j, word):
			f.bindings = append(f.bindings, binding{names: []string{p.toks[j].text}, module: module})
		}
	}
}

// moduleName returns a module's name as the tables have it.
func moduleName(path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "node:"), "bun:")
	return strings.ReplaceAll(strings.TrimSuffix(path, "/promises"), "/", ".")
}

// inClass reports whether a token belongs to the body of a class.
func (f *flow) inClass(i int) bool {
	if f.classes == nil {
		f.classes = make([]bool, len(f.p.toks))
		for _, fn := range f.functions {
			for k := fn.body; fn.isClass && k < fn.bodyEnd && !f.classes[k]; k++ {
				f.classes[k] = true
			}
		}
	}
	return f.classes[i]
}
