// Package compare finds out in which way two versions of a workflow differ in meaning. How
// the YAML is written does not count.
package compare

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A Class groups changes by the kind of trouble that they can make.
type Class string

// The classes.
const (
	// Gates: a person is asked less, more, or in another way.
	Gates Class = "gates"
	// Tools: an agent may do more or less.
	Tools Class = "tools"
	// Limits: bounds of cost, time, iterations and attempts.
	Limits Class = "limits"
	// Flow: nodes, their order, conditions and results.
	Flow Class = "flow"
	// Prompts: their wording and the choice of agents and models.
	Prompts Class = "prompts"
	// Scripts: bash and other programs.
	Scripts Class = "scripts"
	// Schemas: types of inputs, outputs and variables.
	Schemas Class = "schemas"
	// Info: descriptions and other facts for people.
	Info Class = "info"
)

// Classes lists the classes in the order in which help shows them.
func Classes() []Class {
	return []Class{Gates, Tools, Limits, Flow, Prompts, Scripts, Schemas, Info}
}

// A Change is a difference.
type Change struct {
	Class Class `json:"class"`
	// Risky says that the change removes a safeguard: a gate, a limit, a restriction of
	// tools.
	Risky bool `json:"risky"`
	// Where is the part of the workflow: "node `review`"; "" is the workflow itself.
	Where string `json:"where,omitempty"`
	// What is the aspect: "prompt", "condition".
	What string `json:"what,omitempty"`
	// Verb says how it differs.
	Verb Verb `json:"verb"`
	// phrase is the verb in reports for people; "" means Verb.
	phrase string
	// Old and New are the values; Text says that they are to be compared word by word.
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	Text bool   `json:"-"`
	// At is the place in the new version, or in the old one if it is removed.
	At source.Span `json:"-"`
}

// A Verb says how a part differs.
type Verb string

// The verbs.
const (
	Added   Verb = "added"
	Removed Verb = "removed"
	Changed Verb = "changed"
	Raised  Verb = "raised"
	Lowered Verb = "lowered"
)

// Programs returns the changes between two programs without errors, in the order of the
// new one; removed parts come behind. It returns none if both behave alike.
func Programs(old, new *ir.Program) []Change {
	if old.Fingerprint() == new.Fingerprint() && len(old.Triggers)+len(new.Triggers) == 0 { // triggers are not part of it
		return nil
	}
	before, after := factsOf(old), factsOf(new)
	known := map[key]*fact{}
	for i := range before {
		known[before[i].matchKey()] = &before[i]
	}
	var list []Change
	met, gone := map[key]bool{}, map[string]bool{}
	fresh := map[string]bool{}
	for i := range after {
		f := &after[i]
		met[f.matchKey()] = true
		was := known[f.matchKey()]
		switch {
		case f.isPart() && (was == nil || was.sort != f.sort):
			fresh[f.where] = true
			if was != nil { // it is another part of that name
				gone[f.where] = true
				list = append(list, was.changeWithVerb(Removed))
			}
			list = append(list, f.changeWithVerb(Added))
		case fresh[f.where]:
			// The part is new with all that it has.
		case was == nil:
			list = append(list, f.changeWithVerb(Added))
		case f.differsFrom(was):
			list = append(list, f.changesFrom(was)...)
		}
	}
	for i := range before {
		f := &before[i]
		if met[f.matchKey()] || gone[f.where] {
			continue
		}
		if f.isPart() {
			gone[f.where] = true
		}
		list = append(list, f.changeWithVerb(Removed))
	}
	// Descriptions of inputs may come from the nodes that use them, so the bodies decide.
	if len(list) == 0 && ir.Unordered(old.Workflow.Body) != ir.Unordered(new.Workflow.Body) {
		list = append(list, Change{Class: Flow, What: "behaviour", Verb: Changed, At: new.Workflow.Span})
	}
	return list
}

// Removal returns the changes of a workflow that the new version lacks: the workflow, and
// each gate, limit and restriction of tools that it had.
func Removal(old *ir.Program) []Change {
	c := &collector{}
	c.addWorkflow(old)
	list := []Change{{Class: Flow, What: "workflow", Verb: Removed, At: old.Workflow.NameSpan}}
	for i := range c.facts {
		if change := c.facts[i].changeWithVerb(Removed); change.Risky && change.Class != Flow {
			list = append(list, change)
		}
	}
	return list
}

// Any reports whether one of the changes is of a class.
func Any(list []Change, of Class) bool {
	return slices.ContainsFunc(list, func(c Change) bool { return c.Class == of })
}

// A fact is one aspect of one part of a program. Programs compares facts of the same part
// and aspect.
type fact struct {
	class Class
	where string // as in Change
	what  string
	// value is the aspect for people.
	value string
	// of are the parts of the program that decide whether the aspect differs; nil means that
	// the value does.
	of any
	// number is the value of a limit; 0 is none.
	number float64
	kind   factKind
	at     source.Span
	// guards says that the fact is a safeguard: removing it is risky.
	guards bool
	// open says that everything is allowed already.
	open bool
	// sort is the kind of a node; one of another kind is another part.
	sort string
}

