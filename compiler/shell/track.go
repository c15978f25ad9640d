package shell

import (
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
	events    map[string][]event
	loops     []reach
	functions []reach
	// order is all events in the order of the script.
	order []*event
	// given is what each event gives to its variable, by what is followed.
	given [2]map[*event][]origin
}

// origin is a source with the place where it entered a variable.
type origin struct {
	seed seed
	at   int
}

// holds returns what a variable may hold at an offset.
func (t *tracker) holds(name string, at int, f follow) []origin {
	events := t.events[t.scoped(name, at)]
	var found []origin
	settled := false
	first := 0
	body, inFunction := t.functionAt(at)
	if inFunction {
		first = body.start
	}
	for i := len(events) - 1; i >= 0 && !settled; i-- {
		e := &events[i]
		if e.at > at || e.at < first {
			continue
		}
		if e.tested {
			if f == followNumber {
				settled = true
			}
			continue
		}
		found = append(found, t.origins(e, f)...)
		settled = e.certain
	}
	for i := range events {
		e := &events[i]
		if !e.tested && (e.at > at && t.sameLoop(e.at, at) || inFunction && !settled && (e.at < body.start || e.at > body.end)) {
			found = append(found, t.origins(e, f)...)
		}
	}
	if !settled && slices.Contains(t.s.options.Variables, name) {
		found = append(found, origin{seed{variable: name}, -1})
	}
	return found
}

// origins returns what an event gives to its variable.
func (t *tracker) origins(e *event, f follow) []origin { return t.given[f][e] }

// settle computes what every event gives to its variable. Events depend on one
// another, through loops also in circles, so it repeats until nothing is added.
func (t *tracker) settle(f follow) {
	t.given[f] = map[*event][]origin{}
	for changed := true; changed; {
		changed = false
		for _, e := range t.order {
			changed = t.settleEvent(e, f) || changed
		}
	}
}

func (t *tracker) settleEvent(e *event, f follow) bool {
	known := t.given[f][e]
	before := len(known)
	for _, v := range e.values {
		for _, c := range t.carriers(v, f) {
			if !slices.ContainsFunc(known, func(o origin) bool { return o.seed == c.seed }) {
				known = append(known, origin{c.seed, c.start})
			}
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
	if f, ok := t.functionAt(at); ok {
		return f.function + "()" + name
	}
	return "()" + name
}

func isPositional(name string) bool {
	return name == "@" || name == "*" || len(name) == 1 && '1' <= name[0] && name[0] <= '9'
}

func (t *tracker) functionAt(at int) (reach, bool) {
	var found reach
	ok := false
	for _, f := range t.functions {
		if f.start <= at && at < f.end && (!ok || f.start > found.start) {
			found, ok = f, true
		}
	}
	return found, ok
}

func (t *tracker) sameLoop(a, b int) bool {
	return slices.ContainsFunc(t.loops, func(r reach) bool {
		return r.start <= a && a < r.end && r.start <= b && b < r.end
	})
}

// carriers returns the pieces of a node's text that hold followed values.
func (t *tracker) carriers(n syntax.Node, f follow) []carrier {
	if st, ok := n.(*syntax.Stmt); ok && !t.passesStmt(st, f) {
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
