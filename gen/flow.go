package gen

import (
	"fmt"
	"slices"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// chunkSize is the number of nodes from which on the flow is cut into several
// functions: the Go compiler's time grows faster than a function's length. (At
// 3,000 nodes one function took it twice as long as many.)
const chunkSize = 100

// flowFuncs writes the flow: one Spawn a node, or one Perform a step.
func (g flowWriter) flowFuncs(f *jen.File) {
	for _, n := range g.nodes {
		nodeWriter{g.goPackage}.prepare(n)
	}
	if nodes := g.ordered(); len(nodes) <= chunkSize {
		g.wholeFlow(f, nodes)
	} else {
		g.cutFlow(f, nodes)
	}
	nodeWriter{g.goPackage}.specs(f)
}

// flowDoc describes the function of the flow.
func (g flowWriter) flowDoc() string {
	switch {
	case !g.sequence:
		return g.dagDoc()
	case g.nodes[len(g.nodes)-1].Finally:
		return "workflow runs one step after the other, until one fails, and then the steps that clean up."
	}
	return "workflow runs one step after the other, until one fails."
}

// rulesInside names the nodes with which the workflow that a node includes begins, and their
// rules. The node applies the weakest rule for those that have it.
func (g spawner) rulesInside(n *node) string {
	var rules []string
	for _, m := range g.nodes {
		if m.Within == n.Node && !slices.ContainsFunc(m.Needs, func(need *ir.Need) bool { return need.Node.Within == n.Node }) {
			rule := n.Trigger
			if stricter(m) {
				rule = m.Trigger
			}
			rules = append(rules, cleanLine(m.ID)+" ("+rule.String()+")")
		}
	}
	return conjunction(rules)
}

// dagDoc describes the flow of a DAG.
func (g flowWriter) dagDoc() string {
	doc := "workflow runs each node when the nodes before it "
	if dag, ok := g.program.Workflow.Body.(*ir.DAG); ok && dag.Halts {
		return doc + "have completed. After a failure, no further node starts."
	}
	var ruled, conditional bool
	for _, n := range g.nodes {
		ruled = ruled || n.Trigger != ir.AllSuccess
		conditional = conditional || n.When != nil
	}
	switch {
	case ruled && conditional:
		return doc + "are settled, unless its rule or condition skips it."
	case ruled:
		return doc + "are settled, unless its rule skips it."
	case conditional:
		return doc + "have completed, unless its condition skips it."
	}
	return doc + "have completed."
}

// stricter reports whether a node applies its rule to the nodes before the one that includes
// it, because the rule of that one is weaker.
func stricter(n *node) bool {
	return slices.ContainsFunc(n.Needs, func(need *ir.Need) bool { return need.Order && need.Node == n.Within })
}

// weakest reports whether a node includes a workflow of which a node begins with a stricter
// rule.
func (g spawner) weakest(n *node) bool {
	return slices.ContainsFunc(g.nodes, func(m *node) bool { return m.Within == n.Node && stricter(m) })
}

// wholeFlow writes the flow as one function whose variables are the tasks.
func (g flowWriter) wholeFlow(f *jen.File, nodes []*node) {
	variable := func(n *node) *jen.Statement { return jen.Id(n.task) }
	body := &block{}
	g.halt(body)
	used := usedTasks(nodes)
	for _, n := range nodes {
		task := jen.Id(n.task).Op(":=")
		if !used[n] {
			task = &jen.Statement{}
		}
		g.mark(body, n.IDSpan, task.Add(spawner{g.goPackage}.spawn(n, variable)))
		g.deliver(body, n, variable)
	}
	g.workflowFunc(f, body, variable)
}

// halt has a failure end the flow, where that is the workflow's rule.
func (g flowWriter) halt(to *block) {
	if dag, ok := g.program.Workflow.Body.(*ir.DAG); ok && dag.Halts {
		to.add(jen.Id("c").Dot("HaltOnFailure").Call())
	}
}

// workflowFunc writes the function of the flow.
func (g flowWriter) workflowFunc(f *jen.File, body *block, task func(*node) *jen.Statement) {
	g.finish(body, task)
	g.defaultConsts(f)
	g.doc(f, g.flowDoc())
	params := flowParams()
	if !g.flowReadsInputs() {
		params[1] = jen.Id("_").Id("Inputs")
	}
	f.Func().Id("workflow").Params(params...).Params(jen.Id("Outputs"), jen.Error()).Block(body.code...)
}

// usedTasks are the nodes whose tasks something reads.
func usedTasks(nodes []*node) map[*node]bool {
	used, byNode := map[*node]bool{}, map[*ir.Node]*node{}
	for _, n := range nodes {
		byNode[n.Node] = n
	}
	for _, n := range nodes {
		used[n] = used[n] || n.terminal
		for _, need := range n.Needs {
			used[byNode[need.Node]] = true
		}
		if n.Within != nil {
			used[byNode[n.Within]] = true
		}
		for _, u := range []*uses{n.whenCode.uses, n.runCode.uses} {
			if u == nil {
				continue
			}
			for _, task := range u.nodes {
				used[task] = true
			}
		}
	}
	return used
}

// cutFlow writes a long flow as several functions over a struct of the tasks.
func (g flowWriter) cutFlow(f *jen.File, nodes []*node) {
	field := func(n *node) *jen.Statement { return jen.Id("t").Dot(n.task) }
	g.doc(f, "tasks are the flow's nodes.")
	f.Type().Id("tasks").StructFunc(func(s *jen.Group) {
		for _, n := range nodes {
			s.Id(n.task).Op("*").Qual(flowPath, "Task").Types(n.value)
		}
	})
	var parts []string
	body := &block{}
	g.halt(body)
	body.add(jen.Id("t").Op(":=").Op("&").Id("tasks").Values())
	for len(nodes) > 0 {
		chunk := nodes[:min(chunkSize, len(nodes))]
		nodes = nodes[len(chunk):]
		name := g.names.take(fmt.Sprintf("part%d", len(parts)+1))
		parts = append(parts, name)
		body.add(jen.Id("t").Dot(name).Call(jen.Id("c"), jen.Id("in")))
		part := &block{}
		for _, n := range chunk {
			g.mark(part, n.IDSpan, field(n).Op("=").Add(spawner{g.goPackage}.spawn(n, field)))
			g.deliver(part, n, field)
		}
		defer func() {
			g.doc(f, name+" is a part of the flow.")
			f.Func().Params(jen.Id("t").Op("*").Id("tasks")).Id(name).Params(flowParams()...).Block(part.code...)
		}()
	}
	g.workflowFunc(f, body, field)
}

// flowReadsInputs reports whether the function of the flow needs the inputs.
func (g flowWriter) flowReadsInputs() bool {
	return len(g.nodes) > chunkSize || slices.ContainsFunc(g.nodes, func(n *node) bool {
		return n.Given != nil || n.runCode.uses.inputs || n.whenCode.uses != nil && n.whenCode.uses.inputs
	})
}

func flowParams() []jen.Code {
	return []jen.Code{jen.Id("c").Op("*").Qual(flowPath, contextType), jen.Id("in").Id("Inputs")}
}

// finish writes the end of the flow: wait, and collect the outputs.
func (g flowWriter) finish(body *block, task func(*node) *jen.Statement) {
	out := fields{}
	for _, n := range g.nodes {
		if !n.terminal {
			continue
		}
		_, read, _ := n.outcome()
		out.set(n.exported, task(n).Add(read))
	}
	end := jen.Err
	if judged(g.program) {
		end = func() *jen.Statement { return jen.Id(endID) }
	}
	g.mark(body, source.Span{}, end().Op(":=").Qual(flowPath, "Settle").Call(jen.Id("c")))
	if g.program.Workflow.Delivers {
		body.add(jen.If(end().Op("==").Nil()).Block(g.deliverResult(task)))
	}
	g.verdict(body, task)
	body.add(jen.Return(jen.Id("Outputs").Add(out.lines()), end()))
}

// retryNote says what the number of an archon policy is.
const retryNote = "max_attempts counts retries"

// orderNote says what the field Order is for.
const orderNote = "read here, but not in `depends_on`"

// spawn is the call that begins a node.
func (g spawner) spawn(n *node, task func(*node) *jen.Statement) *jen.Statement {
	d := fields{}
	d.set("Key", jen.Lit(n.Local()))
	d.set("Kind", jen.Lit(n.Action.Kind()))
	for _, field := range []string{"After", "Order"} {
		var tasks []jen.Code
		for _, need := range n.Needs {
			if need.Order == (field == "Order") {
				tasks = append(tasks, task(g.byID[need.Node.ID]))
			}
		}
		switch order := jen.Qual(flowPath, "After").Call(tasks...); {
		case len(tasks) > 0 && field == "Order" && stricter(n):
			d.setNoted(field, order, g.note("only order: the rule of "+cleanLine(n.Within.ID)+", "+n.Within.Trigger.String()+", is weaker than "+n.Trigger.String()))
		case len(tasks) > 0 && field == "Order" && n.before == nil:
			d.setNoted(field, order, g.note(orderNote))
		case len(tasks) > 0:
			d.set(field, order)
		}
	}
	rule := jen.Qual(flowPath, ruleNames[n.Trigger])
	switch {
	case n.Trigger != ir.AllSuccess && g.weakest(n):
		d.setNoted("Rule", rule, g.note("the weakest rule with which the block begins: "+g.rulesInside(n)))
	case n.Trigger != ir.AllSuccess:
		d.set("Rule", rule)
	}
	d.lit("SkipCountsAsFailure", n.FailedUpstream)
	if n.Within != nil {
		d.set("Include", task(g.byID[n.Within.ID]))
	}
	// Each action of a node takes these two over, but a loop has them as a
	// whole, and an approval's timeout is for its question.
	_, loop := n.Action.(*ir.Loop)
	_, approval := n.Action.(*ir.Approval)
	if !loop && !approval {
		d.set("Timeout", timeout(n.Node))
	}
	if policy := retry(n.Retry); !loop {
		dag, _ := g.program.Workflow.Body.(*ir.DAG)
		if policy != nil && dag != nil && !dag.Halts && len(*policy) > 1 {
			d.setNoted("Retry", policy, g.note(retryNote))
		} else {
			d.set("Retry", policy)
		}
	}
	d.lit("SkipOnTimeout", n.SkipTimeout)
	d.lit("ReadOnly", n.ReadOnly)
	d.lit("CheckArtifactRefs", n.ArtifactRefs)
	d.lit("AlwaysRun", n.AlwaysRun)
	d.lit("Finally", n.Finally)
	if n.typed {
		d.set("Decode", jen.Qual(valuePath, "Decode").Types(n.value))
	}
	if n.When != nil {
		results := jen.Params(jen.Bool(), jen.Error())
		d.set("When", closure(n.when, nil, n.whenCode.uses.args(task, lastTask, nil), results, n.whenCode.sure))
	}
	if n.Given != nil {
		replace := jen.Func().Params().Params(jen.String(), jen.Bool(), jen.Error()).Add(oneLine(jen.Return(g.replaced(n))))
		note := ""
		if n.ownSpec() == "" && // the spec of a loop is for one iteration
			n.inner != nil && n.inner[0].spec != "" {
			note = g.note("not checked")
		}
		d.setNoted("Replace", replace, note)
	}
	context, results := jen.Id("c").Op("*").Qual(flowPath, contextType), jen.Params(jen.String(), jen.Error())
	switch more := n.runCode.uses.args(task, lastTask, nil); {
	case n.idle:
	case n.inline:
		d.set("Run", jen.Func().Params(context).Add(results, oneLine(jen.Add(n.runCode.body[0]))))
	case len(more) > 0:
		d.set("Run", closure(n.run, []jen.Code{context}, append([]jen.Code{jen.Id("c")}, more...), results, false))
	default:
		d.set("Run", jen.Id(n.run))
	}
	begin := "Spawn"
	if g.sequence {
		begin = "RunNext"
	}
	return jen.Qual(flowPath, begin).Call(jen.Id("c"), jen.Qual(flowPath, "Node").Types(n.value).Add(rows(g.open(n.IDSpan), d.code)))
}

var ruleNames = [...]string{
	ir.AllSuccess:              "AllSuccess",
	ir.OneSuccess:              "OneSuccess",
	ir.NoneFailedMinOneSuccess: "NoneFailedMinOneSuccess",
	ir.AllDone:                 "AllDone",
}

// closure is a function value that calls a function with what it needs of the flow;
// params are those that the kernel fills. A sure function returns no error, which the
// literal adds.
func closure(name string, params, args []jen.Code, results *jen.Statement, sure bool) *jen.Statement {
	if len(params)+len(args) == 0 && !sure {
		return jen.Id(name)
	}
	return jen.Func().Params(params...).Add(results).Add(oneLine(forwarding(name, args, sure)))
}

// forwarding is the statement that returns what a function returns.
func forwarding(name string, args []jen.Code, sure bool) *jen.Statement {
	result := []jen.Code{jen.Id(name).Call(args...)}
	if sure {
		result = append(result, jen.Nil())
	}
	return jen.Return(result...)
}

// duration is a time span in the largest unit that divides it.
func duration(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%unit.size != 0 {
			continue
		}
		if d == unit.size {
			return jen.Qual(timePath, unit.name)
		}
		return jen.Lit(int(d/unit.size)).Op("*").Qual(timePath, unit.name)
	}
	return jen.Lit(int(d))
}

