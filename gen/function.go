package gen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A function is one generated function while its body is written. What the
// body needs of the flow becomes its parameters.
type function struct {
	g     *goPackage
	uses  *uses
	block *block
	file  *source.File // which its place is in, or nil
	zero  jen.Code     // what it returns with an error
	home  home         // of variables that have a value here; nil for none
	parts []*part      // functions that it hands to the kernel
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
	// fails says that it returns an error of a value that cannot be read, and sure that the
	// condition that it decides cannot fail.
	fails, sure bool
	// whole is the comparison that the condition is, or nil: it can have statements of its own.
	whole *expr.Relation
	// declares says that the file of its prompt declares the output.
	declares bool
	// requires says that it notes files that must exist.
	requires bool
	// discards says that values are only evaluated, so that none gets a variable.
	discards bool
	// notes are sentences of its comment.
	notes []string
	// vars are the variables of what templates declare.
	vars map[*expr.Declared]variable
	// varReads counts how often the code reads each of them.
	varReads map[*expr.Declared]int
	// body is the node whose function it is and that holds the tasks of the nodes inside
	// it, or nil.
	body *node
	// holdsLast says that it also holds those of the previous iteration.
	holdsLast bool
	// answers says that the node is in a loop whose iterations get answers.
	answers bool
}

// uses says what a function needs of the flow.
type uses struct {
	inputs bool
	nodes  []*node
	// previous are nodes in the previous iteration of the loop around them.
	previous []*node
	locals   []*local
	// iteration says that it reads the iteration of that loop.
	iteration bool
}

// A block is a list of statements with the values that were read in it.
type block struct {
	outer *block
	code  []jen.Code
	read  map[string]string // variable by what it holds
	taken map[string]bool   // its variables
	err   bool              // says that it has the variable err
	place string            // the position in the comment of the function that it is the body of
}

// root is the outermost block around the block.
func (b *block) root() *block {
	for b.outer != nil {
		b = b.outer
	}
	return b
}

func (b *block) add(code ...jen.Code) { b.code = append(b.code, code...) }

// take notes a variable of the block.
func (b *block) take(name string) {
	if b.taken == nil {
		b.taken = map[string]bool{}
	}
	b.taken[name] = true
}

// remember notes the variable of what was read.
func (b *block) remember(key, name string) {
	if b.read == nil {
		b.read = map[string]string{}
	}
	b.read[key] = name
}

func (g *goPackage) newFunction(zero jen.Code) *function {
	return &function{g: g, uses: &uses{}, block: &block{}, zero: zero}
}

// functionAt is newFunction for a place in the workflow, which the function's comment has.
func (g *goPackage) functionAt(at source.Span, zero jen.Code) *function {
	f := g.newFunction(zero)
	if at.IsValid() {
		f.block.place, f.file = g.position(at), at.File
	}
	return f
}

// The writers of a function's body write into it and hold nothing else: values of templates,
// other operands, conditions, texts, scripts with what they get, actions, and loops.
type (
	valueWriter     struct{ *function }
	operandWriter   struct{ *function }
	conditionWriter struct{ *function }
	textWriter      struct{ *function }
	scriptWriter    struct{ *function }
	actionWriter    struct{ *function }
	loopWriter      struct{ *function }
)

func (f *function) values() valueWriter         { return valueWriter{f} }
func (f *function) operands() operandWriter     { return operandWriter{f} }
func (f *function) conditions() conditionWriter { return conditionWriter{f} }
func (f *function) texts() textWriter           { return textWriter{f} }
func (f *function) scripts() scriptWriter       { return scriptWriter{f} }
func (f *function) actions() actionWriter       { return actionWriter{f} }
func (f *function) loops() loopWriter           { return loopWriter{f} }

// task is the variable of a node, which becomes a parameter.
func (f *function) task(n *node) *jen.Statement {
	if f.body != nil && n.around == f.body {
		return jen.Id(tasksID).Dot(n.field)
	}
	if !slices.Contains(f.uses.nodes, n) {
		f.uses.nodes = append(f.uses.nodes, n)
		slices.SortFunc(f.uses.nodes, func(a, b *node) int { return a.index - b.index })
	}
	return jen.Id(n.task)
}

