package xprompt

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/template"
)

// agentName is the agent that answers prompts. The format has no key for it;
// wfc.yaml and the command line select the agent behind the name.
const agentName = "claude"

// template parses a text of a step.
func (d *decoder) template(t source.Text, sc *scope) *template.Template {
	return jinja.Template(t, sc, jinja.Options{}, d.Bag)
}

// bash makes the program of a bash step.
func (d *decoder) bash(v value, sc *scope) *ir.Bash {
	b := program.Bash(d.shell, d.template(v.Node.Text(), sc), d.bashName, d.Bag)
	b.Echo = true
	return b
}

// pythonScript makes the program of a python step.
func (d *decoder) pythonScript(v value, sc *scope) *ir.Script {
	return program.Python(d.python, d.template(v.Node.Text(), sc), holeName, d.Bag)
}

// promptAction makes the action of a prompt step.
func (d *decoder) promptAction(s *stepDecl, sc *scope) *ir.Prompt {
	t := jinja.Template(s.prompt.Node.Text(), sc, jinja.Options{}, d.Bag)
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
		for at := 0; ; {
			i := strings.Index(text.Value[at:], "$(")
			if i < 0 {
				break
			}
			i += at
			end := strings.IndexByte(text.Value[i:], ')')
			if end >= 0 && (i == 0 || text.Value[i-1] != '\\') {
				d.Bag.Add(finding.PromptCommand(t.Source.Span(text.Start+i, text.Start+i+end+1)))
				return
			}
			at = i + 2
		}
	}
}

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
	s := strings.TrimLeft(literals.ReplaceAllString(label, ""), "{-+( \t\r\n")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "if "), "not ")
	end := strings.IndexFunc(s, func(r rune) bool {
		return r > 127 || !isNameByte(byte(r)) && r != '.'
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
