package mutate

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Code is the package of a workflow with the code of its mutants.
type Code struct {
	// File is the file of the workflow: a function that differs in a mutant first asks which
	// mutant is selected. Mutants is the file with the functions of the mutants, and with
	// the function Mutant, by which the test program selects one.
	File, Mutants []byte
	// Places are the numbers of the functions that differ in each mutant.
	Places [][]int
	// Unfit are the mutants that cannot share the package, with the reason, and Same those
	// with the code of the workflow itself.
	Unfit map[int]string
	Same  map[int]bool
}

// Combine joins the generated file of a workflow and those of its mutants.
//
// A mutant differs in few declarations. These get another name, as do the variables and
// functions with other types, and all functions that use them. The function of the workflow
// that has the name of a changed one calls that when its mutant is selected.
func Combine(original []byte, mutants [][]byte) (*Code, error) {
	base, err := parseUnit(original)
	if err != nil {
		return nil, err
	}
	c := &combiner{base: base, code: &Code{Unfit: map[int]string{}, Same: map[int]bool{}, Places: make([][]int, len(mutants))},
		imports: map[string]string{}, calls: map[string][]call{}}
	for i, text := range mutants {
		u, err := parseUnit(text)
		if err != nil {
			return nil, err
		}
		c.add(i, u)
	}
	c.finish()
	return c.code, nil
}

// A call is a changed function of a mutant.
type call struct {
	mutant int
	name   string
}

type combiner struct {
	base    *unit
	code    *Code
	body    bytes.Buffer
	imports map[string]string // path by name
	calls   map[string][]call // by the name of the function
}

// tables are declarations that only describe the workflow: a mutant shares them.
var tables = map[string]bool{"Workflow": true, "sourceText": true, "inputs": true, "_": true}

func (c *combiner) add(i int, u *unit) {
	changed := map[string]bool{} // declarations with other code
	other := map[string]bool{}   // those that cannot have their old name
	for _, name := range u.order {
		d, old := u.decls[name], c.base.decls[name]
		switch {
		case tables[name], old != nil && old.code == d.code:
		case d.kind == typeKind && old == nil:
			changed[name], other[name] = true, true
		case d.kind == typeKind:
			c.code.Unfit[i] = name
			return
		case d.kind == funcKind && old != nil && old.kind == funcKind && old.signature == d.signature:
			changed[name] = true
		default:
			changed[name], other[name] = true, true
		}
	}
	for again := true; again; {
		again = false
		for _, name := range u.order {
			d := u.decls[name]
			if changed[name] || tables[name] || !d.uses(other) {
				continue
			}
			if d.kind == typeKind {
				c.code.Unfit[i] = name
				return
			}
			changed[name], again = true, true
			if d.kind != funcKind {
				other[name] = true
			}
		}
	}
	reached := func(name string) bool { return changed[name] && !other[name] }
	if !c.base.described(changed) && !slices.ContainsFunc(u.order, reached) {
		c.code.Same[i] = true
		return
	}
	if !slices.ContainsFunc(u.order, reached) || other["workflow"] {
		c.code.Unfit[i] = "workflow"
		return
	}
	suffix := fmt.Sprintf("Mutant%d", i+1)
	for _, name := range u.order {
		d := u.decls[name]
		if !changed[name] {
			continue
		}
		if d.kind == funcKind {
			if !other[name] {
				if !c.base.decls[name].callable() {
					c.code.Unfit[i] = name
					return
				}
			}
		}
	}
	for _, name := range u.order {
		d := u.decls[name]
		if !changed[name] || d.kind != funcKind && !used(u, changed, name) {
			continue
		}
		c.body.WriteString(d.renamed(u, other, suffix))
		c.body.WriteString("\n\n")
		for _, imported := range d.packages(u.imports) {
			c.imports[imported] = u.imports[imported]
		}
		if d.kind == funcKind && !other[name] {
			c.calls[name] = append(c.calls[name], call{i, d.name + suffix})
		}
	}
}

// described reports whether nothing but descriptions changed.
func (u *unit) described(changed map[string]bool) bool {
	for name := range changed {
		if d := u.decls[name]; d == nil || d.kind == funcKind || name != "nodes" {
			return true
		}
	}
	return false
}

