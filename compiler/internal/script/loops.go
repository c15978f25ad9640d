package script

import "slices"

// A loop over a list that the script writes out starts one program after the other:
//
//	for (const args of [["add", file], ["commit", "-m", text]]) spawnSync("git", args)
//
// Each round is judged on its own, as if the call had the list of that round. So a
// value is data where it follows `-m`, and code where it follows `-c`. The analysis
// does so only for a name that nothing but the loop binds, and that the script uses
// nowhere in a way that may change the list.

// mostTurns bounds the rounds of a loop, or of loops inside each other, for one call.
const mostTurns = 64

// eachRound judges a call once for each round of the loops whose names are among its
// arguments.
func (f *flow) eachRound(c *call, judge func()) {
	var names []string
	var rounds [][]argument
	product := 1
	for _, a := range c.args {
		for i := a.from; i < a.to; i++ {
			if !f.p.isKind(i, word) || f.p.is(i-1, ".", "?.") || slices.Contains(names, f.p.toks[i].text) {
				continue
			}
			name := f.p.toks[i].text
			if list := f.loopRounds(name); len(list) > 0 && product*len(list) <= mostTurns {
				product *= len(list)
				names, rounds = append(names, name), append(rounds, list)
			}
		}
	}
	var choose func(k int)
	choose = func(k int) {
		if k == len(names) {
			judge()
			return
		}
		for _, a := range rounds[k] {
			f.chosen[names[k]] = a
			choose(k + 1)
		}
		delete(f.chosen, names[k])
	}
	choose(0)
}

// loopRounds returns the values of a name that a loop over a written list binds, one
// for each round, or nil.
func (f *flow) loopRounds(name string) []argument {
	if list, ok := f.loops[name]; ok {
		return list
	}
	f.loops[name] = nil
	if len(f.bound[name]) != 1 {
		return nil
	}
	b := f.bindings[f.bound[name][0]]
	if !b.element || b.keyed != nil || len(b.names) != 1 || b.from >= b.to || !f.bindsWhole(b) || !f.readOnly(name) {
		return nil
	}
	list := f.writtenList(b.from, b.to)
	for _, a := range list {
		whole := f.p.is(a.from, "[", "(") && f.p.toks[a.from].match == a.to-1
		if !whole && !f.p.isKind(a.from, text) {
			return nil // perhaps a list that has another name, too
		}
	}
	f.loops[name] = list
	return list
}

// bindsWhole reports whether the target of a loop is the name alone, rather than a
// pattern.
func (f *flow) bindsWhole(b binding) bool {
	p, at := f.p, b.from-2
	if !p.isKind(at, word) || p.toks[at].text != b.names[0] {
		return false
	}
	if p.lang == Python {
		return p.is(b.from-1, "in") && p.is(at-1, "for")
	}
	return p.is(b.from-1, "of") && p.is(at-1, "const", "let", "var") && p.is(at-2, "(")
}

// writtenList returns the elements of a list that is written out, in place or as the
// only value of a name that only this loop uses.
func (f *flow) writtenList(from, to int) []argument {
	p := f.p
	if to == from+1 && p.isKind(from, word) {
		name := p.toks[from].text
		if len(f.bound[name]) != 1 || !f.loopsOnce(name) {
			return nil
		}
		b := f.bindings[f.bound[name][0]]
		if b.element || b.keyed != nil || b.from >= b.to || p.toks[b.from-2].text != name || !p.is(b.from, "[") {
			return nil
		}
		from, to = b.from, b.to
	}
	end := p.toks[from].match
	if !p.is(from, "[", "(") || end != to-1 && !(end == to-3 && p.is(end+1, "as") && p.is(end+2, "const")) {
		return nil
	}
	if p.is(from, "(") && !f.commas(from) {
		return f.writtenList(from+1, end)
	}
	var list []argument
	for _, part := range p.arguments(from) {
		if p.is(part[0], "...", "*") {
			return nil
		}
		for i := part[0]; i <= part[1]; i++ {
			if p.toks[i].parent == from && p.is(i, "for", "if", "?", "or", "and", "||", "&&", "??") {
				return nil
			}
		}
		list = append(list, argument{from: part[0], to: part[1] + 1})
	}
	return list
}

