package xprompt

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// lowerSteps makes the nodes of all steps, in the order in which they run.
func (d *decoder) lowerSteps() {
	d.addEnvironment()
	for _, s := range d.steps {
		s.node = d.buildNode(s)
		d.body.Nodes = append(d.body.Nodes, s.node)
		d.names.add(s)
		d.byID[s.node.ID] = s
	}
	d.addStepInputs()
	d.reportUnused()
	d.python.Check(d.Bag)
}

// buildNode makes the node of a step: that of its action, within that of its loop.
func (d *decoder) buildNode(s *stepDecl) *ir.Node {
	d.takeOutput(s)
	var when expr.Expr
	if s.cond != nil {
		when = d.truthExpr(*s.cond, &scope{d: d, reader: s, before: true})
	}
	var n *ir.Node
	switch {
	case s.forVars != nil:
		n = d.forEach(s)
	case s.again != nil && s.again.cond != nil:
		n = d.doAgain(s)
	default:
		n = d.buildAction(s, &scope{d: d, reader: s})
	}
	if s.cond != nil {
		n.When, n.WhenText = when, s.cond.Node.Value
	}
	if s.hitl != nil {
		n.Review = &ir.Review{Span: s.hitl.Head()}
		n.Output = withApproved(n.Output)
	}
	n.Finally = s.finally != nil
	return n
}

// newNode is a node of a step without its action.
func (s *stepDecl) newNode() *ir.Node {
	return &ir.Node{ID: s.id, IDSpan: s.nameAt, Span: s.wholeSpan(), Result: ir.Result{Output: types.Any}}
}

// buildAction makes the node for the work of a step; sc is the scope of its templates.
func (d *decoder) buildAction(s *stepDecl, sc *scope) *ir.Node {
	n := s.newNode()
	switch {
	case s.bash != nil:
		n.Parsing, n.Action = ir.Printed, d.buildBash(*s.bash, sc)
	case s.python != nil:
		n.Parsing, n.Action = ir.Printed, d.pythonScript(*s.python, sc)
	case s.prompt != nil:
		n.Parsing, n.Action = ir.Replied, d.promptAction(s, sc)
		n.Schema = formSchema(s.form)
	case s.parallel != nil:
		d.buildFork(n, s, sc)
		return n
	default:
		n.Action = &ir.Bash{}
	}
	n.Spec, n.Output, n.SaveStdout = s.spec, s.outputType(), s.artifact != nil
	return n
}

// buildFork makes the action of a parallel.
func (d *decoder) buildFork(n *ir.Node, s *stepDecl, sc *scope) {
	f := &ir.Fork{FailFast: s.cancels, Join: s.mode}
	if s.forVars != nil {
		f.Join = ir.JoinObject // the join is that of the loop
	}
	for _, c := range s.children {
		d.takeOutput(c)
		inner := *sc
		inner.reader = c
		var when expr.Expr
		if c.cond != nil {
			when = d.truthExpr(*c.cond, &inner)
		}
		child := d.buildAction(c, &inner)
		if c.cond != nil {
			child.When, child.WhenText = when, c.cond.Node.Value
		}
		c.node = child
		f.Nodes = append(f.Nodes, child)
	}
	n.Action = f
	n.Output = joinedChildren(f.Nodes, f.Join)
}

// doAgain makes the node of a while or a repeat.
func (d *decoder) doAgain(s *stepDecl) *ir.Node {
	a := s.again
	previous := &expr.Declared{Name: s.name, Typ: s.outputType(), Maybe: true, At: s.nameAt}
	body := d.buildAction(s, &scope{d: d, reader: s, previous: previous})
	n := s.newNode()
	n.Output = body.Output
	n.Action = &ir.Repeat{
		Cond:     d.truthExpr(*a.cond, &scope{d: d, reader: s, previous: previous, tested: true}),
		CondText: a.cond.Node.Value, Until: a.until, Max: a.max,
		Previous: previous, Body: body, Span: a.key.Head(),
	}
	return n
}

