package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Values travel: `x=$a.output; eval "$x"` runs the value as surely as
// `eval $a.output` does. This file follows variables by name through the
// script, without running it:
//
//   - An event is a place where a variable gets a value (assignment, read, loop,
//     printf -v, mapfile) or where its text is tested to be a number.
//   - The events that reach a use are those before it, back to the first that
//     certainly happened (no condition, loop or subshell around it); inside a
//     loop also the later ones of that loop; inside a function all those outside
//     of it, since it may be called at any time.
//   - What an event gives to its variable are the holes in its text, and what
//     the variables in that text hold at that place.
//
// Command substitutions end the trail unless all their commands are known to
// write text through. A script can hide a value from this (files, arrays by
// reference, programs of its own); what it must not do is lose one on the
// ways that scripts commonly take.

// seed is where a followed value comes from: a hole, or a variable whose
// value an outsider chooses.
type seed struct {
	spot     *spot
	variable string
}

// carrier is a piece of a script that holds a followed value: a hole itself, or
// an expansion of a variable.
type carrier struct {
	seed       seed
	start, end int    // the piece
	through    string // the variable that is expanded, "" for a hole
	origin     int    // where the value entered the variable, or -1
}

// event is a change of what is known about a variable.
type event struct {
	name string
	at   int // where it takes effect
	// values are the nodes whose text the variable gets.
	values []syntax.Node
	// certain says that nothing earlier is left of the variable.
	certain bool
	// tested says that the variable's text is known to be a whole number.
	tested bool
}

// reach is a range of a script: a loop or a function's body.
type reach struct {
	start, end int
	function   string
	parent     int // index of the range around this one, or -1
}

// follow says what a value may pass through on its trail.
type follow int

const (
	// followText follows text through programs that may let it through.
	followText follow = iota
	// followNumber follows text only through programs that copy it, since a
	// filter may well have made a number of it.
	followNumber
)

// tracker answers what a variable may hold at a place.
type tracker struct {
	s         *script
	events    map[string][]*event // by name, in the order of the script
	loops     []reach
	functions []reach
	// given is what each event gives to its variable, by what is followed.
	given [2]map[*event][]origin
	// readers are the events that depend on a variable, by its name.
	readers map[string][]*event
	reading *event // the event that is settled for the first time
	// overflow says that more values meet in one variable than are followed.
	overflow bool
}

// maxOrigins bounds how many different values one variable is followed for.
const maxOrigins = 200

// origin is a seed with the place where it entered a variable.
type origin struct {
	seed seed
	at   int
}

// same reports whether two seeds are one value: holes with the same label are.
func (a seed) same(b seed) bool {
	if a.spot == nil || b.spot == nil {
		return a == b
	}
	return a.spot == b.spot || a.spot.Label == b.spot.Label && a.spot.Name == b.spot.Name
}

// holds returns what a variable may hold at an offset.
func (t *tracker) holds(name string, at int, f follow) []origin {
	name = t.scoped(name, at)
	if len(t.events) == 0 && !slices.Contains(t.s.options.Variables, name) {
		return nil
	}
	if list := t.readers[name]; t.reading != nil && (len(list) == 0 || list[len(list)-1] != t.reading) {
		t.readers[name] = append(list, t.reading)
	}
	events := t.events[name]
	function, inFunction := around(t.functions, at)
	first := 0
	if inFunction {
		first = function.start
	}
	var found []origin
	settled := false
	now := eventsFrom(events, at+1)
	for i := now - 1; i >= 0 && !settled && events[i].at >= first; i-- {
		if e := events[i]; e.tested {
			settled = f == followNumber
		} else {
			found = t.merge(found, t.given[f][e])
			settled = e.certain
		}
	}
	if loop, ok := outermost(t.loops, at); ok {
		for _, e := range events[now:max(now, eventsFrom(events, loop.end))] {
			found = t.merge(found, t.given[f][e])
		}
	}
	if inFunction && !settled {
		for _, e := range events {
			if e.at < function.start || e.at > function.end {
				found = t.merge(found, t.given[f][e])
			}
		}
	}
	if !settled && slices.Contains(t.s.options.Variables, name) {
		found = append(found, origin{seed{variable: name}, -1})
	}
	return found
}

