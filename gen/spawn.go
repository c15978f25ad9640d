package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

// spawnCall is the call that begins a node.
func (g spawner) spawnCall(n *node, task func(*node) *jen.Statement) *jen.Statement {
	d := fields{}
	d.setField("Key", jen.Lit(n.Local()))
	d.setField("Kind", jen.Lit(n.Action.Kind()))
	for _, field := range []string{"After", "Order"} {
		var tasks []jen.Code
		for _, need := range n.Needs {
			if need.Order == (field == "Order") {
				tasks = append(tasks, task(g.byID[need.Node.ID]))
			}
		}
		if len(tasks) > 0 {
			d.setField(field, jen.Qual(flowPath, "After").Call(tasks...))
		}
	}
	if n.Rule != ir.AllSuccess {
		d.setField("Rule", jen.Qual(flowPath, ruleNames[n.Rule]))
	}
	d.setLit("SkipCountsAsFailure", n.SkipCountsAsFailure)
	if n.Include != nil {
		d.setField("Include", task(g.byID[n.Include.ID]))
	}
	// Each action of a node takes these two over, but a loop has them as a
	// whole, and an approval's timeout is for its question.
	_, loop := n.Action.(*ir.Loop)
	_, approval := n.Action.(*ir.Approval)
	if !loop && !approval {
		d.setField("Timeout", timeoutCode(n.Node))
	}
	if !loop {
		d.setField("Retry", retryCode(n.Retry))
	}
	d.setLit("SkipOnTimeout", n.SkipOnTimeout)
	d.setLit("ReadOnly", n.ReadOnly)
	d.setLit("CheckArtifactRefs", n.CheckArtifactRefs)
	d.setLit("AlwaysRun", n.AlwaysRun)
	d.setLit("Finally", n.Finally)
	if n.typed {
		d.setField("Decode", jen.Qual(valuePath, "Decode").Types(n.value))
	}
	if n.When != nil {
		results := jen.Params(jen.Bool(), jen.Error())
		d.setField("When", closureCalling(n.when, nil, n.whenCode.uses.argumentList(task, lastTask, nil), results, n.whenCode.sure))
	}
	if n.Given != nil {
		replace := jen.Func().Params().Params(jen.String(), jen.Bool(), jen.Error()).Add(oneLine(jen.Return(g.replacedOutput(n))))
		d.setField("Replace", replace)
	}
	context, results := jen.Id("c").Op("*").Qual(flowPath, contextType), jen.Params(jen.String(), jen.Error())
	switch more := n.runCode.uses.argumentList(task, lastTask, nil); {
	case n.idle:
	case n.inline:
		d.setField("Run", jen.Func().Params(context).Add(results, oneLine(jen.Add(n.runCode.body[0]))))
	case len(more) > 0:
		d.setField("Run", closureCalling(n.run, []jen.Code{context}, append([]jen.Code{jen.Id("c")}, more...), results, false))
	default:
		d.setField("Run", jen.Id(n.run))
	}
	begin := "Spawn"
	if g.sequence {
		begin = "RunNext"
	}
	open := "{"
	if (n.idle || n.inline) && n.IDSpan.IsValid() && !g.directives { // no function's comment has the place
		open += " // " + g.positionOf(n.IDSpan)
	}
	return jen.Qual(flowPath, begin).Call(jen.Id("c"), jen.Qual(flowPath, "Node").Types(n.value).Add(itemRows(open, d.code)))
}

// replacedOutput is the code of the value that a caller gave in place of a step's output.
func (g spawner) replacedOutput(n *node) *jen.Statement {
	in, method := g.inputs[n.Given.Name], "FromInput"
	if n.Review != nil {
		method = "FromAcceptedInput" // it needs no review
	}
	return n.outputSpec().Dot(method).Call(in.readCode())
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
		if n.Include != nil {
			used[byNode[n.Include]] = true
		}
		for _, u := range n.allUses() {
			for _, task := range u.nodes {
				used[task] = true
			}
		}
	}
	return used
}

var ruleNames = [...]string{
	ir.AllSuccess:              "AllSuccess",
	ir.OneSuccess:              "OneSuccess",
	ir.NoneFailedMinOneSuccess: "NoneFailedMinOneSuccess",
	ir.AllDone:                 "AllDone",
}

// retryCode is the code of a retry policy; one without a place in the workflow that is
// flow.DefaultRetry has its name.
func retryCode(r *ir.Retry) *jen.Statement {
	if r == nil {
		return nil
	}
	if *r == ir.DefaultRetry {
		return jen.Qual(flowPath, "DefaultRetry")
	}
	d := fields{}
	d.setField("Retries", jen.Lit(r.Max))
	if r.Delay == ir.DefaultRetry.Delay {
		d.setField("Delay", jen.Qual(flowPath, "DefaultRetry").Dot("Delay"))
	} else {
		d.setDuration("Delay", r.Delay)
	}
	d.setLit("All", r.All)
	return jen.Qual(flowPath, "Retry").Add(d.asRow())
}

// timeoutCode is the code of the time limit of a node, or nil.
func timeoutCode(n *ir.Node) *jen.Statement {
	switch _, human := n.Action.(*ir.Human); {
	case n.Timeout == 0:
		return nil
	case n.TimeoutSpan.IsValid():
		return durationCode(n.Timeout)
	case human:
		return jen.Id(humanTimeoutID)
	}
	return jen.Id(defaultTimeoutID)
}

// parallelCode is the code of the number of items at the same time, or nil.
func parallelCode(f *ir.Fan) *jen.Statement {
	switch {
	case f.Max == 0:
		return nil
	case f.MaxSpan.IsValid():
		return jen.Lit(f.Max)
	}
	return jen.Id(defaultParallelID)
}

// defaultNote marks the value of a field.
const defaultNote = "the format's default"
