package graphloop

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// How long nodes may take, and how often they are tried again, when they do not
// say.
const (
	taskMinutes    = 10
	humanMinutes   = 24 * 60
	defaultRetries = 3
	retryDelay     = time.Second
)

// buildAction makes the node's action, which takes its keys by its type.
func (d *decoder) buildAction(n *nodeDecl) {
	complete := true
	for _, key := range n.kind.required {
		if n.at.Node.Pair(key) == nil && !(n.incomplete && key == "agent") {
			d.reportMissing(n, key, "the node `"+n.node.ID+"`")
			complete = false
		}
	}
	if n.kind.outputs > 0 && !d.countOutputs(n, n.kind.keyLevel().Name, n.kind.outputs) {
		complete = false
	}
	switch n.kind.name {
	case "task":
		d.buildTask(n)
	case "decision":
		d.buildDecision(n, complete)
	case "parallel":
		n.node.Action = &ir.Parallel{}
	case "join":
		d.buildJoin(n)
	case "human":
		d.buildHuman(n)
	case "checkpoint":
		n.node.Action = &ir.Checkpoint{}
	}
}

// countOutputs reports a node that has another number of outputs than it must
// have.
func (d *decoder) countOutputs(n *nodeDecl, what string, want int) bool {
	if got := len(n.node.Labels); n.labelsKnown && got != want {
		d.Bag.Add(finding.OutputCount(n.outputs.Place(), what, want, got))
		n.node.Broken = true
		return false
	}
	return n.labelsKnown
}

// setTimeout sets how long the node may take.
func (n *nodeDecl) setTimeout(byDefault int) {
	n.node.Timeout = minuteDuration(byDefault)
	if n.timeout != nil {
		n.node.Timeout, n.node.TimeoutSpan = minuteDuration(n.minutes), n.timeout.Place()
	}
}

// minuteDuration is a number of minutes, or the longest time that there is.
func minuteDuration(n int) time.Duration {
	if n > int(math.MaxInt64/time.Minute) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Minute
}

func (d *decoder) buildTask(n *nodeDecl) {
	n.setTimeout(taskMinutes)
	d.setRetry(n)
	if n.agent == nil {
		return
	}
	agent, ok := d.resolveAgent(n, true)
	switch {
	case !ok:
	case agent.Name == bashAgent:
		d.buildBash(n)
	case n.prompt != nil:
		d.reportIneffective(n.command, "only `agent: bash` runs a command")
		d.reportIneffective(n.cwd, "only a command has its own folder")
		p := &ir.Prompt{Agent: agent, Files: n.files}
		n.node.Action = p
		d.addPrompt(n, p)
	case n.at.Node.Pair("prompt") == nil:
		var help []string
		if n.command != nil {
			help = append(help, "write `agent: bash` to run the command")
		}
		d.reportMissing(n, "prompt", "the node `"+n.node.ID+"`", help...)
	}
}

func (d *decoder) buildBash(n *nodeDecl) {
	if n.command == nil {
		if n.at.Node.Pair("command") == nil {
			var help []string
			if n.prompt != nil {
				help = append(help, "write `agent: self` to send the prompt to an agent")
			}
			d.reportMissing(n, "command", "the node `"+n.node.ID+"`", help...)
		}
		return
	}
	d.reportIneffective(n.prompt, "`agent: bash` runs the `command`")
	d.reportIneffective(n.model, "`agent: bash` uses no model")
	if n.at.Node.Pair("context_files") != nil && len(n.files) > 0 {
		d.Bag.Add(finding.NoEffect(n.at.Node.Pair("context_files").Key.Span, "context_files", "`agent: bash` reads no files first"))
	}
	script := n.command.Node.Text()
	bash := &ir.Bash{Script: script.Value, Original: template.Literal(script)}
	if n.cwd != nil {
		bash.Dir = n.cwd.Node.Value
	}
	n.node.Action = bash
	d.texts.addText(&text{kind: commandText, reader: "`" + n.node.ID + "`", text: script, setBash: func(b *ir.Bash) {
		b.Dir = bash.Dir
		n.node.Action = b
	}})
}

// reportIneffective reports a key without effect; because is a whole clause.
func (d *decoder) reportIneffective(v *value, because string) {
	if v != nil && v.Key.Span.File == d.file {
		d.Bag.Add(finding.NoEffect(v.Key.Span, v.Path, because))
	}
}

func (d *decoder) setRetry(n *nodeDecl) {
	if !n.retry {
		if n.maxRetries != nil {
			d.reportIneffective(n.maxRetries, "without `retry_on_failure: true` nothing is retried")
		}
		return
	}
	r := &ir.Retry{Max: defaultRetries, Delay: retryDelay, All: true, Span: n.at.Node.Pair("retry_on_failure").Key.Span}
	if n.maxRetries != nil {
		r.Max, r.MaxSpan = n.retries, n.maxRetries.Place()
	}
	if r.Max > 0 {
		n.node.Retry = r
	}
}

