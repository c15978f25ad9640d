package reference

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// efforts are the values of the type effort.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// enumName is the name of the type whose values the key `choices` lists.
const enumName = "enum"

// newer are the names of types that only the format's successor has.
var newer = map[string]types.Type{
	"agent": types.Word, "model": types.Word, "effort": &types.Enum{Values: efforts},
	"string": types.Line, "str": types.Line, "path": types.Line,
}

// SuccessorTypes are the names of the types of inputs in files of the successor.
func SuccessorTypes() []string { return append(scalar.Names(), "agent", "model", "effort", enumName) }

// SuccessorType returns the type of a name in files of the format's successor. There, the
// file of a path need not exist, and enumName needs choices, which the caller reads.
func SuccessorType(name string) (types.Type, bool) {
	name = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "builtin@")
	if t := newer[name]; t != nil {
		return t, true
	}
	return TypeNamed(name)
}

// IsNewerType reports whether only the format's successor has a type of this name.
func IsNewerType(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name == enumName || name == "agent" || name == "model" || name == "effort" || InsteadOfType(name) != ""
}

// IsEnumType reports whether a type of this name has its values under the key `choices`.
func IsEnumType(name string) bool {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), "builtin@") == enumName
}

// ListLiteral is the default of an input that takes a list, in JSON: the items of a list, or
// a single item. If one is not of the type, it is returned.
func ListLiteral(n *yamlsrc.Node, elem types.Type, choices []string) (string, *yamlsrc.Node) {
	items := []*yamlsrc.Node{n}
	if n.Kind == yamlsrc.Sequence {
		items = n.Items
	}
	if len(choices) > 0 {
		elem = &types.Enum{Values: choices}
	}
	list := make([]string, len(items))
	for i, item := range items {
		text, err := ConvertText(item.Value, elem)
		if err != nil || item.Kind != yamlsrc.Scalar {
			return "", item
		}
		list[i] = LiteralJSON(text, elem)
	}
	return "[" + strings.Join(list, ",") + "]", nil
}

// InsteadOfType says what to write in place of a type of the successor that wfc does not
// have; it is empty for all others.
func InsteadOfType(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	switch {
	case name == "code":
		return "write `text`: wfc passes source code as a string"
	case strings.Contains(name, "@") && !strings.HasPrefix(name, "builtin@"):
		return "wfc reads no plugins: write `enum`, and list the values under `choices`"
	}
	return ""
}

// ReadChoices reads the values of an input of the type enumName: strings, or objects with the
// key `value`. It passes faults to fault, with a line of help.
func ReadChoices(n *yamlsrc.Node, fault func(at source.Span, problem, help string)) []string {
	var list []string
	if n.Kind != yamlsrc.Sequence || len(n.Items) == 0 {
		fault(n.Place(), "`choices` must be a list of at least one value", "write the values as `[\"one\", \"two\"]`")
		return nil
	}
	for _, item := range n.Items {
		value := item
		if item.Kind == yamlsrc.Mapping {
			value = item.Get("value")
		}
		switch {
		case value == nil:
			fault(item.Place(), "missing key `value` of a choice", "write the choice as a string, or as `{value: \"one\", label: One}`")
		case !value.IsString() || value.Style == yamlsrc.Plain && isOldBool(value.Value):
			fault(value.Place(), "a choice must be a string", "put it in quotes: YAML reads it as another type")
		case strings.ContainsFunc(value.Value, scalar.IsSpace) || value.Value == "" || value.Value == "null":
			fault(value.Place(), "a choice must be one word, and not `null`", "write the words as a `label`, and a short name for them as the `value`")
		case slices.Contains(list, value.Value):
			fault(value.Place(), "duplicate choice "+plain.Quoted(value.Value), "remove one of the two")
		default:
			list = append(list, value.Value)
		}
	}
	return list
}

// isOldBool reports whether YAML 1.1, by which the original reads files, has a word as a bool.
func isOldBool(word string) bool {
	return slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(word))
}
