package xprompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// names are the names that have a value where lowering has come to: the last
// step of each name, and the inputs.
type names struct {
	steps map[string]*stepDecl
	order []string
}

func newNames() *names { return &names{steps: map[string]*stepDecl{}} }

func (n *names) add(s *stepDecl) {
	if n.steps[s.name] == nil {
		n.order = append(n.order, s.name)
	}
	n.steps[s.name] = s
}

// A scope holds the names that the templates of a step can use.
type scope struct {
	d *decoder
	// reader is the step; in a parallel its child.
	reader *stepDecl
	// vars are the variables of the loops around.
	vars []*expr.Declared
	// previous is the step's own output of the round before, or nil.
	previous *expr.Declared
	// tested says that the templates are those of the loop's own condition, where
	// there has been a round.
	tested bool
	// before says that the templates are decided before the step's loop begins.
	before bool
	// environment says that the templates are those of environment variables, which
	// no step reads.
	environment bool
}

// Lookup implements jinja.Scope.
func (s *scope) Lookup(name string, at source.Span) (expr.Expr, bool) {
	for _, v := range s.vars {
		if v.Name == name {
			return &expr.Local{At: at, Of: v}, true
		}
	}
	if s.previous != nil && s.previous.Name == name {
		return s.ownOutput(name, at), true
	}
	if outer := s.outerValue(name, at); outer != nil {
		return outer, true
	}
	if d := s.misplacedFinding(name, at); d != nil {
		s.d.Bag.Add(d)
		return &expr.Bad{At: at}, true
	}
	if part := s.d.part; part != nil && part.node != nil {
		switch name {
		case "_prompt":
			if asked, ok := part.node.Action.(*ir.Prompt); ok {
				return &expr.Rendered{At: at, Text: asked.Text}, true
			}
		case "_response":
			reply := &expr.StepValue{At: at, Node: part.node.ID, Typ: part.node.Output}
			return &expr.Attr{At: at, X: reply, Name: "_raw", NameSpan: at, Typ: types.Any}, true
		}
	}
	return nil, false
}

// Hidden implements jinja.Hider: names of steps whose outputs are not there yet, and
// of loops' variables outside of their loops.
func (s *scope) Hidden(name string) bool {
	known := slices.ContainsFunc(s.vars, func(v *expr.Declared) bool { return v.Name == name }) ||
		s.previous != nil && s.previous.Name == name || s.d.names.steps[name] != nil || s.d.inputByName[name] != nil
	return !known && s.misplacedFinding(name, source.Span{}) != nil
}

// Attribute implements jinja.Attributer: if the output is not an object with a
// field `approved`, the review of the step decides.
func (s *scope) Attribute(x expr.Expr, name string, at source.Span) (expr.Expr, bool) {
	v, ok := x.(*expr.StepValue)
	if !ok || name != "approved" {
		return nil, false
	}
	step := s.d.byID[v.Node]
	if _, says := v.Typ.(*types.Struct); says || step == nil || step.hitl == nil {
		return nil, false
	}
	return &expr.Approved{At: at, Node: v.Node}, true
}

// ownOutput is the step's own output of the previous iteration. In the first iteration,
// the name has its other meaning.
func (s *scope) ownOutput(name string, at source.Span) expr.Expr {
	local := &expr.Local{At: at, Of: s.previous}
	if s.tested {
		return local
	}
	outer := s.outerValue(name, at)
	if outer == nil {
		return local
	}
	return &expr.Choose{
		At: at, If: &expr.Test{At: at, X: &expr.Local{At: at, Of: s.previous}, Name: "defined", NameSpan: at},
		Then: local, Else: outer, Typ: s.previous.Typ,
	}
}

// outerValue is the output of a step before or an input, or nil.
func (s *scope) outerValue(name string, at source.Span) expr.Expr {
	if step := s.d.names.steps[name]; step != nil {
		return &expr.StepValue{At: at, Node: step.node.ID, Typ: step.node.Output}
	}
	if in := s.d.inputByName[name]; in != nil {
		in.used = true
		return &expr.Input{At: at, Name: name, Typ: in.input.Type}
	}
	return nil
}

