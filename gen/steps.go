package gen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// perform writes what a node does, in the function of the node itself or of a part
// of it, and returns its output.
func (f actionWriter) perform(n *node) {
	var unread []expr.Expr
	for _, e := range n.Unread {
		before := len(f.block.code)
		if f.operands().evaluate(e); len(f.block.code) > before {
			unread = append(unread, e)
		}
	}
	f.noteUnread(unread)
	switch a := n.Action.(type) {
	case *ir.Bash:
		d := f.bash(a)
		d.lit("SaveStdout", n.Captures)
		f.returnAction(n, "Bash", d)
	case *ir.Script:
		f.script(n, a)
	case *ir.Prompt:
		f.declares = n.Spec != nil && n.Schema != ""
		f.returnAction(n, "Prompt", f.turn(a, n.schemaCode(), f.continued(a), n.IdleTimeout))
	case *ir.Cancel:
		f.cancel(n, a)
	case *ir.Fail:
		f.fail(n, a)
	case *ir.Loop:
		f.loop(n, a)
	case *ir.Block:
		f.loops().blockOf(n, a)
	case *ir.Approval:
		f.approval(n, a)
	case *ir.Wait:
		f.wait(n, a)
	case *ir.Include:
		f.block.add(jen.Return(jen.Lit(""), jen.Nil()))
	case *ir.Call:
		f.childRun(n, a)
	case *ir.ForEach:
		f.loops().forEach(n, a)
	case *ir.Repeat:
		f.loops().rounds(n, a)
	case *ir.Fork:
		f.loops().fork(n, a)
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator", n.Action))
	}
}

// reviewed has a person look at what the node does.
func (f actionWriter) reviewed(n *node) {
	part := f.part(n.makes, act(n), n.IDSpan, jen.String(), jen.Lit(""))
	part.own, part.ownType = "attempt", jen.Qual(stepsPath, "Draft")
	_, prompt := n.Action.(*ir.Prompt)
	if prompt {
		part.remade = jen.Id("attempt").Dot("Prompt")
	}
	part.actions().perform(n)
	d := fields{}
	d.set("Step", jen.Lit(n.ID))
	d.lit("ByAgent", prompt)
	d.set("Accept", n.outputSpec().Dot("Accept"))
	d.set("ReadEdit", n.outputSpec().Dot("FromEdit"))
	d.set("Make", f.calls(part))
	f.loops().runs(n, jen.Qual(stepsPath, "Review"), d)
}

// joins are the functions of package output by the way in which they join.
var joins = [...]string{ir.JoinArray: "JoinArray", ir.JoinObject: "JoinObject", ir.JoinText: "JoinText", ir.JoinLast: "JoinLast"}

// joining is the function that joins what a loop's iterations give.
func joining(n *node, a *ir.ForEach) string {
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
		f.g.loopNames[unexported(exported(v.Var.Name, "Item"))] = true
		var code *jen.Statement
		if items[i], code = f.typedItems(v, a.Body); items[i] == nil {
			items[i], code = &local{form: valueForm}, f.values().items(v.Items)
		}
		if len(a.Vars) > 1 || items[i].form == valueForm {
			list := f.local(plural(v.Var.Name), unexported(exported(v.Var.Name, "Item"))+"Items")
			f.g.mark(f.block, v.Span, jen.Id(list).Op(":=").Add(code))
			code = jen.Id(list)
		}
		lists = append(lists, code)
		lengths = append(lengths, jen.Qual(stepsPath, "List").Values(jen.Id("Name").Op(":").Lit(v.Var.Name), jen.Id("Items").Op(":").Len(code)))
	}
	f.check()
	part := f.part(n.inner[0].run, fmt.Sprintf("runs one iteration of %s", n.doc), n.inner[0].IDSpan, jen.String(), jen.Lit(""))
	var names []string
	for i, v := range a.Vars {
		names = append(names, f.g.variable(v.Var.Name, names))
		items[i].of, items[i].name = v.Var, names[i]
		f.g.placeLocal(items[i])
		f.owns(v.Var)
	}
	part.actions().perform(n.inner[0])
	join := jen.Qual(outputPath, joining(n, a))
	if len(lists) == 1 {
		item := names[0]
		if part.read(a.Vars[0].Var) == nil {
			item = "_"
		}
		body := f.hands(part, item, items[0].code())
		list := []jen.Code{jen.Id("c"), lists[0], join, body}
		f.g.mark(f.block, n.IDSpan, jen.Return(jen.Qual(stepsPath, "ForEach").Call(list...)))
		return
	}
	count := f.try("", "count", call(stepsPath, "Length", append([]jen.Code{jen.Id("c")}, lengths...)...), a.Vars[0].Span)
	part.given = map[*expr.Declared]*jen.Statement{}
	for i, v := range a.Vars {
		part.given[v.Var] = jen.Add(lists[i]).Index(jen.Id("i"))
	}
	each := jen.Qual(stepsPath, "Each").Call(jen.Id("c"), count, join, f.hands(part, "i", jen.Int()))
	f.g.mark(f.block, n.IDSpan, jen.Return(each))
}

