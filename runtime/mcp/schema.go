package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// sessionKey is the argument of workflow_run that is none of the workflow's
// inputs, unless the workflow has one of that name.
const sessionKey = "session_key"

// anyType is the type of a value that may be any JSON. It names the types,
// because the schema without constraints is written `true`, and official clients
// accept only objects as the schemas of properties.
var anyType = []string{"null", "boolean", "number", "string", "array", "object"}

// schemaFor is the schema of a type's JSON: of what it points to, for a pointer,
// since arguments and results of tools are objects.
func schemaFor[T any]() *jsonschema.Schema {
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Types: anyType},
	}})
	if err != nil {
		panic(fmt.Sprintf("the schema of %v: %v", t, err))
	}
	return s
}

// InputSchema is the schema of the object of a workflow's inputs.
func InputSchema(def *flow.Definition) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, in := range def.Inputs {
		p := inputSchema(in.Type)
		p.Description = in.Doc
		if p.Description == "" {
			p.Description = "the input " + in.Name
		}
		if hint := inputHints[in.Type]; hint != "" {
			p.Description += "; " + hint
		}
		switch {
		case in.Default == nil:
			s.Required = append(s.Required, in.Name)
		case len(in.Default) > 0 && string(in.Default) != `""`:
			// In words: what the schema has as its default would come in as given.
			p.Description += fmt.Sprintf(" (default %s)", in.Default)
		}
		s.Properties[in.Name] = p
		s.PropertyOrder = append(s.PropertyOrder, in.Name)
	}
	return s
}

// inputHints say what the schemas of some types of inputs do not.
var inputHints = map[string]string{
	"word": "one word", "line": "one line", "path": "the path of a file that is there",
}

// inputSchema is the schema of an input's type. Types that it does not know are
// checked when the run begins.
func inputSchema(kind string) *jsonschema.Schema {
	switch kind {
	case "text", "word", "line", "path":
		return &jsonschema.Schema{Type: "string"}
	case "int":
		return &jsonschema.Schema{Type: "integer"}
	case "float":
		return &jsonschema.Schema{Type: "number"}
	case "bool":
		return &jsonschema.Schema{Type: "boolean"}
	}
	return &jsonschema.Schema{Types: anyType}
}

// runSchema is the schema of workflow_run's arguments.
func runSchema(def *flow.Definition) *jsonschema.Schema {
	s := InputSchema(def)
	if s.Properties[sessionKey] == nil {
		s.Properties[sessionKey] = &jsonschema.Schema{
			Type: "string", Description: "the conversation that the run belongs to, such as slack:C042:U7; it says where results are delivered when the workflow does not",
		}
		s.PropertyOrder = append(s.PropertyOrder, sessionKey)
	}
	return s
}
