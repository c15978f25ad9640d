package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/types"
)

// The question about a script is whether a value can become code. A value comes
// from a hole, or from an environment variable that the engine sets. Code runs at
// sinks: functions such as eval, shells, interpreters, imports. The analysis
// over-approximates both sides, without parsing the language:
//
//   - Every name, attribute, parameter and result has marks: hostile (may hold a
//     value), unknown (comes from files, other programs or the network, where a
//     value may have been put before), runner (may run code: an alias of eval,
//     os.system, a module that has them), dynamic (chosen by name at run time).
//   - Names are not kept apart by scope, attributes not by object, and the order
//     of statements does not count. An operand passes its marks on through every
//     operator and call, unless the function is known to return something else.
//     So a value that the analysis loses sight of stays hostile.
//   - The script's own functions are followed: arguments mark parameters, results
//     mark calls. A function that something else may call has hostile parameters.
//   - The marks grow until nothing changes. Then calls.go judges every call: the
//     arguments of a runner must be clean; a function that is chosen at run time
//     must get nothing hostile; program.go judges lists of arguments.
//
// A script without any value in it is its author's alone and is not analysed.

// mark is a set of properties of a value.
type mark uint8

const (
	hostile mark = 1 << iota
	unknown
	runner
	dynamic
	// parsed says that a value may be an object rather than text.
	parsed
)

const dirty = hostile | unknown

// origin is where a hostile value comes from.
type origin struct {
	label      string
	start, end int
	spot       *spot
}

// value is the knowledge about an operand.
type value struct {
	marks mark
	// from is where a hostile value comes from.
	from *origin
	// names are the qualified names that the operand may be, such as os.system.
	names []string
}

// join returns the properties of either of two values.
func (v value) join(w value) value {
	v.marks |= w.marks
	v.from = cmp.Or(v.from, w.from)
	for _, n := range w.names {
		if !slices.Contains(v.names, n) && len(v.names) < mostNames {
			v.names = append(slices.Clip(v.names), n)
		}
	}
	return v
}

// mostNames bounds the qualified names of a value.
const mostNames = 24

// content returns the content of a container: it has no name, but may hold a
// function that runs code.
func (f *flow) content(v value) value {
	if slices.ContainsFunc(v.names, f.isDangerous) {
		v.marks |= runner
	}
	if len(f.vars) > 0 && slices.ContainsFunc(v.names, f.isEnvironment) {
		v.marks |= unknown
	}
	v.names = nil
	return v
}

// isEnvironment reports whether a qualified name is the environment.
func (f *flow) isEnvironment(name string) bool {
	return slices.Contains(environments, f.canonical(name))
}

// part returns the part of a value that it passes on as data.
func (v value) part() value { return value{marks: v.marks & (dirty | parsed), from: v.from} }

// A binding is a place where a name gets a value.
type binding struct {
	names []string
	// attribute says that the names are attributes.
	attribute bool
	// from and to are the tokens of the expression.
	from, to int
	// module is the qualified name that an import binds.
	module string
	// keyed says that a part of the value is bound under its own name.
	keyed map[string]string
	// element says that the names get elements of the expression.
	element bool
}

// flow is the state of an analysis.
type flow struct {
	p         *program
	vars      []string // environment variables with run-time values
	parsed    map[[2]int][]chain
	functions []*function
	literals  map[int]*function
	named     map[string][]*function
	bindings  []binding
	// bound are the names with bindings, and those bindings.
	bound map[string][]int
	// stars are the modules of which all names are imported.
	stars []string
	state map[string]value // of names
	attrs map[string]value // of attributes
	known map[[2]int]value // of chains up to a trailer, in this round
	grown bool
	lost  bool // too much changes: everything is hostile
	// isModule are the names that only imports bind.
	isModule  map[string]bool
	imports   []string // modules that are imported by a statement
	writes    []write
	calls     []*call
	callAt    map[int]*call
	running   map[string]bool
	callables map[string][]*function
	shared    map[string]value // of objects of the runtime that the script changes
	mutated   map[string]value // of names that a method or a write changes
	reported  map[string]bool
	classes   []bool // the tokens that belong to a class
	// loops are the values of names that loops over written lists bind, and chosen
	// the one of the round that is judged.
	loops  map[string][]argument
	chosen map[string]argument
	// gapRefusal refuses a hole in a template, which has no tokens.
	gapRefusal func(e element, runner, help string) bool
}

