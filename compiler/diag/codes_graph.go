package diag

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 22x to 24x: state graphs: their names, edges, branches, interrupts and goals.
var graphCodes = []*Code{
	reservedName, badName, unknownAgent, duplicateOutput, unknownTemplate,
	unknownEdgeEnd, edgeDirection, unknownOutput, unknownHandler, unknownGoal, unknownState, duplicateEdge,
	unknownBranch, badBranch, branchEdge, unknownInterruptNode, interruptShape, outputCount, noSkipRoute,
	unknownVersion, swappedOutputs,
}

// graphExample is a state graph with the given nodes, edges and further keys.
// Each argument is a block of lines with their indentation.
func graphExample(nodes, edges, more string) string {
	return "workflow: w\nnodes:\n" + nodes + "edges:\n" + edges + more
}

const (
	graphTask  = "  a: {type: task, agent: self, prompt: Do it, outputs: [done]}\n"
	graphEdges = "  - {from: START, to: a}\n  - {from: a, to: END}\n"
	// graphReview has two outputs, both of which need a way on.
	graphReview = "  a: {type: task, agent: self, prompt: Is it clean or dirty, outputs: [clean, dirty]}\n"
	graphFix    = "  fix: {type: task, agent: self, prompt: Mend it, outputs: [done]}\n"
	graphFan    = "  fan: {type: parallel, branches: [x, y], outputs: [all_done]}\n" +
		"  x: {type: task, agent: self, prompt: Look here, outputs: [done]}\n" +
		"  y: {type: task, agent: self, prompt: Look there, outputs: [done]}\n"
	graphJoin     = "  meet: {type: join, wait_for: [x, y], outputs: [met]}\n"
	graphFanEdges = "  - {from: START, to: fan}\n  - {from: fan, to: meet}\n  - {from: meet, to: END}\n"
)

// graphGood is the graph that most examples of this family are mended to.
var graphGood = graphExample(graphTask, graphEdges, "")

var reservedName = &Code{
	ID: "WFC220", Slug: "reserved-name", Severity: Error,
	Doc: `A name is taken. START and END are where a graph begins and ends, so no node can
be called so. The variables iteration, current_node, started_at, nodes_executed,
outputs and estimated_cost of the state are kept by the run itself; a file can
read them, but neither declare nor set them.

This is GL008 of the format's rules.`,
	Bad:  graphExample(graphTask, graphEdges, "state: {variables: {iteration: 0}}\n"),
	Good: graphGood,
}

// ReservedName reports a node or a variable with a name that has a meaning of
// its own; what says which, as "a node".
func ReservedName(at source.Span, what, name, why string) *Diagnostic {
	return reservedName.new(at, fmt.Sprintf("%s cannot be called `%s`: %s", what, name, why))
}

var badName = &Code{
	ID: "WFC221", Slug: "bad-name", Severity: Error,
	Doc: `A name of a node, of an output or of a variable holds something that no
condition could spell. Names start with a letter or an underscore and go on with
letters, digits, underscores and, but for variables, hyphens.

This is GL009 of the format's rules.`,
	Bad:  graphExample("  a: {type: task, agent: self, prompt: Do it, outputs: [all done]}\n", graphEdges, ""),
	Good: graphExample("  a: {type: task, agent: self, prompt: Do it, outputs: [all_done]}\n", graphEdges, ""),
}

// BadName reports a name that is no identifier; what says of what, as "a node".
func BadName(at source.Span, what, name string, hyphens bool) *Diagnostic {
	may := "letters, digits, `_` and `-`"
	if !hyphens {
		may = "letters, digits and `_`"
	}
	return badName.new(at, fmt.Sprintf("`%s` cannot be the name of %s", name, what)).
		WithHelp("names start with a letter or `_` and hold " + may)
}

var unknownAgent = &Code{
	ID: "WFC222", Slug: "unknown-agent", Severity: Error,
	Doc: `No agent of that name is known. A task asks self, codex or gemini, or runs a
command as bash; a join can ask the first three. wfc.yaml can define more.

This is GL010 of the format's rules.`,
	Bad:  graphExample("  a: {type: task, agent: codecs, prompt: Do it, outputs: [done]}\n", graphEdges, ""),
	Good: graphExample("  a: {type: task, agent: codex, prompt: Do it, outputs: [done]}\n", graphEdges, ""),
}

