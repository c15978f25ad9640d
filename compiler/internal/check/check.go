// Package check analyses complete workflows, with rules that no front end can
// decide before all parts are known. Each family of rules has one file; none of
// them knows which format a program came from.
package check

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Run analyses a program. It sets the presence of every reference in place, which
// the generator relies on, and reports its findings.
//
// Each kind of body has its own rules. All kinds share the facts that conditions prove,
// the demands that conditions make, and the rules about comparisons and templates.
func Run(p *ir.Program, bag *diag.Bag) {
	if p == nil || p.Workflow == nil {
		return
	}
	conditions := constants{bag, noProducer, map[expr.Expr]bool{}}
	switch body := p.Workflow.Body.(type) {
	case *ir.DAG:
		newAnalysis(body).runChecks(bag)
	case *ir.Sequence:
		stepPresence(p.Workflow, body, bag)
		conditions.checkSteps(body.Nodes, nil, nil)
	case *ir.Graph:
		checkGraph(body, bag)
	}
	conditions.checkTemplates(p.Workflow.Body)
	checkTags(p.Workflow, bag)
}

// checkTags reports nodes that the configuration names and the workflow does not have.
func checkTags(w *ir.Workflow, bag *diag.Bag) {
	known := ir.IDs(w.Body.All())
	for _, t := range w.NodeTags {
		if t.Whole && !slices.Contains(known, t.Node) {
			bag.Add(finding.UnknownSettingNode(t.At, t.Node, "`tags` of workflow "+w.Name, known))
		}
	}
}

// runChecks performs all checks of a DAG and of those inside it.
func (a *analysis) runChecks(bag *diag.Bag) {
	a.reportStepIDs(bag)
	constant := a.reportComparisons(bag)
	a.decidePresence(bag)
	given := a.reportBranches(constant, bag)
	a.reportCancels(bag)
	a.reportLoops(bag)
	for _, n := range a.nodes {
		if inner := a.innerAnalysis(n); inner != nil {
			inner.given = given[n]
			inner.runChecks(bag)
		}
	}
}

// reportStepIDs reports nodes whose ids are keys of steps of wfc: the run would take the results of one for
// those of the other, so it fails; see flow.Node.Key.
func (a *analysis) reportStepIDs(bag *diag.Bag) {
	for _, n := range a.nodes {
		for i, r := range n.ID {
			if !strings.ContainsRune("#[@/", r) {
				continue
			}
			other := a.byID[n.ID[:i]]
			if i == 0 && r == '/' || other != nil && hasSteps(other.Action) {
				bag.Add(finding.StepID(n.IDSpan, n.ID, n.ID[:i]))
				break
			}
		}
	}
}

// hasSteps reports whether an action is performed in steps that have keys of their own.
func hasSteps(a ir.Action) bool {
	switch a.(type) {
	case *ir.Bash, *ir.Script, *ir.Prompt, *ir.Cancel, *ir.Wait, *ir.Fail:
		return false
	}
	return true
}

// An analysis holds the state that the rules about one DAG share.
type analysis struct {
	nodes []*ir.Node
	byID  map[string]*ir.Node
	// holds caches the facts about pairs of nodes.
	holds map[query]bool
	// conditions and inputs cache the facts that a node's condition and action
	// prove about the nodes that they read.
	conditions, inputs map[*ir.Node]facts
	// properties caches those of conditions and of their parts.
	properties map[expr.Expr]property
	// owner is the node whose body the DAG is, which is a node of outer; both are nil for
	// the DAG of the workflow.
	owner *ir.Node
	outer *analysis
	// given are the required texts of outputs when the owner runs.
	given texts
}

func newAnalysis(dag *ir.DAG) *analysis {
	a := &analysis{
		nodes: dag.Nodes, byID: make(map[string]*ir.Node, len(dag.Nodes)),
		holds: map[query]bool{}, conditions: map[*ir.Node]facts{}, inputs: map[*ir.Node]facts{},
		properties: map[expr.Expr]property{},
	}
	for _, n := range dag.Nodes {
		if a.byID[n.ID] == nil {
			a.byID[n.ID] = n
		}
	}
	return a
}

// innerAnalysis returns the analysis of the DAG in the body of a node, or nil. It is analysed like
// the DAG of the workflow, with two more sources of evidence. What holds when the node
// around the body runs, holds inside it. And an iteration in which a node failed is not
// tested, so no node that the test reads has failed.
func (a *analysis) innerAnalysis(n *ir.Node) *analysis {
	dag := n.InnerDAG()
	if dag == nil {
		return nil
	}
	inner := newAnalysis(dag)
	inner.owner, inner.outer = n, a
	return inner
}

// reportComparisons reports comparisons that are probably wrong, and returns the nodes
// with such conditions.
func (a *analysis) reportComparisons(bag *diag.Bag) map[*ir.Node]bool {
	found := map[*ir.Node]bool{}
	for _, n := range a.nodes {
		if _, decided := n.When.(*expr.Literal); decided {
			found[n] = true // the front end says why
			continue
		}
		if (constants{bag: bag, find: a.findProducer}).reportMistakes(n.When) {
			found[n] = true
		}
	}
	return found
}

func (a *analysis) findProducer(id string) (expr.Producer, bool) {
	n := a.byID[id]
	if n == nil && a.outer != nil {
		return a.outer.findProducer(id)
	}
	if n == nil {
		return expr.Producer{}, false
	}
	p := expr.Producer{Output: n.Output}
	switch n.Action.(type) {
	case *ir.Prompt, *ir.Loop:
		p.Prose = n.Schema == "" && n.Output != types.Invalid
	}
	return p, true
}

// A use is one expression that an action evaluates.
type use struct {
	expr expr.Expr
	// surely says that it is evaluated whenever the action runs.
	surely bool
	// live is false for a text that is kept only to be shown.
	live bool
}

// usesOf returns the expressions that a node evaluates once it runs.
func usesOf(n *ir.Node) []use {
	list := actionUses(n.Action, true)
	for _, e := range n.Unread {
		list = append(list, use{e, true, true})
	}
	return list
}

// actionUses returns the expressions of an action.
func actionUses(action ir.Action, surely bool) (list []use) {
	switch a := action.(type) {
	case *ir.Decision, *ir.ForEach, *ir.Repeat:
		return nil // they are analysed on their own
	case *ir.Approval:
		list = holeUses(a.Gate.Message, surely, true)
		if a.Rework != nil {
			list = append(list, actionUses(a.Rework, false)...)
		}
		return list
	case *ir.Loop:
		if _, nested := a.Body.(*ir.DAG); nested {
			return nil // its nodes are analysed on their own
		}
		if a.Body != nil {
			for i, n := range a.Body.All() {
				list = append(list, actionUses(n.Action, surely && i == 0)...)
			}
		}
		surely = false
	}
	ir.EachPart(action, func(e *expr.Expr) { list = append(list, use{*e, surely, true}) }, func(t *template.Template, original bool) {
		list = append(list, holeUses(t, surely && !original, !original)...)
	})
	if call, ok := action.(*ir.Call); ok && call.Fan != nil {
		for i := range call.Args { // there may be no item, for which they are evaluated
			list[len(list)-1-i].surely = false
		}
	}
	return list
}

func holeUses(t *template.Template, surely, live bool) []use {
	var out []use
	for _, h := range t.Holes() {
		out = append(out, use{h.Expr, surely, live})
	}
	return out
}
