package reference

import (
	"encoding/json"
	"strconv"
	"strings"

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

// SuccessorType returns the type of a name in files of the format's successor: an agent
// is a word, a string is a line, and the file of a path need not exist.
func SuccessorType(name string) (types.Type, bool) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "agent":
		return types.Word, true
	case "string", "str":
		return types.Line, true
	}
	t, known := TypeNamed(name)
	if t == types.Path {
		t = types.Word
	}
	return t, known
}

// DescribeType says in words what a value of a type is, as "an int".
func DescribeType(t types.Type) string {
	if t == types.Int {
		return "an int"
	}
	return "a " + t.String()
}

// ConvertText reads a string of a file as a value of a scalar type and returns it as the
// text of an expr.Literal: numbers and bools as JSON has them. Other types take any
// string.
func ConvertText(text string, t types.Type) (string, error) {
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

// LiteralJSON is a value of a scalar type, as Convert gives it, in JSON.
func LiteralJSON(text string, t types.Type) string {
	var v any = text
	switch t {
	case types.Int, types.Bool:
		return text
	case types.Float:
		v, _ = strconv.ParseFloat(text, 64)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a string, or a finite number
	return strings.TrimSuffix(b.String(), "\n")
}
