package archon

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A workflow node runs another workflow as a separate run. That workflow is compiled by
// itself; its inputs and its result give the node its types.

// buildCall makes a node that runs another workflow. It reports whether that is possible.
func (d *decoder) buildCall(n *nodeDecl, at value) bool {
	ok := d.checkCall(n)
	callee, fault := d.calleeProgram(at)
	known := callee != nil
	if !known { // the other keys are still checked
		callee = &ir.Program{Workflow: &ir.Workflow{Name: trimSpace(at.Node.Value), Body: &ir.DAG{}}}
	}
	c := &call{decoder: d, node: n, at: at, known: known, callee: callee.Workflow, call: &ir.Call{Callee: callee}}
	c.setWorktree()
	c.setFan()
	c.setArguments()
	if fault != nil {
		d.Bag.Add(fault)
	}
	switch {
	case !ok || !known && fault.Severity == diag.Error:
		return false
	case !known:
		n.failWhenRun(c.call.Kind(), fault)
	default:
		c.setOutput()
		n.node.Action = c.call
	}
	return true
}

// A call is a workflow node while it is built.
type call struct {
	*decoder
	node *nodeDecl
	at   value
	// known says that there is a callee without errors.
	known  bool
	callee *ir.Workflow
	call   *ir.Call
}

// checkCall reports keys that a workflow node cannot have, or that have no effect on it.
func (r *reader) checkCall(n *nodeDecl) bool {
	ok := true
	wrong := func(v *value, why, help string) {
		r.Bag.Add(finding.CompositionKey(v.Key.Span, why, help))
		ok = false
	}
	if n.retryAt != nil {
		wrong(n.retryAt, "`workflow` nodes cannot have `retry`", "remove it: a resumed run continues the child run")
	}
	if n.agent.schema != nil {
		wrong(n.agent.schema, "`workflow` nodes cannot have `output_format`", "declare the result in the workflow that runs: name its node in `returns`")
	}
	if n.input != nil && n.with != nil {
		wrong(n.with, "`input` and `with` exclude each other", "declare an input in the workflow that runs, and set it in `with`")
	}
	if n.with != nil && !r.IsMapping(*n.with) {
		ok = false
	}
	n.node.Retry = nil
	r.reportIneffective(n.idle, "the nodes of the workflow that runs have their own limits")
	r.reportIneffective(n.timeout, "the nodes of the workflow that runs have their own limits")
	r.reportIneffective(n.readOnly, "the workflow that runs has its own `mutates_checkout`")
	if n.node.AlwaysRun {
		r.reportIneffective(n.always, "a resumed run keeps a completed child run")
	}
	if n.fan != nil {
		r.reportIneffective(n.input, "each run gets its item as `$ARGUMENTS`")
	}
	n.node.IdleTimeout, n.node.Timeout, n.node.AlwaysRun = 0, 0, false
	return ok
}

// onlyCalls reports a key of a node that does not run a workflow.
func (r *reader) onlyCalls(v *value) {
	if v != nil {
		r.Bag.Add(finding.CompositionKey(v.Key.Span, "only `workflow` nodes can have `"+v.Path+"`", "remove it, or let the node run a workflow"))
	}
}

// calleeProgram returns the program of the workflow with the name at a value. The fault is that of
// callee, or says that the workflow has errors; then there is no program.
func (d *decoder) calleeProgram(at value) (*ir.Program, *diag.Diagnostic) {
	callee, fault := d.findCallee(at)
	switch {
	case callee == nil:
		return nil, fault
	case callee.used.Program == nil:
		return nil, finding.FaultyWorkflow(at.Place(), callee.name, callee.used.FirstError())
	}
	d.library.addResources(append([]*source.File{callee.used.File}, callee.used.Program.Resources...)...)
	return callee.used.Program, fault
}

// setWorktree reads whether each run works in its own worktree.
func (c *call) setWorktree() {
	always := c.callee.Worktree != nil && *c.callee.Worktree
	never := c.callee.Worktree != nil && !always
	c.call.Worktree = always
	if c.node.isolation == nil {
		return
	}
	if c.node.isolation.Node.Value != "worktree" {
		if always {
			c.Bag.Add(finding.NoEffect(c.node.isolation.Key.Span, "isolation", "workflow `"+c.callee.Name+"` says `worktree: {enabled: true}`"))
		}
		return
	}
	c.call.Worktree = true
	if never {
		c.Bag.Add(finding.CompositionKey(c.node.isolation.Key.Span, "workflow `"+c.callee.Name+"` says `worktree: {enabled: false}`", "remove `isolation`, or that key"))
	}
}

