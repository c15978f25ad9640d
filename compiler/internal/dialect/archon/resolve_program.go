package archon

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// bashRewriter is the one that binds the holes of all bash scripts.
func (r *resolver) bashRewriter() *shell.Rewriter {
	if r.shell == nil {
		options := shell.DefaultOptions()
		if r.env != nil {
			options.Programs, options.Check = r.env.Settings.Programs, shell.BashChecker(r.env.Ask)
		}
		r.shell = shell.NewRewriter(options)
	}
	return r.shell
}

// rewriterOf is the rewriter for a bash script.
func (r *resolver) rewriterOf(s *surface) *shell.Rewriter {
	names := r.outsideVariables(s)
	if len(names) == 0 {
		return r.bashRewriter()
	}
	options := r.bashRewriter().Options()
	options.Variables = append(names, options.Variables...)
	return shell.NewRewriter(options)
}

// inComment reports whether the reference at offset is in a comment of a bash
// script. Only the shell's own grammar can tell, so the script is parsed once more,
// but only when a `#` is before a reference on its line.
func (c *scanner) inComment(at int) bool {
	line := strings.LastIndexByte(c.text[:at], '\n') + 1
	if !strings.Contains(c.text[line:at], "#") {
		return false
	}
	if c.comments == nil {
		c.comments = c.findComments()
	}
	return c.comments[at]
}

// findComments returns the places that no part of the program reads.
func (c *scanner) findComments() map[int]bool {
	before := c.text
	c.text = c.s.text.Value
	defer func() { c.text = before }()
	unread := map[int]bool{}
	var list []shell.Hole
	for at := c.findDollar(0); at >= 0; {
		end := at + 1
		if name, stop := scanInput(c.text, at); name != "" {
			end = stop
		} else if v, stop := c.scanVariable(c.text, at, c.s.kind); v != nil {
			end = stop
		} else if ref, ok := scanRef(c.text, at); ok {
			end = ref.end
		}
		if end > at+1 {
			// No two holes share a label, so each gets a separate binding.
			label := "$" + strconv.Itoa(len(list))
			list = append(list, shell.Hole{Start: at, End: end, Name: "hole", Label: label, Type: types.Text})
			unread[at] = true
		}
		at = c.findDollar(end)
	}
	out := c.bashRewriter().Rewrite(c.s.text, list, &diag.Bag{})
	if out == nil {
		return map[int]bool{}
	}
	for _, b := range out.Bindings {
		delete(unread, list[b.Hole].Start)
	}
	return unread
}

// textVariables are the environment variables of every script that hold the words of
// users and agents.
var textVariables = []string{
	"ARGUMENTS", "USER_MESSAGE", "CONTEXT", "EXTERNAL_CONTEXT", "ISSUE_CONTEXT", "REJECTION_REASON", "LOOP_USER_INPUT", "LOOP_PREV_OUTPUT",
}

// outsideVariables returns the environment variables of inputs that a script names and whose
// values only the run knows. They must not become code, as the inputs themselves.
func (r *resolver) outsideVariables(s *surface) []string {
	if !r.rules.Holds(formats.RunFolders) {
		return nil
	}
	names, _ := readsVariables(s.text.Value)
	return slices.DeleteFunc(names, func(name string) bool { return r.isHarmless(s, name) })
}

// isHarmless reports whether the author or the type of an input decides that its variable
// has no code of somebody else.
func (r *resolver) isHarmless(s *surface, variable string) bool {
	for _, b := range s.bindings {
		if inputVariable(b.name) == variable {
			return isHarmless(b.value)
		}
	}
	if r.inputs.block != nil {
		for _, a := range r.inputs.block.arguments {
			if inputVariable(a.name) == variable {
				return isHarmless(a.value)
			}
		}
		return false
	}
	for _, in := range r.inputs.flow.Inputs {
		if inputVariable(in.Name) == variable {
			return types.IsHarmless(in.Type)
		}
	}
	return false
}

func isHarmless(value expr.Expr) bool {
	_, constant := value.(*expr.Literal)
	return constant || value != nil && types.IsHarmless(value.Type())
}

// newScript makes the program of a script surface. The text of a named script is a
// separate file, which the engine hands to the runtime unread; the values in its
// environment must not become code there either.
func (r *resolver) newScript(s *surface) *ir.Script {
	node := s.script
	var holes []*template.Hole
	if node.Name != "" {
		node.Original = template.Literal(s.text)
	} else {
		node.Original = r.scanTemplate(s)
		holes = node.Original.Holes()
	}
	list := make([]script.Hole, len(holes))
	for i, h := range holes {
		list[i] = script.Hole{
			Start: h.Start, End: h.End, Type: h.Expr.Type(),
			Name: holeName(s.text.Value[h.Start:h.End]), Label: s.text.Value[h.Start:h.End],
		}
	}
	out := script.Rewrite(scriptLanguage(node.Runtime), s.text, list, r.bag, append(r.outsideVariables(s), textVariables...)...)
	if out == nil {
		return node
	}
	node.Source, node.Bindings = out.Text, program.Bindings(node.Original, holes, out)
	return node
}

func scriptLanguage(runtime string) script.Language {
	if runtime == "uv" {
		return script.Python
	}
	return script.JavaScript
}

// holeName suggests a variable's name for a hole: `$my-node.output.kind` is
// my_node_output_kind.
func holeName(label string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return '_'
		}
		return unicode.ToLower(r)
	}, strings.TrimPrefix(label, "$"))
}
