package xprompt

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/kinds"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/value/scalar"
)

// typeNamed reads the name of a type; what describes its owner, such as "the input
// `n`". Fields of outputs also accept the names of JSON Schema, with lists and
// objects.
func (d *decoder) typeNamed(v value, what string, isField bool) (types.Type, bool) {
	text, ok := d.Text(v)
	if !ok {
		return types.Invalid, false
	}
	named := kinds.Named
	if d.successor && !isField {
		named = kinds.Successor
	}
	if t, known := named(text); known {
		return t, true
	}
	means := types.Line
	switch name := strings.ToLower(strings.TrimSpace(text)); {
	case isField && (name == "array" || name == "list"):
		return &types.List{Elem: types.Any}, true
	case isField && (name == "object" || name == "dict"):
		return &types.Struct{Open: true}, true
	case name != "string" && name != "str":
		d.Bag.Add(finding.UnknownType(v.Place(), what, text, "", scalar.Names()))
		return types.Invalid, false
	}
	if isField {
		means = types.Text
	}
	d.Bag.Add(finding.UnknownType(v.Place(), what, text, means.String(), scalar.Names()))
	return means, true
}

// literalOf converts a scalar of the file to a value of a basic type, as given
// values are converted, and returns it as an expr.Literal has it: texts as they
// are, numbers and booleans as JSON.
func literalOf(n *yamlsrc.Node, t types.Type) (text string, ok bool) {
	if n.Kind != yamlsrc.Scalar {
		if !types.IsText(t) {
			return "", false
		}
		return n.JSON(), true
	}
	text, err := kinds.Convert(n.Value, t)
	return text, err == nil
}