// mostRounds bounds the rounds of an analysis. Behind it everything is hostile.
const mostRounds = 40

// mostSteps bounds the steps of an analysis, besides some for each token.
const mostSteps = 1_000_000

// overrun is the value with which spend panics.
type overrun struct{}

// spend counts steps, and ends an analysis that takes too many.
func (f *flow) spend(n int) {
	f.p.steps += n
	if f.p.steps > mostSteps+16*len(f.p.toks) {
		panic(overrun{})
	}
}

func newFlow(p *program, vars []string) *flow {
	return &flow{
		p: p, vars: vars, parsed: map[[2]int][]chain{}, literals: map[int]*function{}, named: map[string][]*function{},
		bound: map[string][]int{}, state: map[string]value{}, attrs: map[string]value{}, isModule: map[string]bool{},
		callAt: map[int]*call{}, running: map[string]bool{}, mutated: map[string]value{}, shared: map[string]value{}, reported: map[string]bool{},
		loops: map[string][]argument{}, chosen: map[string]argument{},
	}
}

// run finds the marks of all names.
func (f *flow) run() {
	f.findFunctions()
	if f.p.lang == Python {
		f.pythonBindings()
	} else {
		f.javaScriptBindings()
	}
	for i, b := range f.bindings {
		if b.attribute {
			continue
		}
		for _, n := range b.names {
			f.bound[n] = append(f.bound[n], i)
		}
		for _, n := range b.keyed {
			f.bound[n] = append(f.bound[n], i)
		}
	}
	for n, list := range f.bound {
		f.isModule[n] = !slices.ContainsFunc(list, func(i int) bool { return f.bindings[i].module == "" })
	}
	f.findCalls()
	f.findEscapes()
	for round := 0; ; round++ {
		f.grown, f.known = false, map[[2]int]value{}
		f.lost = round >= mostRounds
		f.round()
		if !f.grown || f.lost {
			f.known = map[[2]int]value{}
			return
		}
	}
}

// round applies every binding, call and write once.
func (f *flow) round() {
	for i := range f.bindings {
		f.bind(&f.bindings[i])
	}
	for _, fn := range f.functions {
		f.followFunction(fn)
	}
	for _, c := range f.calls {
		f.followCall(c.open)
	}
	for i := range f.writes {
		w := &f.writes[i]
		v := f.content(f.expression(w.from, w.to))
		if last := w.chain.trailers[len(w.chain.trailers)-1]; last.kind == '[' {
			v = v.join(f.within(last.tok).part())
		}
		if v.marks &= dirty | runner; v.marks != 0 {
			f.taint(&w.chain, v, 0)
			f.share(f.upTo(&w.chain, len(w.chain.trailers)-1), v)
		}
	}
}

func (f *flow) bind(b *binding) {
	var v value
	switch {
	case b.module != "":
		v = value{names: []string{b.module}}
		if f.runs(b.module) {
			v.marks |= runner
		}
	case b.from < b.to:
		v = f.expression(b.from, b.to)
		if b.element {
			v = f.content(v)
		}
	}
	for key, name := range b.keyed {
		f.grow(f.state, name, f.attribute(v, key))
	}
	if b.keyed != nil {
		v = f.content(v)
	}
	for _, n := range b.names {
		if b.attribute {
			f.grow(f.attrs, n, v)
		} else {
			f.grow(f.state, n, v)
		}
	}
}

// grow adds properties to a name.
func (f *flow) grow(of map[string]value, name string, v value) {
	was := of[name]
	now := was.join(v)
	if now.marks != was.marks || len(now.names) != len(was.names) {
		of[name] = now
		f.grown = true
	}
}

// expression returns the value of the expression between two tokens.
func (f *flow) expression(from, to int) value {
	var v value
	list := f.chains(from, to)
	f.spend(1 + len(list))
	for i := range list {
		if c := &list[i]; !c.compared {
			v = v.join(f.chain(c))
		}
	}
	return v
}

// within returns the value of a bracket's content.
func (f *flow) within(open int) value {
	if f.p.toks[open].match <= open {
		return value{}
	}
	return f.expression(open+1, f.p.toks[open].match)
}

// chain returns the value of an operand.
func (f *flow) chain(c *chain) value { return f.upTo(c, len(c.trailers)) }

