package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
)

// A function is one generated function while its body is written. What the
// body needs of the flow becomes its parameters.
type function struct {
	g     *generator
	uses  *uses
	block *block
	zero  jen.Code // what it returns with an error
	taken map[string]bool
	home  home    // of variables that have a value here; nil for none
	parts []*part // functions that it hands to the kernel
	// remade is what a prompt's text goes through that a person has looked at, or
	// nil.
	remade *jen.Statement
	// tail is what is appended to the prompt, or nil.
	tail *jen.Statement
	// owned are the things declared that the function has without being given
	// them; see dynamic.go.
	owned map[*expr.Declared]bool
	// evaluates is the variable of the evaluator, or "" while there is none, and
	// unchecked says that its error has not been looked at since it was used.
	evaluates string
	unchecked bool
	// vars are the variables of what templates declare.
	vars map[*expr.Declared]variable
}

// uses says what a function needs of the flow.
type uses struct {
	inputs bool
	nodes  []*node
	locals []*local
}

// A block is a list of statements with the values that were read in it.
type block struct {
	outer *block
	code  []jen.Code
	read  map[string]string // variable by what it holds
}

func (b *block) add(code ...jen.Code) { b.code = append(b.code, code...) }

func (g *generator) newFunction(zero jen.Code) *function {
	return &function{g: g, uses: &uses{}, block: &block{}, zero: zero, taken: map[string]bool{}}
}

// task is the variable of a node, which becomes a parameter.
func (f *function) task(n *node) *jen.Statement {
	for _, known := range f.uses.nodes {
		if known == n {
			return jen.Id(n.task)
		}
	}
	f.uses.nodes = append(f.uses.nodes, n)
	return jen.Id(n.task)
}

// local returns a new name for a variable of the function.
func (f *function) local(name string) string {
	for i, try := 2, name; ; i++ {
		if f.g.names.free(try) && !f.taken[try] && !f.g.loopNames[try] {
			f.taken[try] = true
			return try
		}
		try = name + itoa(i)
	}
}

// try emits a call that may fail and returns the variable of its value. A
// value that was read before, here or in a block around, is not read again; key
// says what it is, and "" that it is not shared.
func (f *function) try(key, name string, call *jen.Statement, at source.Span) *jen.Statement {
	for b := f.block; b != nil && key != ""; b = b.outer {
		if v, ok := b.read[key]; ok {
			return jen.Id(v)
		}
	}
	v := f.local(name)
	f.g.add(f.block, at, jen.List(jen.Id(v), jen.Err()).Op(":=").Add(call))
	f.block.add(jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
	if key != "" {
		if f.block.read == nil {
			f.block.read = map[string]string{}
		}
		f.block.read[key] = v
	}
	return jen.Id(v)
}

// add appends a statement; its place stands beside it unless a message in it has one.
func (f *function) add(at source.Span, stmt *jen.Statement) {
	if f.unchecked {
		f.g.mark(f.block, at, stmt)
		return
	}
	f.g.add(f.block, at, stmt)
}

// inside writes the statements of an inner block and returns it.
func (f *function) inside(write func()) []jen.Code {
	inner := &block{outer: f.block}
	f.block = inner
	write()
	f.block = inner.outer
	return inner.code
}

// params are the function's parameters after the context.
func (u *uses) params() []jen.Code {
	var list []jen.Code
	if u.inputs {
		list = append(list, jen.Id("in").Id("Inputs"))
	}
	for _, n := range u.nodes {
		list = append(list, jen.Id(n.task).Op("*").Qual(flowPath, "Task").Types(n.value))
	}
	for _, l := range u.locals {
		list = append(list, jen.Id(l.name).Add(l.code()))
	}
	return list
}

// args are the arguments for params; task makes the variable of a node.
func (u *uses) args(task func(*node) *jen.Statement) []jen.Code {
	var list []jen.Code
	if u.inputs {
		list = append(list, jen.Id("in"))
	}
	for _, n := range u.nodes {
		list = append(list, task(n))
	}
	for _, l := range u.locals {
		list = append(list, jen.Id(l.name))
	}
	return list
}
