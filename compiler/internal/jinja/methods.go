package jinja

import (
	"maps"
	"slices"
	"sync"

	"github.com/wfc-lang/wfc/internal/types"
)

// A method is a method of a type: its number of positional arguments, the names of
// the others, and its result.
type method struct {
	least, most int
	keywords    []string
	result      types.Type
	// anyKeywords says that the method accepts all keywords.
	anyKeywords bool
	// changes says that it changes the list or dict in place.
	changes bool
}

// many is for methods that take any number of arguments.
const many = 1 << 20

// textMethods are the methods of strings that templates support.
var textMethods = sync.OnceValue(func() map[string]method {
	list := &types.List{Elem: types.Text}
	m := map[string]method{
		"strip": {0, 1, nil, types.Text, false, false}, "lstrip": {0, 1, nil, types.Text, false, false}, "rstrip": {0, 1, nil, types.Text, false, false},
		"split": {0, 2, []string{"sep", "maxsplit"}, list, false, false}, "rsplit": {0, 2, []string{"sep", "maxsplit"}, list, false, false},
		"splitlines": {0, 1, []string{"keepends"}, list, false, false}, "join": {1, 1, nil, types.Text, false, false},
		"replace": {2, 3, nil, types.Text, false, false}, "format": {0, many, nil, types.Text, true, false},
		"zfill": {1, 1, nil, types.Text, false, false}, "expandtabs": {0, 1, []string{"tabsize"}, types.Text, false, false},
		"partition": {1, 1, nil, types.Any, false, false}, "rpartition": {1, 1, nil, types.Any, false, false},
		"removeprefix": {1, 1, nil, types.Text, false, false}, "removesuffix": {1, 1, nil, types.Text, false, false},
	}
	add := func(least, most int, result types.Type, names ...string) {
		for _, name := range names {
			m[name] = method{least: least, most: most, result: result}
		}
	}
	add(0, 0, types.Text, "upper", "lower", "casefold", "title", "capitalize", "swapcase")
	add(1, 2, types.Text, "center", "ljust", "rjust")
	add(1, 3, types.Bool, "startswith", "endswith")
	add(1, 3, types.Int, "find", "rfind", "index", "rindex", "count")
	add(0, 0, types.Bool, "isdigit", "isdecimal", "isnumeric", "isalpha", "isalnum", "isspace", "islower", "isupper", "istitle", "isascii", "isprintable")
	return m
})

// listMethods are the methods of lists.
var listMethods = map[string]method{
	"append": {least: 1, most: 1, changes: true}, "extend": {least: 1, most: 1, changes: true}, "insert": {least: 2, most: 2, changes: true},
	"pop": {most: 1, changes: true}, "remove": {least: 1, most: 1, changes: true}, "sort": {keywords: []string{"key", "reverse"}, changes: true},
	"reverse": {changes: true}, "clear": {changes: true}, "copy": {},
	"index": {least: 1, most: 3, result: types.Int}, "count": {least: 1, most: 1, result: types.Int},
}

// dictMethods are the methods of objects. They hide fields of these names.
var dictMethods = map[string]method{
	"get": {least: 1, most: 2}, "setdefault": {least: 1, most: 2, changes: true}, "pop": {least: 1, most: 2, changes: true},
	"popitem": {changes: true}, "update": {most: 1, anyKeywords: true, changes: true}, "fromkeys": {least: 1, most: 2},
	"keys": {}, "values": {}, "items": {}, "copy": {}, "clear": {changes: true},
}

// The methods of numbers.
var (
	floatMethods = map[string]method{"is_integer": {result: types.Bool}}
	intMethods   = map[string]method{"bit_length": {result: types.Int}, "conjugate": {result: types.Int}}
)

// methodsOf returns the methods of a type by name.
func methodsOf(t types.Type) map[string]method {
	switch kindOf(t) {
	case textKind:
		return textMethods()
	case listKind:
		return listMethods
	case objectKind:
		return dictMethods
	case numberKind:
		if t == types.Float {
			return floatMethods
		}
		return intMethods
	}
	return nil
}

// methodOf returns a method of a type.
func methodOf(t types.Type, name string) (method, bool) {
	m, ok := methodsOf(t)[name]
	if m.result == nil {
		m.result = types.Any
	}
	return m, ok
}

// isMethod reports whether values of a type have the method.
func isMethod(t types.Type, name string) bool {
	_, ok := methodsOf(t)[name]
	return ok
}

// methodNames are the methods that messages propose for values of a type, in order: none for
// numbers.
func methodNames(t types.Type) []string {
	if kindOf(t) == numberKind {
		return nil
	}
	return slices.Sorted(maps.Keys(methodsOf(t)))
}

// isAttribute reports whether numbers have an attribute that is not a method.
func isAttribute(t types.Type, name string) bool {
	switch name {
	case "real", "imag":
		return kindOf(t) == numberKind
	case "numerator", "denominator":
		return kindOf(t) == numberKind && t != types.Float
	}
	return false
}

func attributeType(t types.Type, name string) types.Type {
	if t == types.Float {
		return types.Float
	}
	return types.Int
}