// UnknownAgent reports an agent that a node of a kind, such as "a task", cannot
// have.
func UnknownAgent(at source.Span, name, kind string, known []string) *Diagnostic {
	d := unknownAgent.new(at, fmt.Sprintf("there is no agent `%s` for %s; known are %s", name, kind, quoteAll(known)))
	if near := Nearest(name, known); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d.WithHelp("define it under `agents` in `wfc.yaml`")
}

var duplicateOutput = &Code{
	ID: "WFC223", Slug: "duplicate-output", Severity: Error,
	Doc: `A node names one of its outputs twice. Perhaps one of them was meant to be
another one.

This is GL011 of the format's rules.`,
	Bad:  graphExample("  a: {type: task, agent: self, prompt: Do it, outputs: [done, done]}\n", graphEdges, ""),
	Good: graphGood,
}

// DuplicateOutput reports an output that a node already has.
func DuplicateOutput(at source.Span, name string, first source.Span) *Diagnostic {
	return duplicateOutput.new(at, fmt.Sprintf("the node already has an output `%s`", name)).
		WithRelated(first, "first named here")
}

var unknownTemplate = &Code{
	ID: "WFC224", Slug: "unknown-template", Severity: Error,
	Doc: `A node takes its settings from a template that does not exist. Templates are
kept in the project's folder .graph-loop/templates, in YAML files whose key
templates maps names to the settings of a node, with prompt_prefix for what goes
before the node's own prompt.

This is GL013 of the format's rules.`,
	Bad:  graphExample("  a: {type: task, template: oracle, prompt: Do it}\n", graphEdges, ""),
	Good: graphGood,
}

// UnknownTemplate reports a template that no file defines.
func UnknownTemplate(at source.Span, name string, known []string) *Diagnostic {
	d := unknownTemplate.new(at, fmt.Sprintf("there is no template `%s`", name))
	if near := Nearest(name, known); near != "" {
		return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	if len(known) > 0 {
		return d.WithHelp("there are " + quoteAll(known))
	}
	return d.WithHelp("templates are kept in YAML files in `.graph-loop/templates`")
}

var unknownEdgeEnd = &Code{
	ID: "WFC225", Slug: "unknown-edge-end", Severity: Error,
	Doc: `An edge begins or ends at a node that does not exist. Besides the nodes of the
file there are START, where the first edges begin, and END, where the last ones
lead; upper and lower case count.

This is GL101 of the format's rules.`,
	Bad:  graphExample(graphTask, "  - {from: START, to: a}\n  - {from: a, to: end}\n", ""),
	Good: graphGood,
}

// UnknownEdgeEnd reports an edge from or to a node that does not exist.
func UnknownEdgeEnd(at source.Span, id string, known []string) *Diagnostic {
	d := unknownEdgeEnd.new(at, fmt.Sprintf("there is no node `%s`", id))
	if near := Nearest(id, known); near != "" {
		d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, near, false)
	}
	return d
}

var edgeDirection = &Code{
	ID: "WFC226", Slug: "edge-direction", Severity: Error,
	Doc: `An edge leaves END, where the run is over, or leads to START, which only says
where it begins. To begin again, let the edge lead to the first node.

This is GL102 of the format's rules.`,
	Bad:  graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: START, condition: \"dirty\"}\n  - {from: a, to: END}\n", "limits: {max_iterations: 9}\n"),
	Good: graphExample(graphReview, "  - {from: START, to: a}\n  - {from: a, to: a, condition: \"dirty\"}\n  - {from: a, to: END}\n", "limits: {max_iterations: 9}\n"),
}

// EdgeDirection reports an edge from END or to START, whose place this is.
func EdgeDirection(at source.Span, end string) *Diagnostic {
	if end == "END" {
		return edgeDirection.new(at, "no edge can leave `END`: the run is over there")
	}
	return edgeDirection.new(at, "no edge can lead to `START`: it only says where the run begins").
		WithHelp("let it lead to the node that is to be next")
}

var unknownOutput = &Code{
	ID: "WFC227", Slug: "unknown-output", Severity: Error,
	Doc: `A condition names an output that the node does not declare, so it could never
hold. On an edge a bare name is an output of the node that the edge leaves, or a
variable of the state that is true or false; everywhere else outputs are compared,
as in outputs.review == 'clean'.

This is GL103 of the format's rules.`,
	Bad:  graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"drity\"}\n  - {from: a, to: END}\n  - {from: fix, to: END}\n", ""),
	Good: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: a, to: END}\n  - {from: fix, to: END}\n", ""),
}

// UnknownOutput reports a name in a condition that is none of the outputs that
// it could be, in words.
func UnknownOutput(at source.Span, problem, name string, outputs []string) *Diagnostic {
	return unknownOutput.new(at, problem).oneOf(at, name, outputs)
}

