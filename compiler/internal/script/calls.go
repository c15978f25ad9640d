package script

import (
	"slices"
	"strings"
)

// A call is a place where a function is called.
type call struct {
	open  int
	chain *chain
	at    int // index of the trailer
	args  []argument
	// tag says that the call is a tagged template.
	tag bool
}

// An argument is an argument of a call.
type argument struct {
	from, to int
	name     string // of a keyword argument
	spread   bool   // `*x` or `...x`
	keywords bool   // `**x`
}

// write is an assignment to an attribute or to an element.
type write struct {
	chain    chain
	from, to int
}

// findCalls reads every expression once and keeps the calls.
func (f *flow) findCalls() {
	p := f.p
	seen := map[int]bool{}
	read := func(from, to int) {
		list := f.chains(from, to)
		for i := range list {
			for k, t := range list[i].trailers {
				if (t.kind == '(' || t.kind == '`') && !seen[t.tok] {
					seen[t.tok] = true
					f.calls = append(f.calls, &call{open: t.tok, chain: &list[i], at: k, tag: t.kind == '`'})
				}
			}
		}
	}
	read(0, len(p.toks))
	for i := range p.toks {
		if t := &p.toks[i]; t.kind == op && t.match > i {
			read(i+1, t.match)
		}
	}
	for _, fn := range f.functions {
		read(fn.body, fn.bodyEnd)
	}
	slices.SortFunc(f.calls, func(a, b *call) int { return a.open - b.open })
	for _, c := range f.calls {
		c.args = f.argumentsOf(c)
		f.callAt[c.open] = c
	}
}

func (f *flow) argumentsOf(c *call) []argument {
	p := f.p
	if p.toks[c.open].match <= c.open {
		return nil
	}
	if c.tag {
		var list []argument
		for i := c.open + 1; i < p.toks[c.open].match; i++ {
			if p.toks[i].parent == c.open && p.toks[i].kind == op && p.toks[i].match > i {
				list = append(list, argument{from: i + 1, to: p.toks[i].match})
				i = p.toks[i].match
			}
		}
		return list
	}
	var list []argument
	for _, a := range p.arguments(c.open) {
		one := argument{from: a[0], to: a[1] + 1}
		switch {
		case p.is(a[0], "**"):
			one.keywords, one.from = true, a[0]+1
		case p.is(a[0], "*", "..."):
			one.spread, one.from = true, a[0]+1
		case p.lang == Python && p.isKind(a[0], word) && p.is(a[0]+1, "=") && a[1] > a[0]+1:
			one.name, one.from = p.toks[a[0]].text, a[0]+2
		}
		list = append(list, one)
	}
	return list
}

func (f *flow) argument(a argument) value { return f.expression(a.from, a.to) }

// callee returns the value of the called expression.
func (f *flow) callee(c *call) value { return f.upTo(c.chain, c.at) }

// method returns the last name of the called expression, or "".
func (f *flow) method(c *call) string {
	if c.at > 0 {
		if t := c.chain.trailers[c.at-1]; t.kind == '.' {
			return f.p.toks[t.tok].text
		}
		return ""
	}
	return f.root(c.chain)
}

// base returns the value of the object whose method is called.
func (f *flow) base(c *call) value {
	if c.at == 0 {
		return value{}
	}
	return f.upTo(c.chain, c.at-1)
}

// local returns the functions of the script that a call may call, and whether
// these are all.
func (f *flow) local(c *call) ([]*function, bool) {
	p := f.p
	if c.at == 0 {
		if p.is(c.chain.atom, "(") {
			if list := f.inner(c.chain.atom); len(list) == 1 && list[0].fn != nil && len(list[0].trailers) == 0 {
				return []*function{list[0].fn}, true
			}
		}
		name := f.root(c.chain)
		return f.callable(name), len(f.named[name]) > 0 && len(f.bound[name]) == 0
	}
	if t := c.chain.trailers[c.at-1]; t.kind == '.' && p.isKind(t.tok, word) {
		if root := f.root(c.chain); f.isModule[root] {
			return nil, false
		}
		return f.callable(p.toks[t.tok].text), false
	}
	if t := c.chain.trailers[c.at-1]; t.kind == '[' {
		return f.elements(c.chain), false
	}
	return nil, false
}