// setArguments reads the values of the inputs.
func (c *call) setArguments() {
	given := map[string]bool{}
	switch {
	case c.call.Fan != nil:
		given[argumentsInput] = true
		c.call.Args = append(c.call.Args, ir.Argument{Name: argumentsInput, Value: &expr.Local{Of: c.call.Fan.Item}})
		if name := c.itemInput(given); name != "" {
			c.call.Args = append(c.call.Args, ir.Argument{Name: name, Value: &expr.Local{Of: c.call.Fan.Item}, Span: c.node.fan.as.Place()})
		}
	case c.node.input != nil:
		given[argumentsInput] = true
		if text, ok := c.Text(*c.node.input); ok && text != "" {
			c.setText(argumentsInput, c.node.input.Node.Text(), nil)
		}
	}
	if c.node.with != nil && c.node.with.Node.Kind == yamlsrc.Mapping {
		for i := range c.node.with.Node.Pairs {
			p := &c.node.with.Node.Pairs[i]
			given[p.Key.Value] = true
			c.readArgument(p.Key.Value, c.node.with.Member(p))
		}
	}
	for _, in := range c.callee.Inputs {
		if in.Default == nil && !given[in.Name] {
			c.Bag.Add(finding.MissingArgument(c.at.Place(), c.callee.Name, in.Name, in.Span, "declared here"))
		}
	}
}

// itemInput returns the input, besides the arguments, that gets the items, or "".
func (c *call) itemInput(given map[string]bool) string {
	as := c.node.fan.as
	if as == nil {
		return ""
	}
	given[as.Node.Value] = true
	if name := c.setAs(c.node); name != "" && c.findInput(name, *as) != nil {
		return name
	}
	return ""
}

// readArgument reads one value under `with:`.
func (c *call) readArgument(name string, v value) {
	if !isInputName(name) {
		c.Bag.Add(finding.InputName(v.Key.Span, name))
		return
	}
	in := c.findInput(name, v)
	switch {
	case in == nil:
		c.noteUnread(v)
	case c.IsText(v.Node):
		c.setText(name, v.Node.Text(), in)
	default:
		c.call.Args = append(c.call.Args, ir.Argument{Name: name, Value: jsonLiteral(v.Node), Span: v.Place()})
		c.checkArgument(&c.call.Args[len(c.call.Args)-1], in, jsonLiteral(v.Node).Typ)
		c.checkInner(v)
	}
}

// noteUnread notes a value for which the callee has no input: the node still evaluates a
// string.
func (c *call) noteUnread(v value) {
	if !c.IsText(v.Node) || innerReference(v.Node) == nil {
		return
	}
	n, text := c.node.node, v.Node.Text()
	c.addSurface(callSurface, n, text).setTemplate = func(t *template.Template) {
		n.Unread = append(n.Unread, joinTemplate(t, text.Whole()))
	}
}

// declaredInput returns the input of the callee that a value names, or nil.
func (c *call) declaredInput(name *value) *ir.Input {
	for _, in := range c.callee.Inputs {
		if name != nil && in.Name == name.Node.Value && in.Span.IsValid() {
			return in
		}
	}
	return nil
}

// findInput returns the input of the callee that a value is for, or reports that there is
// none.
func (c *call) findInput(name string, v value) *ir.Input {
	var known []string
	for _, in := range c.callee.Inputs {
		if !in.Span.IsValid() {
			continue // every workflow has it; it is set by `input`
		}
		if in.Name == name {
			return in
		}
		known = append(known, in.Name)
	}
	at := v.Place()
	if v.Path != fanLevel.Prefix+"as" {
		at = v.Key.Span
	}
	switch {
	case !c.known:
		return &ir.Input{Name: name, Type: types.Text}
	case c.callee.OpenInputs:
		c.Bag.Add(finding.UnusedBinding(at, v.Path, "workflow `"+c.callee.Name+"`"))
	default:
		c.Bag.Add(finding.UnknownArgument(at, c.callee.Name, name, known))
	}
	return nil
}

// setText notes a string as the value of an input; in is nil for the arguments.
func (c *call) setText(name string, text source.Text, in *ir.Input) {
	i, call := len(c.call.Args), c.call
	call.Args = append(call.Args, ir.Argument{Name: name, Value: &expr.Literal{At: text.Whole(), Text: text.Value, Typ: types.Text}, Span: text.Whole()})
	s := c.addSurface(callSurface, c.node.node, text)
	s.setTemplate = func(t *template.Template) { call.Args[i].Value = joinTemplate(t, text.Whole()) }
	s.done = func(r *resolver) {
		if from := r.wholeArgument(text.Value); from != nil {
			call.Args[i].Value = expr.Copy(from.value)
		}
		if in != nil {
			c.checkArgument(&call.Args[i], in, r.valueType(call.Args[i].Value))
		}
	}
}

