package archon

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Inputs of newer versions of the format: a file declares them under `inputs:`, reads
// them as `$INPUTS.name`, and gets them in the environment of scripts as INPUTS_NAME.
// A file that declares none accepts every name that it reads.

// inputsScope is the name by which references read inputs; no node can have it.
const inputsScope = "INPUTS"

// inputVariable is the environment variable of an input or a binding.
func inputVariable(name string) string {
	return inputsScope + "_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// isInputName reports whether a name can follow `$INPUTS.`.
func isInputName(name string) bool { return isReferable(name) }

// scanInput reads the reference to an input whose `$` is at offset.
func scanInput(text string, at int) (name string, end int) {
	rest, ok := strings.CutPrefix(text[at:], "$"+inputsScope+".")
	start := len(text) - len(rest)
	if !ok {
		return "", at
	}
	end = identEnd(text, start, true)
	return text[start:end], end
}

// inputDecl is an input as it is declared.
type inputDecl struct {
	required bool
	doc      string
	fallback *yamlsrc.Node
	ok       bool
}

var inputLevel = level{Where: "in an input", Name: "the input", Prefix: "inputs."}

var inputFields = []field[inputDecl]{
	{Name: "required", Shape: decode.Bool,
		Doc: "Refuses runs without a value.",
		Read: func(d *decoder, v value, in *inputDecl) {
			set, ok := d.Flag(v)
			in.required, in.ok = set, in.ok && ok
		}},
	{Name: "default", Shape: decode.Any,
		Doc:  "Value if none is given. Its type is that of the input, otherwise a string.",
		Read: func(_ *decoder, v value, in *inputDecl) { in.fallback = v.Node }},
	{Name: "description", Shape: decode.String,
		Doc: "What the input is for, shown by `info` and `--help`.",
		Read: func(d *decoder, v value, in *inputDecl) {
			doc, ok := d.Text(v)
			in.doc, in.ok = strings.TrimSpace(doc), in.ok && ok
		}},
}

// readInputs reads the declared inputs. The engine drops a declaration that is wrong;
// then every use of the input is a fault.
func readInputs(d *decoder, v value, w *workflowDecl) {
	v.Lenient = true
	if !d.IsMapping(v) {
		return
	}
	w.declaresInputs, w.fallbacks = true, map[string]*yamlsrc.Node{}
	variables := map[string]*yamlsrc.Node{}
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		at := v.Member(p)
		if !isInputName(p.Key.Value) {
			d.Fault(at, finding.InputName(p.Key.Span, p.Key.Value))
			continue
		}
		decl := inputDecl{ok: true}
		if !decode.Fields(d, inputLevel, at, inputFields, &decl) || !decl.ok {
			continue
		}
		if decl.required && decl.fallback != nil {
			d.Bag.Add(finding.DroppedValue(p.Key.Span, "input `"+p.Key.Value+"` is required and has a default"))
			continue
		}
		name := inputVariable(p.Key.Value)
		if first := variables[name]; first != nil {
			d.Bag.Add(finding.SameVariable(p.Key.Span, p.Key.Value, first.Value, name, first.Span))
			continue
		}
		variables[name] = p.Key
		w.inputs = append(w.inputs, newInput(p.Key.Value, &decl, p.Key.Span))
		w.fallbacks[p.Key.Value] = decl.fallback
	}
}

func newInput(name string, decl *inputDecl, at source.Span) *ir.Input {
	in := &ir.Input{Name: name, Doc: decl.doc, Type: types.Text, Span: at}
	switch {
	case decl.required:
	case decl.fallback == nil:
		in.Type, in.Default = &types.Optional{Elem: types.Text}, &expr.Literal{Text: "null", Typ: types.Null}
	default:
		lit := jsonLiteral(decl.fallback)
		if lit.Typ == types.Null {
			lit.Typ = types.Any // of which null is a value
		}
		in.Type, in.Default = lit.Typ, lit
	}
	return in
}

// jsonLiteral is a value of the file as a constant. The type of a list and of a
// mapping is Any.
func jsonLiteral(n *yamlsrc.Node) *expr.Literal {
	lit := &expr.Literal{At: n.Place(), Text: n.JSON(), Typ: types.Any}
	if n.Kind != yamlsrc.Scalar {
		return lit
	}
	switch n.Tag {
	case yamlsrc.TagNull:
		lit.Typ = types.Null
	case yamlsrc.TagBool:
		lit.Typ = types.Bool
	case yamlsrc.TagInt:
		lit.Typ = types.Int
		if _, err := strconv.ParseInt(lit.Text, 10, 64); err != nil {
			lit.Typ = types.Float // as every number is to the engine
		}
	case yamlsrc.TagFloat:
		lit.Typ = types.Float
	default:
		lit.Text, lit.Typ = n.Value, types.Text
	}
	return lit
}

// The names by which expressions call the two inputs of every workflow.
const (
	argumentsInput = "arguments"
	contextInput   = "context"
)

// workflowInputs are the two inputs of every workflow of this format.
func workflowInputs() []*ir.Input {
	empty := func() expr.Expr { return &expr.Literal{Typ: types.Text} }
	return []*ir.Input{
		{Name: argumentsInput, Doc: "the task of the run", Type: types.Text, Default: empty(), Rest: true},
		{Name: contextInput, Doc: "the background of the task, such as the text of an issue", Type: types.Text, Default: empty()},
	}
}

