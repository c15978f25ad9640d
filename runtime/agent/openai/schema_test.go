package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent/structured"
)

// TestShape shows what the service is given for a schema.
func TestShape(t *testing.T) {
	const rest = `,"additionalProperties":false`
	for _, test := range []struct {
		name, schema string
		format       format
		want         string
	}{
		{"closed", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, strict,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]` + rest + `}`},
		{"open, optional, in its order", `{"properties":{"b":{"type":"integer","minimum":1},"a":{"type":["string","null"]}},"required":["a"],"$schema":"x"}`, strict,
			`{"type":"object","properties":{"b":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},"a":{"type":["string","null"]}},"required":["b","a"]` + rest + `}`},
		{"limits that are left out", `{"type":"object","properties":{"a":{"type":"string","minLength":3,"default":"x","format":"uri","description":"d"}},"required":["a"]}`, strict,
			`{"type":"object","properties":{"a":{"type":"string","description":"d"}},"required":["a"]` + rest + `}`},
		{"enum and const", `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"const":3},"c":{"type":"integer","enum":[1,2]}},"required":["a","b","c"]}`, strict,
			`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"b":{"type":"number","enum":[3]},"c":{"type":"integer","enum":[1,2]}},"required":["a","b","c"]` + rest + `}`},
		{"list", `{"type":"array","items":{"type":"string"},"minItems":1}`, strict,
			`{"type":"object","properties":{"answer":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["answer"]` + rest + `}`},
		{"choice at the root", `{"oneOf":[{"type":"string"},{"type":"number"}]}`, strict,
			`{"type":"object","properties":{"answer":{"anyOf":[{"type":"string"},{"type":"number"}]}},"required":["answer"]` + rest + `}`},
		{"definitions", `{"type":"object","properties":{"a":{"$ref":"#/definitions/d"}},"required":["a"],"definitions":{"d":{"type":"boolean"}}}`, strict,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"required":["a"]` + rest + `,"$defs":{"d":{"type":"boolean"}}}`},
		{"definitions in a list", `{"type":"array","items":{"$ref":"#/$defs/d"},"$defs":{"d":{"type":"boolean"},"e":{"type":"null"}}}`, strict,
			`{"type":"object","properties":{"answer":{"type":"array","items":{"$ref":"#/$defs/d"}}},"required":["answer"]` + rest + `,"$defs":{"d":{"type":"boolean"},"e":{"type":"null"}}}`},
		{"map", `{"type":"object","additionalProperties":{"type":"string"}}`, loose, `{"type":"object","additionalProperties":{"type":"string"}}`},
		{"anything", `{"type":"object","properties":{"a":{}}}`, loose, `{"type":"object","properties":{"a":{}}}`},
		{"condition", `{"type":"object","properties":{"a":{"type":"string"}},"if":{},"then":{}}`, loose,
			`{"type":"object","properties":{"a":{"type":"string"}},"if":{},"then":{}}`},
		{"required without a property", `{"type":"object","properties":{},"required":["a"]}`, loose, `{"type":"object","properties":{},"required":["a"]}`},
		{"list of anything", `{"type":"array"}`, loose, `{"type":"object","properties":{"answer":{"type":"array"}},"required":["answer"]}`},
		{"reference to the whole of a list", `{"type":"array","items":{"$ref":"#"}}`, words, ""},
		{"true", `true`, words, ""},
	} {
		got := shape(json.RawMessage(test.schema), strict)
		if got.format != test.format || string(got.schema) != test.want {
			t.Errorf("%s: got %d %s\nwant %d %s", test.name, got.format, got.schema, test.format, test.want)
		}
	}
}

// TestRead shows how replies are read back.
func TestRead(t *testing.T) {
	const open = `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":["string","null"]},"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}}}},` +
		`"u":{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}}},{"type":"string"}]},"r":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","properties":{"z":{"type":"number"}}}}}`
	for _, test := range []struct{ name, schema, reply, want string }{
		{"as it is", open, ` {"a": "x", "n": 1.50}`, `{"a": "x", "n": 1.50}`},
		{"nulls that only strict mode wants", open, `{"a":null,"n":null,"l":[{"x":null},{"x":12345678901234567890}],"u":{"y":null},"r":{"z":null}}`,
			`{"n":null,"l":[{},{"x":12345678901234567890}],"u":{},"r":{}}`},
		{"nulls of nobody", open, `{"other":null,"a":null}`, `{"other":null}`},
		{"list", `{"type":"array","items":{"type":"string"}}`, `{"answer":["a"]}`, `["a"]`},
		{"list of a server of its own mind", `{"type":"array","items":{"type":"string"}}`, `["a"]`, `["a"]`},
		{"words around", open, "Sure:\n```json\n{\"a\":\"x\"}\n```", `{"a":"x"}`},
		{"no JSON", open, "no", ""},
	} {
		f := shape(json.RawMessage(test.schema), strict)
		if got := f.read(test.reply); string(got) != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// FuzzShape looks for schemas that are not translated into JSON, and for replies
// that satisfied a schema and do not any more.
func FuzzShape(f *testing.F) {
	for _, schema := range []string{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"array","items":{"enum":[null,1,"x"]}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`, `{"type":"object","properties":{"a":{"const":null},"b":true},"required":[1]}`, `[]`} {
		f.Add(schema, `{"a":null,"b":[{"a":null}]}`)
	}
	f.Fuzz(func(t *testing.T, schema, reply string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		for at := strict; at <= words; at++ {
			form := shape(json.RawMessage(schema), at)
			if form.schema != nil && !json.Valid(form.schema) || form.format < at {
				t.Fatalf("%s became %d %s", schema, form.format, form.schema)
			}
			form.original = json.RawMessage(schema)
			got := form.read(reply)
			if got != nil && !json.Valid(got) {
				t.Fatalf("%s was read as %s", reply, got)
			}
			if got == nil || form.wrapped || !strings.HasPrefix(strings.TrimSpace(reply), "{") {
				continue
			}
			before, err := structured.Check(json.RawMessage(schema), json.RawMessage(reply))
			if err != nil || len(before) > 0 {
				continue
			}
			if after, _ := structured.Check(json.RawMessage(schema), got); len(after) > 0 {
				t.Fatalf("%s was read as %s: %v", reply, got, after)
			}
		}
	})
}
