package gen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// writeAction writes what a node does, in the function of the node itself or of a part
// of it, and returns its output.
func (f actionWriter) writeAction(n *node) {
	var unread []expr.Expr
	for _, e := range n.Unread {
		before := len(f.block.code)
		if f.asOperandWriter().evaluateUnread(e); len(f.block.code) > before {
			unread = append(unread, e)
		}
	}
	f.noteUnread(unread)
	switch a := n.Action.(type) {
	case *ir.Bash:
		d := f.bashFields(a)
		d.setLit("SaveStdout", n.SaveStdout)
		f.returnAction(n, "Bash", d)
	case *ir.Script:
		f.writeScript(n, a)
	case *ir.Prompt:
		f.declares = n.Spec != nil && n.Schema != ""
		f.returnAction(n, "Prompt", f.promptFields(a, n.schemaCode(), f.continuedSession(a), n.IdleTimeout))
	case *ir.Cancel:
		f.writeCancel(n, a)
	case *ir.Fail:
		f.writeFailure(n, a)
	case *ir.Loop:
		f.writeLoop(n, a)
	case *ir.Block:
		f.asLoopWriter().blockOf(n, a)
	case *ir.Approval:
		f.writeApproval(n, a)
	case *ir.Wait:
		f.writeWait(n, a)
	case *ir.Include:
		f.block.addCode(jen.Return(jen.Lit(""), jen.Nil()))
	case *ir.Call:
		f.childRun(n, a)
	case *ir.ForEach:
		f.asLoopWriter().forEach(n, a)
	case *ir.Repeat:
		f.asLoopWriter().writeRepeat(n, a)
	case *ir.Fork:
		f.asLoopWriter().writeFork(n, a)
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator", n.Action))
	}
}

// writeReview has a person look at what the node does.
func (f actionWriter) writeReview(n *node) {
	part := f.newPart(n.makes, describeAction(n), n.IDSpan, jen.String(), jen.Lit(""))
	part.own, part.ownType = "attempt", jen.Qual(stepsPath, "Draft")
	_, prompt := n.Action.(*ir.Prompt)
	if prompt {
		part.remade = jen.Id("attempt").Dot("Prompt")
	}
	part.asActionWriter().writeAction(n)
	d := fields{}
	d.setField("Step", jen.Lit(n.ID))
	d.setLit("ByAgent", prompt)
	d.setField("Accept", n.outputSpec().Dot("Accept"))
	d.setField("ReadEdit", n.outputSpec().Dot("FromEdit"))
	d.setField("Make", f.handPart(part))
	f.asLoopWriter().returnRun(n, jen.Qual(stepsPath, "Review"), d)
}

// joins are the functions of package output by the way in which they join.
var joins = [...]string{ir.JoinArray: "JoinArray", ir.JoinObject: "JoinObject", ir.JoinText: "JoinText", ir.JoinLast: "JoinLast"}

// joinFunctionName is the function that joins what a loop's iterations give.
func joinFunctionName(n *node, a *ir.ForEach) string {
	if _, list := n.Output.(*types.List); list && a.Join == ir.JoinLast {
		return "JoinLastList"
	}
	return joins[a.Join]
}