func (d *decoder) buildDecision(n *nodeDecl, complete bool) {
	decision := &ir.Decision{}
	n.node.Action = decision
	if n.condition != nil {
		decision.CondText = n.condition.Node.Value
		decision.Cond = d.addCondition(*n.condition, &condition{
			place: "a decision", set: func(e expr.Expr) { decision.Cond = e },
		})
	}
	if !complete {
		return
	}
	if first, second := n.node.Labels[0], n.node.Labels[1]; first.Failure && !second.Failure {
		d.Bag.Add(codes.SwappedOutputs.New(n.outputs.Place(), fmt.Sprintf("outputs look swapped: `%s` if the condition holds, `%s` if not", first.Name, second.Name)).
			WithHelp(fmt.Sprintf("write `[%s, %s]`", second.Name, first.Name)).
			WithSourceFix("swap the outputs", n.outputs.Place(), "["+second.Name+", "+first.Name+"]"))
	}
}

func (d *decoder) buildJoin(n *nodeDecl) {
	join := &ir.Join{}
	n.node.Action = join
	if n.agent == nil {
		if n.at.Node.Pair("agent") == nil {
			d.reportIneffective(n.prompt, "a join without `agent` only waits")
			d.countOutputs(n, "a join without `agent`", 1)
		}
		return
	}
	n.setTimeout(taskMinutes)
	agent, ok := d.resolveAgent(n, false)
	if n.prompt == nil {
		if n.at.Node.Pair("prompt") == nil {
			d.reportMissing(n, "prompt", "the node `"+n.node.ID+"`, which has an `agent`,")
		}
		return
	}
	if ok {
		join.Prompt = &ir.Prompt{Agent: agent}
		d.addPrompt(n, join.Prompt)
	}
}

func (d *decoder) buildHuman(n *nodeDecl) {
	human := &ir.Human{Message: &template.Template{}}
	n.node.Action = human
	n.setTimeout(humanMinutes)
	if n.prompt != nil {
		msg := n.prompt.Node.Text()
		human.Message = template.Literal(msg)
		d.texts.addText(&text{kind: messageText, reader: "`" + n.node.ID + "`", text: msg, setTemplate: func(t *template.Template) { human.Message = t }})
	}
	if n.fallback == nil {
		return
	}
	name := n.fallback.Node.Value
	if n.labelsKnown && !slices.Contains(n.outputNames(), name) {
		d.Bag.Add(finding.UnknownValue(n.fallback.Place(), "default_output", name, n.outputNames()))
		return
	}
	human.Default = name
}

// addPrompt notes the text of a prompt, with the prefix of the node's template.
func (d *decoder) addPrompt(n *nodeDecl, p *ir.Prompt) {
	own := n.prompt.Node.Text()
	p.Text = template.Literal(own)
	d.texts.addText(&text{kind: promptText, reader: "`" + n.node.ID + "`", prefix: n.prefix, text: own, setTemplate: func(t *template.Template) {
		tellOutputs(t, n.outputNames())
		p.Text = t
	}})
}

// bashAgent is the agent of tasks that run a command.
const bashAgent = "bash"

// agents are those that every file can name, apart from bash: self is the one
// that runs the graph.
var agents = []string{"self", "codex", "gemini"}

// resolveAgent finds out who answers a node; withBash says that it may run a command.
func (d *decoder) resolveAgent(n *nodeDecl, withBash bool) (ir.Agent, bool) {
	name := n.agent.Node.Value
	known := agents
	if withBash {
		known = append(slices.Clone(agents), bashAgent)
	}
	known = d.env.Settings.Agents.Names(known...)
	if !slices.Contains(known, name) {
		d.Bag.Add(finding.UnknownAgent(n.agent.Place(), name, n.kind.keyLevel().Name, known))
		return ir.Agent{}, false
	}
	agent := ir.Agent{Name: name, Span: n.agent.Place()}
	if n.model != nil && name != bashAgent {
		d.setModel(n, &agent)
	}
	return agent, true
}

// setModel sets the model of an agent: a tier or an alias that the configuration
// defines, or the model's own name. Such a tier may belong to another agent,
// which then counts.
func (d *decoder) setModel(n *nodeDecl, agent *ir.Agent) {
	name := n.model.Node.Value
	agent.Model = name
	m := d.env.ModelNamed(name, n.model.Place(), d.Bag)
	if m == nil {
		return
	}
	agent.Model = m.Model
	if m.Agent != "" && m.Agent != agent.Name {
		d.Bag.Add(finding.ModelOverridesProvider(n.agent.Place(), agent.Name, name, m.Agent, n.model.Place()))
		agent.Name = m.Agent
	}
	if option, ok := d.env.TierEffort(m, agent.Name, n.model.Place(), d.Bag); ok {
		agent.Options = append(agent.Options, option)
	}
}
