package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// addNode adds the facts of a node; inside is the node around it, or "".
func (c *collector) addNode(n *ir.Node, inside string) {
	name := "node `" + n.ID + "`"
	if inside != "" {
		name += " in " + inside
	}
	c.gatherPart(name, n.IDSpan, func() {
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
		c.addText(Info, "description", n.Doc, n.Doc, n.Span)
		c.addNeeds(n)
		if n.Rule != ir.AllSuccess {
			c.addValue(Flow, "trigger rule", n.Rule.String())
		}
		c.addCondition("condition", n.WhenText, n.When, n.IDSpan)
		if n.Include != nil {
			c.addValue(Flow, "block", n.Include.ID)
		}
		for _, e := range n.Unread {
			c.add(fact{class: Flow, what: "unread value", value: exprText(e), of: e, at: e.Span()})
		}
		c.addEdges("edges", n.Out)
		c.addLabels(n)
		c.addOutput(n)
		c.addSettings(n)
		c.addAction(n.Action, n)
	})
}

func (c *collector) addNeeds(n *ir.Node) {
	var declared, order []string
	for _, need := range n.Needs {
		if need.Order {
			order = append(order, need.Node.ID)
		} else {
			declared = append(declared, need.Node.ID)
		}
	}
	c.addList(Flow, "dependency", listFact, declared)
	c.addList(Flow, "order behind", listFact, order)
}

func (c *collector) addOutput(n *ir.Node) {
	c.addValue(Schemas, "output type", typeText(n.Output))
	c.addSchema("output schema", n)
	if n.Spec != nil {
		c.add(fact{class: Schemas, what: "output fields", value: typeText(n.Spec.Type), of: n.Spec})
	}
	if n.Parsing != ir.Plain {
		c.addValue(Schemas, "reading of the output", [...]string{ir.Printed: "printed fields", ir.Replied: "JSON or YAML of a reply", ir.Strict: "one JSON document"}[n.Parsing])
	}
	c.addGuard(Gates, "review by a person", n.Review != nil)
	if n.Given != nil {
		c.addValue(Flow, "input that replaces it", n.Given.Name)
	}
	c.addList(Flow, "target", listFact, ir.TargetNames(n.DeliverTo))
	c.addValue(Flow, "kind of artifact", n.Artifact)
	c.addFlag(Flow, "keeps what it prints as a file", n.SaveStdout)
}

