package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// perform writes what a node does, in the function of the node itself or of a part
// of it, and returns its output.
func (f *function) perform(n *node) {
	switch a := n.Action.(type) {
	case *ir.Bash:
		f.do(n, "Bash", f.bash(a))
	case *ir.Script:
		f.script(n, a)
	case *ir.Prompt:
		schema := ""
		if n.hasSchema() {
			schema = n.schema
		}
		f.do(n, "Prompt", f.turn(a, schema, f.continued(a), n.IdleTimeout))
	case *ir.Cancel:
		f.cancel(n, a)
	case *ir.Fail:
		f.fail(n, a)
	case *ir.Loop:
		f.loop(n, a)
	case *ir.Approval:
		f.approval(n, a)
	case *ir.ForEach:
		f.forEach(n, a)
	case *ir.Again:
		f.rounds(n, a)
	case *ir.Fork:
		f.fork(n, a)
	default:
		panic(fmt.Sprintf("an action of type %T reached the generator", n.Action))
	}
}

// reviewed has a person look at what the node does.
func (f *function) reviewed(n *node) {
	part := f.part(n.makes, fmt.Sprintf("makes what a person reviews of %s.", n.doc), jen.String(), jen.Lit(""))
	part.own, part.ownType = "attempt", jen.Qual(stepsPath, "Attempt")
	_, prompt := n.Action.(*ir.Prompt)
	if prompt {
		part.remade = jen.Id("attempt").Dot("Prompt")
	}
	part.perform(n)
	d := fields{}
	d.set("Step", jen.Lit(n.ID))
	if prompt {
		d.set("Prompt", jen.True())
	}
	d.set("Make", f.calls(part))
	accept, edit := jen.Qual(outputPath, "Accepted"), jen.Qual(outputPath, "Edited")
	if spec := n.ownSpec(); spec != "" {
		accept, edit = jen.Id(spec).Dot("Accepted"), jen.Id(spec).Dot("Edited")
	}
	d.set("Accept", accept)
	d.set("Edited", edit)
	call := jen.Qual(stepsPath, "Review").Add(lines(f.g.open(n.IDSpan), d.code)).Dot("Run").Call(jen.Id("c"))
	f.g.mark(f.block, n.IDSpan, jen.Return(call))
}

// joins are the functions of package output by the way in which they join.
var joins = [...]string{ir.JoinArray: "Array", ir.JoinObject: "Object", ir.JoinText: "Text", ir.JoinLast: "Last"}

// joining is the function that joins what a loop's iterations give.
func joining(n *node, a *ir.ForEach) string {
	if _, list := n.Output.(*types.List); list && a.Join == ir.JoinLast {
		return "LastList"
	}
	return joins[a.Join]
}

// forEach runs the body for each item of the lists.
func (f *function) forEach(n *node, a *ir.ForEach) {
	var lists, lengths []jen.Code
	for _, v := range a.Vars {
		f.g.loopNames[unexported(exported(v.Var.Name, "Item"))] = true
		list := f.local(plural(v.Var.Name))
		f.g.add(f.block, v.Span, jen.Id(list).Op(":=").Add(f.items(v.Items)))
		lists = append(lists, jen.Id(list))
		lengths = append(lengths, jen.Qual(stepsPath, "List").Values(jen.Id("Name").Op(":").Lit(v.Var.Name), jen.Id("Items").Op(":").Len(jen.Id(list))))
	}
	f.check()
	count := jen.Len(lists[0])
	if len(lists) > 1 {
		count = f.try("", "count", jen.Qual(stepsPath, "Length").Call(append([]jen.Code{jen.Id("c")}, lengths...)...), a.Vars[0].Span)
	}
	body := n.inner[0]
	part := f.part(body.run, fmt.Sprintf("does %s for one item.", n.doc), jen.String(), jen.Lit(""))
	var names []string
	for _, v := range a.Vars {
		names = append(names, f.g.variable(v.Var, names))
		f.g.locate(v.Var, names[len(names)-1], valueForm)
		f.owns(v.Var)
	}
	part.perform(body)
	var give []jen.Code
	for i, v := range a.Vars {
		if l := part.read(v.Var); l != nil {
			give = append(give, jen.Id(l.name).Op(":=").Add(lists[i]).Index(jen.Id("i")))
		}
	}
	call := jen.Qual(stepsPath, "Each").Call(jen.Id("c"), count, jen.Qual(outputPath, joining(n, a)), f.hands(part, jen.Id("i").Int(), give...))
	f.g.mark(f.block, n.IDSpan, jen.Return(call))
}