// upTo returns the value of a chain with the first of its trailers.
func (f *flow) upTo(c *chain, trailers int) value {
	key := [2]int{c.atom, trailers}
	if v, ok := f.known[key]; ok {
		return v
	}
	f.known[key] = value{} // of itself, while it is being found
	var v value
	if trailers == 0 {
		v = f.atom(c)
		if f.lost {
			v.marks |= hostile | runner
		}
	} else {
		v = f.applied(c, trailers-1, f.upTo(c, trailers-1))
	}
	f.known[key] = v
	return v
}

// applied returns the value after a trailer.
func (f *flow) applied(c *chain, i int, v value) value {
	switch t := c.trailers[i]; t.kind {
	case '.':
		if f.p.isKind(t.tok, hole) {
			return f.content(v)
		}
		return f.attribute(v, f.p.toks[t.tok].text)
	case '[':
		return f.subscript(c, i, v)
	}
	return f.result(c, i, v)
}

// atom returns the value of a chain without its trailers.
func (f *flow) atom(c *chain) value {
	p := f.p
	if c.fn != nil {
		v := value{}
		if c.fn.expression {
			v = f.content(f.expression(c.fn.body, c.fn.bodyEnd))
		}
		return v
	}
	t := &p.toks[c.atom]
	switch t.kind {
	case hole:
		v := f.spotValue(t.spot)
		if v.marks != 0 {
			v.marks |= parsed
		}
		return v
	case text:
		var v value
		for _, s := range t.lit.spots {
			v = v.join(f.spotValue(s))
		}
		for i := c.atom + 1; i < t.match; i++ {
			if p.toks[i].parent == c.atom && p.toks[i].kind == op && p.toks[i].match > i {
				v = v.join(f.within(i).part())
				i = p.toks[i].match
			}
		}
		v.marks &^= parsed
		return v
	case op:
		v := f.within(c.atom)
		if t.text != "(" || len(f.inner(c.atom)) != 1 && f.commas(c.atom) {
			v = f.content(v)
		}
		if v.marks&hostile != 0 && p.lang == JavaScript && t.text == "{" && len(f.property(argument{from: c.atom, to: t.match + 1}, "raw")) > 0 {
			v.marks |= parsed // Bun treats such an object as text of a shell
		}
		return v
	case word:
		return f.name(t.text)
	}
	return value{}
}

// commas reports whether there are commas in a bracket.
func (f *flow) commas(open int) bool {
	for i := open + 1; i < f.p.toks[open].match; i++ {
		if f.p.toks[i].parent == open && f.p.is(i, ",") {
			return true
		}
	}
	return false
}

func (f *flow) spotValue(s *spot) value {
	if s.place == inComment || s.place == escaped || harmless(s.Type) {
		return value{}
	}
	return value{marks: hostile, from: &origin{s.Label, s.Start, s.End, s}}
}

// harmless reports whether every value of a type is data at every place.
func harmless(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return t == types.Int || t == types.Float || t == types.Bool || t == types.Null
	case *types.Optional:
		return harmless(t.Elem)
	case *types.Enum:
		return !slices.ContainsFunc(t.Values, func(v string) bool {
			return strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != ""
		})
	}
	return false
}

// name returns the value of a name.
func (f *flow) name(n string) value {
	v := f.state[n]
	if len(f.bound[n]) > 0 || len(f.named[n]) > 0 {
		return v // a name or a function of the script
	}
	v = v.join(value{names: []string{n}}).join(f.attrs[n].part()) // perhaps globalThis.x
	for _, m := range f.stars {
		v = v.join(value{names: []string{m + "." + n}})
	}
	if slices.ContainsFunc(v.names, f.runs) {
		v.marks |= runner
	}
	return v
}

