package archon

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/depend"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// nodeDecl is a node as it is written.
type nodeDecl struct {
	node *ir.Node
	at   value
	// number counts the nodes from 1.
	number  int
	named   bool
	needs   []decode.Entry // the ids in depends_on
	modes   []modeUse
	agent   agentDecl
	timeout *value
	idle    *value
	retryAt *value
	always  *value
	runtime *value
	deps    *value
	when    *value
	with    *value
	passed  []*binding // the values under `with:`
	// rule is the trigger rule that the node has in its file, if ruled says that it has one.
	rule  ir.TriggerRule
	ruled bool
	block *block // the nodes that it includes
	// input, isolation and fan are keys of a workflow node.
	input, isolation *value
	fan              *fanDecl
	// skips is a timeout's effect, and readOnly a node that must not change files.
	skips, readOnly *value
}

// messageLabel is how messages call the node.
func (n *nodeDecl) messageLabel() string {
	if n.named {
		return "`" + n.node.ID + "`"
	}
	return fmt.Sprintf("number %d", n.number)
}

// headSpan is where faults of the whole node are shown: at its id, or at its first
// key.
func (n *nodeDecl) headSpan() source.Span {
	if n.node.IDSpan.IsValid() {
		return n.node.IDSpan
	}
	return n.at.FirstKey()
}

var nodeLevel = level{Where: "on a node", Name: "the node", Foreign: decode.ForeignTo(Name, decode.OnStep), AnyOf: [][]string{modes}, Clash: "Two of them are an error.", Needs: []decode.Need{{Key: "script", Requires: "runtime"}}}

