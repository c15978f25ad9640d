package gen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A node that runs another workflow hands its inputs over as the Inputs of that package:
//
//	return flow.TextOf(c.Do(review.Workflow.Child(review.Inputs{Topic: plan.Output().Text})))

// childRun writes a node that runs a workflow, once or for each item of a list.
func (f actionWriter) childRun(n *node, a *ir.Call) {
	if a.Fan == nil {
		f.give(n, f.child(a))
		return
	}
	name := a.Callee.Workflow.Name
	part := f.part(n.iterate, fmt.Sprintf("runs workflow `%s` for one item of %s", cleanLine(name), n.doc), n.IDSpan, jen.String(), jen.Lit(""))
	part.own, part.ownType = f.g.fanVariable(n, a), jen.Qual(jsonPath, "RawMessage")
	texts := f.textItems(a.Fan.Items)
	if texts != nil {
		part.ownType, f.g.fannedTexts[a.Fan.Item] = jen.String(), true
	}
	part.block.take(part.own)
	part.g.mark(part.block, n.IDSpan, jen.Return(jen.Qual(flowPath, "TextOf").Call(part.actions().child(a))))
	d := fields{}
	d.set("Max", parallel(a.Fan))
	d.lit("AllSuccess", a.Fan.AllSuccess)
	d.lit("JSONOutputs", a.Structured)
	d.lit("SharesCheckout", a.SharesCheckout())
	if texts != nil {
		f.fansOut(n, d, "Each", jen.Id("c"), texts, f.calls(part))
		return
	}
	list := f.listText(a.Fan.Items)
	f.fansOut(n, d, "EachJSON", jen.Id("c"), list, jen.Lit(a.Fan.Items.Span().Text()), f.calls(part))
}

// fansOut returns the result of a method of a steps.FanOut.
func (f actionWriter) fansOut(n *node, d fields, method string, args ...jen.Code) {
	literal := jen.Qual(stepsPath, "FanOut").Add(d.lines())
	f.g.mark(f.block, n.IDSpan, jen.Return(literal.Dot(method).Call(args...)))
}

// fanVariable finds the parameter that holds the item of a fan-out: it has the name of the
// input that gets the item, besides the task of the run.
func (g *goPackage) fanVariable(n *node, a *ir.Call) string {
	item := a.Fan.Item
	name := item.Name
	for _, in := range g.family.members[a.Callee].inputSeq {
		for _, arg := range a.Args {
			if e, ok := arg.Value.(*expr.Local); ok && e.Of == item && arg.Name == in.Name && !in.Rest {
				name = in.Name
			}
		}
	}
	g.fanned[item] = g.variable(name, g.itemsAround(n))
	return g.fanned[item]
}

// itemsAround are the variables of the items of the blocks around a node.
func (g *goPackage) itemsAround(n *node) (names []string) {
	for around := n.around; around != nil; around = around.around {
		if block, ok := around.Action.(*ir.Block); ok {
			names = append(names, g.locals[block.Fan.Item].name)
		}
	}
	return names
}

// listText is the code of the text of a list. A node that runs again when the run is
// resumed can make another list, so the first one is kept.
func (f actionWriter) listText(e expr.Expr) *jen.Statement {
	producer := ""
	switch e := e.(type) {
	case *expr.Literal:
		return f.g.quote(e.Text)
	case *expr.Output:
		producer = e.Node
	case *expr.Field:
		producer = e.Node
	}
	list := text(f.operands().operand(e))
	if n := f.g.byID[producer]; n != nil && n.AlwaysRun {
		f.note("A resumed run keeps the items by PinList, although `" + producer + "` runs again.")
		return jen.Id("c").Dot("PinList").Call(list)
	}
	return list
}

// textItems is the code of a list of texts that Go code can select, or nil. A list that must be
// pinned has to be JSON.
func (f actionWriter) textItems(e expr.Expr) *jen.Statement {
	var n *node
	m := &member{}
	var presence expr.Presence
	switch e := e.(type) {
	case *expr.Output:
		if n = f.g.byID[e.Node]; !n.typed || e.Previous {
			return nil
		}
		m.typ, presence = n.Output, e.Presence
	case *expr.Field:
		if n = f.g.byID[e.Node]; e.Previous {
			return nil
		}
		if m = f.g.selected(e); m == nil {
			return nil
		}
		presence = e.Presence
	default:
		return nil
	}
	if list, ok := m.typ.(*types.List); !ok || m.opt || list.Elem != types.Text || n.AlwaysRun || gone(presence) {
		return nil
	}
	return m.of(f.task(n))
}

