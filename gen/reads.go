package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// needsStatements reports whether a condition needs statements before its expression: because it
// can fail, or because it has a variable.
func (g *goPackage) needsStatements(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Not:
		return g.needsStatements(e.X)
	case *expr.Logic:
		return g.needsStatements(e.X) || g.needsStatements(e.Y)
	case *expr.Compare:
		if e.Op.IsValue() || e.Op.IsNumeric() {
			break
		}
		x, lit := comparedWithLiteral(e)
		if x == nil {
			break
		}
		if g.previousMember(x, lit) != nil {
			return false
		}
		if m := g.optionalMember(x); m != nil && (lit.Text != "" || types.IsText(m.typ)) {
			return true
		}
	}
	return g.mayFail(e)
}

// optionalMember is the member of a field that may be missing although the output exists.
func (g *goPackage) optionalMember(e expr.Expr) *member {
	field, ok := e.(*expr.Field)
	if !ok || mayLackOutput(field.Presence) {
		return nil
	}
	m := g.memberOfField(field)
	if m == nil || !m.opt {
		return nil
	}
	return m
}

// previousMember is the member that a field of the previous iteration is, if an expression can
// compare it with a literal.
func (g *goPackage) previousMember(e expr.Expr, lit *expr.Literal) *member {
	field, ok := e.(*expr.Field)
	if !ok || !field.Previous {
		return nil
	}
	if m := g.memberOf(field); m != nil && !m.opt && (lit.Text == "" || canPrintAs(m.typ, lit.Text)) {
		return m
	}
	return nil
}

// enumValue is the constant of a value of an enum, or its string.
func (g *goPackage) enumValue(t *types.Enum, text string) *jen.Statement {
	if name := g.types.enumFor(t, "", "").consts[text]; name != "" {
		return jen.Id(name)
	}
	return g.quoteString(text)
}

// memberOfField returns how Go selects a field, or nil when its value must be looked
// up in the text: because its type is not known, because a level above it may
// be missing, or because only the text has its exact form.
func (g *goPackage) memberOfField(e *expr.Field) *member {
	if e.Previous {
		return nil
	}
	return g.memberOf(e)
}

// memberOf is memberOfField also for an output of the previous iteration.
func (g *goPackage) memberOf(e *expr.Field) *member {
	m := g.selectedMember(e)
	if m == nil || !types.IsText(m.typ) && !types.IsNumber(m.typ) && m.typ != types.Bool {
		return nil
	}
	return m
}

// selectedMember is memberOf for a value of any type.
func (g *goPackage) selectedMember(e *expr.Field) *member {
	n := g.byID[e.Node]
	if !e.Declared || !n.typed {
		return nil
	}
	m := &member{typ: n.Output}
	for _, name := range e.Path {
		s, ok := m.typ.(*types.Struct)
		if !ok || m.opt || g.types.structs[s] == nil {
			return nil
		}
		field := g.types.structs[s].fieldNamed(name)
		if field == nil {
			return nil
		}
		m.path = append(m.path, field.name)
		m.typ, m.opt = field.field.Type, !field.field.Required
		if o, ok := m.typ.(*types.Optional); ok {
			m.typ, m.opt = o.Elem, true
		}
	}
	return m
}

// isReadable reports whether the text of an output surely has the field that the schema
// declares, or lacks it as the schema allows.
func (g *goPackage) isReadable(e *expr.Field) bool {
	return e.Declared && !e.Scalar && !e.Previous && !mayLackOutput(e.Presence) && g.byID[e.Node].object
}

// mayFail reports whether evaluating an expression may fail the node.
func (g *goPackage) mayFail(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Output:
		return !e.Presence.Always() || e.Previous
	case *expr.Field:
		return mayLackOutput(e.Presence) || g.memberOfField(e) == nil && !g.isReadable(e)
	case *expr.Var:
		return e.Var == expr.BaseBranch
	case *expr.Input:
		return e.Given
	case *expr.Not:
		return g.mayFail(e.X)
	case *expr.Logic:
		return g.mayFail(e.X) || g.mayFail(e.Y)
	case *expr.Compare:
		return g.mayFail(e.X) || g.mayFail(e.Y) || e.Op.IsNumeric() && (!g.isNumber(e.X) || !g.isNumber(e.Y))
	}
	return false
}

