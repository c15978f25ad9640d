package lango

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// compilePipe compiles a pipeline: what each command gives is the last argument of the
// next.
func (p *prompt) compilePipe(n *parse.PipeNode) expr.Expr {
	var value expr.Expr
	for _, c := range n.Cmds {
		value = p.compileCommand(c, value)
	}
	return value
}

// compileCommand compiles a command; last is what the command before it gives, or nil.
func (p *prompt) compileCommand(c *parse.CommandNode, last expr.Expr) expr.Expr {
	first := c.Args[0]
	if f, ok := first.(*parse.IdentifierNode); ok {
		return p.compileCall(f, c.Args[1:], last)
	}
	e := p.compileOperand(first)
	if (len(c.Args) > 1 || last != nil) && !isBad(e) {
		return p.reportBad(first.Position(), fmt.Sprintf("`%s` is a value and takes no arguments", p.operandText(first)))
	}
	return e
}

// operandText is how the author wrote an operand, as far as that is known.
func (p *prompt) operandText(n parse.Node) string {
	if c, ok := n.(*parse.ChainNode); ok {
		if name, ok := p.names[int(c.Node.Position())]; ok {
			return name + "." + strings.Join(c.Field, ".")
		}
	}
	return n.String()
}

// compileOperand compiles a value.
func (p *prompt) compileOperand(n parse.Node) expr.Expr {
	switch n := n.(type) {
	case *parse.StringNode:
		return p.newLiteral(n.Pos, n.Text, types.Text)
	case *parse.BoolNode:
		return p.newLiteral(n.Pos, strconv.FormatBool(n.True), types.Bool)
	case *parse.NumberNode:
		return p.compileNumber(n)
	case *parse.NilNode:
		return p.reportBad(n.Pos, "`nil` is not a value here")
	case *parse.DotNode:
		if p.dot == nil {
			return p.reportBad(n.Pos, "`.` alone is not a value: write `.id.result`")
		}
		return p.dot
	case *parse.FieldNode:
		if p.dot != nil {
			return p.reportBad(n.Pos, "inside `with`, `.` is a string without fields: write `$"+n.String()+"` here")
		}
		return p.compileResult(n.Pos, n.Ident)
	case *parse.VariableNode:
		return p.compileVariable(n)
	case *parse.ChainNode:
		return p.compileChain(n)
	case *parse.PipeNode:
		return p.compilePipe(n)
	case *parse.IdentifierNode:
		return p.compileCall(n, nil, nil)
	}
	return p.reportBad(n.Position(), fmt.Sprintf("`%s` is not a value", n))
}

func (p *prompt) newLiteral(at parse.Pos, text string, t types.Type) expr.Expr {
	return &expr.Literal{At: p.actionSpan(at), Text: text, Typ: t}
}

func (p *prompt) compileNumber(n *parse.NumberNode) expr.Expr {
	switch {
	case n.IsInt:
		return p.newLiteral(n.Pos, strconv.FormatInt(n.Int64, 10), types.Int)
	case n.IsFloat:
		return p.newLiteral(n.Pos, strconv.FormatFloat(n.Float64, 'g', -1, 64), types.Float)
	}
	return p.reportBad(n.Pos, fmt.Sprintf("`%s` is not a number that prompts support", n.Text))
}

// compileVariable compiles $x, and $.id.result.
func (p *prompt) compileVariable(n *parse.VariableNode) expr.Expr {
	name := n.Ident[0]
	if name == "$" {
		return p.compileResult(n.Pos, n.Ident[1:])
	}
	for i := len(p.vars) - 1; i >= 0; i-- {
		if p.vars[i].Name != name {
			continue
		}
		if len(n.Ident) > 1 {
			return p.reportBad(n.Pos, fmt.Sprintf("`%s` is a %s, which has no fields", name, p.vars[i].Typ))
		}
		return &expr.Local{At: p.actionSpan(n.Pos), Of: p.vars[i]}
	}
	return p.reportBad(n.Pos, "unknown variable `"+name+"`")
}