// attribute returns the value of an attribute of a value.
func (f *flow) attribute(v value, name string) value {
	out := v.part()
	if slices.Contains(measures, name) {
		out = value{}
	}
	if v.marks&runner != 0 && !slices.Contains(descriptions, name) {
		out.marks |= runner
	}
	if v.marks&dynamic != 0 && slices.Contains(callers, name) {
		out.marks |= dynamic
	}
	if f.isMagic(name) {
		out.marks |= runner
	}
	out = out.join(f.attrs[name])
	f.spend(len(f.named[name]))
	for _, fn := range f.named[name] {
		out = out.join(fn.result.part()) // perhaps a property
	}
	for _, n := range v.names {
		if strings.Count(n, ".") < 5 {
			out = out.join(value{names: []string{n + "." + name}})
		}
		out = out.join(f.environment(n + "." + name)).join(f.shared[f.canonical(n)]).join(f.shared[f.canonical(n+"."+name)])
		if f.runs(n) && slices.Contains(callers, name) {
			out.marks |= runner
		}
	}
	if slices.ContainsFunc(out.names, f.runs) {
		out.marks |= runner
	}
	if slices.Contains(readers, name) {
		out.marks |= unknown
	}
	return out
}

// environment returns the value of the environment variable that a qualified name
// reads.
func (f *flow) environment(name string) value {
	variable, ok := strings.CutPrefix(name, "process.env.")
	if !ok {
		variable, ok = strings.CutPrefix(name, "Bun.env.")
	}
	if ok && slices.Contains(f.vars, variable) {
		return value{marks: hostile, from: &origin{label: variable}}
	}
	return value{}
}

// environments are the qualified names of the environment.
var environments = []string{"os.environ", "os.environb", "process.env", "Bun.env", "import.meta.env"}

// subscript returns the value of an element of a value.
func (f *flow) subscript(c *chain, i int, v value) value {
	p := f.p
	open := c.trailers[i].tok
	if key, ok := p.soleText(open); ok {
		if slices.ContainsFunc(v.names, f.isEnvironment) {
			if slices.Contains(f.vars, key) {
				return value{marks: hostile, from: &origin{label: key, start: p.toks[open].start, end: p.toks[p.toks[open].match].end}}
			}
			return v.part().join(f.shared[f.canonical(v.names[0])])
		}
		if p.lang == JavaScript || slices.ContainsFunc(v.names, f.runs) {
			return f.attribute(v, key)
		}
	}
	out := f.content(v)
	if slices.ContainsFunc(v.names, f.isEnvironment) {
		out.marks |= unknown
		if len(f.vars) > 0 {
			out.marks |= hostile
			out.from = &origin{label: "the environment"}
		}
		return out
	}
	if p.lang != JavaScript || p.isKind(open+1, number) && p.toks[open].match == open+2 {
		return out
	}
	if !f.isTable(c, i) {
		out = out.join(f.within(open).part())
		out.marks |= dynamic
		if slices.ContainsFunc(v.names, func(n string) bool { return len(f.bound[n]) == 0 && !strings.Contains(n, ".") || f.isDangerous(n) }) {
			out.marks |= runner // globalThis["ev" + "al"]
		}
	}
	return out
}

// soleText returns the text of a bracket that holds one string without values.
func (p *program) soleText(open int) (string, bool) {
	if p.toks[open].match < 0 || open+1 >= p.toks[open].match {
		return "", false
	}
	return p.constant([2]int{open + 1, p.toks[open].match - 1})
}

// isTable reports whether a chain up to a trailer is an object, array or map of
// the script, whose elements are all known.
func (f *flow) isTable(c *chain, i int) bool {
	p := f.p
	if i > 0 {
		return false
	}
	if p.is(c.atom, "{", "[") {
		return true
	}
	if p.is(c.atom, "(") {
		list := f.inner(c.atom)
		return len(list) == 1 && len(list[0].trailers) == 0 && f.isTable(&list[0], 0)
	}
	name := f.root(c)
	if name == "" || len(f.bound[name]) == 0 {
		return false
	}
	for _, b := range f.bound[name] {
		bound := f.bindings[b]
		list := f.chains(bound.from, bound.to)
		if bound.keyed != nil || bound.element || len(list) == 0 || len(list[0].trailers) > 0 || !p.is(list[0].atom, "{", "[") {
			return false
		}
	}
	return true
}