type factKind int

const (
	// The zero kind is a value of one line.
	_ factKind = iota
	// partFact is the existence of a part: a node, an input.
	partFact
	// textFact is compared word by word.
	textFact
	// limitFact is a number; a larger one is less safe.
	limitFact
	// rankFact is a value with the number of its rank; a higher one allows more.
	rankFact
	// grantFact is a list, one entry a line, of which more entries allow more, and denyFact
	// one of which fewer do.
	grantFact
	denyFact
	// listFact is a list, one entry a line, whose order does not count.
	listFact
	// orderFact is a list, one entry a line, of which only the order of common entries
	// counts.
	orderFact
)

type key struct{ where, what string }

func (f *fact) matchKey() key { return key{f.where, f.what} }
func (f *fact) isPart() bool  { return f.kind == partFact }

// differsFrom reports whether the same aspect of two programs differs. The order of fields in
// types and schemas does not count, nor do the types of values that it reads: the node with
// the schema has that change.
func (f *fact) differsFrom(was *fact) bool {
	switch {
	case f.isPart():
		return false
	case f.kind == orderFact:
		return !slices.Equal(commonEntries(was.value, f.value), commonEntries(f.value, was.value))
	case f.of == nil || was.of == nil:
		return f.value != was.value
	case ir.Canonical(f.of) == ir.Canonical(was.of):
		return false
	}
	return f.value != was.value || ir.Written(f.of) != ir.Written(was.of)
}

// changeWithVerb is the change of a fact that only one program has.
func (f *fact) changeWithVerb(v Verb) Change {
	c := Change{Class: f.class, Where: f.where, What: f.what, Verb: v, Text: f.kind == textFact, At: f.at}
	if v == Added {
		c.New = f.value
	} else {
		c.Old = f.value
	}
	// Without a list of allowed tools, all are allowed.
	c.Risky = v == Removed && (f.guards || f.kind == denyFact || f.kind == limitFact || f.kind == grantFact)
	return c
}

// changesFrom are the changes of a fact that both programs have.
func (f *fact) changesFrom(was *fact) []Change {
	if f.kind == orderFact {
		old, new := strings.Join(commonEntries(was.value, f.value), ", "), strings.Join(commonEntries(f.value, was.value), ", ")
		return []Change{{Class: f.class, Where: f.where, What: f.what, Verb: Changed, Old: old, New: new, At: f.at}}
	}
	c := Change{Class: f.class, Where: f.where, What: f.what, Verb: Changed, Old: was.value, New: f.value, Text: f.kind == textFact, At: f.at}
	switch f.kind {
	case limitFact:
		if c.Verb = Lowered; f.number > was.number {
			c.Verb, c.Risky = Raised, true
		}
	case rankFact:
		if c.Risky = f.number > was.number; c.Risky {
			c.phrase = "widened"
		}
	case grantFact, denyFact, listFact:
		return f.entryChanges(was)
	}
	return []Change{c}
}

// phrases say that a list has more entries, and that it has fewer.
var phrases = map[factKind][2]string{
	grantFact: {"now allows", "no longer allows"},
	denyFact:  {"now denies", "no longer denies"},
}

// entryChanges are the changes between two lists.
func (f *fact) entryChanges(was *fact) []Change {
	old, new := splitEntries(was.value), splitEntries(f.value)
	more := slices.DeleteFunc(slices.Clone(new), func(e string) bool { return slices.Contains(old, e) })
	less := slices.DeleteFunc(slices.Clone(old), func(e string) bool { return slices.Contains(new, e) })
	var list []Change
	if len(more) > 0 {
		list = append(list, Change{Class: f.class, Risky: f.kind == grantFact, Where: f.where, What: f.what, Verb: Added, phrase: phrases[f.kind][0], New: strings.Join(more, ", "), At: f.at})
	}
	if len(less) > 0 {
		list = append(list, Change{Class: f.class, Risky: f.kind == denyFact, Where: f.where, What: f.what, Verb: Removed, phrase: phrases[f.kind][1], Old: strings.Join(less, ", "), At: f.at})
	}
	if list == nil { // in another form
		list = []Change{{Class: f.class, Where: f.where, What: f.what, Verb: Changed, Old: strings.Join(old, ", "), New: strings.Join(new, ", "), At: f.at}}
	}
	return list
}

// commonEntries are the entries of a list that another one has, too.
func commonEntries(list, other string) []string {
	others := splitEntries(other)
	return slices.DeleteFunc(splitEntries(list), func(e string) bool { return !slices.Contains(others, e) })
}

func splitEntries(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, "\n")
}