// isNumber reports whether an expression is a number without further ado.
func (g *goPackage) isNumber(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Literal:
		_, ok := constantNumber(e.Text)
		return ok
	case *expr.Field:
		m := g.memberOfField(e)
		return m != nil && !m.opt && types.IsNumber(m.typ)
	case *expr.Input:
		return types.IsNumber(e.Typ)
	}
	return false
}

// producerOf is the node of an output or of a field of one.
func (g *goPackage) producerOf(e expr.Expr) *node {
	switch e := e.(type) {
	case *expr.Output:
		return g.byID[e.Node]
	case *expr.Field:
		return g.byID[e.Node]
	}
	return nil
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
	g.fanned[item] = g.loopVariable(name, g.itemsAround(n))
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

// withCallees returns the generator, those of the workflows that this one runs, and of those that they run.
func (g *goPackage) withCallees() []*goPackage {
	list := []*goPackage{g}
	for _, p := range g.program.Callees() {
		list = append(list, g.family.members[p])
	}
	return list
}

// allAgents are the names of the agents of the workflow and of those that it runs.
func (g *goPackage) allAgents() []string {
	var names []string
	for _, member := range g.withCallees() {
		names = plain.AddNew(names, member.agentNames()...)
	}
	return names
}

// workerTags are the tags that a worker needs to perform a node: its own, and those of its agents.
func (g *goPackage) workerTags(n *ir.Node) []string {
	tags := g.program.Workflow.TagsOf(n)
	for _, name := range agentsOf(n) {
		a, _ := g.opt.Defaults.Agents.Find(name)
		tags = append(tags, a.WorkerTags...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// agentNames returns the names of the agents in the order of their first use.
func (g *goPackage) agentNames() []string {
	var list []string
	for _, n := range g.nodes {
		list = plain.AddNew(list, agentsOf(n.Node)...)
	}
	return list
}

// modelRows are the rows of the agents and models of the prompts, or nil if no prompt names a model.
func (g *goPackage) modelRows() []jen.Code {
	var list [][2]string
	named := false
	for _, n := range g.nodes {
		for _, p := range n.Prompts() {
			named = named || p.Agent.Model != ""
			list = plain.AddNew(list, [2]string{p.Agent.Name, p.Agent.Model})
		}
	}
	if !named {
		return nil
	}
	return codesOf(list, func(pair [2]string) *jen.Statement {
		d := fields{}
		d.setLit("Agent", pair[0])
		d.setLit("Model", pair[1])
		return d.asRow()
	})
}

// locateLocal says in which Go variable something declared is found from now on. A
// function that reads it gets the variable as a parameter of that name, unless it
// owns it.
func (g *goPackage) locateLocal(d *expr.Declared, name string, form localForm) {
	g.placeLocal(&local{of: d, name: name, form: form})
}

// placeLocal is locateLocal for a variable of any kind.
func (g *goPackage) placeLocal(l *local) {
	if l.item != nil {
		l.typ = g.types.structs[l.item].name
	}
	l.order = len(g.locals)
	g.locals[l.of] = l
}

// placeItem finds a variable for the item of a block, before the functions of the nodes
// that read it are written.
func (g *goPackage) placeItem(n *node) {
	a, ok := n.Action.(*ir.Block)
	if !ok {
		return
	}
	beside := append(g.itemsAround(n), "i") // the parameter of functions that iterate
	g.placeLocal(&local{of: a.Fan.Item, name: g.loopVariable(a.Fan.Item.Name, beside), form: typedForm, value: stringForm})
}

// namesZone reports whether the workflow's schedule, or the quiet hours of notices, mean the
// time of a zone that only a time zone database knows. Its program carries one, so that it needs none
// on the machine where it runs.
func (g *goPackage) namesZone() bool {
	zones := []string{g.opt.Defaults.Notify.Quiet.Zone}
	if s := g.program.Workflow.Schedule; s != nil {
		zones = append(zones, s.Zone)
	}
	return slices.ContainsFunc(zones, func(zone string) bool { return zone != "" && zone != "UTC" })
}

// allNodes returns the nodes of the workflow and of those that it runs.
func (g *goPackage) allNodes() []*node {
	var list []*node
	for _, member := range g.withCallees() {
		list = append(list, member.nodes...)
	}
	return list
}

// usesFiles reports whether the work of a node uses the folders of the run.
func (g *goPackage) usesFiles() bool {
	w := g.program.Workflow
	return g.graph != nil || w.Evidence || g.readsVariable(expr.StateDir) || w.FilesNode(g.isProgram) != nil
}

// isProgram reports whether an agent is a program, which works in the folder of the run. An
// unknown agent may be one.
func (g *goPackage) isProgram(agent string) bool {
	a, ok := g.opt.Defaults.Agents.Resolve(agent)
	kind := a.Kind
	if !ok {
		known, _ := catalog.AgentNamed(agent)
		kind = known.Kind
	}
	k, ok := catalog.KindNamed(kind)
	return kind != settings.KindScripted && (!ok || k.StartsProgram())
}

// orderedOf returns nodes so that dependencies come first, otherwise in definition order.
func (g *goPackage) orderedOf(nodes []*node) []*node {
	list := make([]*node, 0, len(nodes))
	done := map[string]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if done[n.ID] {
			return
		}
		done[n.ID] = true
		for _, need := range n.Needs {
			visit(g.byID[need.Node.ID])
		}
		list = append(list, n)
	}
	for _, n := range nodes {
		visit(n)
	}
	return list
}

// deliversOutcome reports whether a workflow whose format knows no deliveries sends
// its result to channels, since the configuration names some.
func (g *goPackage) deliversOutcome() bool {
	w := g.program.Workflow
	return !w.Delivers && len(w.DeliverTo) > 0
}

// sendsMail reports whether a delivery or a notice may be an e-mail.
func (g *goPackage) sendsMail() bool {
	targets := slices.Concat(ir.TargetNames(g.program.Workflow.DeliverTo), g.opt.Defaults.DeliverTo, g.opt.Defaults.Notify.Targets())
	for _, n := range g.nodes {
		targets = append(targets, ir.TargetNames(n.DeliverTo)...)
	}
	return slices.ContainsFunc(targets, func(text string) bool {
		t, err := target.Parse(text)
		return err == nil && (t.Channel == target.KindMail || slices.ContainsFunc(g.opt.Defaults.Channels, func(c settings.Channel) bool {
			return c.Kind == target.KindMail && (c.Name == t.Channel || c.Name == t.String())
		}))
	})
}

// sendsMessages reports whether a workflow, or the notices about its runs, go to channels.
func (g *goPackage) sendsMessages() bool {
	return g.deliversAnything() || len(g.opt.Defaults.Notify.Rules) > 0
}

// deliversAnything reports whether a workflow sends anything to channels.
func (g *goPackage) deliversAnything() bool {
	if g.program.Workflow.Delivers || g.deliversOutcome() {
		return true
	}
	return slices.ContainsFunc(g.nodes, func(n *node) bool { return len(n.DeliverTo) > 0 })
}

// readsVariable reports whether a node of the workflow, or a script's environment, reads a
// variable of the run.
func (g *goPackage) readsVariable(v expr.Variable) bool {
	found := false
	visit := func(e expr.Expr) bool {
		read, ok := e.(*expr.Var)
		found = found || ok && read.Var == v
		return !found
	}
	for _, e := range g.program.Workflow.MoreEnv {
		expr.Walk(e.Value, visit)
	}
	for _, n := range g.nodes {
		for _, e := range nodeExpressions(n.Node) {
			expr.Walk(e, visit)
		}
	}
	return found
}

// loopVariable returns a Go name for the variable of a loop: one that no function of
// the package uses for anything else. Two loops may use one name.
func (g *goPackage) loopVariable(of string, beside []string) string {
	base := unexportedName(exportedName(of, "Item"))
	name := base
	switch {
	case g.names.isFree(name):
	case len(name) == 1:
		name = "item"
	default:
		name = base + "Item"
	}
	for i := 2; ; i++ {
		if g.names.isFree(name) && !slices.Contains(beside, name) {
			g.loopNames[name] = true
			return name
		}
		name = base + itoa(i)
	}
}

// importPath is the import path of the package of a workflow that another one runs.
func (fam *family) importPath(p *ir.Program) string { return fam.path + "/" + fam.folders[p] }
