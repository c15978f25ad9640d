package lango

import (
	"fmt"
	"sort"
	"strings"
	"text/template/parse"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// compilePrompts makes templates of the prompts.
func (d *decoder) compilePrompts() {
	for i, s := range d.steps {
		if s.prompt == nil {
			continue
		}
		p := &prompt{decoder: d, step: i, text: s.prompt.Node.Text()}
		s.node.Action.(*ir.Prompt).Text = p.compileTemplate()
	}
}

// A prompt is one prompt while it is compiled.
type prompt struct {
	*decoder
	step    int
	text    source.Text
	actions []action
	names   map[int]string
	// vars are the variables in scope, the newest last; dot is the value of `.`,
	// nil at the top, where it is all results.
	vars []*expr.Declared
	dot  expr.Expr
}

func (p *prompt) compileTemplate() *template.Template {
	value := p.text.Value
	p.actions = scanActions(value)
	if len(p.actions) == 0 {
		return template.Literal(p.text)
	}
	t := &template.Template{Source: p.text}
	if last := p.actions[len(p.actions)-1]; last.open {
		p.Bag.Add(finding.PromptSyntax(p.text.Span(last.start, last.start+len(openBraces)), "this `{{` is never closed"))
		return t
	}
	if deep := tooDeep(value, p.actions); deep != nil {
		p.Bag.Add(finding.PromptSyntax(p.text.Span(deep.start, deep.end), "this is nested too deeply"))
		return t
	}
	masked, names := maskNames(value, p.actions)
	p.names = names
	tree, err := parseTree(masked)
	if err != nil {
		p.reportSyntax(masked, err)
		return t
	}
	if tree.Root != nil {
		t.Parts = p.compileList(tree.Root)
	}
	return t
}

// parseTree parses a text. Functions are checked later.
func parseTree(text string) (*parse.Tree, error) {
	tree := parse.New("prompt")
	tree.Mode = parse.SkipFuncCheck
	set := map[string]*parse.Tree{}
	parsed, err := tree.Parse(text, openBraces, closeBraces, set)
	return parsed, err
}

// reportSyntax reports why a text cannot be parsed. Go's parser reports only the
// line, so the place is found by parsing beginnings of the text: the fault is the first
// action up to which the text cannot be parsed.
func (p *prompt) reportSyntax(masked string, err error) {
	faultUpTo := func(i int) error {
		_, fault := parseTree(masked[:p.actions[i].end])
		if fault != nil && endsEarly(fault) {
			return nil
		}
		return fault
	}
	// The parser stops at the first fault, so a longer text has the fault of a shorter one.
	first := sort.Search(len(p.actions), func(i int) bool { return faultUpTo(i) != nil })
	if first < len(p.actions) {
		a := p.actions[first]
		if i := strings.IndexAny(masked[a.start:a.end], finding.CurlyQuoteSigns); i >= 0 {
			start := a.start + i
			end := start + finding.CurlyLength(masked[start:])
			p.Bag.Add(finding.CurlyQuotes(finding.PromptSyntax, p.text.Span(start, end), masked[start:end], `"`))
			return
		}
		p.Bag.Add(finding.PromptSyntax(p.text.Span(a.start, a.end), p.explainSyntaxError(faultUpTo(first))))
		return
	}
	// An action is never closed: the last of the open ones.
	var open []action
	for _, a := range p.actions {
		switch actionKeyword(masked[a.start:a.end]) {
		case "if", "with", "range", "block", "define":
			open = append(open, a)
		case "end":
			open = open[:max(0, len(open)-1)]
		}
	}
	at := p.actions[len(p.actions)-1]
	if len(open) > 0 {
		at = open[len(open)-1]
	}
	if endsEarly(err) {
		p.Bag.Add(finding.PromptSyntax(p.text.Span(at.start, at.end), fmt.Sprintf("missing `{{end}}` for this `%s`", actionKeyword(masked[at.start:at.end]))))
		return
	}
	p.Bag.Add(finding.PromptSyntax(p.text.Span(at.start, at.end), p.explainSyntaxError(err)))
}

// endsEarly reports whether a fault is that the text ends too early.
func endsEarly(err error) bool { return strings.HasSuffix(err.Error(), "unexpected EOF") }

// explainSyntaxError says a fault in words of a workflow's author.
func (p *prompt) explainSyntaxError(err error) string {
	message := err.Error()
	if rest, ok := strings.CutPrefix(message, "template: prompt:"); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			message = after
		}
	}
	return "invalid action: " + message
}

// actionKeyword is the first word of an action.
func actionKeyword(action string) string {
	inside := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(action, openBraces), "-"), " \t\r\n")
	end := strings.IndexFunc(inside, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		return inside
	}
	return inside[:end]
}

