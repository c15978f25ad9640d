package explore

import (
	"math"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/reply"
)

// A Test is a run that can be replayed: all events from outside, and the expected
// results. It is for one target.
type Test struct {
	Target Target
	// Inputs are the values of the run's inputs, by name: float64, bool, string, or
	// []any and map[string]any without members.
	Inputs map[string]any
	Visits []Visit
	// Limit is the number of nodes after which the run is to be stopped, for one
	// that could continue for ever; otherwise 0.
	Limit int
	// Finish says how the run ends.
	Finish Finish
}

// A Target is a way to leave a node: the label that it ends with and the edge that
// is taken then. The label is "" for a node that a person skips; the edge is nil if
// none holds. For a branch of a parallel, only the label counts, "" if it fails.
type Target struct {
	Node  *ir.Node
	Label string
	Edge  *ir.Edge
}

// A Visit is a node that is visited in a test.
type Visit struct {
	// Number is the visit's: the first is 1, and branches have those after their
	// parallel's.
	Number int
	Node   *ir.Node
	// Label is the label of the node; "" if it is skipped, or for a branch that
	// fails.
	Label string
	Edge  *ir.Edge
	Give  Give
	// Before and After are the answers to the interrupts that are asked: "yes" or
	// "skip".
	Before, After []string
	Branches      []Visit
}

// A Give is the reply from outside with which a node ends with its label. Nodes
// that do nothing themselves need none.
type Give struct {
	// Text is the agent's reply, the script's output or a person's answer.
	Text string
	// Again is the agent's reply to the second question, if the text names no
	// label; else "".
	Again string
	// Exit is the script's exit code.
	Exit int
	// Late says that the node takes too long, and Fails that it fails without a retry.
	Late, Fails bool
}

// A Finish is how the run of a test ends.
type Finish int

const (
	// Success: the run has come to its end, and a goal is met if there is one.
	Success Finish = iota
	// Unsuccessful: it has come to its end, and no goal is met.
	Unsuccessful
	// NoEdge: it fails where no edge holds.
	NoEdge
	// Limited: a limit of iterations ends it.
	Limited
)

// Tests returns a test for every target that the exploration found, as far as
// there is one: in definition order, with the targets for which none was found
// within the bounds. Those may be impossible, because the exploration does not
// know all values, or need a text that does not come to mind.
func (r *Result) Tests() (tests []Test, missing []Target) {
	found := replayGraph(r.walk.model.graph, r.walk.bound)
	for _, t := range r.reachedTargets() {
		if test, ok := found.buildTest(t); ok {
			tests = append(tests, test)
		} else {
			missing = append(missing, t)
		}
	}
	return tests, missing
}

// reachedTargets are all targets that the exploration reached.
func (r *Result) reachedTargets() []Target {
	seen := map[Target]bool{}
	w := r.walk
	for s, id := range w.allSteps() {
		st := &w.steps[s]
		seen[Target{w.model.nodes[w.configs[id].node], st.label, st.edge}] = true
	}
	var list []Target
	for i, n := range w.model.nodes {
		labels := append([]string{""}, n.LabelNames()...)
		if w.model.branch[i] {
			for _, l := range labels {
				if r.Reached(n) && (l != "" || w.model.parallelOf(n).FailureLabel() != "") {
					list = append(list, Target{Node: n, Label: l})
				}
			}
			continue
		}
		for _, l := range labels {
			for _, e := range append(slices.Clone(n.Out), nil) {
				if t := (Target{n, l, e}); seen[t] {
					list = append(list, t)
				}
			}
		}
	}
	return list
}

// said is a string without meaning: not a number, not a label.
const said = "well"

// possibleReplies returns possible replies with which a node ends with a label, so that the
// variables that receive its text take each of the values that guards can
// distinguish.
func (m *model) possibleReplies(n *ir.Node, label string) []Give {
	var list []Give
	for _, text := range m.candidateTexts(n, label) {
		if g, ok := makeReply(n, label, text); ok {
			list = append(list, g)
		}
	}
	return list
}

// candidateTexts returns strings to try as the output of a node that ends with a label.
func (m *model) candidateTexts(n *ir.Node, label string) []string {
	list := []string{said}
	for _, h := range n.Handlers {
		for _, a := range h.Assigns {
			_, isSaid := a.Value.(*expr.Said)
			if h.Label != label || !isSaid || a.Append || a.Field == nil {
				continue
			}
			slot, read := m.variables[a.Field.Name]
			if !read {
				continue
			}
			for _, v := range m.slots[slot].samples {
				if text, ok := textForValue(v); ok && !slices.Contains(list, text) {
					list = append(list, text)
				}
			}
		}
	}
	return list
}

// textForValue is a text that gives a variable a value.
func textForValue(v value) (words string, ok bool) {
	switch v.kind {
	case boolean:
		return map[bool]string{true: "yes", false: "no"}[v.number != 0], true
	case number:
		return v.String(), true
	case text:
		return v.text, true
	}
	return "", false
}

// makeReply returns how a node is made to give a text and end with a label; ok is false
// if that is impossible.
func makeReply(n *ir.Node, label, text string) (g Give, ok bool) {
	labels := n.LabelNames()
	marked := text + "\n[OUTPUT:" + label + "]"
	switch n.Action.(type) {
	case *ir.Bash:
		for _, printed := range []string{text, marked} {
			for exit := range 2 {
				if got, err := reply.ScriptLabel(printed, exit, labels); err == nil && got == label {
					return Give{Text: printed, Exit: exit}, true
				}
			}
		}
		return Give{Text: text, Late: true}, label == "timeout"
	case *ir.Human:
		return Give{Text: text}, true
	case *ir.Prompt, *ir.Join:
		switch got, err := reply.Label(text, labels); {
		case err == nil && got == label:
			return Give{Text: text}, true
		case err != nil:
			return Give{Text: text, Again: "[OUTPUT:" + label + "]"}, true
		}
		return Give{Text: marked}, true
	}
	return Give{}, true
}

// handlerText is the text that a node passes to its handlers.
func (g Give) handlerText(n *ir.Node, label string) string {
	switch a := n.Action.(type) {
	case *ir.Prompt, *ir.Bash:
		return g.Text
	case *ir.Human:
		if g.Text != "" {
			return g.Text
		}
	case *ir.Join:
		if a.Prompt != nil {
			return g.Text
		}
	}
	return label
}

// valueFromText is the value that a variable has after a text was assigned to it.
func valueFromText(f *ir.StateField, old value, text string) value {
	switch t := types.WithoutNull(f.Type); {
	case t == types.Bool:
		if b, err := reply.Read[bool](f.Name, text); err == nil {
			return booleanValue(b)
		}
		return old
	case types.IsNumber(t):
		n, err := reply.Read[float64](f.Name, text)
		if err != nil || t == types.Int && n != math.Trunc(n) {
			return old
		}
		return value{kind: number, number: n}
	}
	return textOf(strings.TrimSpace(text))
}

// exampleValue is a value of a type, for an input that decides nothing.
func exampleValue(t types.Type) any {
	switch t = types.WithoutNull(t); {
	case t == types.Bool:
		return true
	case types.IsNumber(t):
		return 1.0
	case types.IsText(t):
		return said
	}
	if _, isList := t.(*types.List); isList {
		return []any{}
	}
	return map[string]any{}
}