// loopsOnce reports whether a name has no mention but its binding, one loop over it and
// its length. So nothing else gets at the lists in its list.
func (f *flow) loopsOnce(name string) bool {
	p, loops := f.p, 0
	b := f.bindings[f.bound[name][0]]
	for _, i := range f.mentions(name) {
		switch {
		case f.isTarget(b, i), p.is(i+1, ".") && p.is(i+2, "length") && !p.isAssignment(i+3):
		case p.is(i-1, "of", "in") && p.is(i+1, ")", ":"):
			loops++
		default:
			return false
		}
	}
	return loops == 1
}

// mentions returns the tokens that are a name, other than keys and attributes.
func (f *flow) mentions(name string) []int {
	p := f.p
	f.spend(len(p.toks) / 8)
	var list []int
	for i := range p.toks {
		key := p.lang == JavaScript && p.is(i+1, ":") && p.is(i-1, "{", ",")
		if p.isKind(i, word) && p.toks[i].text == name && !p.is(i-1, ".", "?.") && !key {
			list = append(list, i)
		}
	}
	return list
}

// isTarget reports whether a token is the name that a binding binds.
func (f *flow) isTarget(b binding, i int) bool { return i == b.from-2 }

// lookers are methods that leave a list as it is.
var lookers = []string{"join", "slice", "length", "at", "includes", "indexOf", "concat", "index", "count", "copy"}

// readOnly reports whether every mention of a name leaves the list behind it as it is:
// its binding, a loop over it, a copy, a method of lookers, an element that a call gets,
// and the whole list where the call starts a program or prints.
func (f *flow) readOnly(name string) bool {
	p := f.p
	b := f.bindings[f.bound[name][0]]
	for _, i := range f.mentions(name) {
		ends := p.is(i+1, ")", ",", "]")
		switch {
		case f.isTarget(b, i):
		case p.is(i-1, "of", "in") && p.is(i+1, ")", ":"):
		case p.is(i-1, "...") && ends, p.lang == Python && p.is(i-1, "*") && p.is(i-2, "(", "[", ",") && ends:
		case p.is(i+1, ".") && p.isKind(i+2, word) && slices.Contains(lookers, p.toks[i+2].text) && !p.isAssignment(i+3):
		case p.is(i+1, "[") && f.readsElement(i):
		case p.is(i-1, "(", ",") && p.is(i+1, ")", ",") && f.onlyReads(p.toks[i].parent):
		default:
			return false
		}
	}
	return true
}

// readsElement reports whether an element of a list is an argument of a call, or a part
// of a template, rather than the target of an assignment.
func (f *flow) readsElement(i int) bool {
	p, parent := f.p, f.p.toks[i].parent
	if parent < 0 || p.toks[i+1].match < 0 || !p.is(p.toks[i+1].match+1, ")", ",", "}", "+", "==", "===", "!=", "!==") {
		return false
	}
	outer := p.toks[parent].parent
	return f.callAt[parent] != nil || outer >= 0 && p.isKind(outer, text)
}

// onlyReads reports whether the call at a parenthesis starts a program, prints, or is
// `' '.join(…)`.
func (f *flow) onlyReads(open int) bool {
	c := f.callAt[open]
	if c == nil {
		return false
	}
	if f.method(c) == "join" && f.p.isKind(c.chain.atom, text) && c.at == 1 {
		return true
	}
	names := f.callee(c).names
	return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool {
		n = f.canonical(n)
		return !slices.Contains(processes, n) && !slices.Contains([]string{"console.log", "console.error", "console.info", "console.warn", "print", "len", "str", "String", "JSON.stringify", "json.dumps"}, n)
	})
}