// callable returns the functions of a name: declared ones, and literals that are
// bound to it.
func (f *flow) callable(name string) []*function {
	if f.callables == nil {
		f.callables = map[string][]*function{}
		for name, list := range f.named {
			f.callables[name] = slices.Clone(list)
		}
		for i := range f.bindings {
			b := &f.bindings[i]
			if b.from >= b.to {
				continue
			}
			for _, c := range f.chains(b.from, b.to) {
				if c.fn == nil || len(c.trailers) > 0 {
					continue
				}
				for _, name := range b.names {
					f.callables[name] = append(f.callables[name], c.fn)
				}
			}
		}
	}
	return f.callables[name]
}

// elements returns the function literals in the object or array that a chain
// begins with.
func (f *flow) elements(c *chain) []*function {
	var list []*function
	add := func(open int) {
		for _, one := range f.inner(open) {
			if one.fn != nil {
				list = append(list, one.fn)
			}
		}
	}
	if f.p.is(c.atom, "{", "[") {
		add(c.atom)
	}
	for _, b := range f.bound[f.root(c)] {
		for _, one := range f.chains(f.bindings[b].from, f.bindings[b].to) {
			if f.p.is(one.atom, "{", "[") {
				add(one.atom)
			}
		}
	}
	return list
}

// followCall marks the parameters of the script's functions by the arguments, the
// parameters of functions that are arguments, and the objects that a method
// changes.
func (f *flow) followCall(open int) {
	c := f.callAt[open]
	if c == nil {
		return
	}
	fns, all := f.local(c)
	var every value
	for _, a := range c.args {
		every = every.join(f.argument(a))
	}
	f.spend(len(fns))
	for _, fn := range fns {
		f.enter(fn, c)
	}
	base := f.base(c)
	callee := f.callee(c)
	for i, a := range c.args {
		for _, one := range f.chains(a.from, a.to) {
			if one.fn == nil || len(one.trailers) > 0 {
				continue
			}
			v := base.part()
			for k, other := range c.args {
				if k != i {
					v = v.join(f.content(f.argument(other)))
				}
			}
			if !slices.Contains(iterators, f.method(c)) && !slices.ContainsFunc(callee.names, f.isPure) {
				v.marks |= unknown
			}
			if all {
				v = v.join(f.lostValue())
			}
			for _, p := range one.fn.params {
				f.growParam(p, f.content(v))
			}
		}
	}
	if all || len(fns) > 0 && c.at == 0 {
		return
	}
	f.mutate(c, callee, every)
}

// iterators are methods that call a function with elements of their object.
var iterators = []string{"map", "forEach", "filter", "reduce", "some", "every", "find", "findIndex", "flatMap", "sort", "toSorted", "then", "from", "replace", "replaceAll", "reduceRight", "findLast"}

// enter marks a function's parameters by the arguments of a call.
func (f *flow) enter(fn *function, c *call) {
	if fn.isClass {
		for _, init := range slices.Concat(f.named["__init__"], f.named["constructor"], f.named["__new__"], f.named["__call__"]) {
			if !init.isClass {
				f.enter(init, c)
			}
		}
		for _, a := range c.args {
			if a.name != "" {
				f.grow(f.attrs, a.name, f.argument(a))
			}
		}
		return
	}
	at := 0
	for _, a := range c.args {
		v := f.argument(a)
		if n := min(at, len(fn.params)-1); n >= 0 {
			// A value that the function puts into its parameter is in the argument
			// then.
			for _, name := range fn.params[n].names {
				if m := f.mutated[name]; m.marks != 0 {
					for _, one := range f.chains(a.from, a.to) {
						f.taint(&one, m, 0)
					}
				}
			}
		}
		switch {
		case a.name != "":
			found := false
			for _, p := range fn.params {
				if slices.Contains(p.names, a.name) {
					found = true
					f.growParam(p, v)
				}
			}
			if !found && len(fn.params) > 0 {
				f.growParam(fn.params[len(fn.params)-1], f.content(v))
			}
		case a.spread || a.keywords:
			for _, p := range fn.params {
				f.growParam(p, f.content(v))
			}
			at = len(fn.params)
		default:
			if n := min(at, len(fn.params)-1); n >= 0 && (n == at || fn.params[n].rest) {
				f.growParam(fn.params[n], v)
			}
			at++
		}
	}
	if c.tag && len(fn.params) > 0 {
		for _, p := range fn.params {
			f.growParam(p, f.lostValue())
		}
	}
}

