package xprompt

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// An inputDecl is an input as it is written.
type inputDecl struct {
	input *ir.Input
	name  *value
	typ   *value
	// value is the default, as it is written.
	value *value
	// repeatable and choices are the keys of these names.
	repeatable, choices *value
	used                bool
}

// inputTypes are the names of types as the reference has them; upper-case letters and
// some names of other languages are accepted, too.
var inputTypes = []string{"word", "line", "text", "path", "int", "bool", "float", "agent", "model", "effort", "enum"}

// inputLevelShape is the shape of an input whose name is a key: the name of a type, or
// an object.
func inputLevelShape() decode.Shape {
	return decode.Usually(inputTypes...).Else(decode.Object(&inputLevel)).OrNull()
}

var inputLevel = level{Where: "on an input", Name: "the input"}

var inputFields = []field[inputDecl]{
	{Name: "name", Shape: decode.FilledString,
		Doc:  "Name of the input, in a list of inputs.",
		Read: func(d *decoder, v value, in *inputDecl) { in.name = decode.Keep(v, d.Filled) }},
	{Name: "type", Shape: decode.Usually(inputTypes...), Default: `"line"`,
		Doc:  "`text`: any string; `line`: without line breaks; `word`: without whitespace; `path`: an existing file or folder, without whitespace. In files of the successor, also `agent`, `model`, `effort`, and `enum`: one of `choices`; a `path` is a `line` there.",
		Read: func(_ *decoder, v value, in *inputDecl) { in.typ = &v }},
	{Name: "default", Shape: decode.Any,
		Doc:  "Value if none is given. `null` makes the input optional.",
		Read: func(_ *decoder, v value, in *inputDecl) { in.value = &v }},
	{Name: "repeatable", Shape: decode.Bool,
		Doc: "Only on the last input: it is the list of all remaining positional arguments.",
		Read: func(d *decoder, v value, in *inputDecl) {
			if set, _ := d.Flag(v); set {
				in.repeatable = &v
			}
		}},
	{Name: "choices", Shape: decode.ListOf(decode.Any), Examples: []string{`["staging", "prod"]`},
		Doc:  "Values of the type `enum`: quoted strings, or objects with `value`, `label` and `description`.",
		Read: func(_ *decoder, v value, in *inputDecl) { in.choices = &v }},
	{Name: "description", Shape: decode.String,
		Doc:  "What the input is, for `info` and `--help`.",
		Read: func(d *decoder, v value, in *inputDecl) { in.input.Doc, _ = d.Text(v) }},
}

// readInputs decodes the inputs: a list of mappings with names, or a mapping of
// names to types or to mappings.
func (d *decoder) readInputs(v value) {
	switch v.Node.Kind {
	case yamlsrc.Sequence:
		for _, item := range v.Node.Items {
			d.readListedInput(v.Item(item))
		}
	case yamlsrc.Mapping:
		for i := range v.Node.Pairs {
			d.readNamedInput(v.Member(&v.Node.Pairs[i]))
		}
	default:
		d.WrongKind(v, "a mapping of names to types")
	}
}

func (d *decoder) readListedInput(v value) {
	in := &inputDecl{input: &ir.Input{}}
	if !decode.Fields(d, inputLevel, v, inputFields, in) {
		return
	}
	if d.Missing(v, v.FirstKey(), inputLevel, "name") && in.name != nil {
		in.input.Name, in.input.Span = in.name.Node.Value, in.name.Place()
		d.addInput(in)
	}
}

func (d *decoder) readNamedInput(v value) {
	in := &inputDecl{input: &ir.Input{Name: v.Key.Value, Span: v.Key.Span}}
	switch v.Node.Kind {
	case yamlsrc.Mapping:
		decode.Fields(d, inputLevel, v, inputFields, in)
		if in.name != nil {
			d.Bag.Add(finding.NoEffect(in.name.Key.Span, "name", "the input's name is `"+in.input.Name+"`"))
		}
	default:
		if !v.Node.IsNull() {
			in.typ = &v
		}
	}
	d.addInput(in)
}

