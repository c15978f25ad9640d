package structured

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// explainFaults names the faults of a value in words, for models and for people: missing and
// extra parts, wrong types and values. It understands the common keywords of such schemas
// and ignores the rest.
func explainFaults(tree, value any, path string) []string {
	schema, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	if wrong := explainType(schema, value, path); wrong != "" {
		return []string{wrong}
	}
	var problems []string
	if wrong := explainChoice(schema, value, path); wrong != "" {
		problems = append(problems, wrong)
	}
	switch v := value.(type) {
	case map[string]any:
		problems = append(problems, explainObject(schema, v, path)...)
	case []any:
		for i, item := range v {
			problems = append(problems, explainFaults(schema["items"], item, path+"["+strconv.Itoa(i)+"]")...)
		}
	}
	return problems
}

func explainType(schema map[string]any, value any, path string) string {
	var names []string
	for _, name := range asList(schema["type"]) {
		text, _ := name.(string)
		if hasType(value, text) {
			return ""
		}
		names = append(names, text)
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s must be of type %s, but it is of type %s", displayPath(path), strings.Join(names, " or "), typeOf(value))
}

func hasType(value any, name string) bool {
	got := typeOf(value)
	return got == name || got == "integer" && name == "number"
}

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
	}
	return "number"
}

func explainChoice(schema map[string]any, value any, path string) string {
	choices, ok := schema["enum"].([]any)
	if only, has := schema["const"]; has {
		choices, ok = []any{only}, true
	}
	if !ok || slices.ContainsFunc(choices, func(c any) bool { return reflect.DeepEqual(c, value) }) {
		return ""
	}
	texts := make([]string, len(choices))
	for i, c := range choices {
		texts[i] = shortJSON(c)
	}
	return fmt.Sprintf("%s must be one of %s, but it is %s", displayPath(path), strings.Join(texts, ", "), shortJSON(value))
}

func explainObject(schema, value map[string]any, path string) []string {
	var problems []string
	for _, name := range asList(schema["required"]) {
		if text, ok := name.(string); ok {
			if _, there := value[text]; !there {
				problems = append(problems, displayPath(joinPath(path, text))+" is missing")
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if part, declared := properties[name]; declared {
			problems = append(problems, explainFaults(part, value[name], joinPath(path, name))...)
		} else if schema["additionalProperties"] == false && schema["patternProperties"] == nil {
			problems = append(problems, displayPath(joinPath(path, name))+" is not a property that the schema allows")
		}
	}
	return problems
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func displayPath(path string) string {
	if path == "" {
		return "the whole value"
	}
	return "`" + path + "`"
}

// shortJSON shows a value as JSON, shortened.
func shortJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const length = 80
	if runes := []rune(string(text)); len(runes) > length {
		return string(runes[:length]) + "…"
	}
	return string(text)
}