// topStep is the step of the workflow that a step belongs to.
func (s *stepDecl) topStep() *stepDecl {
	return cmp.Or(s.parent, s)
}

// misplacedFinding reports a name that has a value, but not here; nil when it is just
// unknown.
func (s *scope) misplacedFinding(name string, at source.Span) *diag.Diagnostic {
	if s.environment {
		return s.tooEarly(name, at)
	}
	r := s.reader
	top := r.topStep()
	switch {
	case slices.Contains(top.loopVars(), name) && s.before:
		return finding.LoopVariable(at, name, "a condition is evaluated once, before the loop", loopVarSpan(top, name))
	case slices.Contains(top.loopVars(), name):
		return finding.LoopVariable(at, name, "the lists of a `for` are evaluated first", loopVarSpan(top, name))
	case r.name == name:
		return finding.StepOrder(at, fmt.Sprintf("step `%s` reads its own output, which does not exist yet", name), source.Span{})
	case r.parent != nil && r.parent.findChild(name) != nil:
		return finding.StepOrder(at, fmt.Sprintf("step `%s` runs in parallel with `%s`: its output is not available", name, r.name), r.parent.findChild(name).nameAt)
	case r.parent != nil && r.parent.name == name:
		return finding.StepOrder(at, fmt.Sprintf("the output of `%s` does not exist before its steps end", name), r.parent.nameAt)
	}
	return s.elsewhereFinding(name, at)
}

func (s *scope) elsewhereFinding(name string, at source.Span) *diag.Diagnostic {
	for _, step := range s.d.steps {
		switch child := step.findChild(name); {
		case step.name == name && step.node == nil:
			return finding.StepOrder(at, fmt.Sprintf("step `%s` runs after `%s`, which reads its output", name, s.reader.name), step.nameAt)
		case child != nil:
			return finding.StepOrder(at, fmt.Sprintf("`%s` is a step of the parallel `%s`", name, step.name), child.nameAt).
				WithHelp("read its output as `"+step.name+"."+name+"`").
				WithFix("write `"+step.name+"."+name+"`", at, step.name+"."+name)
		case slices.Contains(step.loopVars(), name) && step.node != nil:
			return finding.LoopVariable(at, name, "it is a variable only of the loop `"+step.name+"`", loopVarSpan(step, name))
		}
	}
	return nil
}

// tooEarly reports a step's output in the environment, which is set before.
func (s *scope) tooEarly(name string, at source.Span) *diag.Diagnostic {
	step := s.d.lastNamed[name]
	if step == nil {
		return nil
	}
	return finding.StepOrder(at, fmt.Sprintf("`environment` is set before step `%s` runs", name), step.nameAt).
		WithHelp("set the variable in the script that needs it")
}

func loopVarSpan(s *stepDecl, name string) source.Span { return s.forVars.Node.Pair(name).Key.Span }

// Names implements jinja.Scope.
func (s *scope) Names() []string {
	list := plain.Texts(s.vars, func(v *expr.Declared) string { return v.Name })
	if s.previous != nil {
		list = append(list, s.previous.Name)
	}
	list = append(list, s.d.names.order...)
	for _, in := range s.d.inputs {
		list = append(list, in.input.Name)
	}
	return list
}

// words are those that templates have separate meanings for.
var words = []string{
	"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None",
}

var (
	nameForm = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// usableForm is that of names that templates cannot spell.
	usableForm = lazyregexp.New(`^[A-Za-z0-9_-]+$`)
)

// isName reports whether templates can spell a name.
func isName(s string) bool { return nameForm().MatchString(s) && !slices.Contains(words, s) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// checkName reports a name that templates cannot spell, and whether it is valid at
// all; what describes the named thing.
func (d *decoder) checkName(what, name string, at source.Span) (usable bool) {
	if isName(name) {
		return true
	}
	usable = usableForm().MatchString(name)
	better := ""
	if mended := strings.ReplaceAll(name, "-", "_"); isName(mended) {
		better = mended
	} else if isName(mended + "_") {
		better = mended + "_"
	}
	d.Bag.Add(finding.StepName(at, what, name, better, usable))
	return usable
}
