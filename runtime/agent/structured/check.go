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

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/wfc-lang/wfc/runtime/plain"
)

// Check returns the problems of a value by a schema of draft 7 or 2020-12, or none
// if the value satisfies it. The error says why the schema is unusable. Check is an
// agent.Check.
func Check(schema, value json.RawMessage) (problems []string, err error) {
	resolved, err := compile(schema)
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
	if problems = explain(tree, instance, ""); len(problems) == 0 {
		problems = []string{verdict.Error()}
	}
	return problems, nil
}

func compile(schema json.RawMessage) (*jsonschema.Resolved, error) {
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
		return nil, fmt.Errorf("the schema is of %s; draft 7 and 2020-12 are understood", s.Schema)
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
	for _, name := range list(schema["type"]) {
		if text, ok := name.(string); !ok || !slices.Contains(typeNames, text) {
			return fmt.Errorf("read the schema: `%v` is no type of JSON Schema", name)
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

// list returns a value as a list: of itself when it is none.
func list(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{value}
}