// actionAround returns the action around a place.
func (p *prompt) actionAround(at parse.Pos) action {
	if i := sort.Search(len(p.actions), func(i int) bool { return int(at) < p.actions[i].end }); i < len(p.actions) {
		return p.actions[i]
	}
	return action{start: int(at), end: len(p.text.Value)}
}

// actionSpan is the place in the file of the action around an offset.
func (p *prompt) actionSpan(at parse.Pos) source.Span {
	a := p.actionAround(at)
	return p.text.Span(a.start, a.end)
}

func (p *prompt) compileList(l *parse.ListNode) []template.Part {
	if l == nil {
		return nil
	}
	var parts []template.Part
	for _, n := range l.Nodes {
		parts = append(parts, p.compilePart(n)...)
	}
	return parts
}

// compilePart compiles a piece of a template.
func (p *prompt) compilePart(n parse.Node) []template.Part {
	switch n := n.(type) {
	case *parse.TextNode:
		return []template.Part{&template.Text{Value: string(n.Text), Start: int(n.Pos)}}
	case *parse.CommentNode:
		return nil
	case *parse.ActionNode:
		return p.compileAction(n)
	case *parse.IfNode:
		return p.compileBranch(&n.BranchNode, false)
	case *parse.WithNode:
		return p.compileBranch(&n.BranchNode, true)
	case *parse.RangeNode:
		p.Bag.Add(finding.TemplateArguments(p.actionSpan(n.Pos), "`range` has nothing to iterate over: results are strings"))
		return nil
	}
	what := "this"
	if t, ok := n.(*parse.TemplateNode); ok {
		what = "the template `" + t.Name + "`"
	}
	p.Bag.Add(finding.TemplateArguments(p.actionSpan(n.Position()), "a prompt cannot define or call templates: "+what))
	return nil
}

// compileAction compiles an action: a value that is inserted, or that a variable gets.
func (p *prompt) compileAction(n *parse.ActionNode) []template.Part {
	a := p.actionAround(n.Pos)
	e := p.compilePipe(n.Pipe)
	if len(n.Pipe.Decl) > 0 {
		return []template.Part{&template.Set{Target: template.Target{Var: p.assignVariable(n.Pipe, e), At: p.text.Span(a.start, a.end)}, Value: e, Start: a.start, End: a.end}}
	}
	return []template.Part{&template.Hole{Expr: p.printedText(e), Start: a.start, End: a.end}}
}

// assignVariable returns the variable that a pipeline gives a value to.
func (p *prompt) assignVariable(pipe *parse.PipeNode, e expr.Expr) *expr.Declared {
	name := pipe.Decl[0].Ident[0]
	if pipe.IsAssign {
		for i := len(p.vars) - 1; i >= 0; i-- {
			v := p.vars[i]
			if v.Name != name {
				continue
			}
			if v.Typ != e.Type() && !isBad(e) {
				p.Bag.Add(finding.TemplateArguments(p.actionSpan(pipe.Pos), fmt.Sprintf("the variable `%s` is a %s, got a %s", name, v.Typ, e.Type())))
			}
			return v
		}
	}
	v := &expr.Declared{Name: name, Typ: e.Type(), At: p.actionSpan(pipe.Pos)}
	p.vars = append(p.vars, v)
	return v
}

// compileBranch compiles an if or a with.
func (p *prompt) compileBranch(n *parse.BranchNode, with bool) []template.Part {
	a := p.actionAround(n.Pos)
	known, dot := len(p.vars), p.dot
	defer func() { p.vars, p.dot = p.vars[:known], dot }()
	cond := p.compilePipe(n.Pipe)
	var parts []template.Part
	if len(n.Pipe.Decl) > 0 || with {
		v := &expr.Declared{Name: "dot", Typ: cond.Type(), At: p.text.Span(a.start, a.end)}
		if len(n.Pipe.Decl) > 0 {
			v = p.assignVariable(n.Pipe, cond)
		}
		parts = append(parts, &template.Set{Target: template.Target{Var: v, At: v.At}, Value: cond, Start: a.start, End: a.end})
		cond = &expr.Local{At: cond.Span(), Of: v}
	}
	if with {
		p.dot = cond
	}
	branch := &template.If{Start: a.start, End: a.end, Branches: []template.Branch{{Cond: cond, Body: p.compileList(n.List)}}}
	p.dot = dot
	branch.Else = p.compileList(n.ElseList)
	if len(parts) == 0 {
		return []template.Part{branch}
	}
	return []template.Part{&template.Scope{Body: append(parts, branch), Start: a.start, End: a.end}}
}