// forEach makes the node of a loop over lists.
func (d *decoder) forEach(s *stepDecl) *ir.Node {
	loop := &ir.ForEach{Join: s.mode, Vars: d.loopLists(s)}
	inner := &scope{d: d, reader: s}
	for i := range loop.Vars {
		inner.vars = append(inner.vars, loop.Vars[i].Var)
	}
	loop.Body = d.buildAction(s, inner)
	n := s.newNode()
	n.Action = loop
	n.Output = joinedItems(loop.Body.Output, loop.Join)
	return n
}

// agentName is the agent that answers prompts. The format has no key for it;
// wfc.yaml and the command line select the agent behind the name.
const agentName = "claude"

// parseTemplate parses a text of a step.
func (d *decoder) parseTemplate(v value, sc *scope) *template.Template {
	return jinja.Template(v.Node.Text(), sc, jinja.Options{}, d.Bag)
}

// buildBash makes the program of a bash step.
func (d *decoder) buildBash(v value, sc *scope) *ir.Bash {
	b := program.Bash(d.shell, d.parseTemplate(v, sc), d.bashName, d.Bag)
	b.EchoEscapes = true
	return b
}

// pythonScript makes the program of a python step.
func (d *decoder) pythonScript(v value, sc *scope) *ir.Script {
	return program.Python(d.python, d.parseTemplate(v, sc), holeName, d.Bag)
}

// promptAction makes the action of a prompt step.
func (d *decoder) promptAction(s *stepDecl, sc *scope) *ir.Prompt {
	text := s.prompt.Node.Text()
	if s.part != nil {
		text = reference.TrimMarker(text)
	}
	t := jinja.Template(text, sc, jinja.Options{}, d.Bag)
	d.findCommand(t)
	return &ir.Prompt{Text: d.prompts.Expand(t, sc), Agent: ir.Agent{Name: agentName, Span: s.prompt.Head(), FreshSession: true}}
}

// takeOutput sets the form of the agent's answer to the output of the first prompt
// that declares one, and the output of the step, too, if the step declares none.
func (d *decoder) takeOutput(s *stepDecl) {
	if s.prompt == nil {
		return
	}
	n := d.prompts.OutputOf(s.prompt.Node.Value)
	if n == nil {
		return
	}
	s.form = d.readOutput(value{Node: n, Path: "output"})
	if s.output == nil {
		s.spec = s.form
	}
}

// findCommand reports the first command substitution of a prompt, which nothing
// executes.
func (d *decoder) findCommand(t *template.Template) {
	for _, p := range t.Parts {
		text, ok := p.(*template.Text)
		if !ok {
			continue
		}
		if m := command().FindStringSubmatchIndex(text.Value); m != nil {
			d.Bag.Add(codes.PromptCommand.New(t.Source.Span(text.Start+m[2], text.Start+m[3]), "this command does not run: it reaches the agent as literal text").
				WithHelp("run it in a `bash` step, and insert the output of that step"))
			return
		}
	}
}

// command is a command substitution without a backslash before it.
var command = lazyregexp.New(`(?:^|[^\\])(\$\([^)]*\))`)

// bashName is holeName for bash, where a variable hides an environment variable of its
// name from the commands of the script.
func (d *decoder) bashName(label string) string {
	name := holeName(label)
	if slices.ContainsFunc(d.variables, func(v value) bool { return v.Key.Value == name }) {
		name += "_value"
	}
	return name
}

// literals are the texts in a hole.
var literals = lazyregexp.New(`"[^"\\]*"|'[^'\\]*'`)

// holeName suggests a name for the variable of a script that holds a hole's
// value: that of {{ plan.items | length }} is plan_items, and that of
// {{ "late" if plan.late }} is plan_late.
func holeName(label string) string {
	s := strings.TrimLeft(literals().ReplaceAllString(label, ""), "{-+( \t\r\n")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "if "), "not ")
	end := strings.IndexFunc(s, func(r rune) bool {
		return r > 127 || !bind.IsNameByte(byte(r)) && r != '.'
	})
	if end >= 0 {
		s = s[:end]
	}
	s = strings.Trim(strings.ToLower(strings.ReplaceAll(s, ".", "_")), "_")
	if s == "" || isDigit(s[0]) {
		return "value"
	}
	return s
}