func (c *collector) addSchema(what string, n *ir.Node) {
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

func (c *collector) addSettings(n *ir.Node) {
	if r := n.Retry; r != nil {
		c.addCount("retries", r.Max)
		c.addValue(Limits, "delay before a retry", r.Delay.String())
		c.addFlag(Limits, "retries every failure", r.All)
	}
	c.addDuration("timeout", n.Timeout)
	c.addDuration("idle timeout", n.IdleTimeout)
	c.addFlag(Flow, "is skipped by a timeout", n.SkipOnTimeout)
	c.addGuard(Tools, "may not change files", n.ReadOnly)
	c.addFlag(Flow, "runs again on resume", n.AlwaysRun)
	c.addFlag(Flow, "runs at the end of every run", n.Finally)
}

// addAction adds the facts of the work of a node.
func (c *collector) addAction(a ir.Action, n *ir.Node) {
	switch a := a.(type) {
	case *ir.Bash:
		c.addBash("script", a)
	case *ir.Script:
		c.addValue(Scripts, "runtime", a.Runtime)
		c.addValue(Scripts, "file", a.Name)
		c.addProgram("script", a.Original, a.Template, a.Source, a.Bindings)
		c.addList(Scripts, "package", listFact, a.Deps)
		c.addVariables("variable", a.Env)
	case *ir.Prompt:
		c.addPrompt("prompt", a)
	case *ir.Cancel:
		c.addTemplate(Flow, "reason", a.Reason)
	case *ir.Fail:
		c.addValue(Flow, "fails because", a.Message)
	case *ir.Loop:
		c.addLoop(a, n)
	case *ir.Approval:
		c.addTemplate(Gates, "question", a.Gate.Message)
		c.addFlag(Gates, "words of the person as output", a.Capture)
		c.addList(Gates, "decision", listFact, a.Decisions)
		c.addCount("rejections before the run is cancelled", a.MaxRejections)
		if a.Rework != nil {
			c.addPrompt("prompt after a rejection", a.Rework)
		}
	case *ir.Wait:
		c.addWait(a)
	case *ir.Call:
		c.addCall(a)
	case *ir.Include:
		c.addValue(Flow, "workflow", a.Workflow)
	case *ir.Block:
		c.addValue(Flow, "workflow", a.Workflow)
		c.addFan(a.Fan)
		c.addInnerNodes(a.Body, n)
	case *ir.ForEach:
		for _, v := range a.Vars {
			c.add(fact{class: Flow, what: "items of `" + v.Var.Name + "`", value: exprText(v.Items), of: v.Items, at: v.Span})
		}
		c.addValue(Flow, "joining of the outputs", a.Join.String())
		c.addInnerNodes(&ir.Sequence{Nodes: []*ir.Node{a.Body}}, n)
	case *ir.Repeat:
		c.addCount("iterations", a.Max)
		end := "repeats while"
		if a.Until {
			end = "repeats until"
		}
		c.addCondition(end, a.CondText, a.Cond, a.Span)
		c.addInnerNodes(&ir.Sequence{Nodes: []*ir.Node{a.Body}}, n)
	case *ir.Fork:
		c.addFlag(Flow, "ends with the first failure", a.FailFast)
		c.addValue(Flow, "joining of the outputs", a.Join.String())
		c.addInnerNodes(&ir.Sequence{Nodes: a.Nodes}, n)
	case *ir.Decision:
		c.addCondition("decision", a.CondText, a.Cond, n.IDSpan)
	case *ir.Parallel:
		c.addList(Flow, "branch", listFact, ir.IDs(a.Branches))
	case *ir.Join:
		c.addList(Flow, "branch to wait for", listFact, ir.IDs(a.Waits))
		if a.Prompt != nil {
			c.addPrompt("prompt", a.Prompt)
		}
	case *ir.Human:
		c.addTemplate(Gates, "question", a.Message)
		c.addValue(Gates, "answer without a person", a.Default)
	case *ir.Checkpoint:
	default:
		panic(fmt.Sprintf("the facts of an action of type %T are unknown", a))
	}
}

// addInnerNodes adds the facts of the nodes inside a node.
func (c *collector) addInnerNodes(b ir.Body, n *ir.Node) {
	c.addBody(b, "`"+n.ID+"`")
}

func (c *collector) addBash(what string, b *ir.Bash) {
	c.addProgram(what, b.Original, b.Template, b.Script, b.Bindings)
	c.addVariables("variable of the "+what, b.Env)
	c.addFlag(Scripts, "`echo` interprets backslashes", b.EchoEscapes)
	c.addValue(Scripts, "folder", b.Dir)
}

// addProgram adds a program, whose holes are bindings.
func (c *collector) addProgram(what string, original, made *template.Template, text string, bindings []ir.Binding) {
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

// addPrompt adds a prompt with its agent.
func (c *collector) addPrompt(what string, p *ir.Prompt) {
	of := ""
	if what != "prompt" {
		of = " of the " + what
	}
	c.addTemplate(Prompts, what, p.Text)
	c.addValue(Prompts, "command file"+of, p.Command)
	c.addValue(Prompts, "agent"+of, p.Agent.Name)
	c.addValue(Prompts, "model"+of, p.Agent.Model)
	c.addFlag(Prompts, "new conversation"+of, p.Agent.FreshSession)
	c.addFlag(Prompts, "adds the context"+of, p.AppendContext)
	c.addList(Prompts, "conversation that it continues"+of, listFact, p.Continues)
	c.addList(Prompts, "conversation of the previous iteration that it continues"+of, listFact, p.ContinuesPrevious)
	c.addValue(Prompts, "conversation that it must continue"+of, p.Resumes)
	c.addFlag(Prompts, "keeps the conversation for the next run"+of, p.Persist)
	c.addList(Prompts, "file to read first"+of, listFact, p.Files)
	c.addFlag(Prompts, "may answer nothing"+of, p.MayBeEmpty)
	c.addOptions("option"+of, p.Agent.Options, p.Agent.Span)
}

func (c *collector) addLoop(a *ir.Loop, n *ir.Node) {
	c.addCount("iterations", a.Max)
	c.addValue(Flow, "signal", a.Signal)
	c.addFlag(Flow, "signal only at the end", a.Strict)
	c.addValue(Flow, "field that ends it", a.Field)
	if a.Until != nil {
		c.addBash("test", a.Until)
	}
	c.addFlag(Prompts, "new conversation in each iteration", a.FreshSession)
	if a.Gate != nil {
		t := a.Gate.Message
		c.add(fact{class: Gates, what: "question after an iteration", value: t.Source.Value, of: t, kind: textFact, at: t.Source.Whole(), guards: true})
		c.addValue(Gates, "questions after a complete loop", strconv.Itoa(int(a.Pass)))
	}
	for _, inner := range a.Body.All() {
		if p, ok := inner.Action.(*ir.Prompt); ok && len(a.Body.All()) == 1 && inner.ID == n.ID {
			c.addPrompt("prompt", p)
			c.addDuration("idle timeout of the prompt", inner.IdleTimeout)
			c.addSchema("schema of an iteration", inner)
			return
		}
	}
	c.addInnerNodes(a.Body, n)
}

func (c *collector) addWait(a *ir.Wait) {
	c.addDuration("wait", a.For)
	c.addTemplate(Flow, "time to wait for", a.Until)
	c.addValue(Flow, "event to wait for", a.Event)
	c.addDuration("deadline", a.Deadline)
	c.addTemplate(Gates, "message to a person", a.Attention)
}

func (c *collector) addCall(a *ir.Call) {
	name := a.Callee.Workflow.Name
	c.add(fact{class: Flow, what: "workflow", value: name, of: a.Callee})
	for _, arg := range a.Args {
		c.add(fact{class: Flow, what: "value of `" + arg.Name + "`", value: exprText(arg.Value), of: arg.Value, at: arg.Span})
	}
	c.addGuard(Tools, "separate git worktree", a.Worktree)
	c.addFan(a.Fan)
}

func (c *collector) addFan(f *ir.Fan) {
	if f == nil {
		return
	}
	c.add(fact{class: Flow, what: "items", value: exprText(f.Items), of: f.Items, at: f.Span})
	c.addCount("items at once", f.Max)
	c.addFlag(Flow, "fails if an item fails", f.AllSuccess)
}