// defaultDelay is flow.DefaultRetry.Delay.
const defaultDelay = 3 * time.Second

// retry is the code of a retry policy; one without a place in the workflow that is
// flow.DefaultRetry has its name.
func retry(r *ir.Retry) *jen.Statement {
	if r == nil {
		return nil
	}
	if *r == (ir.Retry{Max: 2, Delay: defaultDelay}) {
		return jen.Qual(flowPath, "DefaultRetry")
	}
	d := fields{}
	d.set("Retries", jen.Lit(r.Max))
	if r.Delay == defaultDelay {
		d.set("Delay", jen.Qual(flowPath, "DefaultRetry").Dot("Delay"))
	} else {
		d.duration("Delay", r.Delay)
	}
	d.lit("All", r.All)
	return jen.Qual(flowPath, "Retry").Add(d.line())
}

// A sequence is written as it runs: one step after the other.
//
//	setup := flow.RunNext(c, flow.Node[*SetupOutput]{…})
//	items := flow.RunNext(c, flow.Node[[]ItemsItem]{…})
//	return Outputs{…}, flow.Settle(c)
//
// A step's own function is runSetup. What it repeats or runs side by side are
// functions of their own, which it hands to the kernel: iterateItems is one
// iteration, runFetchUsers child `users` of step `fetch`, untilRetry the test of a
// loop, makePlan what a person reviews. Each gets what it needs of the flow as
// parameters: inputs, tasks, the variables of the loops around it.

