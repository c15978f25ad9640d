package gen

import (
	"cmp"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

func (g definitionWriter) inputsType(f *jen.File) {
	doc := "Inputs are the values that a caller supplies."
	if len(g.inputSeq) == 0 {
		doc = "Inputs is empty: a caller supplies no values."
	}
	f.Comment(wrapComment(doc))
	f.Type().Id("Inputs").StructFunc(func(s *jen.Group) {
		for _, in := range g.inputSeq {
			switch {
			case isReplacement(in):
				s.Comment(wrapComment(in.field + ", if not nil, is the output of step `" + in.Name + "`, which does not run then."))
			case in.fallback || in.isRaw() && constantOf(in.Default).Text != "null":
				s.Comment(wrapComment(g.describeInput(in) + " The run replaces nil by the default, " + defaultJSON(constantOf(in.Default)) + ", before a node reads it."))
			case g.failsWithout(in):
				s.Comment(wrapComment(g.describeInput(in) + " It has no default: a node that reads it fails if it is nil."))
			case in.Doc != "" || inputForm(in) != "":
				doc := g.describeInput(in)
				if in.Name == contextInput && !g.sequence && g.graph == nil && len(g.agentNames()) > 0 {
					doc += " wfc appends it to the prompt of each `prompt` or `command` node that does not mention it."
				}
				s.Comment(wrapComment(doc))
			}
			tag := jsonTag(in.Name, in.fallback)
			if in.fallback && hasNil(in.Type) { // an empty list is a value
				tag = strings.Replace(tag, ",omitempty", ",omitzero", 1)
			}
			s.Id(in.field).Add(in.code).Op(tag)
		}
	})
}

// describeInput says what an input is. That of a graph is a variable that its texts ask the user for.
func (g definitionWriter) describeInput(in *input) string {
	doc, form := strings.TrimSuffix(strings.TrimSpace(in.Doc), "."), inputForm(in)
	switch {
	case g.graph != nil:
		return in.field + " is " + doc + ", as `state." + in.Name + "`."
	case doc == "":
		return in.field + " is " + cmp.Or(form, "the input `"+in.Name+"`") + "."
	case strings.HasPrefix(doc, "the ") && (in.Name == contextInput || in.Rest):
		return in.field + " is " + doc + "."
	case form != "":
		form = " It is " + form + "."
	}
	return in.field + ": " + doc + "." + form
}

// inputForm says what an input's Go type does not say of its values, or "".
func inputForm(in *input) string {
	t, _ := unwrapOptional(in.Type)
	if _, list := itemType(t); !list && len(in.Choices) > 0 {
		return "one of " + cleanLine(plain.NameList(in.Choices))
	}
	return map[types.Type]string{types.Word: "a word without spaces", types.Line: "a line of text", types.Path: "a path without spaces"}[t]
}

// failsWithout reports whether a node fails if the run has no value for an input.
func (g definitionWriter) failsWithout(in *input) (found bool) {
	for _, n := range g.nodes {
		n.Walk(func(n *ir.Node) {
			for _, e := range nodeExpressions(n) {
				expr.Walk(e, func(e expr.Expr) bool {
					read, ok := e.(*expr.Input)
					found = found || ok && read.Given && read.Name == in.Name
					return !found
				})
			}
		})
	}
	return found
}

// outputsType writes the struct of the terminal nodes' outputs.
func (g definitionWriter) outputsType(f *jen.File) {
	doc := "Outputs holds the outputs of the nodes on which no other depends; each is empty if its node did not complete."
	if g.sequence {
		doc = "Outputs holds the output of the last step. It is empty if the step did not complete."
		if n := g.nodes[len(g.nodes)-1]; n.Finally && !n.terminal {
			doc = "Outputs holds the output of the last step before those that clean up. It is empty if the step did not complete."
		}
	}
	if result := g.program.Workflow.Returns; result != nil {
		doc = "Outputs holds the output of node `" + result.ID + "`, the result. It is empty if the node did not complete."
	}
	g.writeDoc(f, doc)
	f.Type().Id("Outputs").StructFunc(func(s *jen.Group) {
		for _, n := range g.nodes {
			if n.terminal {
				name := n.ID
				if !tagName(name) {
					name = n.exported
				}
				of, _, optional := n.outputField()
				if n.json {
					s.Comment(wrapComment(n.exported + " is the output of " + n.doc + " as JSON."))
				}
				s.Id(n.exported).Add(of).Op(jsonTag(name, optional))
			}
		}
	})
}

// isReplacement reports whether an input is one that flow.Replacement describes.
func isReplacement(in *input) bool {
	return in.Replaces == in.Name && in.Type == types.Any && in.Default != nil && defaultJSON(constantOf(in.Default)) == "null" &&
		in.Doc == "the output of step `"+in.Name+"`, given so that it does not run"
}