// findEscapes finds the functions that something else than the script's own calls
// by name may call: those that are mentioned, decorated or handed over, and those
// that operators call.
func (f *flow) findEscapes() {
	p := f.p
	for i := range p.toks {
		if !p.isKind(i, word) {
			continue
		}
		fns := f.callable(p.toks[i].text)
		if len(fns) == 0 {
			continue
		}
		called := p.is(i+1, "(") || p.is(i+1, "?.") && p.is(i+2, "(") || p.is(i+1, "<") && f.typeArguments(i+1, len(p.toks)) > 0
		declared := p.is(i-1, "def", "class", "function", "*") || f.literals[i] != nil || p.isAssignment(i+1)
		if p.is(i+1, ":") && (p.is(i-1, "{", ",") && p.lang == JavaScript || p.is(i-1, "const", "let", "var")) || p.is(i-1, "?.", ".") && f.named[p.toks[i].text] == nil {
			declared = true
		}
		if called || declared {
			continue
		}
		f.spend(len(fns))
		for _, fn := range fns {
			fn.escapes = fn.escapes || !fn.isClass
		}
	}
	placed := map[*function]bool{}
	for i := range f.bindings {
		if b := &f.bindings[i]; b.from < b.to && !b.element && b.keyed == nil {
			for _, c := range f.chains(b.from, b.to) {
				if c.fn != nil && len(c.trailers) == 0 {
					placed[c.fn] = true
					for _, n := range b.names {
						c.fn.escapes = c.fn.escapes || strings.HasPrefix(n, "__") || b.attribute && slices.Contains(implicit, n)
					}
				}
			}
		}
	}
	for _, c := range f.calls {
		for _, a := range c.args {
			for _, one := range f.chains(a.from, a.to) {
				if one.fn != nil && len(one.trailers) == 0 {
					placed[one.fn] = true
				}
			}
		}
		if fns, _ := f.local(c); c.at == 0 && f.p.is(c.chain.atom, "(") && len(fns) == 1 {
			placed[fns[0]] = true
		}
	}
	for _, fn := range f.functions {
		switch {
		case fn.isClass:
		case fn.name == "":
			fn.escapes = fn.escapes || !placed[fn]
		case strings.HasPrefix(fn.name, "__") && !slices.Contains([]string{"__init__", "__new__", "__post_init__"}, fn.name), slices.Contains(implicit, fn.name) && p.lang == JavaScript, p.is(fn.start-1, "get", "set"):
			fn.escapes = true
		}
	}
}

// implicit are the methods that JavaScript calls by itself.
var implicit = []string{"toString", "valueOf", "toJSON", "then", "get", "set", "apply", "construct", "has", "next", "return", "throw", "deleteProperty", "defineProperty", "ownKeys"}

// share marks an object of the runtime that every part of the script reads.
func (f *flow) share(object, v value) {
	for _, n := range object.names {
		if n = f.canonical(n); f.isEnvironment(n) || n == "sys.argv" || n == "process.argv" {
			f.grow(f.shared, n, v.part())
		}
	}
}

// followFunction binds defaults, and the parameters of functions that escape, and
// finds the result.
func (f *flow) followFunction(fn *function) {
	for _, one := range fn.params {
		if one.from < one.to {
			f.growParam(one, f.expression(one.from, one.to))
		}
		if fn.escapes {
			f.growParam(one, f.lostValue())
		}
	}
	was := fn.result
	if fn.isClass {
		return
	}
	if fn.expression {
		fn.result = fn.result.join(f.expression(fn.body, fn.bodyEnd))
	} else {
		f.spend((fn.bodyEnd - fn.body) / 8)
		for i := fn.body; i < fn.bodyEnd; i++ {
			if f.p.is(i, "return", "yield") && !f.p.is(i-1, ".", "?.") && i+1 < fn.bodyEnd {
				if end := min(f.expressionEnd(i+1, f.p.toks[i].parent), fn.bodyEnd); end > i+1 {
					fn.result = fn.result.join(f.expression(i+1, end))
				}
			}
		}
	}
	f.grown = f.grown || fn.result.marks != was.marks || len(fn.result.names) != len(was.names)
}

func (f *flow) growParam(one param, v value) {
	if one.rest || len(one.names) > 1 {
		v = f.content(v)
	}
	for _, n := range one.names {
		f.grow(f.state, n, v)
	}
}

// lostValue is a value that the analysis cannot follow.
func (f *flow) lostValue() value {
	return value{marks: dirty, from: f.anyOrigin()}
}

// anyOrigin returns the first value of the script.
func (f *flow) anyOrigin() *origin {
	for _, s := range f.p.spots {
		if v := f.spotValue(s); v.from != nil {
			return v.from
		}
	}
	return &origin{label: "a value"}
}