// compileChain compiles id.result, and (index . "id").result.
func (p *prompt) compileChain(n *parse.ChainNode) expr.Expr {
	switch of := n.Node.(type) {
	case *parse.IdentifierNode:
		name, masked := p.names[int(of.Pos)]
		if !masked {
			name = of.Ident
		}
		return p.compileResult(of.Pos, append([]string{name}, n.Field...))
	case *parse.PipeNode:
		if len(of.Cmds) == 1 {
			if id, ok := p.indexedNames(of.Cmds[0].Args, 1); ok {
				return p.compileResult(n.Pos, append(id, n.Field...))
			}
		}
	}
	return p.reportBad(n.Pos, fmt.Sprintf("`%s` is a string, which has no fields", n.Node))
}

// indexedNames returns the names in `index . "id" "result"`, if there are no more than most.
func (p *prompt) indexedNames(args []parse.Node, most int) (names []string, ok bool) {
	if len(args) < 3 || len(args)-2 > most {
		return nil, false
	}
	f, isFunc := args[0].(*parse.IdentifierNode)
	if !isFunc || f.Ident != "index" {
		return nil, false
	}
	switch of := args[1].(type) {
	case *parse.DotNode:
		ok = p.dot == nil
	case *parse.VariableNode:
		ok = len(of.Ident) == 1 && of.Ident[0] == "$"
	}
	for _, a := range args[2:] {
		s, isText := a.(*parse.StringNode)
		if !isText {
			return nil, false
		}
		names = append(names, s.Text)
	}
	return names, ok
}

// compileResult compiles the result of a step: its id, and `result`.
func (p *prompt) compileResult(at parse.Pos, path []string) expr.Expr {
	if len(path) == 0 {
		return p.reportBad(at, "`$` alone is not a value: write `$.id.result`")
	}
	id := p.unmaskName(path[0], at)
	reader := p.steps[p.step]
	i := p.stepPosition(id)
	place := p.nameSpan(at, id)
	switch {
	case i < 0:
		p.Bag.Add(finding.PromptStep(place, id, p.stepIDs()))
	case len(path) == 1:
		return p.reportBad(at, fmt.Sprintf("`%s` is a step: read `%s.result`", id, id))
	case path[1] != resultField || len(path) > 2:
		return p.reportBad(at, fmt.Sprintf("step `%s` has no `%s`: a step has only `result`", id, strings.Join(path[1:], ".")))
	case i == p.step || !p.before[p.step][i]:
		p.Bag.Add(finding.PromptOrder(place, reader.node.ID, id, p.dependencyChain(i, p.step), p.addDependency(reader, id)))
	default:
		return &expr.Output{At: p.actionSpan(at), Node: id}
	}
	return &expr.Bad{At: place}
}

// unmaskName returns the name in the template that was masked as seen. For a field, Go's
// parser gives the start of the field or of the token after it.
func (p *prompt) unmaskName(seen string, at parse.Pos) string {
	for _, start := range []int{int(at) + 1, int(at) - len(seen)} {
		if name, ok := p.names[start]; ok && len(name) == len(seen) {
			return name
		}
	}
	return seen
}

// reportBad reports an action that cannot work.
func (p *prompt) reportBad(at parse.Pos, problem string) expr.Expr {
	p.Bag.Add(finding.TemplateArguments(p.actionSpan(at), problem))
	return &expr.Bad{At: p.actionSpan(at)}
}

func isBad(e expr.Expr) bool {
	_, bad := e.(*expr.Bad)
	return bad
}

// printedText is the text of a value as Go's templates print it.
func (p *prompt) printedText(e expr.Expr) expr.Expr {
	switch t := e.Type(); {
	case isBad(e), types.IsText(t):
		return e
	case t == types.Int:
		return &expr.Str{At: e.Span(), X: e}
	case t == types.Any:
		p.Bag.Add(finding.TemplateArguments(e.Span(), unknownKind))
		return &expr.Bad{At: e.Span()}
	}
	return &expr.GoCall{At: e.Span(), Func: "print", Args: []expr.Expr{e}, Typ: types.Text}
}

// unknownKind is the problem of values whose kind depends on the run.
const unknownKind = "`and` and `or` with different types are allowed only in conditions"