// local returns a new name for a variable of the block, one of others if the name means
// something else there already.
func (f *function) local(name string, others ...string) string {
	for _, try := range append([]string{name}, others...) {
		if f.free(try) {
			f.block.take(try)
			return try
		}
	}
	for i := 2; ; i++ {
		if try := name + itoa(i); f.free(try) {
			f.block.take(try)
			return try
		}
	}
}

// shared is local for a variable of the whole function.
func (f *function) shared(name string) string {
	name = f.local(name)
	f.root().take(name)
	return name
}

// free reports whether a name means nothing else in the block.
func (f *function) free(name string) bool {
	for b := f.block; b != nil; b = b.outer {
		if b.taken[name] {
			return false
		}
	}
	return f.g.names.free(name) && !f.g.loopNames[name]
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
	f.fails = true
	if f.discards {
		f.g.mark(f.block, at, jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
		return jen.Id("_")
	}
	v := f.local(name)
	f.g.mark(f.block, at, jen.List(jen.Id(v), jen.Err()).Op(":=").Add(call))
	f.block.err = true
	f.block.add(jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
	if key != "" {
		f.block.remember(key, v)
	}
	return jen.Id(v)
}

// fill emits a call that may fail and gives its value to a variable that is declared.
func (f *function) fill(name string, call *jen.Statement, at source.Span) {
	f.fails = true
	declared := false
	for b := f.block; b != nil; b = b.outer {
		declared = declared || b.err
	}
	if !declared {
		f.block.add(jen.Var().Err().Error())
	}
	set := jen.List(jen.Id(name), jen.Err()).Op("=").Add(call)
	f.g.mark(f.block, at, jen.If(set, jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
}

// inside writes the statements of an inner block and returns it.
func (f *function) inside(write func()) []jen.Code {
	inner := &block{outer: f.block}
	f.block = inner
	write()
	f.block = inner.outer
	return inner.code
}

// known is the variable of what was read before, here or in a block around, or "".
func (f *function) known(key string) string {
	for b := f.block; b != nil; b = b.outer {
		if v := b.read[key]; v != "" {
			return v
		}
	}
	return ""
}

// params are the function's parameters after the context: those of every function
// have the same order.
func (u *uses) params() []jen.Code {
	var list []jen.Code
	if u.inputs {
		list = append(list, jen.Id("in").Id("Inputs"))
	}
	tasks := u.nodes[:len(u.nodes):len(u.nodes)]
	name := func(i int) string {
		if i < len(u.nodes) {
			return u.nodes[i].task
		}
		return u.previous[i-len(u.nodes)].last
	}
	tasks = append(tasks, u.previous...)
	for i := 0; i < len(tasks); {
		first := tasks[i]
		var ids []jen.Code
		for ; i < len(tasks) && tasks[i].alike(first); i++ {
			ids = append(ids, jen.Id(name(i)))
		}
		list = append(list, jen.List(ids...).Op("*").Qual(flowPath, "Task").Types(first.value))
	}
	for _, l := range u.locals {
		list = append(list, jen.Id(l.name).Add(l.code()))
	}
	if u.iteration {
		list = append(list, jen.Id(iterationID).Op("*").Qual(stepsPath, "Iteration"))
	}
	return list
}

// args are the arguments for params; task makes the variable of a node, last that of one
// in the previous iteration, and given are the values of locals in no variable.
func (u *uses) args(task, last func(*node) *jen.Statement, given map[*expr.Declared]*jen.Statement) []jen.Code {
	var list []jen.Code
	if u.inputs {
		list = append(list, jen.Id("in"))
	}
	for _, n := range u.nodes {
		list = append(list, task(n))
	}
	for _, n := range u.previous {
		list = append(list, last(n))
	}
	for _, l := range u.locals {
		if value := given[l.of]; value != nil {
			list = append(list, value)
			continue
		}
		list = append(list, jen.Id(l.name))
	}
	if u.iteration {
		list = append(list, jen.Id(iterationID))
	}
	return list
}

// A part is a function that a node's own function hands to the kernel: what an
// iteration does, what tests a loop, what follows a rejection.
type part struct {
	*function
	// name is its name, and doc says what it does; a condition is what it decides by.
	name, doc, condition string
	// own is the last parameter, which the kernel fills, and ownType its type.
	own     string
	ownType *jen.Statement
	// given are the values of locals that are in no variable of their own.
	given map[*expr.Declared]*jen.Statement
	// result is the type of what it returns besides the error.
	result *jen.Statement
	// pure says that it performs nothing, so that it gets no context.
	pure bool
	// tasks are its parameters for the tasks of a body, all of tasksType.
	tasks     []string
	tasksType string
}

// A home is the code of the variables that have a value in a part and nowhere
// else: nil for the others.
type home func(expr.Variable) *jen.Statement

// part begins a part of the function's node, for a place in the workflow.
func (f *function) part(name, deed string, at source.Span, result, zero *jen.Statement) *part {
	p := &part{function: f.g.functionAt(at, zero), name: name, doc: f.g.placed(deed, at), result: result}
	p.answers = f.answers
	return p
}

// inIteration makes the part one that is called with an iteration of a loop.
func (p *part) inIteration() *part {
	p.own, p.ownType, p.home = iterationID, jen.Op("*").Qual(stepsPath, "Iteration"), iterationVariable
	return p
}

// inBody makes the part one that is called with the tasks of the nodes inside n.
func (p *part) inBody(n *node, last bool) {
	p.body, p.tasks, p.tasksType = n, []string{tasksID}, n.tasks
	if last {
		p.tasks = append(p.tasks, lastID)
	}
}

// afterRejection makes the part one that is called with what a person said who
// rejected.
func (p *part) afterRejection() *part {
	p.own, p.ownType, p.home = reasonID, jen.String(), rejectionVariable
	return p
}

// flowResult is the type of what an action comes to.
func flowResult() *jen.Statement { return jen.Qual(flowPath, "Result") }

// params are the parameters.
func (p *part) params() []jen.Code {
	var list []jen.Code
	if !p.pure {
		list = append(list, jen.Id("c").Op("*").Qual(flowPath, contextType))
	}
	list = append(list, p.uses.params()...)
	if len(p.tasks) > 0 {
		list = append(list, jen.Id(strings.Join(p.tasks, ", ")).Op("*").Id(p.tasksType))
	}
	if p.own != "" {
		list = append(list, jen.Id(p.own).Add(p.ownType))
	}
	return list
}

// declare writes the part.
func (p *part) declare(f *jen.File) {
	doc := p.doc + "."
	if p.condition != "" {
		doc = p.doc + ":" + conditionDoc(p.condition)
	}
	p.g.function(f, p.name, noted(doc, p.notes), p.params(), p.block.code, results(p.result, p.sure)...)
}

// noteOrigin notes which files a prompt comes from besides the workflow.
func (f actionWriter) noteOrigin(p *ir.Prompt) {
	names := p.Text.From
	if at := p.Text.Source.Span(0, 0); at.IsValid() && at.File != f.g.program.File && at.File != f.file {
		names = append([]string{at.File.Name}, names...)
	}
	var files []string
	for _, name := range names {
		if name = "`" + cleanLine(baseName(name)) + "`"; !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	switch from := "The prompt is from " + strings.Join(files, " and "); {
	case len(files) == 0 && f.declares:
		f.note("The agent gets the schema of the output, because the file of the prompt declares the output.")
	case f.declares:
		f.note(from + ", which also declares the output, so the agent gets its schema.")
	case len(files) > 0:
		f.note(from + ".")
	}
}

// place is where a text begins, or otherwise when that is not known.
func place(t *template.Template, otherwise source.Span) source.Span {
	if t != nil {
		if at := t.Source.Span(0, 0); at.IsValid() {
			return at
		}
	}
	return otherwise
}

// agentOf is the name of the agent that a node asks, or "".
func agentOf(n *ir.Node) string {
	if names := agentsOf(n); len(names) > 0 && !isBody(n) {
		return names[0]
	}
	return ""
}

// agentsOf are the names of the agents that a node and those inside it ask.
func agentsOf(n *ir.Node) (names []string) {
	for _, a := range n.Actions() {
		if p, ok := a.(*ir.Prompt); ok {
			names = append(names, p.Agent.Name)
		}
	}
	return names
}

// eachNode visits a node and those inside it.
func eachNode(n *ir.Node, visit func(*ir.Node)) {
	visit(n)
	for _, inner := range n.Inner() {
		eachNode(inner, visit)
	}
}