// eventsFrom returns the index of the first event at an offset or later.
func eventsFrom(events []*event, at int) int {
	i, _ := slices.BinarySearchFunc(events, at, func(e *event, at int) int { return e.at - at })
	return i
}

// merge adds to a list of origins those that are new.
func (t *tracker) merge(list, more []origin) []origin {
	for _, o := range more {
		switch {
		case slices.ContainsFunc(list, func(x origin) bool { return x.seed.same(o.seed) }):
		case len(list) >= maxOrigins:
			t.overflow = true
		default:
			list = append(list, o)
		}
	}
	return list
}

// settle computes what every event gives to its variable. Events depend on one
// another, through loops also in circles: an event is done again whenever a
// variable that it reads has gained something.
func (t *tracker) settle(f follow) {
	if len(t.events) == 0 {
		return
	}
	t.given[f], t.readers = map[*event][]origin{}, map[string][]*event{}
	var queue []*event
	waiting := map[*event]bool{}
	push := func(e *event) {
		if !waiting[e] {
			waiting[e] = true
			queue = append(queue, e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.events)) {
		for _, e := range t.events[name] {
			push(e)
		}
	}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		waiting[e] = false
		if _, again := t.given[f][e]; !again {
			t.reading = e
		}
		changed := t.settleEvent(e, f)
		t.reading = nil
		if changed {
			for _, reader := range t.readers[e.name] {
				push(reader)
			}
		}
	}
}

// settleEvent reports whether an event gives more than before.
func (t *tracker) settleEvent(e *event, f follow) bool {
	known := t.given[f][e]
	before := len(known)
	for _, v := range e.values {
		for _, c := range t.carriers(v, f) {
			known = t.merge(known, []origin{{c.seed, c.start}})
		}
	}
	t.given[f][e] = known
	return len(known) > before
}

// scoped returns the name under which a parameter of a function is kept.
func (t *tracker) scoped(name string, at int) string {
	if !isPositional(name) {
		return name
	}
	if f, ok := around(t.functions, at); ok {
		return f.function + "()" + name
	}
	return "()" + name
}

func isPositional(name string) bool {
	return name == "@" || name == "*" || len(name) == 1 && '1' <= name[0] && name[0] <= '9'
}

// around returns the innermost range around an offset. Ranges nest, and are in
// order of their start.
func around(ranges []reach, at int) (reach, bool) {
	i, found := slices.BinarySearchFunc(ranges, at, func(r reach, at int) int { return r.start - at })
	if !found {
		i--
	}
	for i >= 0 && at >= ranges[i].end {
		i = ranges[i].parent
	}
	if i < 0 {
		return reach{}, false
	}
	return ranges[i], true
}

// outermost returns the outermost range around an offset.
func outermost(ranges []reach, at int) (reach, bool) {
	r, ok := around(ranges, at)
	for ok && r.parent >= 0 {
		r = ranges[r.parent]
	}
	return r, ok
}

// nest adds the range of a node that starts after all others: of a loop, or of
// the function of that name.
func nest(ranges []reach, n syntax.Node, function string) []reach {
	r := reach{function: function, parent: len(ranges) - 1}
	r.start, r.end = offsets(n)
	for r.parent >= 0 && ranges[r.parent].end <= r.start {
		r.parent = ranges[r.parent].parent
	}
	return append(ranges, r)
}

// carriers returns the pieces of a node's text that hold followed values.
func (t *tracker) carriers(n syntax.Node, f follow) []carrier {
	if st, ok := n.(*syntax.Stmt); ok && !t.passesStmt(st, f) {
		return nil
	}
	if w, ok := n.(*syntax.Word); ok && t.isPlain(w) {
		return nil
	}
	var found []carrier
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			start, end := offsets(n)
			for _, p := range spotsFrom(t.s.spots, start) {
				if p.Start >= end {
					break
				}
				if !p.place.dead {
					found = append(found, carrier{seed{spot: p}, p.Start, p.End, "", -1})
				}
			}
		case *syntax.Comment:
			return false
		case *syntax.CmdSubst:
			return t.passes(n.Stmts, f)
		case *syntax.ProcSubst:
			return t.passes(n.Stmts, f)
		case *syntax.ArithmExp:
			return false // a number
		case *syntax.ParamExp:
			found = append(found, t.expansion(n, f)...)
			return !n.Length && n.Param != nil
		}
		return true
	})
	return found
}

