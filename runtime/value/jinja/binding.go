package jinja

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// bindings are the values that programs made of templates get.
type bindings struct {
	list []flow.Binding
	used map[string]bool
	next map[string]int // the next number to try, by name
}

// Bind hands a value to the program whose source the template makes: it adds b to the
// Bindings, and writes code, which reads the variable b.Name, such as "${who}". If an earlier
// binding has that name, the variable is b.Name with _2, _3 and so on, also in code.
// (Generated code ends the names of bindings in a loop of the template with _i, so that such
// a number cannot make the name of another binding.)
func (e *Eval) Bind(code string, b flow.Binding) {
	if e.Failed() {
		return
	}
	before, after, _ := strings.Cut(code, b.Name)
	b.Name = e.bound.uniqueName(b.Name)
	e.bound.list = append(e.bound.list, b)
	e.Write(before + b.Name + after)
}

// uniqueName returns a name that is not used yet.
func (b *bindings) uniqueName(name string) string {
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

// Bindings returns the bindings that Bind has added since the last call.
func (e *Eval) Bindings() []flow.Binding {
	list := e.bound.list
	e.bound = bindings{}
	return list
}