// typedItems returns what a variable of a loop holds and the code of its list when
// Go knows the type of the items, and all that the body reads of one is in that
// type; else nil.
func (f loopWriter) typedItems(v ir.LoopVar, body *ir.Node) (*local, *jen.Statement) {
	if list, ok := v.Items.(*expr.ListOf); ok {
		return f.typedLiterals(list)
	}
	list := f.values().sel(v.Items)
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
	eachExpression(body, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Local:
			fits = fits && e.Of != v.Var
		case *expr.Attr:
			if rootOf(e) == v.Var {
				fits = fits && probe.values().scalar(e) != nil
				return false
			}
		}
		return true
	})
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
		v := f.values().compute(e)
		if _, constant := e.(*expr.Literal); !constant || v.form == anyForm || i > 0 && v.form != of {
			return nil, nil
		}
		of, items = v.form, append(items, v.code)
	}
	if len(items) == 0 {
		return nil, nil
	}
	return &local{form: typedForm, value: of}, jen.Index().Add(of.goType()).Add(lines(items))
}

// eachExpression visits what a node and those inside it evaluate.
func eachExpression(n *ir.Node, visit func(expr.Expr) bool) {
	for _, e := range expressions(n) {
		expr.Walk(e, visit)
	}
	for _, inner := range n.Inner() {
		eachExpression(inner, visit)
	}
}

// rounds repeats the body until its test says so.
func (f loopWriter) rounds(n *node, a *ir.Repeat) {
	body := n.inner[0]
	round := f.part(body.run, fmt.Sprintf("runs one iteration of %s", n.doc), n.inner[0].IDSpan, jen.String(), jen.Lit(""))
	f.g.locateLocal(a.Previous, "previous", previousForm)
	if !body.typed && !body.json {
		f.g.locateLocal(a.Previous, "previous", textPreviousForm)
	}
	f.owns(a.Previous)
	round.actions().perform(body)
	d := fields{}
	d.set("Max", jen.Lit(a.Max))
	d.set("Condition", f.g.quote(a.CondText))
	d.set("Body", f.hands(round, "previous", jen.Qual(stepsPath, "Previous")))
	test := "While"
	if a.Until {
		test = "Until"
	}
	d.set(test, f.holds(n, a))
	f.runs(n, jen.Qual(stepsPath, "Repeat"), d)
}

// holds writes the function that tests a loop after a round and returns what calls
// it.
func (f loopWriter) holds(n *node, a *ir.Repeat) *jen.Statement {
	word := "continues"
	if a.Until {
		word = "is complete"
	}
	test := f.part(n.until, fmt.Sprintf("decides whether %s %s", n.doc, word), a.Cond.Span(), jen.Bool(), jen.False())
	test.condition = a.CondText
	test.pure = true
	form := outputForm
	if body := n.inner[0]; !body.typed && !body.json {
		form = textForm
	}
	f.g.locateLocal(a.Previous, "text", form)
	test.conditions().predicate(a.Cond)
	return f.hands(test, "text", jen.String())
}

// fork runs the children side by side.
func (f loopWriter) fork(n *node, a *ir.Fork) {
	var branches []jen.Code
	for _, child := range n.inner {
		run := f.part(child.run, fmt.Sprintf(verbs[child.Action.Kind()], child.doc), child.IDSpan, jen.String(), jen.Lit(""))
		run.actions().perform(child)
		d := fields{}
		d.set("Name", jen.Lit(child.ID))
		d.set("Kind", jen.Lit(child.Action.Kind()))
		if child.When != nil {
			when := f.part(child.when, fmt.Sprintf("decides whether %s runs", child.doc), child.When.Span(), jen.Bool(), jen.False())
			when.condition = child.WhenText
			when.pure = true
			when.conditions().predicate(child.When)
			d.set("When", f.hands(when, "", nil))
		}
		d.set("Run", f.hands(run, "", nil))
		branches = append(branches, d.line())
	}
	d := fields{}
	d.lit("FailFast", a.FailFast)
	d.set("Branches", jen.Index().Qual(stepsPath, "Branch").Add(rows("{", branches)))
	fork := jen.Qual(stepsPath, "Fork").Add(d.line())
	f.g.mark(f.block, n.IDSpan, jen.Return(fork.Dot("Run").Call(jen.Id("c"), jen.Qual(outputPath, joins[a.Join]))))
}

// read returns the variable of something declared if the part reads it, else nil.
func (p *part) read(d *expr.Declared) *local {
	for _, l := range p.uses.locals {
		if l.of == d {
			return l
		}
	}
	return nil
}

// plural is what a variable for a list of what the name stands for is called.
func plural(name string) string {
	name = unexported(exported(name, "Item"))
	if strings.HasSuffix(name, "s") {
		return name + "List"
	}
	return name + "s"
}

// act says what the function that performs a node's action does.
func act(n *node) string {
	if a, ok := n.Action.(*ir.Approval); ok && len(a.Decisions) > 0 {
		return fmt.Sprintf("asks for the decision of %s", n.doc)
	}
	a, ok := n.Action.(*ir.Call)
	switch {
	case !ok:
		return fmt.Sprintf(verbs[n.Action.Kind()], n.doc)
	case a.Fan == nil:
		return fmt.Sprintf("runs workflow `%s` for %s", cleanLine(a.Callee.Workflow.Name), n.doc)
	}
	return fmt.Sprintf("runs workflow `%s` for each item of %s", cleanLine(a.Callee.Workflow.Name), n.doc)
}

// verbs say what the function of a node does, by its kind.
var verbs = map[string]string{
	"bash":     "runs the bash script of %s",
	"script":   "runs the script of %s",
	"prompt":   "asks the agent of %s",
	"cancel":   "cancels the run for %s",
	"loop":     "runs the loop of %s",
	"approval": "asks for the approval of %s",
	"wait":     "waits at %s",
	"include":  "runs the nodes of %s for each item",
	"for":      "runs %s for each item",
	"while":    "repeats %s while its condition holds",
	"repeat":   "repeats %s until its condition holds",
	"parallel": "runs the branches of %s",
}
