package keytable_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/keytable"
)

const exampleSchema = `{
  "type": "object",
  "required": ["name"],
  "properties": {
    "agents": {"description": "Agents.", "anyOf": [{"type": "object", "additionalProperties": {"$ref": "#/$defs/agent"}}, {"type": "null"}], "examples": [{"a": 1}]},
    "list": {"type": "array", "items": {"$ref": "#/$defs/agent"}},
    "name": {"type": "string", "description": "The name.", "default": "x"},
    "on": {"type": "boolean"},
    "colour": {"anyOf": [{"enum": ["red", "green"]}, {"type": "number"}]},
    "env": {"type": "object", "patternProperties": {"^A": {"enum": ["b"]}}, "additionalProperties": false}
  },
  "$defs": {
    "agent": {"description": "An agent.", "anyOf": [
      {"type": "object", "properties": {"model": {"type": "string"}, "inner": {"$ref": "#/$defs/agent"}}},
      {"type": "object", "properties": {"kind": {"enum": ["one"]}}},
      {"type": "string"}]}
  }
}`

func TestFromSchema(t *testing.T) {
	format, err := keytable.FromSchema([]byte(exampleSchema))
	if err != nil {
		t.Fatal(err)
	}
	key := func(name string) keytable.Step { return keytable.Step{Key: name} }
	item := keytable.Step{Item: true}
	for _, test := range []struct {
		steps  []keytable.Step
		keys   string
		values string
	}{
		{nil, "name agents colour env list on", ""},
		{[]keytable.Step{key("agents")}, "", ""},
		{[]keytable.Step{key("agents"), key("x")}, "inner model kind", ""},
		{[]keytable.Step{key("agents"), key("x"), key("inner"), key("inner")}, "inner model kind", ""},
		{[]keytable.Step{key("agents"), key("x"), key("kind")}, "", "one"},
		{[]keytable.Step{key("list"), item}, "inner model kind", ""},
		{[]keytable.Step{key("on")}, "", "true false"},
		{[]keytable.Step{key("colour")}, "", "red green"},
		{[]keytable.Step{key("env"), key("A")}, "", "b"},
		{[]keytable.Step{key("unknown")}, "", ""},
	} {
		level, shape := format.At(test.steps)
		if got := strings.Join(level.Names(), " "); got != test.keys {
			t.Errorf("%v: keys %q, want %q", test.steps, got, test.keys)
		}
		if got := strings.Join(shape.Values(), " "); got != test.values {
			t.Errorf("%v: values %q, want %q", test.steps, got, test.values)
		}
	}
	for name, want := range map[string]keytable.Key{
		"name":   {Doc: "The name. Default: `x`.", Value: "string", Required: true},
		"agents": {Doc: "Agents. Example: `{\"a\":1}`.", Value: "object"},
		"colour": {Value: "string or number"},
	} {
		got := format.Levels[0].Key(name)
		if got.Doc != want.Doc || got.Value != want.Value || got.Required != want.Required {
			t.Errorf("%s is %+v", name, got)
		}
	}
	if _, err := keytable.FromSchema([]byte("{")); err == nil {
		t.Error("half a schema is a format")
	}
	if empty, err := keytable.FromSchema([]byte("{}")); err != nil || slices.ContainsFunc(empty.Levels, func(*keytable.Level) bool { return true }) {
		t.Errorf("a schema without keys is %+v, %v", empty, err)
	}
}