// scriptEnvironment are the variables that the engine sets for every script, in its
// order. Variables of loops and gates are empty in other scripts.
func scriptEnvironment() []ir.EnvVar {
	input := func(name string) expr.Expr { return &expr.Input{Name: name, Typ: types.Text} }
	return []ir.EnvVar{
		{Name: "ARTIFACTS_DIR", Value: &expr.Var{Var: expr.ArtifactsDir}},
		{Name: "LOG_DIR", Value: &expr.Var{Var: expr.LogDir}},
		{Name: "BASE_BRANCH", Value: &expr.Var{Var: expr.BaseBranch}},
		{Name: "USER_MESSAGE", Value: input(argumentsInput)},
		{Name: "ARGUMENTS", Value: input(argumentsInput)},
		{Name: "LOOP_USER_INPUT", Value: &expr.Var{Var: expr.LoopUserInput}},
		{Name: "LOOP_PREV_OUTPUT", Value: &expr.Var{Var: expr.LoopPrevOutput}},
		{Name: "REJECTION_REASON", Value: &expr.Var{Var: expr.RejectionReason}},
		{Name: "CONTEXT", Value: input(contextInput)},
		{Name: "EXTERNAL_CONTEXT", Value: input(contextInput)},
		{Name: "ISSUE_CONTEXT", Value: input(contextInput)},
	}
}

// newerEnvironment are the variables that scripts have by newer rules besides.
func (r *reader) newerEnvironment() []ir.EnvVar {
	var list []ir.EnvVar
	if r.rules.Holds(formats.RunFolders) {
		list = append(list, ir.EnvVar{Name: "WORKFLOW_ID", Value: &expr.Var{Var: expr.RunID}}, ir.EnvVar{Name: "STATE_DIR", Value: &expr.Var{Var: expr.StateDir}})
	}
	if r.rules.Holds(formats.ArtifactList) {
		list = append(list, ir.EnvVar{Name: "TYPED_ARTIFACTS_FILE", Value: &expr.Var{Var: expr.ArtifactList}})
	}
	return list
}

// addInputs puts the declared inputs behind those that every workflow has. A declared
// input with the name of one of these is that one.
func addInputs(flow *ir.Workflow, declared []*ir.Input) {
	for _, in := range declared {
		i := slices.IndexFunc(flow.Inputs, func(other *ir.Input) bool { return other.Name == in.Name })
		if i < 0 {
			flow.Inputs = append(flow.Inputs, in)
			continue
		}
		in.Rest = flow.Inputs[i].Rest
		flow.Inputs[i] = in
	}
}

// inputsOf are the inputs that references can read.
type inputsOf struct {
	flow *ir.Workflow
	// declared says that the file declares its inputs, so that others are unknown.
	declared bool
	names    []string
	// block is the included file whose inputs they are; nil means that they are those of
	// the run.
	block *block
}

// resolveInput returns what a reference to an input reads: a binding of the node, which is
// nearest, or an input of the workflow.
func (r *resolver) resolveInput(s *surface, name string, at, nameAt source.Span) expr.Expr {
	if b := s.bindings[name]; b != nil {
		b.read = true
		return b.value
	}
	if r.inputs.block != nil {
		if v := r.passedArgument(name, at, nameAt); v != nil {
			return placeValue(v.value, at)
		}
		return &expr.Bad{At: at}
	}
	for _, in := range r.inputs.flow.Inputs {
		if in.Name == name && slices.Contains(r.inputs.names, name) {
			return readInput(in, at)
		}
	}
	if r.inputs.declared || s.bindings != nil {
		known := slices.AppendSeq(slices.Clone(r.inputs.names), maps.Keys(s.bindings))
		slices.Sort(known)
		r.bag.Add(finding.UnknownInput(at, nameAt, name, known))
		return &expr.Bad{At: at}
	}
	in := newInput(name, &inputDecl{}, at)
	addInputs(r.inputs.flow, []*ir.Input{in})
	r.inputs.names = append(r.inputs.names, name)
	return readInput(in, at)
}

// readInput is the value of an input. Reading one without a value fails the node.
func readInput(in *ir.Input, at source.Span) expr.Expr {
	if o, ok := in.Type.(*types.Optional); ok {
		return &expr.Input{At: at, Name: in.Name, Typ: o.Elem, Given: true}
	}
	return &expr.Input{At: at, Name: in.Name, Typ: in.Type}
}

// addVariables adds the environment variables of the inputs, once all are known. An
// input without a value has an empty one.
func (r *resolver) addVariables() {
	for _, name := range r.inputs.names {
		i := slices.IndexFunc(r.inputs.flow.Inputs, func(in *ir.Input) bool { return in.Name == name })
		in := r.inputs.flow.Inputs[i]
		r.inputs.flow.MoreEnv = append(r.inputs.flow.MoreEnv, ir.EnvVar{Name: inputVariable(name), Value: &expr.Input{Name: name, Typ: in.Type}})
	}
}
