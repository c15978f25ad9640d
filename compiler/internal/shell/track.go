package shell

import (
	"math"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Values travel: `x=$a.output; eval "$x"` runs the value as surely as `eval
// $a.output` does. This file follows variables by name through the script, without
// running it:
//
//   - An event is a place where a variable gets a value: assignment, read, loop,
//     printf -v, mapfile, a call whose arguments become $1.
//   - The events that reach a use are those of the same function before it, back
//     to the first that certainly happened; inside a loop also the later ones of
//     that loop. Events of other functions reach every use, since those may be
//     called at any time.
//   - transfer.go computes the value that an event gives to its variable, again
//     and again until nothing grows.
//
// The analysis is closed by default: output of commands, contents of files and
// names that are not constants are hostile in a script that handles any value of an
// outsider. outputs.go lists the exceptions.

// carrier is a piece of a script that holds hostile text: a hole itself, or an
// expansion of a variable, or a command substitution.
type carrier struct {
	origin
	start, end int    // the piece
	through    string // the variable that is expanded, "" for a hole
}

// event is a change of the knowledge about a variable.
type event struct {
	name string
	at   int // where it takes effect
	// values are the nodes whose text the variable gets, and fixed its other
	// values.
	values []syntax.Node
	fixed  value
	// function is the index of the function around the event, or nowhere.
	function int
	// until is the offset up to which nothing earlier is left of the variable:
	// 0 means that it always is, forever that it never is.
	until int
	// added says that the text is appended, number that bash evaluates it.
	added, number bool
	// assigned is the assignment that the event is, or nil.
	assigned *syntax.Assign

	value value
	reads map[string]bool
	seen  int
}

const (
	// nowhere is the index of the function for code outside functions.
	nowhere = -1
	forever = math.MaxInt
)

// reach is a range of a script: a loop or a function's body.
type reach struct {
	start, end int
	function   string
	parent     int // index of the range around this one, or -1
}

// A shift says by how many places a function moves its parameters: by least for
// certain, by most at most; anyhow says that it does so in a loop.
type shift struct {
	least, most int
	anyhow      bool
}

// A slot is a variable as one function sees it.
type slot struct {
	name     string
	function int
}

// tracker returns the possible values of a variable at a place.
type tracker struct {
	s *script
	// list are all events, and slots the same by variable and function.
	list  []*event
	slots map[slot][]*event
	// assigned are the assignments to each name, in any function.
	assigned map[string][]*event
	// dynamic are events whose variable only the run knows: its name is the text
	// of the word.
	dynamic []dynamicEvent
	// locals are the variables that functions declare for themselves.
	locals    map[slot]bool
	loops     []reach
	functions []reach
	bodies    map[string]*syntax.FuncDecl
	// calls are the arguments that each function is called with, by its name;
	// those of the script itself by "".
	calls map[string][][]*syntax.Word
	// shifts say how far functions move their parameters.
	shifts map[string]shift
	evals  []evaluation
	// firstCall is where the script calls one of its functions for the first time.
	firstCall int
	// given are the variables that the script starts with, in an inner program.
	given sees
	// lossy says that the script handles values of outsiders, so a value that the
	// analysis loses may be one.
	lossy bool

	// Joins of the values of events: of a slot, of a variable in any function where
	// it is not local, of a variable as a local of some function, of one with a
	// computed name, and of every variable.
	own                            map[slot]value
	inFunctions, asLocal, computed map[string]value
	wild                           value
	ticks                          map[string]int
	clock                          int
	reading                        *event
}

type dynamicEvent struct {
	target syntax.Node
	event  *event
}

// fewEvents is the maximum number of events that are checked one by one for one
// use.
const fewEvents = 64

// holds returns the possible values of a variable at an offset.
func (t *tracker) holds(name string, at int) value {
	t.note(name)
	if isPositional(name) {
		return t.parameter(name, at)
	}
	fn := t.functionAt(at)
	v := value{}
	here := slot{name, fn}
	events := t.slots[here]
	now := eventsFrom(events, at+1)
	var settled *event
	for i, n := now-1, 0; i >= 0 && settled == nil; i, n = i-1, n+1 {
		if n == fewEvents {
			v.join(t.own[here])
			break
		}
		v.join(events[i].value)
		if events[i].until > at {
			settled = events[i]
		}
	}
	if loop, ok := t.loopWithout(at, settled); ok {
		later := events[now:max(now, eventsFrom(events, loop.end))]
		if len(later) > fewEvents {
			v.join(t.own[here])
			later = nil
		}
		for _, e := range later {
			v.join(e.value)
		}
	}
	v.join(t.inFunctions[name])
	v.join(t.computed[name])
	v.join(t.wild)
	if settled == nil {
		if fn != nowhere {
			v.join(t.own[here])
			v.join(t.own[slot{name, nowhere}])
			v.join(t.asLocal[name])
		}
		if fn == nowhere || !t.setBeforeCalls(name) {
			v.join(t.environment(name))
		}
	}
	return v
}

// note records that the event in hand depends on a variable.
func (t *tracker) note(name string) {
	if t.reading == nil {
		return
	}
	if t.reading.reads == nil {
		t.reading.reads = map[string]bool{}
	}
	t.reading.reads[name] = true
}

// environment is the value of a variable that the script has not set.
func (t *tracker) environment(name string) value {
	if strings.HasPrefix(name, suppliedName) {
		return t.s.suppliedValues[name]
	}
	if t.given != nil {
		v, _ := t.given(name)
		return v
	}
	if slices.Contains(t.s.options.Variables, name) {
		return from(seed{variable: name}, -1)
	}
	return anyText()
}

// setBeforeCalls reports whether the script has set a variable for certain
// before it first calls a function.
func (t *tracker) setBeforeCalls(name string) bool {
	events := t.slots[slot{name, nowhere}]
	return len(events) > 0 && slices.ContainsFunc(events[:min(len(events), fewEvents)], func(e *event) bool {
		return e.until == forever && e.at < t.firstCall
	})
}

// parameter returns the possible values of a positional parameter.
func (t *tracker) parameter(name string, at int) value {
	function := t.around(at)
	if t.shifts[function].most > 0 {
		name = "@"
	}
	scoped := function + "()" + name
	t.note(scoped)
	v := t.own[slot{scoped, nowhere}]
	v.join(t.computed["()@"]) // arguments of calls by computed names
	if function == "" && t.given != nil {
		given, _ := t.given(name)
		v.join(given)
	}
	if len(v.consts) == 0 && !v.open {
		v.join(constant("")) // never passed
	}
	return v
}

// around returns the name of the function around an offset, "" outside of any.
func (t *tracker) around(at int) string {
	if i := t.functionAt(at); i >= 0 {
		return t.functions[i].function
	}
	return ""
}

// functionAt returns the index of the function around an offset.
func (t *tracker) functionAt(at int) int {
	return aroundIndex(t.functions, at)
}

// loopWithout returns the outermost loop around an offset that does not hold the
// event, which may be nil.
func (t *tracker) loopWithout(at int, e *event) (reach, bool) {
	i := aroundIndex(t.loops, at)
	found := -1
	for ; i >= 0; i = t.loops[i].parent {
		if e != nil && t.loops[i].start <= e.at && e.at <= t.loops[i].end {
			break
		}
		found = i
	}
	if found < 0 {
		return reach{}, false
	}
	return t.loops[found], true
}

// eventsFrom returns the index of the first event at an offset or later.
func eventsFrom(events []*event, at int) int {
	i, _ := slices.BinarySearchFunc(events, at, func(e *event, at int) int { return e.at - at })
	return i
}

// maxPasses bounds how often the events are gone through. Values that still grow
// then go in circles through very many variables, and all count as hostile.
const maxPasses = 40

// settle computes the value that every event gives to its variable. An event is
// computed again when a variable that it reads has grown.
func (t *tracker) settle() {
	for pass := 0; ; pass++ {
		if !t.pass() {
			return
		}
		if pass == maxPasses {
			t.wild.join(value{open: true, text: true})
			if t.lossy {
				t.wild.join(from(seed{lost: "values passed through too many variables"}, -1))
			}
			return
		}
	}
}

func (t *tracker) pass() (changed bool) {
	for _, e := range t.list {
		if t.stale(e) && t.settleEvent(e) {
			changed = true
			t.publish(e)
		}
	}
	for _, d := range t.dynamic {
		if t.settleEvent(d.event) {
			changed = true
		}
		target := t.node(d.target)
		for _, c := range target.consts {
			name, _, _ := strings.Cut(c, "=")
			name, _, _ = strings.Cut(name, "[")
			if t.grow(t.computed, name, d.event.value) {
				changed = true
				t.tick(name)
			}
		}
		if target.open && t.wild.join(d.event.value) {
			changed = true
			t.tick("*")
		}
	}
	return changed
}

func (t *tracker) stale(e *event) bool {
	if e.seen == 0 || t.ticks["*"] > e.seen {
		return true
	}
	for name := range e.reads {
		if t.ticks[name] > e.seen {
			return true
		}
	}
	return false
}

func (t *tracker) tick(name string) {
	t.clock++
	t.ticks[name] = t.clock
}

// settleEvent reports whether an event gives more than before.
func (t *tracker) settleEvent(e *event) bool {
	t.clock++
	e.seen = t.clock
	t.reading = e
	defer func() { t.reading = nil }()
	v := e.fixed
	for _, n := range e.values {
		given := t.node(n)
		if e.added {
			given = given.changed()
		}
		v.join(given)
	}
	if e.number && len(e.values) > 0 {
		v = number() // the guard sees to that
	}
	return e.value.join(v)
}

// publish adds the value of an event to the joins of its variable.
func (t *tracker) publish(e *event) {
	here := slot{e.name, e.function}
	v := t.own[here]
	v.join(e.value)
	t.own[here] = v
	switch {
	case e.function == nowhere:
	case t.locals[here]:
		t.grow(t.asLocal, e.name, e.value)
	default:
		t.grow(t.inFunctions, e.name, e.value)
	}
	t.tick(e.name)
}

func (t *tracker) grow(joins map[string]value, name string, v value) bool {
	j := joins[name]
	grown := j.join(v)
	joins[name] = j
	return grown
}

// lost is text that the analysis loses sight of. It is hostile in a script that
// handles values of outsiders.
func (t *tracker) lost(what string, at int) value {
	if !t.lossy {
		return anyText()
	}
	return from(seed{lost: what}, at)
}

func isPositional(name string) bool {
	return name == "@" || name == "*" || name != "" && '1' <= name[0] && name[0] <= '9'
}

// aroundIndex returns the index of the innermost range around an offset, or -1. Ranges
// nest, and are in order of their start.
func aroundIndex(ranges []reach, at int) int {
	i, found := slices.BinarySearchFunc(ranges, at, func(r reach, at int) int { return r.start - at })
	if !found {
		i--
	}
	for i >= 0 && at >= ranges[i].end {
		i = ranges[i].parent
	}
	return i
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