// isPlain reports whether a word is text without holes, as most words are.
func (t *tracker) isPlain(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		default:
			return false
		}
	}
	return len(t.s.spots) == 0 || len(w.Parts) == 0 || !t.s.touched(w)
}

// touched reports whether a hole begins within a node.
func (s *script) touched(n syntax.Node) bool {
	start, end := offsets(n)
	after := spotsFrom(s.spots, start)
	return len(after) > 0 && after[0].Start < end
}

// expansion returns what ${…} itself brings in, apart from its operands.
func (t *tracker) expansion(n *syntax.ParamExp, f follow) []carrier {
	if n.Param == nil || n.Length || n.Names != 0 || keepsDigitsOnly(n) || isQuoting(n) {
		return nil
	}
	start, end := offsets(n)
	if len(t.s.holesIn(start, end)) > 0 && n.Short {
		// The mask of a hole runs on from the name or the dollar before it.
		holes := t.s.holesIn(start, end)
		if end = holes[0].Start; end == start+1 {
			return nil
		}
	}
	name := t.s.masked[int(n.Param.Pos().Offset()):min(end, int(n.Param.End().Offset()))]
	var found []carrier
	for _, o := range t.holds(name, start, f) {
		found = append(found, carrier{o.seed, start, end, name, o.at})
	}
	return found
}

// keepsDigitsOnly reports whether an expansion is ${x//[^0-9]/}.
func keepsDigitsOnly(n *syntax.ParamExp) bool {
	if n.Repl == nil || !n.Repl.All || n.Repl.Orig == nil || n.Repl.With != nil && len(n.Repl.With.Parts) > 0 {
		return false
	}
	orig := n.Repl.Orig.Lit()
	return orig == "[^0-9]" || orig == "[!0-9]" || orig == "[^[:digit:]]" || orig == "[![:digit:]]"
}

// isQuoting reports whether an expansion is ${x@Q}, quoted as bash reads it.
func isQuoting(n *syntax.ParamExp) bool {
	return n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "Q"
}

// passes reports whether the output of commands may be text they were given.
func (t *tracker) passes(stmts []*syntax.Stmt, f follow) bool {
	return slices.ContainsFunc(stmts, func(st *syntax.Stmt) bool { return t.passesStmt(st, f) })
}

func (t *tracker) passesStmt(st *syntax.Stmt, f follow) bool {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		c := &command{words: cmd.Args}
		name := t.s.name(c)
		if name == "printf" && t.s.quotesAll(c) {
			return false
		}
		if f == followNumber {
			return copiers[name]
		}
		return filters[name]
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return t.passesStmt(cmd.X, f) && t.passesStmt(cmd.Y, f)
		}
		return t.passesStmt(cmd.X, f) || t.passesStmt(cmd.Y, f)
	case *syntax.Block:
		return t.passes(cmd.Stmts, f)
	case *syntax.Subshell:
		return t.passes(cmd.Stmts, f)
	case *syntax.IfClause:
		return t.passes(cmd.Then, f) || cmd.Else != nil && (t.passes(cmd.Else.Then, f))
	case *syntax.ForClause:
		return t.passes(cmd.Do, f)
	case *syntax.WhileClause:
		return t.passes(cmd.Do, f)
	}
	return false
}

// quotesAll reports whether a printf writes its arguments only quoted, by %q.
func (s *script) quotesAll(c *command) bool {
	if len(c.words) < 2 {
		return false
	}
	format := s.read(c.words[1])
	if !format.full {
		return false
	}
	quoted := false
	for i := 0; i+1 < len(format.text); i++ {
		if format.text[i] != '%' {
			continue
		}
		i++
		if c := format.text[i]; c == 'q' {
			quoted = true
		} else if c != '%' && c != 'd' {
			return false
		}
	}
	return quoted
}