// rounds repeats the body until its test says so.
func (f *function) rounds(n *node, a *ir.Again) {
	body := n.inner[0]
	round := f.part(body.run, fmt.Sprintf("does one round of %s.", n.doc), jen.String(), jen.Lit(""))
	f.g.locate(a.Previous, "previous", previousForm)
	if !body.typed && !body.json {
		f.g.locate(a.Previous, "previous", textPreviousForm)
	}
	f.owns(a.Previous)
	round.perform(body)
	d := fields{}
	d.set("Max", jen.Lit(a.Max))
	if a.Until {
		d.set("Until", jen.True())
	}
	d.set("Goal", f.g.quote(a.CondText))
	d.set("Body", f.hands(round, jen.Id("previous").Qual(stepsPath, "Previous")))
	d.set("Holds", f.holds(n, a))
	call := jen.Qual(stepsPath, "Repeat").Add(lines(f.g.open(n.IDSpan), d.code)).Dot("Run").Call(jen.Id("c"))
	f.g.mark(f.block, n.IDSpan, jen.Return(call))
}

// holds writes the function that tests a loop after a round and returns what calls
// it.
func (f *function) holds(n *node, a *ir.Again) *jen.Statement {
	word := "goes on"
	if a.Until {
		word = "is complete"
	}
	test := f.part(n.until, fmt.Sprintf("decides whether %s %s: %s", n.doc, word, a.CondText), jen.Bool(), jen.False())
	test.pure = true
	form := outputForm
	if body := n.inner[0]; !body.typed && !body.json {
		form = textForm
	}
	f.g.locate(a.Previous, "text", form)
	test.predicate(a.Cond)
	return f.hands(test, jen.Id("text").String())
}

// fork runs the children side by side.
func (f *function) fork(n *node, a *ir.Fork) {
	var branches []jen.Code
	for _, child := range n.inner {
		run := f.part(child.run, fmt.Sprintf("%s %s.", verbs[child.Action.Kind()], child.doc), jen.String(), jen.Lit(""))
		run.perform(child)
		d := fields{}
		d.set("Name", jen.Lit(child.ID))
		d.set("Kind", jen.Lit(child.Action.Kind()))
		if child.When != nil {
			when := f.part(child.when, fmt.Sprintf("decides whether %s runs: %s", child.doc, child.WhenText), jen.Bool(), jen.False())
			when.pure = true
			when.predicate(child.When)
			d.set("When", f.hands(when, nil))
		}
		d.set("Run", f.hands(run, nil))
		branches = append(branches, jen.Qual(stepsPath, "Branch").Add(d.line()))
	}
	args := append([]jen.Code{
		jen.Id("c").Op(",").Lit(a.FailFast).Op(",").Qual(outputPath, "Fork"+joins[a.Join]).Op(","),
	}, commas(branches)...)
	call := jen.Qual(stepsPath, "Fork").Custom(jen.Options{Open: "(", Close: ")", Multi: true}, args...)
	f.g.mark(f.block, n.IDSpan, jen.Return(call))
}

// hands ends a part and returns the function literal that calls it with what it
// needs of the flow. param is the parameter that the kernel fills besides the
// context, or nil; give comes before the call.
func (f *function) hands(p *part, param *jen.Statement, give ...jen.Code) *jen.Statement {
	f.parts = append(append(f.parts, p), p.function.parts...)
	f.needs(p.uses)
	var params, args []jen.Code
	if !p.pure {
		params, args = append(params, jen.Id("c").Op("*").Qual(flowPath, contextType)), append(args, jen.Id("c"))
	}
	if param != nil {
		params = append(params, param)
	}
	args = append(args, p.uses.args(f.task)...)
	body := append(give, jen.Return(jen.Id(p.name).Call(args...)))
	literal := jen.Func().Params(params...).Params(p.result, jen.Error())
	if len(body) > 1 {
		return literal.Block(body...)
	}
	return literal.Add(oneLine(jen.Return(jen.Id(p.name).Call(args...))))
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

// variable returns a Go name for the variable of a loop: one that no function of
// the package uses for anything else. Two loops may use one name.
func (g *generator) variable(d *expr.Declared, beside []string) string {
	base := unexported(exported(d.Name, "Item"))
	for i, name := 2, base; ; i++ {
		if g.names.free(name) && !slices.Contains(beside, name) {
			g.loopNames[name] = true
			return name
		}
		name = base + itoa(i)
	}
}

// plural is what a variable for a list of what the name stands for is called.
func plural(name string) string {
	name = unexported(exported(name, "Item"))
	if strings.HasSuffix(name, "s") {
		return name + "List"
	}
	return name + "s"
}

// ownSpec is the variable that says what the node's own output holds: that of a
// loop whose output is that of its last round is the round's. It is "" when there
// is none.
func (n *node) ownSpec() string {
	if _, again := n.Action.(*ir.Again); again {
		return n.inner[0].spec
	}
	return n.spec
}
