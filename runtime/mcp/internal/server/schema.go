package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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
		p := inputSchema(in)
		p.Description = cmp.Or(in.Doc, "the input "+in.Name)
		if hint := inputHints[in.Type]; hint != "" {
			p.Description += "; " + hint
		}
		switch {
		case in.Default == "":
			s.Required = append(s.Required, in.Name)
		case in.Default != `""`:
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
	"word": "one word", "line": "one line", "path": "the path of an existing file",
}

// inputSchema is the schema of an input's type. Types that it does not know are
// checked when the run begins.
func inputSchema(in flow.InputInfo) *jsonschema.Schema {
	switch in.Type {
	case "list":
		in.Type, in.Items = in.Items, ""
		return &jsonschema.Schema{Type: "array", Items: inputSchema(in)}
	case "text", "word", "line", "path":
		s := &jsonschema.Schema{Type: "string"}
		for _, choice := range in.Choices {
			s.Enum = append(s.Enum, choice)
		}
		return s
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
			Type: "string", Description: "the conversation of the run, such as slack:C042:U7; it receives results if the workflow names no target",
		}
		s.PropertyOrder = append(s.PropertyOrder, sessionKey)
	}
	return s
}

// The SDK checks the arguments of a call by the tool's schema, and says what is
// wrong in the words of the schema's validator. plainArguments says it in ours.

var (
	missingArguments = regexp.MustCompile(`required: missing properties: \[(.*?)\]`)
	unknownArguments = regexp.MustCompile(`unexpected additional properties \[(.*?)\]`)
	deniedArgument   = regexp.MustCompile(`/properties/([^/:]+): .*not: validated against`)
	wrongArgument    = regexp.MustCompile(`validating \S*/properties/([^/:]+): .*has type "(\w+)", want (?:one of )?(.*)$`)
	noChoice         = regexp.MustCompile(`validating \S*/properties/([^/:]+): enum: (.*) does not equal any of: \[(.*)\]$`)
	place            = regexp.MustCompile(`validating \S*: `)
)

// explainArgumentErrors has a server say what is wrong with arguments in plain words.
func explainArgumentErrors(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		called, ok := result.(*sdk.CallToolResult)
		if !ok || called == nil || !called.IsError {
			return result, err
		}
		for _, c := range called.Content {
			if text, ok := c.(*sdk.TextContent); ok && strings.HasPrefix(text.Text, "validating ") {
				text.Text = plainArguments(text.Text)
			}
		}
		return result, err
	}
}

// plainArguments words what the validator says of a call's arguments.
func plainArguments(text string) string {
	if m := missingArguments.FindStringSubmatch(text); m != nil {
		return "missing argument " + quotedNames(m[1])
	}
	if m := unknownArguments.FindStringSubmatch(text); m != nil {
		return "unknown argument " + quotedNames(m[1])
	}
	if m := noChoice.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("`%s` cannot be %s: use one of %s", m[1], m[2], strings.Join(strings.Fields(m[3]), ", "))
	}
	if m := wrongArgument.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("`%s` must be of type %s, not %s", m[1], strings.ReplaceAll(strings.Trim(m[3], `[]"`), `" "`, " or "), m[2])
	}
	if m := deniedArgument.FindStringSubmatch(text); m != nil {
		return "unknown argument `" + m[1] + "`"
	}
	return "the arguments do not fit the tool's schema: " + place.ReplaceAllString(text, "")
}

// quotedNames are names as the validator lists them, each in backticks.
func quotedNames(list string) string {
	return "`" + strings.Join(strings.Split(strings.Trim(list, `"`), `" "`), "`, `") + "`"
}
