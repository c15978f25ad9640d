package mutate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// visitWorkflow visits everything in which there can be a fault.
func (f *finder) visitWorkflow() {
	w := f.program.Workflow
	f.visitBody(w.Body)
	if g, ok := w.Body.(*ir.Graph); ok {
		f.visitGraph(g)
	}
}

// visitBody visits the nodes of a body.
func (f *finder) visitBody(b ir.Body) {
	for _, n := range b.All() {
		f.visitNode(n, n.ID)
	}
}

func (f *finder) visitNode(n *ir.Node, key string) {
	if f.isInFile(n.IDSpan) {
		f.visitOwnKeys(n, key)
	}
	switch a := n.Action.(type) {
	case *ir.Loop:
		if a.Body != nil {
			f.visitBody(a.Body)
		}
	case *ir.Block:
		f.visitBody(a.Body)
	case *ir.ForEach:
		f.visitAction(a.Body, key)
		f.visitForks(a.Body, key)
	case *ir.Repeat:
		f.visitAction(a.Body, key)
		f.visitForks(a.Body, key)
	}
	f.visitForks(n, key)
}

func (f *finder) visitForks(n *ir.Node, key string) {
	if fork, ok := n.Action.(*ir.Fork); ok {
		for _, branch := range fork.Nodes {
			f.visitNode(branch, key+"."+branch.Local())
		}
	}
}

// visitOwnKeys visits the keys of the node itself.
func (f *finder) visitOwnKeys(n *ir.Node, key string) {
	def := f.index.nodeDefinition(n.IDSpan)
	ran := []string{"node " + key}
	decided := []string{"when " + key + " true", "when " + key + " false"}
	f.visitNeeds(n, key, def, ran)
	if n.When != nil {
		f.addConditionFaults(n.When, place{node: key, what: "condition of `" + key + "`", facts: decided})
		for _, name := range []string{"when", "if"} {
			f.addMissingKey(def.valueForKey(name), Guard, key, decided, "`%s` has no condition", key).same = acceptedGuard(f.program, n)
		}
	}
	if n.Retry != nil && n.Retry.Max > 0 {
		tried := []string{"retry " + key}
		if retry := def.valueForKey("retry"); retry != nil {
			f.addMissingKey(retry, Retry, key, tried, "`%s` has no `retry`", key)
			f.addLimitFaults(retry.valueForKey("max_attempts"), key, tried)
		}
		f.addMissingKey(def.valueForKey("retry_on_failure"), Retry, key, tried, "`%s` is not retried", key)
		f.addLimitFaults(def.valueForKey("max_retries"), key, tried)
	}
	f.visitGates(n, key, def, ran)
	for _, loop := range []string{"loop", "loop_group", "while", "repeat"} {
		at := def.valueForKey(loop)
		f.addLimitFaults(at.valueForKey("max_iterations"), key, ran)
		f.addLimitFaults(at.valueForKey("max"), key, ran)
		for _, end := range []string{"until", "until_bash", "until_field"} {
			if loop == "loop" || loop == "loop_group" {
				f.addMissingKey(at.valueForKey(end), Guard, key, ran, "`%s` does not end by `%s`", key, end)
			}
		}
	}
	f.visitAction(n, key)
}

