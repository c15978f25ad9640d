package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// node adds the facts of a node; inside is the node around it, or "".
func (c *collector) node(n *ir.Node, inside string) {
	name := "node `" + n.ID + "`"
	if inside != "" {
		name += " in " + inside
	}
	c.in(name, n.IDSpan, func() {
		f := fact{class: Flow, value: n.Action.Kind(), kind: partFact, sort: n.Action.Kind()}
		switch a := n.Action.(type) {
		case *ir.Approval, *ir.Human:
			f.class, f.guards = Gates, true
		case *ir.Prompt:
			if a.Command != "" {
				f.value = "command"
			}
		}
		c.add(f)
		c.text(Info, "description", n.Doc, n.Doc, n.Span)
		c.needs(n)
		if n.Trigger != ir.AllSuccess {
			c.value(Flow, "trigger rule", n.Trigger.String())
		}
		c.condition("condition", n.WhenText, n.When, n.IDSpan)
		if n.Within != nil {
			c.value(Flow, "block", n.Within.ID)
		}
		for _, e := range n.Unread {
			c.add(fact{class: Flow, what: "unread value", value: exprText(e), of: e, at: e.Span()})
		}
		c.edges("edges", n.Out)
		c.labels(n)
		c.output(n)
		c.settings(n)
		c.action(n.Action, n)
	})
}

func (c *collector) needs(n *ir.Node) {
	var declared, order []string
	for _, need := range n.Needs {
		if need.Order {
			order = append(order, need.Node.ID)
		} else {
			declared = append(declared, need.Node.ID)
		}
	}
	c.list(Flow, "dependency", listFact, declared)
	c.list(Flow, "order behind", listFact, order)
}

func (c *collector) output(n *ir.Node) {
	c.value(Schemas, "output type", typeText(n.Output))
	c.schema("output schema", n)
	if n.Spec != nil {
		c.add(fact{class: Schemas, what: "output fields", value: typeText(n.Spec.Type), of: n.Spec})
	}
	if n.Parsing != ir.Plain {
		c.value(Schemas, "reading of the output", [...]string{ir.Printed: "printed fields", ir.Replied: "JSON or YAML of a reply", ir.Strict: "one JSON document"}[n.Parsing])
	}
	if n.Review != nil {
		c.add(fact{class: Gates, what: "review by a person", value: "yes", guards: true})
	}
	if n.Given != nil {
		c.value(Flow, "input that replaces it", n.Given.Name)
	}
	c.list(Flow, "target", listFact, ir.TargetNames(n.DeliverTo))
	c.value(Flow, "kind of artifact", n.Artifact)
	c.flag(Flow, "keeps what it prints as a file", n.Captures)
}

func (c *collector) schema(what string, n *ir.Node) {
	c.add(fact{class: Schemas, what: what, value: wordsOf(sortedJSON(n.Schema)), kind: textFact, at: n.SchemaSpan})
}

// wordsOf returns JSON in words, so that a difference of it shows what differs.
func wordsOf(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text // none
	}
	return b.String()
}

func (c *collector) settings(n *ir.Node) {
	if r := n.Retry; r != nil {
		c.count("retries", r.Max)
		c.value(Limits, "delay before a retry", r.Delay.String())
		c.flag(Limits, "retries every failure", r.All)
	}
	c.duration("timeout", n.Timeout)
	c.duration("idle timeout", n.IdleTimeout)
	c.flag(Flow, "is skipped by a timeout", n.SkipTimeout)
	if n.ReadOnly {
		c.add(fact{class: Tools, what: "may not change files", value: "yes", guards: true})
	}
	c.flag(Flow, "runs again on resume", n.AlwaysRun)
	c.flag(Flow, "runs at the end of every run", n.Finally)
}

// action adds the facts of the work of a node.
func (c *collector) action(a ir.Action, n *ir.Node) {
	switch a := a.(type) {
	case *ir.Bash:
		c.bash("script", a)
	case *ir.Script:
		c.value(Scripts, "runtime", a.Runtime)
		c.value(Scripts, "file", a.Name)
		c.program("script", a.Original, a.Template, a.Source, a.Bindings)
		c.list(Scripts, "package", listFact, a.Deps)
		c.variables("variable", a.Env)
	case *ir.Prompt:
		c.prompt("prompt", a)
	case *ir.Cancel:
		c.template(Flow, "reason", a.Reason)
	case *ir.Fail:
		c.value(Flow, "fails because", a.Message)
	case *ir.Loop:
		c.loop(a, n)
	case *ir.Approval:
		c.template(Gates, "question", a.Gate.Message)
		c.flag(Gates, "words of the person as output", a.CaptureResponse)
		c.list(Gates, "decision", listFact, a.Decisions)
		c.count("rejections before the run is cancelled", a.MaxRejections)
		if a.Rework != nil {
			c.prompt("prompt after a rejection", a.Rework)
		}
	case *ir.Wait:
		c.wait(a)
	case *ir.Call:
		c.call(a)
	case *ir.Include:
		c.value(Flow, "workflow", a.Workflow)
	case *ir.Block:
		c.value(Flow, "workflow", a.Workflow)
		c.fan(a.Fan)
		c.inner(a.Body, n)
	case *ir.ForEach:
		for _, v := range a.Vars {
			c.add(fact{class: Flow, what: "items of `" + v.Var.Name + "`", value: exprText(v.Items), of: v.Items, at: v.Span})
		}
		c.value(Flow, "joining of the outputs", a.Join.String())
		c.inner(&ir.Sequence{Nodes: []*ir.Node{a.Body}}, n)
	case *ir.Repeat:
		c.count("iterations", a.Max)
		end := "repeats while"
		if a.Until {
			end = "repeats until"
		}
		c.condition(end, a.CondText, a.Cond, a.Span)
		c.inner(&ir.Sequence{Nodes: []*ir.Node{a.Body}}, n)
	case *ir.Fork:
		c.flag(Flow, "ends with the first failure", a.FailFast)
		c.value(Flow, "joining of the outputs", a.Join.String())
		c.inner(&ir.Sequence{Nodes: a.Nodes}, n)
	case *ir.Decision:
		c.condition("decision", a.CondText, a.Cond, n.IDSpan)
	case *ir.Parallel:
		c.list(Flow, "branch", listFact, ir.IDs(a.Branches))
	case *ir.Join:
		c.list(Flow, "branch to wait for", listFact, ir.IDs(a.Waits))
		if a.Prompt != nil {
			c.prompt("prompt", a.Prompt)
		}
	case *ir.Human:
		c.template(Gates, "question", a.Message)
		c.value(Gates, "answer without a person", a.Default)
	case *ir.Checkpoint:
	default:
		panic(fmt.Sprintf("the facts of an action of type %T are unknown", a))
	}
}

