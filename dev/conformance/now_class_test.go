package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/signal"
)

// nowClass makes a class of cases of today's Archon.
func nowClass(is func(c *nowCase, diffs []difference) bool) func(*recorded, []difference) bool {
	return func(c *recorded, diffs []difference) bool { return c.now != nil && is(c.now, diffs) }
}

// acceptedFor makes a class of files that the engine refuses for faults of the given
// classes, and wfc accepts.
func acceptedFor(faults ...string) func(*nowCase, []difference) bool {
	return func(c *nowCase, diffs []difference) bool {
		return c.load != nil && len(diffs) == 1 && diffs[0].got == "accepted" && slices.Contains(faults, c.load.Fault.Class)
	}
}

// refusedForCondition: a condition cannot be decided, or reads what is not there; the
// engine notices it when it evaluates that part.
func refusedForCondition(_ *nowCase, diffs []difference) bool {
	return refusedFor("condition-syntax", "unknown-operator", "condition-path", "prose-comparison", "unknown-input", "no-such-field", "unknown-node")(nil, diffs)
}

// sessionsKept: all that differs are sessions of a run that was resumed, where wfc
// continues one that the engine has lost.
func sessionsKept(c *nowCase, diffs []difference) bool {
	if c.run == nil || len(c.in.Steps) == 0 {
		return false
	}
	for _, d := range diffs {
		want, got := quotedList(d.want), quotedList(d.got)
		if !strings.Contains(d.what, "sessions of ") || len(want) != len(got) {
			return false
		}
		for i := range want {
			if want[i] != got[i] && got[i] == "" {
				return false
			}
		}
	}
	return true
}

// quotedList reads a list that fmt wrote with %q.
func quotedList(text string) (list []string) {
	_ = json.Unmarshal([]byte(strings.ReplaceAll(text, `" "`, `","`)), &list)
	return list
}

// numbersChecked: a number is compared with something else. The engine skips the node, and
// wfc fails it.
func numbersChecked(c *nowCase, diffs []difference) bool {
	about := map[string]bool{}
	for _, d := range diffs {
		if strings.HasPrefix(d.what, "node ") && d.want == "skipped when_condition_parse_error" && d.got == failedStatus {
			about[strings.TrimPrefix(d.what, "node ")] = true
		}
	}
	return len(about) > 0 && c.only(diffs, func(n *ir.Node) bool { return about[n.ID] })
}

// inputsEverywhere: `$INPUTS.name` is in a bash script, a script, a message or a reason of
// a workflow that is run directly, where the engine leaves it in the text.
func inputsEverywhere(c *nowCase, diffs []difference) bool {
	if c.dry != nil && slices.ContainsFunc(diffs, func(d difference) bool { return !strings.HasPrefix(d.what, "text of ") }) {
		return false
	}
	return c.only(diffs, func(n *ir.Node) bool {
		switch a := n.Action.(type) {
		case *ir.Bash, *ir.Script, *ir.Cancel, *ir.Approval:
			return strings.Contains(n.Span.Text(), "$INPUTS.")
		case *ir.Loop:
			return a.Until != nil && strings.Contains(n.Span.Text(), "$INPUTS.")
		}
		return false
	})
}

// completedOnce: a node that completed does not run again after a resume, although the
// always_run node before it did.
func completedOnce(c *nowCase, diffs []difference) bool {
	return len(c.in.Steps) > 0 && c.only(diffs, func(n *ir.Node) bool { return n.AlwaysRun })
}

// loopsGoOn: a loop continues after a resume with the iteration that failed.
func loopsGoOn(c *nowCase, diffs []difference) bool {
	resumed := slices.ContainsFunc(c.in.Steps, func(s nowStep) bool { return s.Resume != nil })
	return resumed && c.only(diffs, func(n *ir.Node) bool {
		_, loop := n.Action.(*ir.Loop)
		return loop
	})
}

// previousAfterGate: all that differs are prompts of loops that a person answers: in wfc
// `$LOOP_PREV_OUTPUT` is the output of the iteration before also there.
func previousAfterGate(c *nowCase, diffs []difference) bool {
	return len(c.in.Steps) > 0 && !slices.ContainsFunc(diffs, func(d difference) bool { return !strings.HasPrefix(d.what, "prompts of ") }) &&
		c.only(diffs, func(n *ir.Node) bool {
			loop, ok := n.Action.(*ir.Loop)
			return ok && loop.Gate != nil && strings.Contains(n.Span.Text(), "$LOOP_PREV")
		})
}

// resumedAnyway: the engine does not resume a run in which nothing completed.
func resumedAnyway(c *nowCase, _ []difference) bool {
	if c.run == nil {
		return false
	}
	for _, n := range c.run.Nodes {
		if n.State == string(flow.Completed) {
			return false
		}
	}
	for i, s := range c.in.Steps {
		if s.Resume != nil && i < len(c.run.Phases) && c.run.Phases[i].Resume == "refused" {
			return true
		}
	}
	return false
}

// wordEnds: a loop ends because a reply has the signal as a whole word, where the rule of
// the engine does not see it.
func wordEnds(c *nowCase, diffs []difference) bool {
	said := false
	for _, list := range c.in.AI {
		for _, r := range list {
			for _, n := range programNodes(compileNow(&c.in, false)) {
				if loop, ok := n.Action.(*ir.Loop); ok && loop.Signal != "" && r.Text != nil {
					word := signal.Word(loop.Signal)
					said = said || word.Said(*r.Text) != word.SaidAsArchon(*r.Text)
				}
			}
		}
	}
	return said && c.only(diffs, func(n *ir.Node) bool {
		loop, ok := n.Action.(*ir.Loop)
		return ok && loop.Signal != ""
	})
}