// constantTexts are the items of a list that is written in the workflow; see
// steps.FanOut.EachText.
func constantTexts(e expr.Expr) (items []string, ok bool) {
	lit, constant := e.(*expr.Literal)
	var list []json.RawMessage
	if !constant || json.Unmarshal([]byte(lit.Text), &list) != nil || list == nil {
		return nil, false
	}
	for _, raw := range list {
		var text string
		if json.Unmarshal(raw, &text) != nil || string(raw) == "null" {
			var compact bytes.Buffer
			if json.Compact(&compact, raw) != nil {
				return nil, false
			}
			text = compact.String()
		}
		items = append(items, text)
	}
	return items, true
}

// child is the call that runs a workflow.
func (f actionWriter) child(a *ir.Call) *jen.Statement {
	path := f.g.family.importPath(a.Callee)
	callee := f.g.family.members[a.Callee]
	in := fields{}
	for _, of := range callee.inputSeq {
		for _, arg := range a.Args {
			if arg.Name == of.Name {
				in.set(of.field, f.argument(of, arg))
			}
		}
	}
	child := jen.Qual(path, definitionID).Dot("Child").Call(jen.Qual(path, "Inputs").Add(lines(in.code)))
	if a.Worktree {
		child.Dot("InWorktree").Call()
	}
	return f.does(child)
}

// argument is the code of a value for an input of another package.
func (f actionWriter) argument(in *input, arg ir.Argument) *jen.Statement {
	of, optional := in.Type, false
	if o, ok := of.(*types.Optional); ok {
		of, optional = o.Elem, !nilable(o.Elem)
	}
	if e, ok := arg.Value.(*expr.Input); ok && (in.fallback || optional) && f.g.inputs[e.Name].fallback && types.Identical(f.g.inputs[e.Name].Type, of) && !in.raw() {
		f.uses.inputs = true
		return jen.Id("in").Dot(f.g.inputs[e.Name].field) // the run has replaced nil by the default
	}
	code := f.converted(in, of, arg)
	if !in.fallback && !optional {
		return code
	}
	return jen.New(code)
}

// converted is the code of a value in the type of an input.
func (f actionWriter) converted(in *input, of types.Type, arg ir.Argument) *jen.Statement {
	isText := types.IsText(of)
	if e, ok := arg.Value.(*expr.Local); ok && f.g.locals[e.Of] == nil { // the item of the node's fan-out
		item := jen.Id(f.g.fanned[e.Of])
		switch isItemText := f.g.fannedTexts[e.Of]; {
		case isItemText && in.raw():
			return jen.Qual(jsonPath, "RawMessage").Call(call(valuePath, "Encode", item))
		case isItemText && isText:
			return item
		case isItemText:
			return f.read(of, in, item, arg)
		case in.raw():
			return item
		case isText:
			return call(valuePath, "RawText", item)
		}
		return f.read(of, in, call(valuePath, "RawText", item), arg)
	}
	if e, ok := arg.Value.(*expr.Literal); ok {
		switch {
		case in.raw():
			return jen.Qual(jsonPath, "RawMessage").Call(f.g.quote(defaultJSON(e)))
		case isText && e.Typ == types.Null:
			f.note("As in archon, a null becomes the text `" + cleanLine(e.Text) + "`.")
			return jen.Lit(e.Text)
		case isText:
			return jen.Lit(e.Text)
		}
		if types.IsNumber(of) && in.fallback { // else new would make a pointer to another type
			if code := literal(e); of == types.Int || !strings.ContainsAny(e.Text, ".eE") {
				return goType(of).Call(code)
			}
		}
		return literal(e)
	}
	o := f.operands().operand(arg.Value)
	whole, isWhole := arg.Value.(*expr.Output)
	structured := isWhole && (f.g.byID[whole.Node].typed || f.g.byID[whole.Node].json)
	switch {
	case isText:
		return text(o)
	case in.raw() && structured:
		return f.read(of, in, text(o), arg)
	case in.raw() && !types.IsText(o.typ):
		return jen.Qual(jsonPath, "RawMessage").Call(call(valuePath, "Encode", o.code))
	case in.raw():
		return jen.Qual(jsonPath, "RawMessage").Call(call(valuePath, "Encode", text(o)))
	case o.typ == of && !o.opt:
		return o.code
	case of == types.Float && o.typ == types.Int && !o.opt:
		return jen.Float64().Call(o.code)
	}
	return f.read(of, in, text(o), arg)
}