// inner adds the facts of the nodes inside a node.
func (c *collector) inner(b ir.Body, n *ir.Node) {
	c.body(b, "`"+n.ID+"`")
}

func (c *collector) bash(what string, b *ir.Bash) {
	c.program(what, b.Original, b.Template, b.Script, b.Bindings)
	c.variables("variable of the "+what, b.Env)
	c.flag(Scripts, "`echo` interprets backslashes", b.Echo)
	c.value(Scripts, "folder", b.Dir)
}

// program adds a program, whose holes are bindings.
func (c *collector) program(what string, original, made *template.Template, text string, bindings []ir.Binding) {
	f := fact{class: Scripts, what: what, kind: textFact, of: []any{text, made, bindings}}
	switch {
	case original != nil:
		f.value, f.at = original.Source.Value, original.Source.Whole()
	case made != nil:
		f.value, f.at = made.Source.Value, made.Source.Whole()
	default:
		f.value = text
	}
	c.add(f)
}

// prompt adds a prompt with its agent.
func (c *collector) prompt(what string, p *ir.Prompt) {
	of := ""
	if what != "prompt" {
		of = " of the " + what
	}
	c.template(Prompts, what, p.Text)
	c.value(Prompts, "command file"+of, p.Command)
	c.value(Prompts, "agent"+of, p.Agent.Name)
	c.value(Prompts, "model"+of, p.Agent.Model)
	c.flag(Prompts, "new conversation"+of, p.Agent.FreshSession)
	c.flag(Prompts, "adds the context"+of, p.AppendContext)
	c.list(Prompts, "conversation that it continues"+of, listFact, p.Continues)
	c.list(Prompts, "conversation of the previous iteration that it continues"+of, listFact, p.ContinuesPrevious)
	c.value(Prompts, "conversation that it must continue"+of, p.Resumes)
	c.flag(Prompts, "keeps the conversation for the next run"+of, p.Persist)
	c.list(Prompts, "file to read first"+of, listFact, p.Files)
	c.flag(Prompts, "may answer nothing"+of, p.MayBeEmpty)
	c.options("option"+of, p.Agent.Options, p.Agent.Span)
}

func (c *collector) loop(a *ir.Loop, n *ir.Node) {
	c.count("iterations", a.Max)
	c.value(Flow, "signal", a.Signal)
	c.flag(Flow, "signal only at the end", a.Strict)
	c.value(Flow, "field that ends it", a.Field)
	if a.Until != nil {
		c.bash("test", a.Until)
	}
	c.flag(Prompts, "new conversation in each iteration", a.FreshSession)
	if a.Gate != nil {
		t := a.Gate.Message
		c.add(fact{class: Gates, what: "question after an iteration", value: t.Source.Value, of: t, kind: textFact, at: t.Source.Whole(), guards: true})
		c.value(Gates, "questions after a complete loop", strconv.Itoa(int(a.Pass)))
	}
	for _, inner := range a.Body.All() {
		if p, ok := inner.Action.(*ir.Prompt); ok && len(a.Body.All()) == 1 && inner.ID == n.ID {
			c.prompt("prompt", p)
			c.duration("idle timeout of the prompt", inner.IdleTimeout)
			c.schema("schema of an iteration", inner)
			return
		}
	}
	c.inner(a.Body, n)
}

func (c *collector) wait(a *ir.Wait) {
	c.duration("wait", a.For)
	c.template(Flow, "time to wait for", a.Until)
	c.value(Flow, "event to wait for", a.Event)
	c.duration("deadline", a.Deadline)
	c.template(Gates, "message to a person", a.Attention)
}

func (c *collector) call(a *ir.Call) {
	name := a.Callee.Workflow.Name
	c.add(fact{class: Flow, what: "workflow", value: name, of: a.Callee})
	for _, arg := range a.Args {
		c.add(fact{class: Flow, what: "value of `" + arg.Name + "`", value: exprText(arg.Value), of: arg.Value, at: arg.Span})
	}
	if a.Worktree {
		c.add(fact{class: Tools, what: "separate git worktree", value: "yes", guards: true})
	}
	c.fan(a.Fan)
}

func (c *collector) fan(f *ir.Fan) {
	if f == nil {
		return
	}
	c.add(fact{class: Flow, what: "items", value: exprText(f.Items), of: f.Items, at: f.Span})
	c.count("items at once", f.Max)
	c.flag(Flow, "fails if an item fails", f.AllSuccess)
}
