// Package structured validates structured replies of agents by JSON Schema.
//
//	problems, err := structured.Check(schema, reply)
//
// It is separate from package agent so that only programs whose prompts have
// schemas link a validator.
package structured

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Check returns the problems of a value by a schema of draft 7 or 2020-12, or none
// if the value satisfies it. The error says why the schema is unusable. Check is an
// agent.Check.
func Check(schema, value json.RawMessage) (problems []string, err error) {
	resolved, err := compileSchema(schema)
	if err != nil {
		return nil, err
	}
	var instance any
	if err := json.Unmarshal(value, &instance); err != nil {
		return []string{fmt.Sprintf("it is not valid JSON: %v", plain.JSONError(err, string(value)))}, nil
	}
	verdict := resolved.Validate(instance)
	if verdict == nil {
		return nil, nil
	}
	var tree any
	if err := json.Unmarshal(schema, &tree); err != nil {
		return nil, fmt.Errorf("read the schema: %w", plain.JSONError(err, ""))
	}
	// The validator decides, and stops at the first fault; the explanation
	// names as many as it understands.
	if problems = explainFaults(tree, instance, ""); len(problems) == 0 {
		problems = []string{verdict.Error()}
	}
	return problems, nil
}

func compileSchema(schema json.RawMessage) (*jsonschema.Resolved, error) {
	var tree any
	if err := json.Unmarshal(schema, &tree); err != nil {
		return nil, fmt.Errorf("read the schema: %w", plain.JSONError(err, ""))
	}
	if err := checkTypes(tree); err != nil {
		return nil, err
	}
	if err := checkReferences(tree); err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("read the schema: %w", plain.JSONError(err, ""))
	}
	if !slices.Contains([]string{"", draft7, draft7 + "#", "https" + draft7[len("http"):], "https" + draft7[len("http"):] + "#", draft2020}, s.Schema) {
		return nil, fmt.Errorf("unsupported version of JSON Schema, %s: use draft 7 or 2020-12", s.Schema)
	}
	// Both spellings of draft 7's address are in use; the validator knows one.
	if s.Schema == draft7 || s.Schema == "https"+draft7[len("http"):] {
		s.Schema = draft7 + "#"
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", plain.JSONError(err, ""))
	}
	return resolved, nil
}

const (
	draft7    = "http://json-schema.org/draft-07/schema"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

// The keywords below which there are schemas: one, a list, or a map of them.
var (
	schemaKeywords = []string{"not", "if", "then", "else", "items", "additionalItems", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
	listKeywords   = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapKeywords    = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	typeNames      = []string{"null", "boolean", "object", "array", "number", "integer", "string"}
)

// checkTypes finds names of types that are none, which the validator would
// never match with anything.
func checkTypes(tree any) error {
	schema, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range asList(schema["type"]) {
		if text, ok := name.(string); !ok || !slices.Contains(typeNames, text) {
			return fmt.Errorf("read the schema: unknown type `%v`", name)
		}
	}
	for _, keyword := range schemaKeywords {
		if err := checkTypes(schema[keyword]); err != nil {
			return err
		}
	}
	for _, keyword := range listKeywords {
		parts, _ := schema[keyword].([]any)
		for _, part := range parts {
			if err := checkTypes(part); err != nil {
				return err
			}
		}
	}
	for _, keyword := range mapKeywords {
		parts, _ := schema[keyword].(map[string]any)
		for _, part := range parts {
			if err := checkTypes(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// asList returns a value as a list: of itself when it is none.
func asList(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{value}
}

// The validator follows a reference without end when it comes back to a schema
// at the same place of the value, as {"$ref": "#"} does. A stack overflow ends
// the program, so such schemas are found before. References are understood when
// they are JSON pointers into the schema itself.

// checkReferences finds references that cannot be followed.
func checkReferences(root any) error {
	c := &references{root: root, state: map[string]int{}}
	return c.followEverywhere(root, "")
}

type references struct {
	root any
	// state of a place: 1 while the schemas that apply with it are followed, 2
	// afterwards.
	state map[string]int
}

// followEverywhere follows from each place in the schema, also from places that only
// look like schemas, such as a default that holds a "$ref": refusing such a schema
// only means that the reply is not checked.
func (c *references) followEverywhere(tree any, place string) error {
	switch v := tree.(type) {
	case []any:
		for i, part := range v {
			if err := c.followEverywhere(part, place+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case map[string]any:
		if _, ok := v["$id"].(string); ok && place != "" {
			return fmt.Errorf("read the schema: #%s has its own $id, which is not supported", place)
		}
		if err := c.followApplied(v, place); err != nil {
			return err
		}
		for name, part := range v {
			if err := c.followEverywhere(part, place+"/"+escapePointer(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// followApplied goes to the schemas that apply to the same value as this one.
func (c *references) followApplied(tree any, place string) error {
	schema, ok := tree.(map[string]any)
	if !ok || c.state[place] == 2 {
		return nil
	}
	if c.state[place] == 1 {
		return fmt.Errorf("read the schema: #%s refers to itself without end", place)
	}
	c.state[place] = 1
	defer func() { c.state[place] = 2 }()
	if target, ok := schema["$ref"].(string); ok {
		part, err := c.findTarget(target)
		if err != nil {
			return err
		}
		if err := c.followApplied(part, strings.TrimPrefix(target, "#")); err != nil {
			return err
		}
	}
	if _, ok := schema["$dynamicRef"].(string); ok {
		return fmt.Errorf("read the schema: #%s has a $dynamicRef, which is not supported; use $ref", place)
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if err := c.followApplied(schema[keyword], place+"/"+keyword); err != nil {
			return err
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := schema[keyword].([]any)
		for i, part := range parts {
			if err := c.followApplied(part, place+"/"+keyword+"/"+strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	for _, keyword := range []string{"dependentSchemas", "dependencies"} {
		parts, _ := schema[keyword].(map[string]any)
		for name, part := range parts {
			if err := c.followApplied(part, place+"/"+keyword+"/"+escapePointer(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// findTarget returns the target of a reference.
func (c *references) findTarget(target string) (any, error) {
	pointer, local := strings.CutPrefix(target, "#")
	if !local || pointer != "" && !strings.HasPrefix(pointer, "/") || strings.Contains(pointer, "%") {
		return nil, fmt.Errorf("read the schema: the reference `%s` is not a JSON pointer into the schema itself, such as `#/$defs/name`", target)
	}
	at := c.root
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch v := at.(type) {
		case map[string]any:
			at = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, missingTargetError(target)
			}
			at = v[i]
		default:
			at = nil
		}
		if at == nil {
			return nil, missingTargetError(target)
		}
	}
	return at, nil
}

func missingTargetError(target string) error {
	return fmt.Errorf("read the schema: the reference `%s` points to nothing", target)
}

// escapePointer makes a step of a JSON pointer of a name.
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