// read is the code of a value that is read from a text.
func (f actionWriter) read(of types.Type, in *input, code *jen.Statement, arg ir.Argument) *jen.Statement {
	t := goType(of)
	if in.raw() {
		t = jen.Qual(jsonPath, "RawMessage")
	}
	return f.try("", unexported(in.field), jen.Qual(valuePath, "Argument").Types(t).Call(code, jen.Lit(in.Name)), arg.Span)
}

// goType is the Go type of an input of a basic type.
func goType(t types.Type) *jen.Statement {
	if b, ok := t.(types.Basic); ok {
		return basicType(b)
	}
	return jen.String()
}

// The workflows that a workflow runs are packages of their own, in folders of its package.
// Each is generated as if it stood alone. They are beside each other, also if one runs
// another, so each is there once.

// defaultImportPath is the import path of a package whose Options name none: the one that
// package build gives to programs.
const defaultImportPath = modulePath + "/workflow"

// A family are the generators of a workflow and of those that it runs.
type family struct {
	// path is the import path of the package of the workflow.
	path string
	// folders are the names of the packages of the others, and of their folders.
	folders map[*ir.Program]string
	members map[*ir.Program]*goPackage
}

// newFamily returns the generators of a program and of those that it runs.
func newFamily(p *ir.Program, opt Options) *family {
	fam := &family{path: cmp.Or(opt.ImportPath, defaultImportPath), folders: map[*ir.Program]string{}, members: map[*ir.Program]*goPackage{}}
	callees := p.Callees()
	taken := map[string]bool{opt.Package: true}
	for _, callee := range callees {
		name := folderName(callee.Workflow.Name)
		for base, i := name, 2; taken[name]; i++ {
			name = base + itoa(i)
		}
		taken[name] = true
		fam.folders[callee] = name
	}
	fam.add(p, opt)
	for _, callee := range callees {
		fam.add(callee, Options{Package: fam.folders[callee], LineDirectives: opt.LineDirectives})
	}
	return fam
}

func (fam *family) add(p *ir.Program, opt Options) {
	fam.members[p] = newPackage(p, flowBody(p.Workflow), opt, fam)
}

// importPath is the import path of the package of a workflow that another one runs.
func (fam *family) importPath(p *ir.Program) string { return fam.path + "/" + fam.folders[p] }

// otherPackages are names of packages that generated code imports, and of variables and
// functions that some generated code has.
var otherPackages = strings.Fields(`
	inputs nodes atomic covered slices
	graph graphfiles steps outcome output json py gotext structured embedding prompts deliver zones catalog
	attention done gate item message prompt reason run t tasks until
	internal testdata vendor test`)

// folderName is the name of the package, and of its folder, for a workflow that another one
// runs: one that means nothing else in generated code or to the go command.
func folderName(workflow string) string {
	name := PackageName(workflow)
	if slices.Contains(reserved, name) || slices.Contains(otherPackages, name) {
		return "wf" + name
	}
	return name
}

// callees returns the generators of the workflows that this one runs, and of those that
// they run.
func (g *goPackage) callees() []*goPackage {
	var list []*goPackage
	for _, p := range g.program.Callees() {
		list = append(list, g.family.members[p])
	}
	return list
}

// all returns the generator and its callees.
func (g *goPackage) all() []*goPackage { return append([]*goPackage{g}, g.callees()...) }

// direct returns the workflows that nodes of this one run, each once, in the order of
// their first nodes.
func direct(w *ir.Workflow) []*ir.Program {
	var list []*ir.Program
	ir.Walk(w.Body, func(n *ir.Node) {
		if c, ok := n.Action.(*ir.Call); ok && !slices.Contains(list, c.Callee) {
			list = append(list, c.Callee)
		}
	})
	return list
}

// allAgents are the names of the agents of the workflow and of those that it runs.
func (g *goPackage) allAgents() []string {
	var names []string
	for _, member := range g.all() {
		for _, name := range member.agents() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