// oneOf adds which of the known names was probably meant, or all of them.
func (d *Diagnostic) oneOf(at source.Span, name string, known []string) *Diagnostic {
	if near := Nearest(name, known); near != "" {
		d.WithHelp("did you mean `" + near + "`?")
		if place, ok := nameWithin(at, name); ok {
			d.WithFix("replace with `"+near+"`", place, near, false)
		}
		return d
	}
	if len(known) > 0 && len(known) <= maxListed {
		d.WithHelp("there are " + quoteAll(known))
	}
	return d
}

// maxListed is how many names a message lists when none of them is near.
const maxListed = 12

// nameWithin finds the place of a name at the end of a span, before a quote.
func nameWithin(at source.Span, name string) (source.Span, bool) {
	text := at.Text()
	i := strings.LastIndex(text, name)
	if i < 0 || name == "" || strings.Trim(text[i+len(name):], `'" )`) != "" {
		return source.Span{}, false
	}
	return source.Span{File: at.File, Start: at.Start + i, End: at.Start + i + len(name)}, true
}

var unknownHandler = &Code{
	ID: "WFC228", Slug: "unknown-handler", Severity: Error,
	Doc: `A handler under on_output stands for an output that the node does not declare,
so it would never run.

This is GL301 of the format's rules.`,
	Bad: graphExample("  a:\n    type: task\n    agent: self\n    prompt: Do it\n    outputs: [done]\n    on_output:\n      dnoe: {set: {ready: true}}\n",
		"  - {from: START, to: a}\n  - {from: a, to: END, condition: \"state.ready\"}\n", "state: {variables: {ready: false}}\n"),
	Good: graphExample("  a:\n    type: task\n    agent: self\n    prompt: Do it\n    outputs: [done]\n    on_output:\n      done: {set: {ready: true}}\n",
		"  - {from: START, to: a}\n  - {from: a, to: END, condition: \"state.ready\"}\n", "state: {variables: {ready: false}}\n"),
}

// UnknownHandler reports a handler for an output that its node does not have.
func UnknownHandler(at source.Span, node, name string, outputs []string) *Diagnostic {
	return unknownHandler.new(at, fmt.Sprintf("`%s` has no output `%s`", node, name)).oneOf(at, name, outputs)
}

var unknownGoal = &Code{
	ID: "WFC229", Slug: "unknown-goal", Severity: Error,
	Doc: `A condition of completion names a node that does not exist, or an output that
the node does not declare, so it could never hold.

This is GL404 of the format's rules.`,
	Bad:  graphExample(graphTask, graphEdges, "completion: [a.dun]\n"),
	Good: graphExample(graphTask, graphEdges, "completion: [a.done]\n"),
}

// UnknownGoal reports a goal that names no output of a node, in words.
func UnknownGoal(at source.Span, problem, name string, known []string) *Diagnostic {
	return unknownGoal.new(at, problem).oneOf(at, name, known)
}

var unknownState = &Code{
	ID: "WFC230", Slug: "unknown-state", Severity: Error,
	Doc: `A condition or a text reads a variable of the state that nothing declares, sets
or provides. Declare it under state.variables with its first value, let a handler
under on_output set it, or ask for it by (user provides via state.NAME).

Inside code spans and fences of a prompt such a reference is text, so a prompt can
explain the syntax.

This is GL104 of the format's rules.`,
	Bad: graphExample(graphTask, "  - {from: START, to: a}\n  - {from: a, to: END, condition: \"state.tries < 3\"}\n  - {from: a, to: END}\n", "state: {variables: {attempts: 0}}\n"),
	Good: graphExample("  a: {type: task, agent: self, prompt: \"Try at most (reference state.attempts) times\", outputs: [done]}\n",
		graphEdges, "state: {variables: {attempts: 3}}\n"),
}

// UnknownState reports a variable of the state that does not exist. at is the
// name with `state.` before it.
func UnknownState(at source.Span, name string, known []string) *Diagnostic {
	return unknownState.new(at, fmt.Sprintf("there is no state variable `%s`", name)).oneOf(at, name, known)
}

var duplicateEdge = &Code{
	ID: "WFC232", Slug: "duplicate-edge", Severity: Error,
	Doc: `Two edges lead from the same node to the same node under the same condition. The
second one can never be taken; perhaps one of its ends should be another.

This is GL105 of the format's rules.`,
	Bad:  graphExample(graphTask, graphEdges+"  - {from: a, to: END}\n", ""),
	Good: graphGood,
}