// used reports whether a changed function uses a declaration.
func used(u *unit, changed map[string]bool, name string) bool {
	for other := range changed {
		if other != name && u.decls[other] != nil && u.decls[other].uses(map[string]bool{name: true}) {
			return true
		}
	}
	return false
}

// finish writes both files.
func (c *combiner) finish() {
	var edits []edit
	names := slices.Sorted(maps.Keys(c.calls))
	for place, name := range names {
		d := c.base.decls[name]
		params := d.parameters(c.base, &edits)
		var cases strings.Builder
		for _, call := range c.calls[name] {
			c.code.Places[call.mutant] = append(c.code.Places[call.mutant], place)
			target := call.name
			if d.receiver != "" {
				target = d.receiver + "." + target
			}
			if d.fn.Type.Results == nil {
				fmt.Fprintf(&cases, "case %d: %s(%s); return; ", call.mutant+1, target, params)
				continue
			}
			fmt.Fprintf(&cases, "case %d: return %s(%s); ", call.mutant+1, target, params)
		}
		at := c.base.offset(d.fn.Body.Lbrace) + 1
		edits = append(edits, edit{at, at, fmt.Sprintf(" switch selected(%d) { %s};", place, cases.String())})
	}
	c.code.File = apply(c.base.src, edits)
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by wfc. DO NOT EDIT.\n\npackage %s\n\nimport (\n\t\"sync/atomic\"\n", c.base.file.Name.Name)
	for _, name := range slices.Sorted(maps.Keys(c.imports)) {
		if path.Base(c.imports[name]) == name {
			fmt.Fprintf(&b, "\t%s\n", strconv.Quote(c.imports[name]))
		} else {
			fmt.Fprintf(&b, "\t%s %s\n", name, strconv.Quote(c.imports[name]))
		}
	}
	fmt.Fprintf(&b, `)

// selectedMutant is the number of the mutant that runs; 0 is the workflow itself.
var selectedMutant atomic.Int64

// reachedPlaces are the functions to which the run came since Mutant was called.
var reachedPlaces [%d]atomic.Bool

func selected(place int) int64 {
	reachedPlaces[place].Store(true)
	return selectedMutant.Load()
}

// Mutant selects a mutant, and returns the functions to which runs came since it was called
// last.
func Mutant(n int) (reached []int) {
	for i := range reachedPlaces {
		if reachedPlaces[i].Swap(false) {
			reached = append(reached, i)
		}
	}
	selectedMutant.Store(int64(n))
	return reached
}

`, max(len(names), 1))
	b.Write(c.body.Bytes())
	c.code.Mutants = b.Bytes()
}

// callable reports whether a call can hand on all parameters of the function.
func (d *decl) callable() bool {
	if d.fn.Recv != nil && d.receiver == "" {
		return false
	}
	for _, p := range d.fn.Type.Params.List {
		if len(p.Names) == 0 {
			return false
		}
	}
	return true
}

// parameters returns the arguments of a call that hands on the parameters. Edits give names
// to those that have none.
func (d *decl) parameters(u *unit, edits *[]edit) string {
	var list []string
	for _, p := range d.fn.Type.Params.List {
		for _, name := range p.Names {
			arg := name.Name
			if arg == "_" {
				arg = fmt.Sprintf("unused%d", len(list))
				at := u.offset(name.Pos())
				*edits = append(*edits, edit{at, at + 1, arg})
			}
			if _, variadic := p.Type.(*ast.Ellipsis); variadic {
				arg += "..."
			}
			list = append(list, arg)
		}
	}
	return strings.Join(list, ", ")
}

// Keep leaves only the mutants whose code is in the package, and gives them their places.
func (s *Set) Keep(c *Code) {
	var kept []*Mutant
	for i, m := range s.Mutants {
		m.Places = c.Places[i]
		switch {
		case c.Unfit[i] != "":
			s.NotMade = append(s.NotMade, NotMade{Reason: Retyped, Class: m.Class, Line: m.Line})
		case c.Same[i]:
			s.NotMade = append(s.NotMade, NotMade{Reason: Equivalent, Text: "the code is the same", Class: m.Class, Line: m.Line})
		default:
			kept = append(kept, m)
		}
	}
	s.Mutants = kept
}