// visitNeeds visits the dependencies and the trigger rule.
func (f *finder) visitNeeds(n *ir.Node, key string, def *spot, ran []string) {
	for _, need := range dataNeeds(n) {
		if at := f.index.scalarAt(need.Span); f.isInFile(need.Span) && at != nil && spanCovers(def.nodeSpan(), need.Span) {
			f.addSite(&site{class: Dependency, node: key, at: need.Span.Start, facts: ran, edits: f.index.removalEdits(at), same: impliedNeed(n, need), mutant: func(mutant *ir.Program) string { return readNeed(mutant, n, need) },
				text: fmt.Sprintf("`%s` does not depend on `%s`", key, need.Node.ID)})
		}
	}
	if _, dag := f.program.Workflow.Body.(*ir.DAG); !dag || f.program.Dialect != "archon" || len(dataNeeds(n)) == 0 || def == nil {
		return
	}
	for rule := ir.AllSuccess; rule <= ir.AllDone; rule++ {
		if rule == n.Rule {
			continue
		}
		s := &site{class: Rule, node: key, at: n.IDSpan.Start, facts: ran, same: sameRule(n, n.Rule, rule),
			text: fmt.Sprintf("`%s` has the trigger rule `%s`", key, rule)}
		if at := def.valueForKey("trigger_rule"); at != nil {
			s.at, s.edits = at.node.Span.Start, []edit{{at.node.Span.Start, at.node.Span.End, rule.String()}}
		} else {
			s.edits = f.index.insertionEdits(def, "trigger_rule", rule.String())
		}
		f.addSite(s)
	}
}

// visitGates visits the questions to people.
func (f *finder) visitGates(n *ir.Node, key string, def *spot, ran []string) {
	f.addMissingKey(def.valueForKey("hitl"), Gate, key, ran, "nobody reviews `%s`", key)
	for _, loop := range []string{"loop", "loop_group"} {
		if at := def.valueForKey(loop).valueForKey("interactive"); at != nil && at.node.Value == "true" {
			f.addSite(&site{class: Gate, node: key, at: at.node.Span.Start, facts: ran, text: fmt.Sprintf("nobody is asked after an iteration of `%s`", key),
				edits: []edit{{at.node.Span.Start, at.node.Span.End, "false"}}})
		}
	}
	approval := def.valueForKey("approval")
	if approval == nil {
		return
	}
	if start, end := def.elementExtent(approval.at); !f.index.isFlow(def.node) {
		s := &site{class: Gate, node: key, at: start, facts: ran, text: fmt.Sprintf("nobody is asked at `%s`", key), edits: []edit{{start, end, "bash: \"true\""}}}
		if end > 0 && f.index.src[end-1] == '\n' {
			s.edits[0].text += "\n"
		}
		f.addSite(s)
	}
	f.addMissingKey(approval.valueForKey("on_reject"), Gate, key, ran, "a rejection at `%s` has no `on_reject`", key)
	f.addMissingKey(approval.valueForKey("capture_response"), Gate, key, ran, "the output of `%s` is not the response", key)
	f.addLimitFaults(approval.valueForKey("on_reject").valueForKey("max_attempts"), key, ran)
}

// addMissingKey adds the fault that a key is missing, and returns it.
func (f *finder) addMissingKey(at *spot, class, key string, facts []string, format string, args ...any) *site {
	if at == nil {
		return &site{}
	}
	start, _ := at.in.elementExtent(at.at)
	s := &site{class: class, node: key, at: start, facts: facts, edits: f.index.removalEdits(at), text: fmt.Sprintf(format, args...)}
	f.addSite(s)
	return s
}

// addLimitFaults adds the faults that a number is one higher and one lower.
func (f *finder) addLimitFaults(at *spot, key string, facts []string) {
	if at == nil || at.node.Kind != yamlsrc.Scalar {
		return
	}
	value, err := strconv.Atoi(at.node.Value)
	written := string(f.index.src[at.node.Span.Start:at.node.Span.End])
	if err != nil || !strings.Contains(written, at.node.Value) || value < 1 {
		return
	}
	for _, other := range []int{value - 1, value + 1} {
		if other < 1 {
			continue
		}
		f.addSite(&site{class: Limit, node: key, at: at.node.Span.Start, facts: facts, text: fmt.Sprintf("`%s` is %d instead of %d", at.keyNode().Value, other, value),
			edits: []edit{{at.node.Span.Start, at.node.Span.End, strings.Replace(written, at.node.Value, strconv.Itoa(other), 1)}}})
	}
}