// DuplicateEdge reports an edge that another one already is.
func DuplicateEdge(at source.Span, from, to string, first source.Span) *Diagnostic {
	return duplicateEdge.new(at, fmt.Sprintf("there is already such an edge from `%s` to `%s`", from, to)).
		WithRelated(first, "the first one")
}

var unknownBranch = &Code{
	ID: "WFC233", Slug: "unknown-branch", Severity: Error,
	Doc: `A parallel has a branch, or a join waits for a node, that does not exist.

This is GL208 of the format's rules.`,
	Bad:  graphExample(strings.Replace(graphFan, "[x, y]", "[x, z]", 1)+graphJoin, graphFanEdges, ""),
	Good: graphExample(graphFan+graphJoin, graphFanEdges, ""),
}

// UnknownBranch reports an entry of branches or wait_for that is no node.
func UnknownBranch(at source.Span, id string, known []string) *Diagnostic {
	return unknownBranch.new(at, fmt.Sprintf("there is no node `%s`", id)).oneOf(at, id, known)
}

var badBranch = &Code{
	ID: "WFC234", Slug: "bad-branch", Severity: Error,
	Doc: `A node cannot be a branch here: it is a branch already, of this parallel or of
another, or it is itself a parallel or a join. Each branch is one node that runs
while its parallel does.

This is GL212 of the format's rules.`,
	Bad:  graphExample(strings.Replace(graphFan, "[x, y]", "[x, y, meet]", 1)+graphJoin, graphFanEdges, ""),
	Good: graphExample(graphFan+graphJoin, graphFanEdges, ""),
}

// BadBranch reports a node that cannot be a branch; why is a whole clause.
func BadBranch(at source.Span, id, why string, first source.Span) *Diagnostic {
	return badBranch.new(at, fmt.Sprintf("`%s` cannot be a branch here: %s", id, why)).
		WithRelated(first, "see here")
}

var branchEdge = &Code{
	ID: "WFC235", Slug: "branch-edge", Severity: Error,
	Doc: `An edge leads to a branch of a parallel, or from a branch to another node than the
join at which the branches meet. A parallel starts its branches itself, and goes
on when all of them have ended.

Let the edge lead to the parallel, or begin at it or at the join.

This is GL210 of the format's rules.`,
	Bad:  graphExample(graphFan+graphJoin, graphFanEdges+"  - {from: x, to: END}\n", ""),
	Good: graphExample(graphFan+graphJoin, graphFanEdges+"  - {from: x, to: meet}\n", ""),
}

// BranchEdge reports an edge from or to a branch of a parallel.
func BranchEdge(at source.Span, branch, parallel, join string, into bool) *Diagnostic {
	if into {
		return branchEdge.new(at, fmt.Sprintf("no edge can lead to `%s`: it is a branch, which `%s` starts", branch, parallel)).
			WithHelp(fmt.Sprintf("let the edge lead to `%s`", parallel))
	}
	return branchEdge.new(at, fmt.Sprintf("`%s` is a branch of `%s`, so its only edge could lead to `%s`, where the branches meet", branch, parallel, join)).
		WithHelp(fmt.Sprintf("let the edge begin at `%s`", join))
}

var unknownInterruptNode = &Code{
	ID: "WFC236", Slug: "unknown-interrupt-node", Severity: Error,
	Doc: `An interrupt stands before or after a node that does not exist, so nobody would
ever be asked.

This is GL401 of the format's rules.`,
	Bad:  graphExample(graphTask, graphEdges, "interrupts:\n  - {before: deploy, prompt: Go on?, required: true}\n"),
	Good: graphExample(graphTask, graphEdges, "interrupts:\n  - {before: a, prompt: Go on?, required: true}\n"),
}

// UnknownInterruptNode reports an interrupt at a node that does not exist.
func UnknownInterruptNode(at source.Span, id string, known []string) *Diagnostic {
	return unknownInterruptNode.new(at, fmt.Sprintf("there is no node `%s`", id)).oneOf(at, id, known)
}

var interruptShape = &Code{
	ID: "WFC237", Slug: "interrupt-shape", Severity: Error,
	Doc: `An interrupt says neither or both of before and after, has no prompt, or stands
at a branch of a parallel, where nobody can be asked while the other branches
run.

This is GL402 of the format's rules.`,
	Bad:  graphExample(graphTask, graphEdges, "interrupts:\n  - {before: a, after: a, prompt: Go on?, required: true}\n"),
	Good: graphExample(graphTask, graphEdges, "interrupts:\n  - {before: a, prompt: Go on?, required: true}\n"),
}

