package py

import (
	"strconv"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// bindings are the values that programs made of templates get.
type bindings struct {
	list []flow.Binding
	used map[string]bool
	next map[string]int // the next number to try, by name
}

// Bind hands a value to the program that the template makes, and adds what reads
// it there: the text before, the name of a variable, and the text after. The
// first variable has the name of b, those that follow numbers besides.
func (e *Eval) Bind(b flow.Binding, before, after string) {
	if e.failed() {
		return
	}
	b.Name = e.bound.name(b.Name)
	e.bound.list = append(e.bound.list, b)
	e.Write(before + b.Name + after)
}

// name returns a name that is not used yet.
func (b *bindings) name(name string) string {
	if b.used == nil {
		b.used, b.next = map[string]bool{}, map[string]int{}
	}
	unique := name
	for b.used[unique] {
		n := max(b.next[name], 2)
		b.next[name] = n + 1
		unique = name + "_" + strconv.Itoa(n)
	}
	b.used[unique] = true
	return unique
}

// Bindings returns what Bind collected, and begins anew.
func (e *Eval) Bindings() []flow.Binding {
	list := e.bound.list
	e.bound = bindings{}
	return list
}
