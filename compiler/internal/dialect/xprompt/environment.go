package xprompt

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// readEnvironment keeps the environment variables until the inputs are known.
func (d *decoder) readEnvironment(v value) {
	if !d.IsMapping(v) {
		return
	}
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		member := v.Member(p)
		switch {
		case !isVariable(p.Key.Value):
			d.Bag.Add(finding.VariableName(p.Key.Span, p.Key.Value))
		case p.Value.Kind != yamlsrc.Scalar || p.Value.IsNull():
			d.WrongKind(member, "a string")
		default:
			d.variables = append(d.variables, member)
		}
	}
}

// isVariable reports whether an environment variable can have a name.
func isVariable(name string) bool { return isName(name) || slices.Contains(words, name) }

// environment makes the environment variables. Their values can read inputs. A value
// that only the run knows must not become code, neither by the name of its variable
// nor where a script reads it.
func (d *decoder) environment() {
	var unknown []string
	for _, v := range d.variables {
		name := v.Key.Value
		t := jinja.Template(v.Node.Text(), &scope{d: d, environment: true}, jinja.Options{}, d.Bag)
		x := environmentValue(t, v)
		if _, constant := x.(*expr.Literal); !constant {
			unknown = append(unknown, name)
			if shell.ChoosesProgram(name) {
				d.Bag.Add(finding.ScriptEnvironment(v.Place(), name))
			}
		}
		d.workflow.Environment = append(d.workflow.Environment, ir.EnvVar{Name: name, Value: x})
	}
	d.shell = shell.NewRewriter(shell.Options{Echo: true, Variables: unknown, Programs: d.env.Settings.Programs})
	d.python.Variables = unknown
}

func environmentValue(t *template.Template, v value) expr.Expr {
	if text, constant := t.Constant(); constant {
		return &expr.Literal{At: v.Place(), Text: text, Typ: types.Text}
	}
	return &expr.Rendered{At: v.Place(), Text: t}
}