// signalOfText: the signal is in the text of a structured reply, whose output is the value.
func signalOfText(c *nowCase, diffs []difference) bool {
	both := false
	for _, list := range c.in.AI {
		for _, r := range list {
			both = both || r.Text != nil && r.Structured != nil
		}
	}
	return both && c.only(diffs, func(n *ir.Node) bool {
		loop, ok := n.Action.(*ir.Loop)
		return ok && loop.Signal != "" && n.Schema != ""
	})
}

// previousChecked: `$LOOP_PREV` names an unknown node, or is outside of a group.
func previousChecked(c *nowCase, diffs []difference) bool {
	return strings.Contains(string(c.Input), "$LOOP_PREV.") && refusedFor("unknown-node-reference", "misplaced-node")(nil, diffs)
}

// gatesInside: a gate is in the body of a group, where the engine repeats the body without
// the answer.
func gatesInside(c *nowCase, diffs []difference) bool {
	return c.only(diffs, func(n *ir.Node) bool {
		loop, ok := n.Action.(*ir.Loop)
		return ok && slices.ContainsFunc(loop.Body.All(), func(n *ir.Node) bool { return n.Action.Kind() == "approval" })
	})
}

// skippedWithBlock: a node of a block is skipped because the include is, with the cause of
// a dependency.
func skippedWithBlock(c *nowCase, diffs []difference) bool {
	inside := map[string]bool{}
	for _, n := range programNodes(compileNow(&c.in, false)) {
		inside[n.ID] = n.Include != nil
	}
	return !slices.ContainsFunc(diffs, func(d difference) bool {
		id, ok := strings.CutPrefix(d.what, "node ")
		return !ok || !inside[id] || d.got != "skipped trigger_rule" || d.want != "skipped when_condition" && d.want != failedStatus
	})
}

// rejectedChild: after the rejection of a gate in a child, the parent goes on at once and
// fails; in the engine it stays paused until somebody resumes it.
func rejectedChild(c *nowCase, diffs []difference) bool {
	rejected := slices.ContainsFunc(c.in.Steps, func(s nowStep) bool { return s.Reject != nil && s.Run != "" })
	return rejected && slices.ContainsFunc(diffs, func(d difference) bool {
		return strings.HasSuffix(d.what, "status") && d.want == string(flow.Paused) && d.got == failedStatus
	})
}

// programNodes are the nodes of a workflow.
func programNodes(r *compiler.Result) []*ir.Node {
	if r.Workflow == nil {
		return nil
	}
	return r.Workflow.Workflow.Body.All()
}

// namedResult: all that differs is the result of a run whose workflow names the node.
func namedResult(c *nowCase, diffs []difference) bool {
	p := compileNow(&c.in, false).Workflow
	if len(diffs) != 1 || diffs[0].what != "summary" || p == nil || p.Workflow.Returns == nil {
		return false
	}
	if c.dry != nil {
		return slices.Contains(c.dryOutputs(p.Workflow.Returns.ID), diffs[0].got)
	}
	return diffs[0].got == deref(c.run.Nodes[p.Workflow.Returns.ID].Output)
}

// waitsForReads: all that differs is about nodes that read one on which they do not depend.
func waitsForReads(c *nowCase, diffs []difference) bool {
	waits := map[string]bool{}
	for _, d := range compileNow(&c.in, false).Diagnostics {
		if d.Code.Slug == "undeclared-dependency" {
			waits[findingNode(d)] = true
		}
	}
	return len(waits) > 0 && c.only(diffs, func(n *ir.Node) bool { return waits[n.ID] })
}

// only reports whether all differences are about a node of a kind, nodes that depend on
// one, or the run as a whole.
func (c *nowCase) only(diffs []difference, is func(*ir.Node) bool) bool {
	p := compileNow(&c.in, false).Workflow
	if p == nil || c.run == nil && c.dry == nil {
		return false
	}
	about, inside := map[string]bool{}, map[string]string{}
	for _, n := range p.Workflow.Body.All() {
		about[n.ID] = is(n)
		for id := range nodeKinds(&ir.Program{Workflow: &ir.Workflow{Body: &ir.DAG{Nodes: []*ir.Node{n}}}}) {
			inside[id[strings.LastIndex(id, ".")+1:]] = n.ID
		}
	}
	for range about { // until all that depend on one are found
		for _, n := range p.Workflow.Body.All() {
			for _, need := range n.Needs {
				about[n.ID] = about[n.ID] || about[need.Node.ID]
			}
		}
	}
	found := false
	for _, d := range diffs {
		m := aboutNode.FindStringSubmatch(d.what)
		if m == nil {
			continue
		}
		id, _, _ := strings.Cut(m[1], ".")
		if id = strings.TrimSuffix(id, ":on_reject"); !about[id] && !about[inside[id]] {
			return false
		}
		found = true
	}
	return found || slices.ContainsFunc(p.Workflow.Body.All(), is)
}

// aboutNode finds the node that a difference is about.
var aboutNode = regexp.MustCompile(`^(?:node|value of|fault of|iterations of|body|prompts of|sessions of|settings of|text of) (\S+)$`)

// refusedForKey makes a class of files that are refused only because of a key.
func refusedForKey(slug, key string) func(*nowCase, []difference) bool {
	return func(c *nowCase, diffs []difference) bool {
		if len(diffs) != 1 || !strings.HasPrefix(diffs[0].got, "refused: ") {
			return false
		}
		return !slices.ContainsFunc(errorsOf(compileNow(&c.in, true)), func(d *diag.Diagnostic) bool {
			return d.Code.Slug != slug || !strings.Contains(d.Message, "`"+key+"`")
		})
	}
}

// failedStatus is how recorded cases name a failure.
const failedStatus = string(flow.Failed)
