package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
)

// scalarTypes are the types of inputs, arguments and fields as the compiler has them.
var scalarTypes = map[string]types.Type{
	"word": types.Word, "line": types.Line, "text": types.Text, "path": types.Path,
	"int": types.Int, "bool": types.Bool, "float": types.Float,
}

// TypeNamed returns the type of a name, in any case.
func TypeNamed(name string) (types.Type, bool) {
	t, ok := scalarTypes[scalar.Canonical(name)]
	if !ok {
		return types.Invalid, false
	}
	return t, true
}

// DescribeType says in words what a value of a type is, as "an int".
func DescribeType(t types.Type) string {
	switch t := t.(type) {
	case *types.Enum:
		return t.String()
	case *types.List:
		return "a list, each item " + DescribeType(t.Elem)
	}
	if t == types.Int {
		return "an int"
	}
	return "a " + t.String()
}

// ConvertText reads a string of a file as a value of a scalar type and returns it as the
// text of an expr.Literal: numbers and bools as JSON has them. Other types take any
// string.
func ConvertText(text string, t types.Type) (string, error) {
	if enum, ok := t.(*types.Enum); ok && !slices.Contains(enum.Values, text) {
		return text, fmt.Errorf("%s is not one of %s", plain.Quoted(text), strings.Join(enum.Values, ", "))
	}
	if scalarTypes[t.String()] != t {
		return text, nil
	}
	v, err := scalar.Rules{}.Parse(t.String(), text)
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return text, err
}

// LiteralJSON is a value of a scalar type, as ConvertText gives it, in JSON.
func LiteralJSON(text string, t types.Type) string {
	var v any = text
	switch t {
	case types.Int, types.Bool:
		return text
	case types.Float:
		v, _ = strconv.ParseFloat(text, 64)
	}
	return string(plain.MustEncodeJSON(v)) // a string, or a finite number
}
