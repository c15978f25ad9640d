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
	// Unfit are the mutants that cannot share the package, with the declaration that prevents
	// it, and Same those with the code of the workflow itself.
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
		imports: map[string]string{}, calls: map[string][]call{}, literals: map[int][]alternative{}}
	for i, text := range mutants {
		u, err := parseUnit(text)
		if err != nil {
			return nil, err
		}
		c.addMutant(i, u)
	}
	c.writeFiles()
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
	// flows are the cases for mutants with another flow, which flowed lists.
	flows  bytes.Buffer
	flowed []int
	// literals are the alternatives of composite literals, by the place of the literal.
	literals map[int][]alternative
}

// shared are declarations that a mutant shares with the workflow: they describe it, or no
// test uses them.
var shared = map[string]bool{"Workflow": true, "Run": true, "sourceText": true, "_": true}

// descriptions are tables that only describe the workflow, unless a function uses them.
var descriptions = map[string]bool{"nodes": true, "inputs": true}

// A change is a mutant with the declarations that differ.
type change struct {
	*unit
	// changed are the declarations with other code, and others those that cannot have their
	// old name, because they are new or have another type. names are the identifiers of the
	// latter.
	changed, others, names map[string]bool
}

func (c *combiner) addMutant(i int, u *unit) {
	m := &change{unit: u, changed: map[string]bool{}, others: map[string]bool{}, names: map[string]bool{}}
	for _, name := range u.order {
		d, old := u.decls[name], c.base.decls[name]
		switch {
		case shared[name], old != nil && old.code == d.code:
		case d.kind == funcKind && old != nil && old.kind == funcKind && old.signature == d.signature && old.canForwardCall():
			m.changed[name] = true
		default:
			m.renameDeclaration(name)
		}
	}
	for again := true; again; {
		again = false
		for _, name := range u.order {
			d := u.decls[name]
			switch {
			case shared[name] || m.others[name]:
			case d.kind == funcKind && d.signatureUsesAny(m.names) || d.kind != funcKind && d.usesAny(m.names):
				m.renameDeclaration(name)
				again = true
			case d.kind == funcKind && !m.changed[name] && d.usesAny(m.names):
				if m.changed[name] = true; !c.base.decls[name].canForwardCall() {
					m.renameDeclaration(name)
				}
				again = true
			}
		}
	}
	flow := m.others["workflow"]
	if !flow && !slices.ContainsFunc(u.order, func(name string) bool { return m.changed[name] && !m.others[name] }) {
		for name := range m.changed {
			if !descriptions[name] {
				c.code.Unfit[i] = name
				return
			}
		}
		c.code.Same[i] = true
		return
	}
	c.writeDeclarations(i, m, flow)
}

// renameDeclaration gives a declaration another name.
func (m *change) renameDeclaration(name string) {
	m.changed[name], m.others[name] = true, true
	for _, id := range m.decls[name].names {
		m.names[id] = true
	}
}

// writeDeclarations adds the declarations of a mutant. With flow, the whole flow of the workflow differs.
func (c *combiner) writeDeclarations(i int, m *change, flow bool) {
	suffix := fmt.Sprintf("Mutant%d", i+1)
	use := func(d *decl) {
		for _, imported := range d.usedPackages(m.imports) {
			c.imports[imported] = m.imports[imported]
		}
	}
	for _, name := range m.order {
		d := m.decls[name]
		if !m.changed[name] || descriptions[name] && !(flow && name == "inputs") && !m.isUsed(name) {
			continue
		}
		if d.kind == funcKind && !m.others[name] {
			if list, ok := c.findAlternatives(i, m, name, suffix); ok {
				for _, a := range list {
					c.literals[a.start] = append(c.literals[a.start], a)
				}
				continue
			}
		}
		c.body.WriteString(d.renamedCode(m, suffix) + "\n\n")
		use(d)
		if d.kind == funcKind && !m.others[name] {
			c.calls[name] = append(c.calls[name], call{i, d.name + suffix})
		}
	}
	if flow {
		value := m.decls["Workflow"].literalField(definitionFlow)
		fmt.Fprintf(&c.flows, "case %d: return %s(c)\n", i+1, value.renamedCode(m, suffix))
		use(value)
		c.flowed = append(c.flowed, i)
	}
}

// definitionFlow is the field of a definition that has the flow.
const definitionFlow = "Flow"

// isUsed reports whether a changed function uses a declaration.
func (m *change) isUsed(name string) bool {
	for other := range m.changed {
		if d := m.decls[other]; other != name && d.usesAny(map[string]bool{name: true}) {
			return true
		}
	}
	return false
}

// writeFiles writes both files.
func (c *combiner) writeFiles() {
	var edits []edit
	names := slices.Sorted(maps.Keys(c.calls))
	for place, name := range names {
		d := c.base.decls[name]
		params := d.forwardedArguments(c.base, &edits)
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
		at := c.base.fileOffset(d.fn.Body.Lbrace) + 1
		edits = append(edits, edit{at, at, fmt.Sprintf(" switch selected(%d) { %s};", place, cases.String())})
	}
	places := len(names)
	for _, at := range slices.Sorted(maps.Keys(c.literals)) {
		edits = append(edits, c.selectionEdits(c.literals[at], places)...)
		places++
	}
	value := c.base.decls["Workflow"].literalField(definitionFlow)
	edits = append(edits, edit{value.start, value.start, "selectedFlow("}, edit{value.end, value.end, ")"})
	for _, i := range c.flowed {
		c.code.Places[i] = append(c.code.Places[i], places)
	}
	c.imports["flow"] = flowPath
	c.code.File = applyEdits(c.base.src, edits)
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

// selectedFlow returns the flow of the selected mutant, if that differs as a whole.
func selectedFlow(own func(*flow.Context) (any, error)) func(*flow.Context) (any, error) {
	return func(c *flow.Context) (any, error) {
		switch selected(%d) {
%s		}
		return own(c)
	}
}

`, places+1, places, c.flows.String())
	b.Write(c.body.Bytes())
	c.code.Mutants = b.Bytes()
}

// flowPath is the import path of the kernel.
const flowPath = "github.com/wfc-lang/wfc/runtime/flow"

// canForwardCall reports whether a call can hand on all parameters of the function.
func (d *decl) canForwardCall() bool {
	if d.fn.Recv != nil && d.receiver == "" {
		return false
	}
	return !slices.ContainsFunc(d.fn.Type.Params.List, func(p *ast.Field) bool { return len(p.Names) == 0 })
}

// forwardedArguments returns the arguments of a call that hands on the parameters. Edits give names
// to those that have none.
func (d *decl) forwardedArguments(u *unit, edits *[]edit) string {
	var list []string
	for _, p := range d.fn.Type.Params.List {
		for _, name := range p.Names {
			arg := name.Name
			if arg == "_" {
				arg = fmt.Sprintf("unused%d", len(list))
				at := u.fileOffset(name.Pos())
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
