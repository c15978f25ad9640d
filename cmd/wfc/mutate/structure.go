package mutate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// workflow visits everything in which there can be a fault.
func (f *finder) workflow() {
	w := f.program.Workflow
	f.body(w.Body)
	if g, ok := w.Body.(*ir.Graph); ok {
		f.graph(g)
	}
}

// body visits the nodes of a body.
func (f *finder) body(b ir.Body) {
	for _, n := range b.All() {
		f.node(n, n.ID)
	}
}

func (f *finder) node(n *ir.Node, key string) {
	if f.here(n.IDSpan) {
		f.own(n, key)
	}
	switch a := n.Action.(type) {
	case *ir.Loop:
		if a.Body != nil {
			f.body(a.Body)
		}
	case *ir.Block:
		f.body(a.Body)
	case *ir.ForEach:
		f.action(a.Body, key)
		f.forks(a.Body, key)
	case *ir.Repeat:
		f.action(a.Body, key)
		f.forks(a.Body, key)
	}
	f.forks(n, key)
}

func (f *finder) forks(n *ir.Node, key string) {
	if fork, ok := n.Action.(*ir.Fork); ok {
		for _, branch := range fork.Nodes {
			f.node(branch, key+"."+branch.Local())
		}
	}
}

// own visits the keys of the node itself.
func (f *finder) own(n *ir.Node, key string) {
	def := f.index.definition(n.IDSpan)
	ran := []string{"node " + key}
	decided := []string{"when " + key + " true", "when " + key + " false"}
	f.needs(n, key, def, ran)
	if n.When != nil {
		f.condition(n.When, place{node: key, what: "condition of `" + key + "`", facts: decided})
		for _, name := range []string{"when", "if"} {
			f.drop(def.under(name), Guard, key, decided, "`%s` has no condition", key).same = acceptedGuard(f.program, n)
		}
	}
	if n.Retry != nil && n.Retry.Max > 0 {
		tried := []string{"retry " + key}
		if retry := def.under("retry"); retry != nil {
			f.drop(retry, Retry, key, tried, "`%s` has no `retry`", key)
			f.limit(retry.under("max_attempts"), key, tried)
		}
		f.drop(def.under("retry_on_failure"), Retry, key, tried, "`%s` is not retried", key)
		f.limit(def.under("max_retries"), key, tried)
	}
	f.gates(n, key, def, ran)
	for _, loop := range []string{"loop", "loop_group", "while", "repeat"} {
		at := def.under(loop)
		f.limit(at.under("max_iterations"), key, ran)
		f.limit(at.under("max"), key, ran)
		for _, end := range []string{"until", "until_bash", "until_field"} {
			if loop == "loop" || loop == "loop_group" {
				f.drop(at.under(end), Guard, key, ran, "`%s` does not end by `%s`", key, end)
			}
		}
	}
	f.action(n, key)
}

// needs visits the dependencies and the trigger rule.
func (f *finder) needs(n *ir.Node, key string, def *spot, ran []string) {
	for _, need := range counted(n) {
		if at := f.index.scalar(need.Span); f.here(need.Span) && at != nil && covers(def.span(), need.Span) {
			f.add(&site{class: Dependency, node: key, at: need.Span.Start, facts: ran, edits: f.index.remove(at), same: impliedNeed(n, need), mutant: func(mutant *ir.Program) string { return readNeed(mutant, n, need) },
				text: fmt.Sprintf("`%s` does not depend on `%s`", key, need.Node.ID)})
		}
	}
	if _, dag := f.program.Workflow.Body.(*ir.DAG); !dag || f.program.Dialect != "archon" || len(counted(n)) == 0 || def == nil {
		return
	}
	for rule := ir.AllSuccess; rule <= ir.AllDone; rule++ {
		if rule == n.Trigger {
			continue
		}
		s := &site{class: Rule, node: key, at: n.IDSpan.Start, facts: ran, same: sameRule(n, n.Trigger, rule),
			text: fmt.Sprintf("`%s` has the trigger rule `%s`", key, rule)}
		if at := def.under("trigger_rule"); at != nil {
			s.at, s.edits = at.node.Span.Start, []edit{{at.node.Span.Start, at.node.Span.End, rule.String()}}
		} else {
			s.edits = f.index.insert(def, "trigger_rule", rule.String())
		}
		f.add(s)
	}
}

// gates visits the questions to people.
func (f *finder) gates(n *ir.Node, key string, def *spot, ran []string) {
	f.drop(def.under("hitl"), Gate, key, ran, "nobody reviews `%s`", key)
	for _, loop := range []string{"loop", "loop_group"} {
		if at := def.under(loop).under("interactive"); at != nil && at.node.Value == "true" {
			f.add(&site{class: Gate, node: key, at: at.node.Span.Start, facts: ran, text: fmt.Sprintf("nobody is asked after an iteration of `%s`", key),
				edits: []edit{{at.node.Span.Start, at.node.Span.End, "false"}}})
		}
	}
	approval := def.under("approval")
	if approval == nil {
		return
	}
	if start, end := def.extent(approval.at); !f.index.isFlow(def.node) {
		s := &site{class: Gate, node: key, at: start, facts: ran, text: fmt.Sprintf("nobody is asked at `%s`", key), edits: []edit{{start, end, "bash: \"true\""}}}
		if end > 0 && f.index.src[end-1] == '\n' {
			s.edits[0].text += "\n"
		}
		f.add(s)
	}
	f.drop(approval.under("on_reject"), Gate, key, ran, "a rejection at `%s` has no `on_reject`", key)
	f.drop(approval.under("capture_response"), Gate, key, ran, "the output of `%s` is not the response", key)
	f.limit(approval.under("on_reject").under("max_attempts"), key, ran)
}

// drop adds the fault that a key is missing, and returns it.
func (f *finder) drop(at *spot, class, key string, facts []string, format string, args ...any) *site {
	if at == nil {
		return &site{}
	}
	start, _ := at.in.extent(at.at)
	s := &site{class: class, node: key, at: start, facts: facts, edits: f.index.remove(at), text: fmt.Sprintf(format, args...)}
	f.add(s)
	return s
}

// limit adds the faults that a number is one higher and one lower.
func (f *finder) limit(at *spot, key string, facts []string) {
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
		f.add(&site{class: Limit, node: key, at: at.node.Span.Start, facts: facts, text: fmt.Sprintf("`%s` is %d instead of %d", at.key().Value, other, value),
			edits: []edit{{at.node.Span.Start, at.node.Span.End, strings.Replace(written, at.node.Value, strconv.Itoa(other), 1)}}})
	}
}
