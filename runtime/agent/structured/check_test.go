package structured_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
)

var _ agent.Check = structured.Check

func TestCheck(t *testing.T) {
	const twoFields = `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a"]}`
	for _, test := range []struct{ schema, value, want string }{
		{twoFields, `{"a":"x","n":1}`, ""},
		{twoFields, `{"a":"x","n":1.0}`, ""},
		{twoFields, `{"a":"x","more":true}`, ""},
		{twoFields, `{"n":1}`, "`a` is missing"},
		{twoFields, `{"n":"z"}`, "`a` is missing; `n` must be of type integer, but it is of type string"},
		{twoFields, `[1]`, "the whole value must be of type object, but it is of type array"},
		{`{"properties":{"a":{"enum":["X","Y"]}}}`, `{"a":"Q"}`, "`a` must be one of \"X\", \"Y\", but it is \"Q\""},
		{`{"const":1}`, `2`, "the whole value must be one of 1, but it is 2"},
		{`{"type":["string","null"]}`, `null`, ""},
		{`{"type":["string","null"]}`, `1`, "the whole value must be of type string or null, but it is of type integer"},
		{`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","required":["k"]}}}}`, `{"l":[{"k":1},{}]}`, "`l[1].k` is missing"},
		{`{"type":"object","additionalProperties":false}`, `{"x":1}`, "`x` is not a property that the schema allows"},
		{`{"type":"string","minLength":3}`, `"ab"`, "minLength"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `"x"`, "number"},
		{`{"properties":{"next":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"next":{"v":2}}`, ""},
		{`{"properties":{"next":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"next":{"w":2}}`, "v"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, `1`, "must be of type string"},
		{`{"$schema":"http://json-schema.org/draft-07/schema","type":"string"}`, `"x"`, ""},
		{`{}`, `{`, "not valid JSON"},
		{`true`, `1`, ""},
	} {
		problems, err := structured.Check(json.RawMessage(test.schema), json.RawMessage(test.value))
		got := strings.Join(problems, "; ")
		if err != nil || (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s with %s: got %q, %v, want %q", test.schema, test.value, got, err, test.want)
		}
	}
}

func TestCheckRefusesSchemasThatItCannotUse(t *testing.T) {
	for _, schema := range []string{`{"type":"bogus"}`, `{"properties":{"a":{"type":"text"}}}`, `{"type":["string","x"]}`, `{"allOf":[{"type":1}]}`,
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, `{"$ref":"other.json"}`, `{"$ref":"#/%24defs"}`,
		`{"properties":{"default":{"$ref":"#/properties/default"}}}`, `{"properties":{"a":{"$id":"x","$ref":"#"}}}`,
		`{"pattern":"("}`, `{"$ref":"#/nowhere"}`, `{`, `{"required":true}`, `{"$schema":"http://json-schema.org/draft-04/schema#"}`} {
		if problems, err := structured.Check(json.RawMessage(schema), json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s: used, %v", schema, problems)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"type":"object","required":["a"],"properties":{"a":{"enum":[1]}}}`, `{"a":2}`)
	f.Add(`{"properties":{"a":{"$id":"x","$ref":"#"}}}`, `{"a":1}`)
	f.Add(`{"items":[{"type":"string"}],"$ref":"#"}`, `[1]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		_, _ = structured.Check(json.RawMessage(schema), json.RawMessage(value))
	})
}
