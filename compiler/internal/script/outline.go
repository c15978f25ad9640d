package script

import "slices"

// outline is the structure of a program, as far as values need it: its operands,
// functions, calls and bindings. It is made without a parser; what it misreads is a value
// that passes on.
type outline struct {
	p         *program
	parsed    map[[2]int][]chain
	functions []*function
	literals  map[int]*function
	bindings  []binding
	// bound are the indexes of the bindings of each name.
	bound map[symbol][]int
	// stars are the modules of which all names are imported.
	stars  []string
	calls  []*call
	callAt map[int]*call
	// calling are the methods of names that are called.
	calling map[symbol][]*call
	// scopes are the innermost function of each token, or -1, and parents those around
	// each function.
	scopes, parents []int
	// declared are the names that belong to a function, and outer those that a function
	// of Python declares as another one's.
	declared, outer map[symbol]bool
	// members are the tokens of a class that belong to no function in it.
	members []bool
	// parameters are the brackets of parameters.
	parameters map[int]bool
	// written are the expressions that are assigned to elements of a name, or passed for it.
	written map[symbol][]argument
}

// A symbol is a name in the scope of a function, or the name of an attribute.
type symbol struct {
	name  string
	scope int
}

const (
	// global is the scope of names outside of functions.
	global = -1
	// attributes is the scope of attributes, which are not kept apart by object.
	attributes = -2
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

// mostSteps bounds the steps of an analysis, besides some for each token.
const mostSteps = 1_000_000

// overrun is the value with which spend panics.
type overrun struct{}

// spendSteps counts steps, and ends an analysis that takes too many.
func (o *outline) spendSteps(n int) {
	o.p.steps += n
	if o.p.steps > mostSteps+16*len(o.p.toks) {
		panic(overrun{})
	}
}

func newOutline(p *program) *outline {
	o := &outline{
		p: p, parsed: map[[2]int][]chain{}, literals: map[int]*function{}, bound: map[symbol][]int{}, callAt: map[int]*call{},
		calling: map[symbol][]*call{}, declared: map[symbol]bool{}, outer: map[symbol]bool{}, written: map[symbol][]argument{}, parameters: map[int]bool{},
	}
	o.findFunctions()
	o.findScopes()
	o.findBindings()
	o.functionBindings()
	for i := range o.bindings {
		b := &o.bindings[i]
		for _, n := range b.names {
			s := symbol{n, attributes}
			if !b.attribute {
				s = o.resolveSymbol(n, b.at)
			}
			b.symbols = append(b.symbols, s)
			o.bound[s] = append(o.bound[s], i)
		}
	}
	o.findCalls()
	return o
}

// findScopes finds the innermost function of each token.
func (o *outline) findScopes() {
	o.scopes, o.parents, o.members = make([]int, len(o.p.toks)), make([]int, len(o.functions)), make([]bool, len(o.p.toks))
	var open []int // functions and classes
	for i, next := 0, 0; i < len(o.p.toks); i++ {
		for len(open) > 0 && o.functions[open[len(open)-1]].end <= i {
			open = open[:len(open)-1]
		}
		o.scopes[i] = global
		for k := len(open) - 1; k >= 0 && o.scopes[i] == global; k-- {
			o.spendSteps(1)
			if fn := o.functions[open[k]]; !fn.isClass {
				o.scopes[i] = open[k]
			} else if k == len(open)-1 && i >= fn.body {
				o.members[i] = true
			}
		}
		for ; next < len(o.functions) && o.functions[next].start == i; next++ {
			fn := o.functions[next]
			o.parents[next] = o.scopes[i]
			if o.members[i] && slices.Contains([]string{"__init__", "constructor", "__new__"}, fn.name) {
				class := o.functions[open[len(open)-1]]
				class.constructors = append(class.constructors, fn)
			}
			open = append(open, next)
		}
	}
}

// resolveSymbol returns what a name at a token refers to.
func (o *outline) resolveSymbol(name string, at int) symbol {
	for scope := o.scopes[at]; scope >= 0; scope = o.parents[scope] {
		o.spendSteps(1)
		if s := (symbol{name, scope}); o.declared[s] {
			return s
		}
	}
	return symbol{name, global}
}

// findCalls reads every expression once and keeps the calls.
func (o *outline) findCalls() {
	p := o.p
	read := func(from, to int) {
		list := o.operandChains(from, to)
		for i := range list {
			for k, t := range list[i].trailers {
				if (t.kind == '(' || t.kind == '`') && o.callAt[t.tok] == nil {
					c := &call{open: t.tok, chain: &list[i], at: k, tag: t.kind == '`'}
					o.calls, o.callAt[t.tok] = append(o.calls, c), c
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
	for _, fn := range o.functions {
		read(fn.body, fn.bodyEnd)
	}
	slices.SortFunc(o.calls, func(a, b *call) int { return a.open - b.open })
	for _, c := range o.calls {
		c.args = o.argumentsOf(c)
		if s, ok := o.chainRoot(c.chain); ok && c.at == 1 {
			o.calling[s] = append(o.calling[s], c)
		}
	}
}

func (o *outline) argumentsOf(c *call) []argument {
	p := o.p
	if p.toks[c.open].match <= c.open {
		return nil
	}
	var list []argument
	if c.tag {
		for i := c.open + 1; i < p.toks[c.open].match; i++ {
			if p.toks[i].parent == c.open && p.toks[i].kind == op && p.toks[i].match > i {
				list = append(list, argument{from: i + 1, to: p.toks[i].match})
				i = p.toks[i].match
			}
		}
		return list
	}
	for _, a := range p.splitAtCommas(c.open) {
		one := argument{from: a[0], to: a[1] + 1}
		switch {
		case p.hasText(a[0], "**"):
			one.keywords, one.from = true, a[0]+1
		case p.hasText(a[0], "*", "..."):
			one.spread, one.from = true, a[0]+1
		case p.lang == Python && p.isKind(a[0], word) && p.hasText(a[0]+1, "=") && a[1] > a[0]+1:
			one.name, one.from = p.toks[a[0]].text, a[0]+2
		}
		list = append(list, one)
	}
	if p.lang != JavaScript || len(list) == 0 || c.at == 0 {
		return list
	}
	switch m := o.methodName(c); {
	case m == "call", m == "bind":
		return list[1:] // behind `this`
	case m == "apply" && !p.hasText(c.chain.atom, "Reflect"):
		if list = list[1:]; len(list) == 1 && !p.hasText(list[0].from, "[") {
			list[0].spread = true
		} else if len(list) == 1 {
			return o.bracketArguments(list[0].from)
		}
	}
	return list
}

// bracketArguments returns the elements of a bracket as arguments.
func (o *outline) bracketArguments(open int) []argument {
	var list []argument
	for _, part := range o.p.splitAtCommas(open) {
		list = append(list, argument{from: part[0], to: part[1] + 1})
	}
	return list
}

// chainRoot returns the name that a chain begins with, if it does.
func (o *outline) chainRoot(c *chain) (symbol, bool) {
	if c.fn != nil || !o.p.isKind(c.atom, word) {
		return symbol{}, false
	}
	return o.resolveSymbol(o.p.toks[c.atom].text, c.atom), true
}

// methodName returns the last name of the called expression, or "".
func (o *outline) methodName(c *call) string {
	if c.at == 0 {
		s, _ := o.chainRoot(c.chain)
		return s.name
	}
	if t := c.chain.trailers[c.at-1]; t.kind == '.' {
		return o.p.toks[t.tok].text
	}
	return ""
}

// isStatement reports whether nothing uses the result of a call's chain.
func (o *outline) isStatement(c *call) bool {
	p, before := o.p, o.p.tokenBefore(c.chain.atom)
	if p.hasText(before, "await") {
		before = p.tokenBefore(before)
	}
	parent := p.toks[c.chain.atom].parent
	return (parent < 0 || p.toks[parent].block) &&
		(before < 0 || p.isKind(before, newline) || p.hasText(before, ";", "{", "}", ":", ")", "else", "do", "=>") || p.lang == JavaScript && p.toks[c.chain.atom].breaks)
}

// splitAtCommas returns the first and last token of each of the parts between the
// commas of a bracket.
func (p *program) splitAtCommas(open int) [][2]int {
	var list [][2]int
	from := open + 1
	for i := from; i < p.toks[open].match; i++ {
		switch {
		case p.hasText(i, ",") && p.toks[i].parent == open:
			if i > from {
				list = append(list, [2]int{from, i - 1})
			}
			from = i + 1
		case p.toks[i].match > i:
			i = p.toks[i].match
		}
	}
	if last := p.toks[open].match - 1; last >= from {
		list = append(list, [2]int{from, last})
	}
	return list
}