// forEach runs the body for each item of the lists.
func (f loopWriter) forEach(n *node, a *ir.ForEach) {
	var lists, lengths []jen.Code
	items := make([]*local, len(a.Vars))
	for i, v := range a.Vars {
		f.g.loopNames[unexportedName(exportedName(v.Var.Name, "Item"))] = true
		var code *jen.Statement
		if items[i], code = f.typedItems(v, a.Body); items[i] == nil {
			items[i], code = &local{form: valueForm}, f.asValueWriter().itemsCode(v.Items)
		}
		if len(a.Vars) > 1 || items[i].form == valueForm {
			list := f.newLocal(pluralName(v.Var.Name), unexportedName(exportedName(v.Var.Name, "Item"))+"Items")
			f.g.addMarked(f.block, v.Span, jen.Id(list).Op(":=").Add(code))
			code = jen.Id(list)
		}
		lists = append(lists, code)
		lengths = append(lengths, jen.Qual(stepsPath, "List").Values(jen.Id("Name").Op(":").Lit(v.Var.Name), jen.Id("Items").Op(":").Len(code)))
	}
	f.checkEvaluator()
	part := f.newPart(n.inner[0].run, fmt.Sprintf("runs one iteration of %s", n.doc), n.inner[0].IDSpan, jen.String(), jen.Lit(""))
	var names []string
	for i, v := range a.Vars {
		names = append(names, f.g.loopVariable(v.Var.Name, names))
		items[i].of, items[i].name = v.Var, names[i]
		f.g.placeLocal(items[i])
		f.ownVariable(v.Var)
	}
	part.asActionWriter().writeAction(n.inner[0])
	join := jen.Qual(outputPath, joinFunctionName(n, a))
	if len(lists) == 1 {
		item := names[0]
		if part.readLocal(a.Vars[0].Var) == nil {
			item = "_"
		}
		body := f.handOver(part, item, items[0].localType())
		f.g.addMarked(f.block, n.IDSpan, jen.Return(jen.Qual(stepsPath, "ForEach").Call(jen.Id("c"), lists[0], join, body)))
		return
	}
	count := f.tryCall("", "count", callFunc(stepsPath, "Length", append([]jen.Code{jen.Id("c")}, lengths...)...), a.Vars[0].Span)
	part.given = map[*expr.Declared]*jen.Statement{}
	for i, v := range a.Vars {
		part.given[v.Var] = jen.Add(lists[i]).Index(jen.Id("i"))
	}
	each := jen.Qual(stepsPath, "Each").Call(jen.Id("c"), count, join, f.handOver(part, "i", jen.Int()))
	f.g.addMarked(f.block, n.IDSpan, jen.Return(each))
}

// typedItems returns what a variable of a loop holds and the code of its list when
// Go knows the type of the items, and all that the body reads of one is in that
// type; else nil.
func (f loopWriter) typedItems(v ir.LoopVar, body *ir.Node) (*local, *jen.Statement) {
	if list, ok := v.Items.(*expr.ListOf); ok {
		return f.typedLiterals(list)
	}
	list := f.asValueWriter().selectField(v.Items)
	if list == nil || list.opt {
		return nil, nil
	}
	t, ok := list.typ.(*types.List)
	if !ok {
		return nil, nil
	}
	l := &local{of: v.Var, name: "item", form: typedForm}
	if c, basic := goValue(t.Elem, jen.Null()); basic {
		if _, enum := t.Elem.(*types.Enum); enum || c.form == anyForm {
			return nil, nil
		}
		l.value = c.form
		return l, list.code
	}
	object, ok := t.Elem.(*types.Struct)
	if !ok || f.g.types.structs[object] == nil {
		return nil, nil
	}
	l.item = object
	f.g.placeLocal(l)
	defer delete(f.g.locals, v.Var)
	probe, fits := f.g.newFunction(nil), true
	uses := func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Local:
			fits = fits && e.Of != v.Var
		case *expr.Attr:
			if rootOf(e) == v.Var {
				fits = fits && probe.asValueWriter().scalarSelection(e) != nil
				return false
			}
		}
		return true
	}
	for _, e := range nodeExpressions(body) {
		expr.Walk(e, uses)
	}
	if !fits {
		return nil, nil
	}
	return l, list.code
}

// typedLiterals is typedItems for a list of constants.
func (f loopWriter) typedLiterals(list *expr.ListOf) (*local, *jen.Statement) {
	var items []jen.Code
	of := anyForm
	for i, e := range list.Items {
		v := f.asValueWriter().computeValue(e)
		if _, constant := e.(*expr.Literal); !constant || v.form == anyForm || i > 0 && v.form != of {
			return nil, nil
		}
		of, items = v.form, append(items, v.code)
	}
	if len(items) == 0 {
		return nil, nil
	}
	return &local{form: typedForm, value: of}, jen.Index().Add(of.goType()).Values(items...)
}

// writeRepeat repeats the body until its test says so.
func (f loopWriter) writeRepeat(n *node, a *ir.Repeat) {
	body := n.inner[0]
	round := f.newPart(body.run, fmt.Sprintf("runs one iteration of %s", n.doc), n.inner[0].IDSpan, jen.String(), jen.Lit(""))
	f.g.locateLocal(a.Previous, "previous", previousForm)
	if !body.typed && !body.json {
		f.g.locateLocal(a.Previous, "previous", textPreviousForm)
	}
	f.ownVariable(a.Previous)
	round.asActionWriter().writeAction(body)
	d := fields{}
	d.setField("Max", jen.Lit(a.Max))
	d.setField("Condition", f.g.quoteString(a.CondText))
	d.setField("Body", f.handOver(round, "previous", jen.Qual(stepsPath, "Previous")))
	test := "While"
	if a.Until {
		test = "Until"
	}
	d.setField(test, f.conditionFunc(n, a))
	f.returnRun(n, jen.Qual(stepsPath, "Repeat"), d)
}

