package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Nodes that run others inside them: a loop whose body is a DAG, and a block that runs for
// each item of a list. The function of the node hands the kernel a function that spawns the
// nodes of one iteration, or of one item:
//
//	func iterateFix(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
//		return steps.RunNodes(c, func(c *flow.Context) []flow.AnyTask {
//			fixChange := flow.Spawn(c, …)
//			fixTest := flow.Spawn(c, …)
//			return []flow.AnyTask{fixTest}
//		})
//	}
//
// If the next iteration or the test of the loop reads the nodes, their tasks are fields of
// a struct instead, which the function of the node holds. So are those of a long body,
// which is cut like a long flow.

// iterationOf writes the function that runs the nodes of an iteration and returns what
// calls it.
func (f loopWriter) iterationOf(n *node) *jen.Statement {
	part := f.newPart(n.iterate, fmt.Sprintf("runs the nodes of an iteration of node `%s`", n.ID), n.IDSpan, flowResult(), flowResult().Values()).inIteration()
	loop := n.Action.(*ir.Loop)
	now, last := readsInTest(loop, n)
	last = last || readsLast(n.inner)
	f.spawnInside(part, n, loop.Last, tasksKept{now || last || len(n.inner) > chunkSize, last})
	return f.handOver(part, iterationID, jen.Op("*").Qual(stepsPath, "Iteration"))
}

// tasksKept says which tasks of a body the function of its node holds.
type tasksKept struct {
	// now says that it holds those of the iteration, and last those of the previous one.
	now, last bool
}

// readsInTest reports whether the test of a loop reads nodes of the iteration, and of the
// previous one.
func readsInTest(loop *ir.Loop, n *node) (now, last bool) {
	if loop.Until == nil {
		return false, false
	}
	inside := map[string]bool{}
	for _, inner := range n.inner {
		inside[inner.ID] = true
	}
	read := func(id string, previous bool) {
		now, last = now || inside[id] && !previous, last || inside[id] && previous
	}
	for _, b := range loop.Until.Bindings {
		expr.Walk(b.Value, func(e expr.Expr) bool {
			switch e := e.(type) {
			case *expr.Output:
				read(e.Node, e.Previous)
			case *expr.Field:
				read(e.Node, e.Previous)
			}
			return true
		})
	}
	return now, last
}

// spawnInside writes the function that spawns the nodes inside a node. last are those with
// the output.
func (f loopWriter) spawnInside(p *part, n *node, last []*ir.Node, keeps tasksKept) {
	for _, end := range last {
		f.g.byID[end.ID].terminal = true
	}
	task := func(m *node) *jen.Statement {
		switch {
		case m.around != n:
			return p.taskVariable(m)
		case keeps.now:
			return jen.Id(tasksID).Dot(m.field)
		}
		return jen.Id(m.task)
	}
	nodes := f.g.orderedOf(n.inner)
	body := &block{}
	if len(nodes) > chunkSize {
		f.cutInside(p, n, nodes, body)
	} else {
		used := usedTasks(nodes)
		for _, m := range nodes {
			p.takeOverNeedsOfInner(m, n)
			set := &jen.Statement{}
			switch {
			case keeps.now:
				set = task(m).Op("=")
			case used[m]:
				set = task(m).Op(":=")
			}
			f.g.addMarked(body, m.IDSpan, set.Add(spawner{f.g}.spawnCall(m, task)))
		}
	}
	ends := codesOf(last, func(end *ir.Node) *jen.Statement { return task(f.g.byID[end.ID]) })
	body.addCode(jen.Return(jen.Index().Qual(flowPath, "AnyTask").Values(ends...)))
	if !anyUse(nodes, func(u *uses) bool { return u.iteration }) {
		p.own = ""
	}
	if keeps.now {
		f.keepTasks(p, n, keeps)
	}
	spawn := jen.Func().Params(jen.Id("c").Op("*").Qual(flowPath, contextType)).Index().Qual(flowPath, "AnyTask").Block(body.code...)
	run := jen.Qual(stepsPath, "RunNodes").Call(jen.Id("c"), spawn)
	if _, block := n.Action.(*ir.Block); !block {
		f.g.addMarked(p.block, n.IDSpan, jen.Return(run))
		return
	}
	f.g.addMarked(p.block, n.IDSpan, jen.Return(jen.Qual(flowPath, "TextOf").Call(run)))
}

// keepTasks has the function hold the tasks of a body.
func (f loopWriter) keepTasks(p *part, n *node, keeps tasksKept) {
	f.body, f.holdsLast = n, keeps.last
	p.tasks = []string{tasksID}
	tasks := jen.Op("&").Id(n.tasks).Values()
	held := jen.Id(tasksID).Op(":=").Add(tasks)
	if keeps.last {
		p.tasks = append(p.tasks, lastID)
		held = jen.List(jen.Id(tasksID), jen.Id(lastID)).Op(":=").List(tasks, tasks)
		p.block.addCode(f.g.withComment(jen.Op("*").Id(lastID).Op("=").Op("*").Id(tasksID), ("its tasks are nil in the first iteration; a nil task is Pending, and its Text is \"\"")))
	}
	p.tasksType = n.tasks
	f.rootBlock().code = append([]jen.Code{held}, f.rootBlock().code...)
	n.types = append(n.types, f.g.tasksType(n))
}