var nodeFields = []field[nodeDecl]{
	{Name: "id", Shape: decode.FilledString, Required: true,
		Doc:  "Name of the node, unique in the file.",
		Read: readID},
	{Name: "description", Shape: decode.String,
		Doc:  "What the node does.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.node.Doc, _ = d.Text(v) }},
	{Name: "depends_on", Shape: decode.ListOf(decode.String), Examples: []string{`["build", "test"]`},
		Doc:  "Ids of the nodes that must end first.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.needs, _ = d.Entries(v, d.Text) }},
	{Name: "when", Shape: decode.String, Examples: []string{`"$review.output.verdict == 'approve'"`},
		Doc:  "Condition; the node is skipped if it does not hold.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.when = decode.Keep(v, d.readWhen) }},
	{Name: "trigger_rule", Shape: decode.OneOf(triggerRules...), Default: `"all_success"`,
		Doc: "Which results of the dependencies let the node run. `all_success`: all completed; `one_success`: at least one completed; " +
			"`none_failed_min_one_success`: the same, and none failed; `all_done`: any.",
		Read: readTrigger},
	{Name: "retry", Shape: decode.Object(&retryLevel), Examples: []string{`{"max_attempts": 3}`},
		Doc: "How a failed node is retried. Prompts retry transient failures twice if absent.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.node.Retry = d.readRetry(v)
			n.retryAt = &v
		}},
	{Name: "timeout", Shape: decode.Number.Above(0).In("milliseconds"), Examples: []string{"60000"},
		Doc:  "Time limit of the node. `bash` and `script` have 120 seconds if absent.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.timeout = decode.Keep(v, d.Number) }},
	{Name: "idle_timeout", Shape: decode.Number.Above(0).In("milliseconds"), Default: "1800000",
		Doc: "Longest silence of the agent.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			if ms, ok := d.NumberIn(v, ""); ok {
				n.node.IdleTimeout = millisecondDuration(ms)
				n.idle = &v
			}
		}},
	{Name: "always_run", Shape: decode.Bool,
		Doc: "Runs the node again when the run is resumed.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.node.AlwaysRun, _ = d.Flag(v)
			n.always = &v
		}},
	{Name: "output_type", Shape: decode.FullString,
		Doc:  "Also stores the output as a file of this type in the run's folder for artifacts.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.node.Artifact, _ = d.NonEmpty(v) }},
	{Name: "command", Shape: decode.FilledString,
		Doc:  "Command file whose text is the prompt.",
		Read: readTextMode},
	{Name: "prompt", Shape: decode.FilledString,
		Doc:  "Prompt for the agent. `$node.output` inserts the output of a node.",
		Read: readTextMode},
	{Name: "bash", Shape: decode.FilledString,
		Doc:  "Bash script. Values become variables of the script.",
		Read: readTextMode},
	{Name: "script", Shape: decode.FilledString,
		Doc:  "Script for `runtime`, or the name of a file in `scripts/`.",
		Read: readTextMode},
	{Name: "cancel", Shape: decode.FilledString,
		Doc:  "Ends the run with this reason.",
		Read: readTextMode},
	{Name: "loop", Shape: decode.Object(&loopLevel),
		Doc:  "Repeats a prompt until a signal.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.addMode(modeUse{at: v, loop: d.readLoop(v)}) }},
	{Name: "approval", Shape: decode.Object(&approvalLevel),
		Doc:  "Waits until a person approves.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.addMode(modeUse{at: v, approval: d.readApproval(v)}) }},
	{Name: "loop_group", Shape: decode.Object(&groupLevel),
		Doc:  "Repeats several nodes until a signal or a test.",
		Read: func(_ *decoder, v value, n *nodeDecl) { n.addMode(modeUse{at: v}) }},
	{Name: "include", Shape: decode.FilledString,
		Doc:  "Workflow whose nodes take the place of this one. `with` has values for its inputs.",
		Read: readTextMode},
	{Name: "workflow", Shape: decode.FilledString,
		Doc:  "Name of another workflow, which the node runs as a separate run. The output is its result.",
		Read: readTextMode},
	{Name: "wait", Shape: decode.Object(&waitLevel),
		Doc:  "Waits for a time, an event or a person. Its output has `status`, `waited_ms`, `event` and `payload`.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.addMode(modeUse{at: v, wait: d.readWait(v)}) }},
	{Name: "runtime", Shape: decode.OneOf("bun", "uv"),
		Doc:  "Program that runs `script`: bun for JavaScript and TypeScript, uv for Python.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.runtime = decode.Keep(v, d.Choice) }},
	{Name: "deps", Shape: decode.ListOf(decode.FullString), Examples: []string{`["requests"]`},
		Doc: "Packages that are installed before the script starts.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			if _, ok := d.Entries(v, d.NonEmpty); ok {
				n.deps = &v
			}
		}},
	{Name: "provider", Shape: decode.FilledString,
		Doc: "Agent that answers the prompt.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.agent.addKey(v)
			if s, ok := d.Text(v); ok {
				if n.agent.provider = trimSpace(s); n.agent.provider == "" {
					d.Empty(v)
				}
				n.agent.providerAt = v
			}
		}},
	{Name: "model", Shape: decode.String,
		Doc: "Model, model tier or alias.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.agent.addKey(v)
			n.agent.model, _ = d.Text(v)
			n.agent.modelAt = v
		}},
	{Name: "context", Shape: decode.OneOf("fresh", "shared").Else(decode.Object(&contextLevel)),
		Doc:  "`fresh` starts a new session, `shared` continues one, and the object a copy of another node's.",
		Read: readContext},
	{Name: "persist_session", Shape: decode.Bool,
		Doc: "Keeps the conversation for the same node of the next run.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.agent.addKey(v)
			if on, ok := d.Flag(v); ok {
				n.agent.persist = &on
			}
		}},
	{Name: "output_format", Shape: decode.MapOf(decode.Any),
		Doc: "JSON Schema of the reply. Its fields can be read as `$node.output.field`.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.agent.addKey(v)
			if d.IsMapping(v) {
				n.agent.schema = &v
			}
		}},
	{Name: "with", Shape: decode.MapOf(decode.Any),
		Doc:  "Values for a command file (`$INPUTS.name`), a script (`INPUTS_NAME`) or the inputs of a workflow, by name.",
		Read: func(_ *decoder, v value, n *nodeDecl) { n.with = &v }},
	{Name: "on_timeout", Shape: decode.OneOf("fail", "skip"), Default: `"fail"`,
		Doc: "`skip` skips a `bash` or `script` node that reaches its time limit.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			if effect, ok := d.Choice(v); ok && effect == "skip" {
				n.skips = &v
			}
		}},
	{Name: "mutates_checkout", Shape: decode.Bool,
		Doc: "If false, the node fails when it changes files of the checkout.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			if changes, ok := d.Flag(v); ok && !changes {
				n.readOnly = &v
			}
		}},
	{Name: "input", Shape: decode.String,
		Doc:  "`$ARGUMENTS` of the workflow that a `workflow` node runs. References insert values.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.input = decode.Keep(v, d.Text) }},
	{Name: "isolation", Shape: decode.OneOf("inherit", "worktree"), Default: `"inherit"`,
		Doc:  "`worktree` gives the run of a `workflow` node a git worktree; `inherit`, the folder of this run.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.isolation = decode.Keep(v, d.Choice) }},
	{Name: "fan_out", Shape: decode.Object(&fanLevel),
		Doc:  "Runs the workflow of a `workflow` node, or the nodes of an `include`, for each item of a list.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.fan = d.readFan(v) }},
}

// agentFields are the agent's options as keys of a node.
var agentFields = func() []field[nodeDecl] {
	list := make([]field[nodeDecl], len(optionKeys))
	for i := range optionKeys {
		key := &optionKeys[i]
		list[i] = field[nodeDecl]{Name: key.name, Shape: key.shape, Doc: key.doc, Examples: key.examples, Read: func(d *decoder, v value, n *nodeDecl) { d.readOption(key, v, &n.agent) }}
	}
	return list
}()

// allNodeFields are all keys of a node.
var allNodeFields = append(append([]field[nodeDecl]{}, nodeFields...), agentFields...)

// readNode decodes one item of nodes. The result has a node even if the item has faults,
// so that references to it can be resolved; it is nil only if the item is not a mapping.
func (d *decoder) readNode(item *yamlsrc.Node, list value, number int) *nodeDecl {
	v := value{Node: item, Key: list.Key, Path: fmt.Sprintf("nodes item %d", number)}
	n := &nodeDecl{node: &ir.Node{Span: item.Span, Result: ir.Result{Output: types.Text}}, at: v, number: number}
	if !decode.Fields(d, nodeLevel, v, allNodeFields, n) {
		return nil
	}
	if item.Alias.IsValid() {
		// Its twin is where the id is written.
		n.node.IDSpan = item.Alias
	}
	d.Missing(v, n.headSpan(), nodeLevel, "id")
	d.buildNode(n)
	return n
}

func readID(d *decoder, v value, n *nodeDecl) {
	id, ok := d.Text(v)
	n.node.IDSpan = v.Place()
	if !ok {
		return
	}
	n.node.ID = trimSpace(id)
	switch {
	case n.node.ID == "":
		d.Empty(v)
		return
	case n.node.ID == inputsScope && d.rules.Holds(formats.ReservedID):
		d.Bag.Add(finding.ReservedID(v.Place(), n.node.ID))
	}
	n.named = true
}

// triggerRules are the names of the trigger rules in the order of
// ir.TriggerRule.
var triggerRules = []string{
	ir.AllSuccess.String(), ir.OneSuccess.String(), ir.NoneFailedMinOneSuccess.String(), ir.AllDone.String(),
}

// readWhen reads the text of a condition. Quotes make no condition of a boolean.
func (d *decoder) readWhen(v value) (string, bool) {
	if v.Node.Tag != yamlsrc.TagBool {
		return d.Text(v)
	}
	x := finding.WrongKind(v.Place(), v.Path, "a condition", decode.KindOf(v.Node))
	if v.Node.Value == "true" {
		x.WithHelp("remove `when`: the node always runs")
	} else {
		x.WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove the node")
	}
	d.Fault(v, x)
	return "", false
}

// meantRules are trigger rules of other tools, with those of this format.
var meantRules = map[string]string{
	"always": "all_done", "done": "all_done", "all": "all_success", "any": "one_success", "one": "one_success", "success": "all_success",
	"any_success": "one_success",
}

func readTrigger(d *decoder, v value, n *nodeDecl) {
	if meant := meantRules[v.Node.Value]; meant != "" && v.Node.Kind == yamlsrc.Scalar {
		d.Fault(v, finding.OtherValue(v.Place(), v.Path, v.Node.Value, v.Shape.Choices, meant))
		return
	}
	name, ok := d.Choice(v)
	if !ok {
		return
	}
	n.rule, n.ruled = ir.TriggerRule(slices.Index(triggerRules, name)), true
	n.node.Rule = n.rule
	n.node.SkipCountsAsFailure = d.rules.Holds(formats.FailureBefore) && n.rule == ir.NoneFailedMinOneSuccess
}

// connectNodes makes the nodes' dependencies of their ids and returns them as the
// positions of nodes.
func (r *reader) connectNodes(nodes []*nodeDecl) [][]int {
	list := make([]depend.Node, len(nodes))
	for i, n := range nodes {
		list[i] = depend.Node{Node: n.node, Named: n.named, Label: n.messageLabel(), Needs: n.needs}
	}
	return depend.Connect(list, r.Bag)
}

// retryDecl holds the keys under `retry:`.
type retryDecl struct {
	max   int
	delay time.Duration
	all   bool
}

var retryLevel = level{Where: "under `retry:`", Name: "`retry`", Prefix: "retry."}

var retryFields = []field[retryDecl]{
	{Name: "max_attempts", Shape: decode.Integer.From(1, 5), Required: true,
		Doc:  "Number of retries after the first attempt.",
		Read: func(d *decoder, v value, r *retryDecl) { r.max, _ = d.Whole(v) }},
	{Name: "delay_ms", Shape: decode.Number.From(1000, 60000).In("milliseconds"), Default: strconv.FormatInt(ir.DefaultRetry.Delay.Milliseconds(), 10),
		Doc: "Wait before the first retry; it doubles with each.",
		Read: func(d *decoder, v value, r *retryDecl) {
			ms, ok := d.NumberIn(v, "")
			if ok {
				r.delay = millisecondDuration(ms)
			}
		}},
	{Name: "on_error", Shape: decode.OneOf("transient", "all"), Default: `"transient"`,
		Doc: "Which failures are retried.",
		Read: func(d *decoder, v value, r *retryDecl) {
			on, _ := d.Choice(v)
			r.all = on == "all"
		}},
}

// readRetry decodes a retry; the result is nil when it is not a mapping.
func (d *decoder) readRetry(v value) *ir.Retry {
	r := retryDecl{delay: ir.DefaultRetry.Delay}
	if !readLevel(d, v, retryLevel, retryFields, &r) {
		return nil
	}
	return &ir.Retry{Max: r.max, Delay: r.delay, All: r.all, Span: v.Key.Span}
}