// conditionFunc writes the function that tests a loop after a round and returns what calls
// it.
func (f loopWriter) conditionFunc(n *node, a *ir.Repeat) *jen.Statement {
	word := "continues"
	if a.Until {
		word = "is complete"
	}
	test := f.newPart(n.until, fmt.Sprintf("decides whether %s %s", n.doc, word), a.Cond.Span(), jen.Bool(), jen.False())
	test.condition = a.CondText
	test.pure = true
	form := outputForm
	if body := n.inner[0]; !body.typed && !body.json {
		form = textForm
	}
	f.g.locateLocal(a.Previous, "text", form)
	test.asConditionWriter().writePredicate(a.Cond)
	return f.handOver(test, "text", jen.String())
}

// writeFork runs the children side by side.
func (f loopWriter) writeFork(n *node, a *ir.Fork) {
	var branches []jen.Code
	for _, child := range n.inner {
		run := f.newPart(child.run, fmt.Sprintf(verbs[child.Action.Kind()], child.doc), child.IDSpan, jen.String(), jen.Lit(""))
		run.asActionWriter().writeAction(child)
		d := fields{}
		d.setField("Name", jen.Lit(child.ID))
		d.setField("Kind", jen.Lit(child.Action.Kind()))
		if child.When != nil {
			when := f.newPart(child.when, fmt.Sprintf("decides whether %s runs", child.doc), child.When.Span(), jen.Bool(), jen.False())
			when.condition = child.WhenText
			when.pure = true
			when.asConditionWriter().writePredicate(child.When)
			d.setField("When", f.handOver(when, "", nil))
		}
		d.setField("Run", f.handOver(run, "", nil))
		branches = append(branches, d.asRow())
	}
	d := fields{}
	d.setLit("FailFast", a.FailFast)
	d.setField("Branches", jen.Index().Qual(stepsPath, "Branch").Add(itemRows("{", branches)))
	fork := jen.Qual(stepsPath, "Fork").Add(d.asRow())
	f.g.addMarked(f.block, n.IDSpan, jen.Return(fork.Dot("Run").Call(jen.Id("c"), jen.Qual(outputPath, joins[a.Join]))))
}

// readLocal returns the variable of something declared if the part reads it, else nil.
func (p *part) readLocal(d *expr.Declared) *local {
	for _, l := range p.uses.locals {
		if l.of == d {
			return l
		}
	}
	return nil
}

// pluralName is the name of a variable for a list of the things with the name.
func pluralName(name string) string {
	name = unexportedName(exportedName(name, "Item"))
	if strings.HasSuffix(name, "s") {
		return name + "List"
	}
	return name + "s"
}

// describeAction says what the function that performs a node's action does.
func describeAction(n *node) string {
	verb := verbs[n.Action.Kind()]
	switch a := n.Action.(type) {
	case *ir.Approval:
		verb = askingVerb(a)
	case *ir.Call:
		each := ""
		if a.Fan != nil {
			each = "each item of "
		}
		return fmt.Sprintf("runs workflow `%s` for %s%s", cleanLine(a.Callee.Workflow.Name), each, n.doc)
	}
	return fmt.Sprintf(verb, n.doc)
}

// askingVerb says what the function of an approval does, and what a rejection leads to.
func askingVerb(a *ir.Approval) string {
	switch {
	case len(a.Decisions) > 0:
		return "asks for the decision of %s"
	case a.Rework == nil || a.MaxRejections < 2:
		return "asks for approval at %s, and cancels the run after a rejection"
	}
	return fmt.Sprintf("asks for approval at %%s, has an agent rework after each rejection, and cancels the run after rejection %d", a.MaxRejections)
}

// verbs say what the function of a node does, by its kind.
var verbs = map[string]string{
	"bash":     "runs the bash script of %s",
	"script":   "runs the script of %s",
	"prompt":   "asks the agent of %s",
	"cancel":   "cancels the run for %s",
	"loop":     "runs the loop of %s",
	"wait":     "waits at %s",
	"include":  "runs the nodes of %s for each item",
	"for":      "runs %s for each item",
	"while":    "repeats %s while its condition holds",
	"repeat":   "repeats %s until its condition holds",
	"parallel": "runs the branches of %s",
}
