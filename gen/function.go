package gen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
)

func (g *goPackage) newFunction(zero jen.Code) *function {
	return &function{g: g, uses: &uses{}, block: &block{}, zero: zero}
}

// functionAt is newFunction for a place in the workflow, which the function's comment has.
func (g *goPackage) functionAt(at source.Span, zero jen.Code) *function {
	f := g.newFunction(zero)
	if at.IsValid() {
		f.block.place, f.file = g.positionOf(at), at.File
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

func (f *function) asValueWriter() valueWriter         { return valueWriter{f} }
func (f *function) asOperandWriter() operandWriter     { return operandWriter{f} }
func (f *function) asConditionWriter() conditionWriter { return conditionWriter{f} }
func (f *function) asTextWriter() textWriter           { return textWriter{f} }
func (f *function) asScriptWriter() scriptWriter       { return scriptWriter{f} }
func (f *function) asActionWriter() actionWriter       { return actionWriter{f} }
func (f *function) asLoopWriter() loopWriter           { return loopWriter{f} }

// taskVariable is the variable of a node, which becomes a parameter.
func (f *function) taskVariable(n *node) *jen.Statement {
	if f.body != nil && n.around == f.body {
		return jen.Id(tasksID).Dot(n.field)
	}
	if !slices.Contains(f.uses.nodes, n) {
		f.uses.nodes = append(f.uses.nodes, n)
		slices.SortFunc(f.uses.nodes, func(a, b *node) int { return a.index - b.index })
	}
	return jen.Id(n.task)
}

// newLocal returns a new name for a variable of the block, one of others if the name means
// something else there already.
func (f *function) newLocal(name string, others ...string) string {
	for _, try := range append([]string{name}, others...) {
		if f.isFree(try) {
			f.block.takeName(try)
			return try
		}
	}
	for i := 2; ; i++ {
		if try := name + itoa(i); f.isFree(try) {
			f.block.takeName(try)
			return try
		}
	}
}

// newShared is newLocal for a variable of the whole function.
func (f *function) newShared(name string) string {
	name = f.newLocal(name)
	f.rootBlock().takeName(name)
	return name
}

// isFree reports whether a name means nothing else in the block.
func (f *function) isFree(name string) bool {
	for b := f.block; b != nil; b = b.outer {
		if b.taken[name] {
			return false
		}
	}
	return f.g.names.isFree(name) && !f.g.loopNames[name]
}

// tryCall emits a call that may fail and returns the variable of its value. A
// value that was read before, here or in a block around, is not read again; key
// says what it is, and "" that it is not shared.
func (f *function) tryCall(key, name string, call *jen.Statement, at source.Span) *jen.Statement {
	if v := f.knownVariable(key); v != "" {
		return jen.Id(v)
	}
	f.fails = true
	if f.discards {
		f.g.addMarked(f.block, at, jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
		return jen.Id("_")
	}
	v := f.newLocal(name)
	f.g.addMarked(f.block, at, jen.List(jen.Id(v), jen.Err()).Op(":=").Add(call))
	f.block.err = true
	f.block.addCode(jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
	if key != "" {
		f.block.rememberRead(key, v)
	}
	return jen.Id(v)
}

// fillVariable emits a call that may fail and gives its value to a variable that is declared.
func (f *function) fillVariable(name string, call *jen.Statement, at source.Span) {
	f.fails = true
	declared := false
	for b := f.block; b != nil; b = b.outer {
		declared = declared || b.err
	}
	if !declared {
		f.block.addCode(jen.Var().Err().Error())
	}
	set := jen.List(jen.Id(name), jen.Err()).Op("=").Add(call)
	f.g.addMarked(f.block, at, jen.If(set, jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
}

// innerBlock writes the statements of an inner block and returns it.
func (f *function) innerBlock(write func()) []jen.Code {
	inner := &block{outer: f.block}
	f.block = inner
	write()
	f.block = inner.outer
	return inner.code
}

// knownVariable is the variable of an earlier read, here or in a block around, or "".
func (f *function) knownVariable(key string) string {
	for b := f.block; b != nil; b = b.outer {
		if v := b.read[key]; v != "" {
			return v
		}
	}
	return ""
}

// newPart begins a part of the function's node, for a place in the workflow. Its comment has the place
// unless it is the function's own.
func (f *function) newPart(name, deed string, at source.Span, result, zero *jen.Statement) *part {
	p := &part{function: f.g.functionAt(at, zero), name: name, doc: deed, result: result}
	if p.block.place != f.block.outermostBlock().place {
		p.doc = f.g.withPlace(deed, at)
	}
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

// partParams are the parameters.
func (p *part) partParams() []jen.Code {
	var list []jen.Code
	if !p.pure {
		list = append(list, jen.Id("c").Op("*").Qual(flowPath, contextType))
	}
	list = append(list, p.uses.parameterList()...)
	if len(p.tasks) > 0 {
		list = append(list, jen.Id(strings.Join(p.tasks, ", ")).Op("*").Id(p.tasksType))
	}
	if p.own != "" {
		list = append(list, jen.Id(p.own).Add(p.ownType))
	}
	return list
}

// declarePart writes the part.
func (p *part) declarePart(f *jen.File) {
	doc := p.doc + "."
	if p.condition != "" {
		doc = p.doc + ":" + conditionDoc(p.condition)
	}
	p.g.writeFunction(f, p.name, withNotes(doc, p.notes), p.partParams(), p.block.code, resultTypes(p.result, p.sure)...)
}

// noteOrigin notes which files a prompt comes from besides the workflow.
func (f actionWriter) noteOrigin(p *ir.Prompt) {
	names := p.Text.From
	if at := p.Text.Source.Span(0, 0); at.IsValid() && at.File != f.g.program.File && at.File != f.file {
		names = append([]string{at.File.Name}, names...)
	}
	var files []string
	for _, name := range names {
		files = plain.AddNew(files, "`"+cleanLine(baseName(name))+"`")
	}
	switch from := "The prompt is from " + strings.Join(files, " and "); {
	case len(files) == 0 && f.declares:
		f.addNote("The agent gets the schema of the output, because the file of the prompt declares the output.")
	case f.declares:
		f.addNote(from + ", which also declares the output, so the agent gets its schema.")
	case len(files) > 0:
		f.addNote(from + ".")
	}
}

// beginOf is where a text begins, or otherwise when that is not known.
func beginOf(t *template.Template, otherwise source.Span) source.Span {
	if t != nil {
		if at := t.Source.Span(0, 0); at.IsValid() {
			return at
		}
	}
	return otherwise
}

// ownVariable says that the function has the variable of something declared anyway: as a
// parameter that the kernel fills, or because it declares it.
func (f *function) ownVariable(d *expr.Declared) {
	plain.PutEntry(&f.owned, d, true)
	f.rootBlock().takeName(f.g.locals[d].name)
}

// boundLocal returns the variable of something declared outside of the function, which
// becomes a parameter unless the function owns it.
func (f *function) boundLocal(d *expr.Declared) *local {
	l := f.g.locals[d]
	if l != nil && !f.owned[d] {
		f.uses.addLocal(l)
	}
	return l
}

// takeOverNeeds takes over what a function that this one calls needs of the flow.
func (f *function) takeOverNeeds(u *uses) {
	f.takeOverNeedsAround(u, nil)
	for _, n := range u.previous {
		f.lastTask(n)
	}
}

// takeOverNeedsAround is takeOverNeeds without the tasks of a body, or nil, and of the previous iteration.
func (f *function) takeOverNeedsAround(u *uses, body *node) {
	f.uses.inputs = f.uses.inputs || u.inputs
	f.uses.iteration = f.uses.iteration || u.iteration && f.home == nil
	for _, n := range u.nodes {
		if body == nil || n.around != body {
			f.taskVariable(n)
		}
	}
	for _, l := range u.locals {
		if !f.owned[l.of] {
			f.uses.addLocal(l)
		}
	}
}

// useEvaluator is the function's evaluator, which it declares if it is new. The code must
// check its error; see checkEvaluator.
func (f *function) useEvaluator() *jen.Statement {
	if f.evaluates == "" {
		f.evaluates = f.newShared(evaluatorName)
		f.rootBlock().addCode(jen.Var().Id(f.evaluates).Qual(jinjaPath, "Eval"))
	}
	f.unchecked = true
	return jen.Id(f.evaluates)
}

// rootBlock is the function's outermost block.
func (f *function) rootBlock() *block { return f.block.outermostBlock() }

// checkEvaluator emits the return of the evaluator's error if the code before may have left
// one unchecked.
func (f *function) checkEvaluator() {
	if !f.unchecked {
		return
	}
	f.unchecked = false
	failed := jen.Err().Op(":=").Id(f.evaluates).Dot("Err").Call()
	f.block.addCode(jen.If(failed, jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
}

// shareValue is a value that the whole function shares, so that all parts of a template
// see one object.
func (f *function) shareValue(key, name string, code func() *jen.Statement) computed {
	root := f.rootBlock()
	v, known := root.read[key]
	if !known {
		v = f.newShared(name)
		plain.PutEntry(&root.read, key, v)
		root.addCode(jen.Id(v).Op(":=").Add(code()))
	}
	return computed{code: jen.Id(v), fails: true, level: unaryLevel}
}

// lastTask is the variable of a node in the previous iteration, which becomes a parameter.
func (f *function) lastTask(n *node) *jen.Statement {
	if f.body != nil && n.around == f.body {
		return lastTask(n)
	}
	f.uses.previous = plain.AddNew(f.uses.previous, n)
	return jen.Id(n.last)
}

// lastTask is the task of a node in the previous iteration where the nodes are spawned.
func lastTask(n *node) *jen.Statement { return jen.Id(lastID).Dot(n.field) }

// takeOverNeedsOfInner takes over what the function of a node needs of the flow around the body.
func (f *function) takeOverNeedsOfInner(m, body *node) {
	for _, u := range m.allUses() {
		f.takeOverNeedsAround(u, body)
	}
	for _, need := range m.Needs {
		if other := f.g.byID[need.Node.ID]; other.around != body {
			f.taskVariable(other)
		}
	}
}

// addNote adds a sentence to the comment of the function.
func (f *function) addNote(sentence string) {
	f.notes = plain.AddNew(f.notes, sentence)
}

// withNotes is a comment with its notes.
func withNotes(text string, notes []string) string {
	return strings.Join(append([]string{text}, notes...), " ")
}

// declareVariable says what the variable of something declared is.
func (f *function) declareVariable(d *expr.Declared, name string, form form) {
	if f.vars == nil {
		f.vars, f.varReads = map[*expr.Declared]variable{}, map[*expr.Declared]int{}
	}
	f.vars[d] = variable{name: name, form: form}
}

// handOver ends a part and returns the function value that calls it with what it needs
// of the flow. param is the name of the parameter that the kernel fills besides the
// context, "" for none, and typ its type.
func (f *function) handOver(p *part, param string, typ *jen.Statement) *jen.Statement {
	f.parts = slices.Concat(f.parts, []*part{p}, p.function.parts)
	f.takeOverNeeds(p.uses)
	if !p.sure && p.tasks == nil && (p.uses.needsOnly(param) || p.own != "" && p.uses.needsOnly("")) {
		return jen.Id(p.name)
	}
	var params, args []jen.Code
	if !p.pure {
		params, args = append(params, jen.Id("c").Op("*").Qual(flowPath, contextType)), append(args, jen.Id("c"))
	}
	switch {
	case param == "":
	case p.own != "", len(p.given) > 0, p.uses.readsLocal(param):
		params = append(params, jen.Id(param).Add(typ))
	default:
		params = append(params, jen.Id("_").Add(typ))
	}
	args = slices.Concat(args, p.uses.argumentList(f.taskVariable, f.lastTask, p.given), codesOf(p.tasks, jen.Id))
	if p.own != "" {
		args = append(args, jen.Id(param))
	}
	return jen.Func().Params(params...).Params(p.result, jen.Error()).Block(returnCall(p.name, args, p.sure))
}

// handPart is handOver for a part with an additional parameter.
func (f *function) handPart(p *part) *jen.Statement { return f.handOver(p, p.own, p.ownType) }

// holdText puts a long text into a variable; a short one is used in place. If the text may
// fail, the code checks the error.
func (f *function) holdText(name string, t textCode) *jen.Statement {
	if t.held || !t.long && (t.constant || !f.g.opt.LineDirectives) {
		return t.code
	}
	f.g.addMarked(f.block, t.first, jen.Id(name).Op(":=").Add(t.code))
	return jen.Id(name)
}

// iterationVariable is the code of the variables that an iteration gives a
// value to, nil for others.
func iterationVariable(v expr.Variable) *jen.Statement {
	switch v {
	case expr.LoopUserInput:
		return jen.Id(iterationID).Dot("Answer")
	case expr.LoopPrevOutput:
		return jen.Id(iterationID).Dot("Previous")
	}
	return nil
}

// rejectionVariable is the code of the variable that a rejection gives a value
// to, nil for others.
func rejectionVariable(v expr.Variable) *jen.Statement {
	if v == expr.RejectionReason {
		return jen.Id(reasonID)
	}
	return nil
}

// returnCall is the statement that returns what a function returns.
func returnCall(name string, args []jen.Code, sure bool) *jen.Statement {
	result := []jen.Code{jen.Id(name).Call(args...)}
	if sure {
		result = append(result, jen.Nil())
	}
	return jen.Return(result...)
}

// closureCalling is a function value that calls a function with what it needs of the flow;
// params are those that the kernel fills. A sure function returns no error, which the
// literal adds.
func closureCalling(name string, params, args []jen.Code, results *jen.Statement, sure bool) *jen.Statement {
	if len(params)+len(args) == 0 && !sure {
		return jen.Id(name)
	}
	return jen.Func().Params(params...).Add(results).Add(oneLine(returnCall(name, args, sure)))
}

// parameterList are the function's parameters after the context: those of every function
// have the same order.
func (u *uses) parameterList() []jen.Code {
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
		for ; i < len(tasks) && tasks[i].sharesTypeWith(first); i++ {
			ids = append(ids, jen.Id(name(i)))
		}
		list = append(list, jen.List(ids...).Op("*").Qual(flowPath, "Task").Types(first.value))
	}
	for _, l := range u.locals {
		list = append(list, jen.Id(l.name).Add(l.localType()))
	}
	if u.iteration {
		list = append(list, jen.Id(iterationID).Op("*").Qual(stepsPath, "Iteration"))
	}
	return list
}

// argumentList are the arguments for params; task makes the variable of a node, last that of one
// in the previous iteration, and given are the values of locals in no variable.
func (u *uses) argumentList(task, last func(*node) *jen.Statement, given map[*expr.Declared]*jen.Statement) []jen.Code {
	var list []jen.Code
	if u.inputs {
		list = append(list, jen.Id("in"))
	}
	list = slices.Concat(list, codesOf(u.nodes, task), codesOf(u.previous, last),
		codesOf(u.locals, func(l *local) *jen.Statement { return cmp.Or(given[l.of], jen.Id(l.name)) }))
	if u.iteration {
		list = append(list, jen.Id(iterationID))
	}
	return list
}

// addLocal notes that a function reads a variable.
func (u *uses) addLocal(l *local) {
	if !slices.Contains(u.locals, l) {
		u.locals = append(u.locals, l)
		slices.SortFunc(u.locals, func(a, b *local) int { return a.order - b.order })
	}
}

// needsOnly reports whether a function needs nothing of the flow but one variable, or
// nothing if that is "".
func (u *uses) needsOnly(name string) bool {
	if u.inputs || len(u.nodes) > 0 || len(u.previous) > 0 || u.iteration {
		return false
	}
	return name == "" && len(u.locals) == 0 || len(u.locals) == 1 && u.locals[0].name == name
}

// readsLocal reports whether a function needs a variable that the kernel fills.
func (u *uses) readsLocal(name string) bool {
	return u.iteration && name == iterationID || slices.ContainsFunc(u.locals, func(l *local) bool { return l.name == name })
}

func flowParams() []jen.Code {
	return []jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType), jen.Id("in").Id("Inputs")}
}