// valueType is the type of a value that is passed on as a whole: that of a node's
// output, instead of its text.
func (r *resolver) valueType(e expr.Expr) types.Type {
	out, whole := e.(*expr.Output)
	if !whole {
		return e.Type()
	}
	n := r.all[out.Node]
	if n == nil {
		return types.Invalid
	}
	if n.Output == types.Invalid || n.Schema != "" || n.Fan() != nil {
		return n.Output
	}
	return types.Text
}

// checkArgument reports a value that an input can never have.
func (c *call) checkArgument(a *ir.Argument, in *ir.Input, have types.Type) {
	p := parameter{workflow: c.callee.Name, Input: in, child: true}
	if fault := p.checkValue(a.Value, have, a.Span); fault != nil {
		c.Bag.Add(fault)
		a.Value = &expr.Bad{At: a.Span}
	} else if lit, constant := a.Value.(*expr.Literal); constant {
		a.Value = p.convertLiteral(lit)
	}
}

// setOutput gives the node the type of the result.
func (c *call) setOutput() {
	n, result := c.node.node, resultOf(c.callee)
	if result != nil && result.Schema != "" && result.Output != types.Text {
		n.Output, n.Schema, n.SchemaSpan = result.Output, result.Schema, result.SchemaSpan
		c.call.Structured = true
		c.call.MayBeEmpty = mayBeSkipped(result, map[*ir.Node]bool{})
	}
	fan := c.call.Fan
	switch {
	case fan == nil:
	case !fan.AllSuccess || c.call.MayBeEmpty:
		n.Output, n.Schema = types.Any, ""
	default:
		arrayOf(n, n.Output, n.Schema)
	}
}

// resultOf returns the node whose output is the result of a workflow, or nil if a run
// chooses among several.
func resultOf(w *ir.Workflow) *ir.Node {
	if w.Returns != nil {
		return w.Returns
	}
	needed := map[*ir.Node]bool{}
	for _, n := range w.Body.All() {
		for _, need := range n.Needs {
			if !need.Order {
				needed[need.Node] = true
			}
		}
	}
	var last *ir.Node
	for _, n := range w.Body.All() {
		if needed[n] {
			continue
		}
		if last != nil {
			return nil
		}
		last = n
	}
	return last
}

// mayBeSkipped reports whether a node can be skipped in a run that completes.
func mayBeSkipped(n *ir.Node, seen map[*ir.Node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	if n.When != nil || n.SkipOnTimeout || n.Include != nil {
		return true
	}
	needs, skipped := 0, 0
	for _, need := range n.Needs {
		if need.Order {
			continue
		}
		needs++
		if mayBeSkipped(need.Node, seen) {
			skipped++
		}
	}
	switch n.Rule {
	case ir.AllDone:
		return false
	case ir.AllSuccess:
		return skipped > 0
	}
	return needs > 0 && skipped == needs
}

// checkCheckouts reports nodes whose child runs surely begin, in any order, and work in the
// checkout of this run.
func (r *resolver) checkCheckouts(nodes []*ir.Node) {
	var calls []*ir.Node
	for _, n := range nodes {
		c, ok := n.Action.(*ir.Call)
		if !ok || c.Worktree || !c.Callee.Workflow.Exclusive || mayBeSkipped(n, map[*ir.Node]bool{}) {
			continue
		}
		order := r.bodies[n]
		for _, other := range calls {
			i, k := order.index[n], order.index[other]
			if !order.waitsFor(i, k) && !order.waitsFor(k, i) {
				r.bag.Add(codes.CrowdedCheckout.New(n.IDSpan, fmt.Sprintf("the runs of `%s` and `%s` can change one checkout at the same time", other.ID, n.ID)).
					WithRelated(other.IDSpan, fmt.Sprintf("`%s` is here", other.ID)).
					WithHelp(fmt.Sprintf("add `%s` to `depends_on`, or set `isolation: worktree`, or `mutates_checkout: false` in a workflow that runs", other.ID)))
				break
			}
		}
		calls = append(calls, n)
	}
}

// isArray reports whether a text is a list in JSON, and how many items it has.
func isArray(text string) (count int, ok bool) {
	var items []json.RawMessage
	if json.Unmarshal([]byte(text), &items) != nil || items == nil {
		return 0, false
	}
	return len(items), true
}