// mutate marks the objects that a call may put values into: the object of a method,
// and the names among its arguments.
func (f *flow) mutate(c *call, callee, every value) {
	v := f.content(every)
	v.marks &= dirty | runner | parsed
	if v.marks == 0 {
		return
	}
	f.share(f.base(c), v)
	if slices.ContainsFunc(callee.names, func(n string) bool { return f.canonical(n) == "setattr" || f.canonical(n) == "object.__setattr__" }) && len(c.args) > 2 {
		if key, ok := f.p.constant([2]int{c.args[1].from, c.args[1].to - 1}); ok {
			f.grow(f.attrs, key, f.argument(c.args[2]))
		}
	}
	free := slices.ContainsFunc(callee.names, func(n string) bool { return f.isPure(n) || f.runs(n) })
	if c.at > 0 && !slices.ContainsFunc(f.base(c).names, f.isImported) {
		f.taint(c.chain, v, 0)
	}
	if free && !slices.ContainsFunc(callee.names, f.mutates) {
		return
	}
	if c.at > 0 && len(callee.names) == 0 {
		return // a method of data changes its object
	}
	for _, a := range c.args {
		for _, one := range f.chains(a.from, a.to) {
			if len(one.trailers) == 0 && one.fn == nil {
				f.taint(&one, v, 0)
			}
		}
	}
}

// isImported reports whether a qualified name is a module's or a global's.
func (f *flow) isImported(name string) bool { return name != "" }

// mutators are functions that change an argument.
var mutators = []string{
	"setattr", "list.append", "dict.update", "heapq.heappush", "bisect.insort", "operator.setitem", "operator.iadd", "operator.iconcat", "Object.assign", "Object.defineProperty", "Object.setPrototypeOf", "Reflect.set",
	"list.extend", "list.insert", "set.add", "object.__setattr__", "collections.deque.append",
}

func (f *flow) mutates(name string) bool { return slices.Contains(mutators, f.canonical(name)) }

// openers make an object for something that an argument names, such as a file.
var openers = []string{"open", "Path", "PurePath", "createWriteStream", "file", "openSync", "fdopen", "memoryview", "iter", "writer", "DictWriter", "str"}

// taint marks the name that a chain begins with, the name that it is an alias of,
// and the object that it was opened from.
func (f *flow) taint(c *chain, v value, depth int) {
	if depth > 4 {
		return
	}
	name := f.root(c)
	if name != "" && name != "self" && name != "this" && !f.isModule[name] && (len(f.bound[name]) > 0 || len(f.named[name]) > 0) {
		if was, ok := f.mutated[name]; ok && was.marks|v.marks == was.marks {
			return // it is marked, and so is its target
		}
		f.grow(f.state, name, v)
		f.grow(f.mutated, name, v)
		f.spend(len(f.bound[name]))
		for _, i := range f.bound[name] {
			b := &f.bindings[i]
			for _, one := range f.chains(b.from, b.to) {
				if one.fn == nil && !f.p.is(one.atom, "[", "{") {
					f.taint(&one, v, depth+1)
				}
			}
		}
	}
	f.spend(len(c.trailers))
	for k, t := range c.trailers {
		if t.kind == '.' && !f.isModule[name] && f.p.isKind(t.tok, word) && k+1 < len(c.trailers) && c.trailers[k+1].kind != '(' {
			f.grow(f.attrs, f.p.toks[t.tok].text, v)
		}
		if t.kind != '(' {
			continue
		}
		if by := f.callAt[t.tok]; by != nil && slices.Contains(openers, f.method(by)) {
			for _, a := range by.args {
				for _, one := range f.chains(a.from, a.to) {
					f.taint(&one, v, depth+1)
				}
			}
		}
	}
}