// readsLast reports whether one of the nodes reads another in the previous iteration.
func readsLast(nodes []*node) bool {
	return anyUse(nodes, func(u *uses) bool { return len(u.previous) > 0 })
}

// anyUse reports whether the code of one of the nodes has uses of a kind.
func anyUse(nodes []*node, is func(*uses) bool) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool { return slices.ContainsFunc(n.allUses(), is) })
}

// allUses are the uses of a node's condition, if it has one, and of its function.
func (n *node) allUses() []*uses {
	if n.whenCode.uses == nil {
		return []*uses{n.runCode.uses}
	}
	return []*uses{n.whenCode.uses, n.runCode.uses}
}

// tasksType declares the struct of a body's tasks.
func (g *style) tasksType(n *node) func(*jen.File) {
	return func(f *jen.File) {
		g.writeDoc(f, n.tasks+" are the nodes of an iteration of "+n.doc+".")
		f.Type().Id(n.tasks).StructFunc(func(s *jen.Group) {
			for _, m := range n.inner {
				s.Id(m.field).Op("*").Qual(flowPath, "Task").Types(m.value)
			}
		})
	}
}

// cutInside writes the spawns of a long body as several functions over the struct of its
// tasks.
func (f loopWriter) cutInside(p *part, n *node, nodes []*node, body *block) {
	for number := 1; len(nodes) > 0; number++ {
		chunk := nodes[:min(chunkSize, len(nodes))]
		nodes = nodes[len(chunk):]
		name := f.g.names.takeName(fmt.Sprintf("%sPart%d", n.iterate, number))
		piece := f.g.newFunction(nil)
		task := func(m *node) *jen.Statement {
			if m.around == n {
				return jen.Id(tasksID).Dot(m.field)
			}
			return piece.taskVariable(m)
		}
		for _, m := range chunk {
			piece.takeOverNeedsOfInner(m, n)
			f.g.addMarked(piece.block, m.IDSpan, task(m).Op("=").Add(spawner{f.g}.spawnCall(m, task)))
		}
		params := append([]jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType)}, piece.uses.parameterList()...)
		args := append([]jen.Code{jen.Id("c")}, piece.uses.argumentList(p.taskVariable, nil, nil)...)
		if readsLast(chunk) {
			params, args = append(params, jen.Id(lastID).Op("*").Id(n.tasks)), append(args, jen.Id(lastID))
		}
		p.takeOverNeeds(&uses{inputs: piece.uses.inputs, nodes: slices.Clip(piece.uses.nodes), locals: slices.Clip(piece.uses.locals)})
		body.addCode(jen.Id(tasksID).Dot(name).Call(args...))
		n.more = append(n.more, func(file *jen.File) {
			f.g.writeDoc(file, name+" is a part of an iteration of "+n.doc+".")
			file.Func().Params(jen.Id(tasksID).Op("*").Id(n.tasks)).Id(name).Params(params...).Block(piece.block.code...)
		})
	}
}

// blockOf runs the nodes inside for each item of a list.
func (f loopWriter) blockOf(n *node, a *ir.Block) {
	f.ownVariable(a.Fan.Item)
	part := f.newPart(n.iterate, fmt.Sprintf("runs the nodes of node `%s` for one item", n.ID), n.IDSpan, jen.String(), jen.Lit(""))
	f.spawnInside(part, n, a.Last, tasksKept{now: len(n.inner) > chunkSize})
	d := fanFields(a.Fan, haveSchemas(a.Last), a.Crowding() != nil)
	body := func() *jen.Statement { return f.handOver(part, f.g.locals[a.Fan.Item].name, jen.String()) }
	if items, ok := constantTexts(a.Fan.Items); ok {
		name := f.newLocal("items")
		f.g.addMarked(f.block, a.Fan.Span, jen.Id(name).Op(":=").Index().String().Values(codesOf(items, f.g.quoteString)...))
		f.asActionWriter().fansOut(n, d, "Each", jen.Id("c"), jen.Id(name), body())
		return
	}
	if items := f.asActionWriter().textItems(a.Fan.Items); items != nil {
		f.asActionWriter().fansOut(n, d, "Each", jen.Id("c"), items, body())
		return
	}
	f.asActionWriter().fansOut(n, d, "EachText", jen.Id("c"), f.asActionWriter().listText(a.Fan.Items), f.g.quoteString(a.Fan.Items.Span().Text()), body())
}

// haveSchemas reports whether the outputs of all nodes are JSON values.
func haveSchemas(nodes []*ir.Node) bool {
	return len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n *ir.Node) bool { return n.Schema == "" })
}