// addInput finds out the type and the default of an input.
func (d *decoder) addInput(in *inputDecl) {
	i := in.input
	if d.inputByName[i.Name] != nil {
		d.Bag.Add(finding.DuplicateKey(i.Name, d.inputByName[i.Name].input.Span, i.Span))
		return
	}
	d.checkName("input", i.Name, i.Span)
	i.Type = types.Line
	switch owner := "the input `" + i.Name + "`"; {
	case in.choices != nil || in.typ != nil && d.successor && reference.IsEnumType(in.typ.Node.Value):
		i.Type = d.enumType(in, owner)
	case in.typ != nil:
		i.Type, _ = d.typeNamed(*in.typ, owner, false)
	}
	if enum, ok := i.Type.(*types.Enum); ok {
		i.Type, i.Choices = types.Word, enum.Values
	}
	if n := len(d.inputs); n > 0 && d.inputs[n-1].repeatable != nil {
		before := d.inputs[n-1]
		d.Bag.Add(finding.RepeatableInput(before.repeatable.Head(), before.input.Name, i.Name))
		before.repeatable = nil
	}
	if in.repeatable != nil && i.Type != types.Invalid {
		i.Type = &types.List{Elem: i.Type}
	}
	if in.value != nil {
		d.readDefault(in)
	}
	i.Position = len(d.inputs) + 1
	d.inputs = append(d.inputs, in)
	d.inputByName[i.Name] = in
	d.workflow.Inputs = append(d.workflow.Inputs, i)
}

// enumType is the type of an input whose values its choices list.
func (d *decoder) enumType(in *inputDecl, owner string) types.Type {
	switch {
	case in.typ == nil || !reference.IsEnumType(in.typ.Node.Value):
		d.Bag.Add(finding.EnumChoices(in.choices.Head(), owner+" has choices, but not the type `enum`", "write `type: enum`, or remove `choices`"))
		return types.Invalid
	case in.choices == nil:
		d.Bag.Add(finding.EnumChoices(in.typ.Place(), owner+" has the type `enum` and no choices", "list the values: `choices: [\"one\", \"two\"]`"))
		return types.Invalid
	}
	values := reference.ReadChoices(in.choices.Node, func(at source.Span, problem, help string) {
		d.Bag.Add(finding.EnumChoices(at, problem, help))
	})
	return &types.Enum{Values: values}
}

func (d *decoder) readDefault(in *inputDecl) {
	i, at := in.input, in.value.Place()
	if in.value.Node.IsNull() {
		i.Default = &expr.Literal{At: at, Text: "null", Typ: types.Null}
		if i.Type != types.Invalid {
			i.Type = &types.Optional{Elem: i.Type}
		}
		return
	}
	if list, ok := i.Type.(*types.List); ok {
		text, fault := reference.ListLiteral(in.value.Node, list.Elem, i.Choices)
		if fault == nil {
			i.Default = &expr.Literal{At: at, Text: text, Typ: list}
			return
		}
		d.Bag.Add(finding.BadDefault(fault.Place(), "the input `"+i.Name+"`", reference.DescribeType(i.Type)))
		i.Default = &expr.Bad{At: at}
		return
	}
	text, ok := literalOf(in.value.Node, i.Type)
	if len(i.Choices) > 0 && !slices.Contains(i.Choices, text) {
		d.Bag.Add(finding.BadDefault(at, "the input `"+i.Name+"`", reference.DescribeType(&types.Enum{Values: i.Choices})))
		i.Default = &expr.Bad{At: at}
		return
	}
	if !ok {
		d.Bag.Add(finding.BadDefault(at, "the input `"+i.Name+"`", reference.DescribeType(i.Type)))
		text, i.Default = "", &expr.Bad{At: at}
		return
	}
	i.Default = &expr.Literal{At: at, Text: text, Typ: i.Type}
}

// addStepInputs adds an input for each step whose output a caller may set instead
// of running the step: those that declare their output, unless an input has the
// name already.
func (d *decoder) addStepInputs() {
	position := len(d.inputs)
	for _, s := range d.steps {
		if s.output == nil || d.inputByName[s.name] != nil || s.node == nil || !isName(s.name) {
			continue
		}
		if d.lastNamed[s.name] != s {
			continue // one name, one input: that of the step that others read
		}
		position++
		in := &ir.Input{
			Name: s.name, Type: types.Any, Position: position, Replaces: s.node.ID, Span: s.nameAt,
			Doc:     "the output of step `" + s.name + "`, given so that it does not run",
			Default: &expr.Literal{At: s.nameAt, Text: "null", Typ: types.Null},
		}
		s.node.Given = in
		d.workflow.Inputs = append(d.workflow.Inputs, in)
	}
}

// reportUnused reports the inputs that nothing reads.
func (d *decoder) reportUnused() {
	for _, in := range d.inputs {
		if !in.used {
			d.Bag.Add(finding.UnusedInput(in.input.Span, in.input.Name))
		}
	}
}