// result returns the value of a call's result.
func (f *flow) result(chain *chain, at int, callee value) value {
	c := f.callAt[chain.trailers[at].tok]
	if c == nil {
		return f.lostValue()
	}
	c = &call{open: c.open, chain: chain, at: at, args: c.args, tag: c.tag}
	var every value
	for _, a := range c.args {
		every = every.join(f.content(f.argument(a)))
	}
	fns, all := f.local(c)
	var out value
	f.spend(len(fns))
	for _, fn := range fns {
		out = out.join(fn.result)
		if fn.isClass {
			out = out.join(every)
		}
	}
	if all {
		return out
	}
	method := f.method(c)
	if len(callee.names) == 0 {
		if slices.Contains(cleaners, method) {
			return out
		}
		out = out.join(f.base(c).part()).join(every)
		if slices.Contains(readers, method) {
			out.marks |= unknown
		}
		if slices.Contains(methodsOfText, method) {
			out.marks &^= parsed
		}
		if callee.marks&(runner|dynamic) != 0 {
			out.marks |= unknown | callee.marks&runner
		}
		return out
	}
	for _, n := range callee.names {
		out = out.join(f.outcome(c, n, every))
	}
	return out.join(f.base(c).part())
}

// outcome returns the value of the result of the function with a qualified name.
func (f *flow) outcome(c *call, name string, every value) value {
	name = f.canonical(name)
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case slices.Contains(cleaners, name), slices.Contains(cleaners, last) && strings.Contains(name, "."):
		return value{}
	case name == "getattr" || name == "Reflect.get":
		if len(c.args) < 2 {
			return value{marks: runner}
		}
		object := f.argument(c.args[0])
		if key, ok := f.p.constant([2]int{c.args[1].from, c.args[1].to - 1}); ok {
			return f.attribute(object, key)
		}
		v := f.content(object).join(f.argument(c.args[1]).part())
		v.marks |= dynamic
		if len(object.names) > 0 {
			v.marks |= runner
		}
		return v
	case name == "operator.attrgetter" || name == "operator.methodcaller":
		v := every
		for _, a := range c.args[:min(1, len(c.args))] {
			key, ok := f.p.constant([2]int{a.from, a.to - 1})
			if !ok || f.isMagic(key) {
				v.marks |= runner
			}
		}
		return v
	case name == "os.getenv" || name == "os.environ.get" || name == "os.environ.pop" || name == "os.environ.setdefault":
		return f.variable(c)
	case slices.Contains(importers, name):
		if len(c.args) > 0 {
			if module, ok := f.p.constant([2]int{c.args[0].from, c.args[0].to - 1}); ok {
				return value{names: []string{moduleName(module)}}
			}
		}
		return value{marks: runner | dirty, from: every.from}
	case name == "promisify" || name == "util.promisify":
		if len(c.args) > 0 {
			return f.argument(c.args[0])
		}
	case slices.Contains(getters, name):
		return value{marks: runner}
	case slices.Contains([]string{"call", "apply", "bind"}, last) && f.runs(strings.TrimSuffix(name, "."+last)):
		return every.join(value{marks: runner | unknown})
	case name == "JSON.parse" || name == "structuredClone":
		every.marks |= parsed
		return every
	case name == "String" || strings.HasPrefix(name, "encodeURI"):
		every.marks &^= parsed
		return every
	case name == "os.path.expandvars":
		return every.join(value{marks: unknown}).join(f.shared["os.environ"])
	case slices.Contains(processes, name):
		every.marks |= unknown
		if f.feedsInterpreter(c) {
			every.marks |= runner // text written to it is a program
		}
		return every
	case f.isPure(name):
		if cut := strings.LastIndexByte(name, '.'); cut > 0 && len(f.vars) > 0 && f.isEnvironment(name[:cut]) {
			every.marks |= unknown // os.environ.values()
		}
		return every
	}
	v := every
	v.marks |= unknown
	if f.runs(name) && !isShell(name) && !strings.HasPrefix(name, "yaml.") {
		v.marks |= runner
	}
	return v
}

// variable returns the value of the environment variable that a call reads.
func (f *flow) variable(c *call) value {
	if len(c.args) == 0 {
		return value{}
	}
	v := f.shared["os.environ"]
	for _, a := range c.args[1:] {
		v = v.join(f.argument(a).part())
	}
	key, ok := f.p.constant([2]int{c.args[0].from, c.args[0].to - 1})
	switch {
	case ok && slices.Contains(f.vars, key):
		v = v.join(value{marks: hostile, from: &origin{label: key, start: f.p.toks[c.args[0].from].start, end: f.p.toks[c.args[0].to-1].end}})
	case !ok:
		v.marks |= unknown
	}
	return v
}
