package graphloop_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// dump writes the work of a node in one line.
func dump(n *ir.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", n.ID, n.Action.Kind())
	switch a := n.Action.(type) {
	case *ir.Prompt:
		b.WriteString(dumpPrompt(a))
	case *ir.Bash:
		fmt.Fprintf(&b, " %q", a.Script)
		for _, binding := range a.Bindings {
			fmt.Fprintf(&b, " %s=%s", binding.Name, show(binding.Value))
		}
		if a.Dir != "" {
			b.WriteString(" in " + a.Dir)
		}
	case *ir.Decision:
		b.WriteString(" " + show(a.Cond))
	case *ir.Parallel:
		fmt.Fprintf(&b, " %s until %s", ids(a.Branches...), ids(a.Join))
	case *ir.Join:
		b.WriteString(" " + ids(a.Waits...))
		if a.Prompt != nil {
			b.WriteString(dumpPrompt(a.Prompt))
		}
	case *ir.Human:
		fmt.Fprintf(&b, " %s default %q", dumpText(a.Message), a.Default)
	}
	b.WriteString(" ->")
	for _, l := range n.Labels {
		b.WriteString(" " + l.Name)
		if l.Failure {
			b.WriteString("!")
		}
	}
	if n.Timeout > 0 {
		fmt.Fprintf(&b, " within %s", n.Timeout)
	}
	if n.Retry != nil {
		fmt.Fprintf(&b, " retry %d after %s all %t", n.Retry.Max, n.Retry.Delay, n.Retry.All)
	}
	for _, h := range n.Handlers {
		fmt.Fprintf(&b, " on %s:", h.Label)
		for _, a := range h.Assigns {
			op := "="
			if a.Append {
				op = "+="
			}
			fmt.Fprintf(&b, " %s%s%s", a.Field.Name, op, show(a.Value))
		}
	}
	return b.String()
}

func dumpPrompt(p *ir.Prompt) string {
	s := " " + p.Agent.Name
	if p.Agent.Model != "" {
		s += "/" + p.Agent.Model
	}
	s += " " + dumpText(p.Text)
	if len(p.Files) > 0 {
		s += " files " + strings.Join(p.Files, ",")
	}
	return s
}

// dumpText writes a template with its holes in braces.
func dumpText(t *template.Template) string {
	var b strings.Builder
	for _, p := range t.Parts {
		switch p := p.(type) {
		case *template.Text:
			b.WriteString(p.Value)
		case *template.Hole:
			b.WriteString("{" + show(p.Expr) + "}")
		}
	}
	return fmt.Sprintf("%q", b.String())
}

func ids(nodes ...*ir.Node) string {
	var list []string
	for _, n := range nodes {
		if n == nil {
			list = append(list, "nothing")
			continue
		}
		list = append(list, n.ID)
	}
	return strings.Join(list, ",")
}

// dumpState writes the variables with their types and first values.
func dumpState(g *ir.Graph) string {
	var list []string
	for _, f := range g.State.Fields {
		s := f.Name + " " + f.Type.String()
		if f.Initial != nil {
			s += " = " + show(f.Initial)
		}
		if !f.Declared {
			s += " (undeclared)"
		}
		list = append(list, s)
	}
	return strings.Join(list, "; ")
}