// InterruptShape reports an interrupt that cannot be asked, in words.
func InterruptShape(at source.Span, problem string) *Diagnostic {
	return interruptShape.new(at, problem)
}

var outputCount = &Code{
	ID: "WFC238", Slug: "output-count", Severity: Error,
	Doc: `A node has more or fewer outputs than it can end with. A decision has two: the
first when its condition holds, the second when not. A checkpoint, a parallel and
a join without an agent have one, because nothing chooses among several.

These are GL408 and GL409 of the format's rules.`,
	Bad:  graphExample("  a: {type: checkpoint, outputs: [done, failed]}\n", graphEdges, ""),
	Good: graphExample("  a: {type: checkpoint, outputs: [done]}\n", graphEdges, ""),
}

// OutputCount reports a node, as "a decision", with a number of outputs that is
// not the one it has to have.
func OutputCount(at source.Span, kind string, want, got int) *Diagnostic {
	if want == 1 {
		return outputCount.new(at, fmt.Sprintf("%s has exactly 1 output, not %d: nothing could choose among them", kind, got))
	}
	return outputCount.new(at, fmt.Sprintf("%s has exactly %d outputs, not %d: one when its condition holds, one when not", kind, want, got))
}

var noSkipRoute = &Code{
	ID: "WFC239", Slug: "no-skip-route", Severity: Warning,
	Doc: `An interrupt before a node may be answered with skip, but there is no telling
where the run goes on then: the node has several edges, each with a condition
about an output that it does not have when it is skipped. Such an answer is
refused, and the question asked again.

Give the node an edge without a condition, or an output named skip, or say that
the interrupt is required.

This is GL410 of the format's rules.`,
	Bad: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: a, to: END, condition: \"clean\"}\n  - {from: fix, to: END}\n",
		"interrupts:\n  - {before: a, prompt: Review it?, required: false}\n"),
	Good: graphExample(graphReview+graphFix, "  - {from: START, to: a}\n  - {from: a, to: fix, condition: \"dirty\"}\n  - {from: a, to: END}\n  - {from: fix, to: END}\n",
		"interrupts:\n  - {before: a, prompt: Review it?, required: false}\n"),
}

// NoSkipRoute reports an interrupt whose node cannot be skipped.
func NoSkipRoute(at source.Span, node string) *Diagnostic {
	return noSkipRoute.new(at, fmt.Sprintf("`%s` cannot be skipped: without its output there is no telling which of its edges to take", node)).
		WithHelp("give it an edge without a condition, or write `required: true`")
}

var unknownVersion = &Code{
	ID: "WFC240", Slug: "unknown-version", Severity: Warning,
	Doc: `The file names a version of the format that wfc does not know. It is read as
version 1.0.`,
	Bad:  graphExample(graphTask, graphEdges, "version: \"2.0\"\n"),
	Good: graphExample(graphTask, graphEdges, "version: \"1.0\"\n"),
}

// UnknownVersion reports a version of the format that is not known.
func UnknownVersion(at source.Span, version string) *Diagnostic {
	return unknownVersion.new(at, fmt.Sprintf("version `%s` of the format is not known; the file is read as version 1.0", version))
}

var swappedOutputs = &Code{
	ID: "WFC241", Slug: "swapped-outputs", Severity: Warning,
	Doc: `A decision ends with its first output when its condition holds and with its
second when it does not, whatever they are called. Here the first one is called
like a failure and the second one is not.`,
	Bad:  decisionExample("[fail, pass]"),
	Good: decisionExample("[pass, fail]"),
}

// decisionExample is a graph with a decision about what a review said.
func decisionExample(outputs string) string {
	return graphExample(graphReview+"  ok: {type: decision, condition: \"outputs.a == 'clean'\", outputs: "+outputs+"}\n"+graphFix,
		"  - {from: START, to: a}\n  - {from: a, to: ok}\n  - {from: ok, to: END, condition: \"pass\"}\n"+
			"  - {from: ok, to: fix, condition: \"fail\"}\n  - {from: fix, to: END}\n", "")
}

// SwappedOutputs reports a decision whose outputs look exchanged.
func SwappedOutputs(at source.Span, first, second string) *Diagnostic {
	return swappedOutputs.new(at, fmt.Sprintf("`%s` is the output when the condition holds, `%s` when it does not", first, second)).
		WithHelp(fmt.Sprintf("did you mean `[%s, %s]`?", second, first))
}