// nameSpan returns the span of a name, or else of the action around it.
func (p *prompt) nameSpan(at parse.Pos, name string) source.Span {
	if strings.HasPrefix(p.text.Value[min(int(at), len(p.text.Value)):], name) {
		return p.text.Span(int(at), int(at)+len(name))
	}
	a := p.actionAround(at)
	if i := strings.Index(p.text.Value[a.start:a.end], name); i >= 0 && name != "" {
		return p.text.Span(a.start+i, a.start+i+len(name))
	}
	return p.text.Span(a.start, a.end)
}

// dependencyChain returns the chain of steps by which one step comes after another, from the earlier
// one on; nil if there is none.
func (p *prompt) dependencyChain(from, to int) []string {
	if from == to || !p.before[from][to] {
		return nil
	}
	var walk func(i int) []string
	walk = func(i int) []string {
		if i == to {
			return []string{p.steps[i].node.ID}
		}
		for _, need := range p.steps[i].node.Needs {
			if next := p.stepPosition(need.Node.ID); next == to || p.before[next][to] {
				return append(walk(next), p.steps[i].node.ID)
			}
		}
		return []string{p.steps[i].node.ID}
	}
	return walk(from)
}

// addDependency is the fix, without a title, that adds a dependency to a step, or nil.
func (p *prompt) addDependency(s *step, id string) *diag.Fix {
	if s.needsAt == nil {
		return nil
	}
	list := s.needsAt.Node
	at, text := list.Place(), list.Place().Text()
	if list.Kind != yamlsrc.Sequence || !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return nil
	}
	comma := ", "
	if len(list.Items) == 0 {
		comma = ""
	}
	return &diag.Fix{Edits: []diag.Edit{{Span: source.Span{File: at.File, Start: at.End - 1, End: at.End - 1}, New: comma + id}}}
}

// compileCall compiles the call of a function; last is a further argument, or nil.
func (p *prompt) compileCall(f *parse.IdentifierNode, nodes []parse.Node, last expr.Expr) expr.Expr {
	if f.Ident == "index" {
		if path, ok := p.indexedNames(append([]parse.Node{f}, nodes...), 2); ok && last == nil {
			return p.compileResult(f.Pos, path)
		}
		return p.reportBad(f.Pos, "`index` reads results: `index . \"id\" \"result\"`")
	}
	known, ok := functions[f.Ident]
	if !ok {
		return p.reportUnknown(f)
	}
	var args []expr.Expr
	for _, n := range nodes {
		args = append(args, p.compileOperand(n))
	}
	if last != nil {
		args = append(args, last)
	}
	if slices.ContainsFunc(args, isBad) {
		return &expr.Bad{At: p.actionSpan(f.Pos)}
	}
	if len(args) < known.least || known.most >= 0 && len(args) > known.most {
		return p.reportBad(f.Pos, fmt.Sprintf("`%s` needs %s, got %d", f.Ident, known.describeArity(), len(args)))
	}
	return known.make(p, f, args)
}

// reportUnknown reports something that is neither a function nor a step's result.
func (p *prompt) reportUnknown(f *parse.IdentifierNode) expr.Expr {
	at := p.nameSpan(f.Pos, f.Ident)
	if p.stepPosition(f.Ident) >= 0 {
		x := finding.TemplateArguments(at, fmt.Sprintf("`%s` is a step: read `%s.result`", f.Ident, f.Ident))
		p.Bag.Add(x.WithFix("write `"+f.Ident+".result`", at, f.Ident+".result"))
		return &expr.Bad{At: at}
	}
	x := finding.TemplateArguments(at, fmt.Sprintf("`%s` is neither a result nor a function", f.Ident))
	if near := plain.Nearest(f.Ident, append(p.stepIDs(), slices.Sorted(maps.Keys(functions))...)); near != "" {
		written := near
		if p.stepPosition(near) >= 0 {
			written += ".result"
		}
		finding.Meant(x, at, written, written)
	}
	p.Bag.Add(x.WithHelp("write results as `{{id.result}}`, and literal braces as `{{\"{{\"}}`"))
	return &expr.Bad{At: at}
}