// declareSequence finds names, types and places for the steps of a sequence and
// for the nodes inside them.
func (g *declarer) declareSequence(body *ir.Sequence) {
	for _, name := range sequenceReserved {
		g.names.taken[name] = true
	}
	// What cleans up is no result, unless there is nothing else.
	last := len(body.Nodes) - 1
	for last > 0 && body.Nodes[last].Finally {
		last--
	}
	for i, n := range body.Nodes {
		m := g.declareStep(n, n.ID, fmt.Sprintf("step `%s`", n.ID))
		m.index, m.terminal = i, i == last
		if i > 0 {
			m.before = g.nodes[i-1]
		}
		g.nodes = append(g.nodes, m)
		g.byID[n.ID] = m
	}
	for _, m := range g.nodes {
		m.types = g.declared(func() { g.stepTypes(m) })
	}
}

// sequenceReserved are the identifiers that the code of sequences uses for its own
// ends.
var sequenceReserved = []string{inputTableID, nodeTableID, "output", "py", "attempt", "previous", "text", "json"}

// declareStep finds names for a node and for those inside it. path is what its
// names are made of, and doc what it is called in comments.
func (g *declarer) declareStep(n *ir.Node, path, doc string) *node {
	m := g.noteSchema(&node{Node: n, nodeNames: g.names.node(path, n.Action), doc: doc})
	if n.Review != nil {
		m.makes = g.names.take("make" + m.exported)
	}
	if n.Parsing != ir.Plain {
		m.spec = g.names.take(unexported(m.exported) + "Spec")
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		body := g.declareBody(m, a.Body, doc)
		_, fork := a.Body.Action.(*ir.Fork)
		body.unread = fork && a.Join == ir.JoinLast
		m.inner = []*node{body}
	case *ir.Repeat:
		test := "while"
		if a.Until {
			test = "until"
		}
		m.until = g.names.take(test + m.exported)
		m.inner = []*node{g.declareBody(m, a.Body, doc)}
	case *ir.Fork:
		for _, child := range a.Nodes {
			m.inner = append(m.inner, g.declareStep(child, path+" "+child.ID, fmt.Sprintf("`%s` in %s", child.ID, doc)))
		}
	}
	return m
}

// declareBody finds names for what a loop repeats.
func (g *declarer) declareBody(of *node, n *ir.Node, doc string) *node {
	m := g.noteSchema(&node{Node: n, nodeNames: of.nodeNames, doc: doc, part: "one iteration of "})
	m.run = g.names.take("iterate" + of.exported)
	m.output = g.names.take(g.names.element(of.exported))
	if n.Parsing != ir.Plain {
		m.spec = g.names.take(unexported(of.exported) + "Spec")
	}
	if a, ok := n.Action.(*ir.Fork); ok {
		for _, child := range a.Nodes {
			m.inner = append(m.inner, g.declareStep(child, of.exported+" "+child.ID, fmt.Sprintf("`%s` in %s", child.ID, doc)))
		}
	}
	return m
}

// stepTypes finds the Go types of a node's output and of those inside it, which
// come first: what they yield is part of what the node does.
func (g *declarer) stepTypes(m *node) {
	for _, inner := range m.inner {
		g.stepTypes(inner)
	}
	if m.unread {
		return // its type would have no use
	}
	g.valueType(m)
	g.findShape(m)
	m.json = !m.typed && !types.IsText(m.Output)
}

// replaced is the code of the value that a caller gave in place of a step's output.
func (g spawner) replaced(n *node) *jen.Statement {
	in, method := g.inputs[n.Given.Name], "FromInput"
	if n.Review != nil {
		method = "FromAcceptedInput" // nobody is asked about it
	}
	return n.outputSpec().Dot(method).Call(in.read())
}

// outputSpec is the code of the spec of a node's output.
func (n *node) outputSpec() *jen.Statement {
	if spec := n.ownSpec(); spec != "" {
		return jen.Id(spec)
	}
	return jen.Qual(outputPath, "Undeclared")
}
