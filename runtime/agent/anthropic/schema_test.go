package anthropic

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOutputSchema(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"order", `{"required":["z"],"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`,
			`{"required":["z"],"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"additionalProperties":false}`},
		{"closed", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":{"type":"string"}}},"additionalProperties":true}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":false}},"additionalProperties":false}`},
		{"limits", `{"properties":{"a":{"type":"string","description":"a name","maxLength":5,"pattern":"^(?=x)","format":"regex"},"b":{"type":"array","items":{"type":"number","minimum":0},"minItems":2}}}`,
			`{"properties":{"a":{"type":"string","description":"a name\n\n(maxLength: 5, pattern: \"^(?=x)\", format: \"regex\")"},"b":{"type":"array","items":{"type":"number","description":"(minimum: 0)"},"description":"(minItems: 2)"}},"additionalProperties":false}`},
		{"known limits", `{"properties":{"a":{"type":"string","format":"date","pattern":"^[A-Z]+$"},"b":{"type":"array","items":{"type":"string"},"minItems":1}}}`,
			`{"properties":{"a":{"type":"string","format":"date","pattern":"^[A-Z]+$"},"b":{"type":"array","items":{"type":"string"},"minItems":1}},"additionalProperties":false}`},
		{"choices", `{"$schema":"x","properties":{"a":{"oneOf":[{"type":"string"},{"const":1}]},"b":{"enum":["<",null]},"c":{"type":["string","null"]}}}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"const":1}]},"b":{"enum":["<",null]},"c":{"type":["string","null"]}},"additionalProperties":false}`},
		{"references", `{"properties":{"a":{"$ref":"#/$defs/x","description":"d"},"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{"properties":{"y":{"$ref":"#/$defs/z"}}},"z":{"type":"boolean"}}}`,
			`{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x"}},"$defs":{"x":{"properties":{"y":{"$ref":"#/$defs/z"}},"additionalProperties":false},"z":{"type":"boolean"}},"additionalProperties":false}`},
		{"any", `{"properties":{"a":{}}}`, ""},
		{"true", `{"properties":{"a":true}}`, ""},
		{"free fields", `{"properties":{"a":{"type":"object"}}}`, ""},
		{"free fields or none", `{"properties":{"a":{"type":["object","null"]}}}`, ""},
		{"free items", `{"properties":{"a":{"type":"array"}}}`, ""},
		{"free root", `{"type":"object"}`, ""},
		{"no object", `{"type":"array","items":{"type":"string"}}`, ""},
		{"itself", `{"properties":{"next":{"$ref":"#/$defs/n"}},"$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}}}}}`, ""},
		{"the root", `{"properties":{"next":{"$ref":"#"}}}`, ""},
		{"elsewhere", `{"properties":{"next":{"$ref":"https://example.com/x.json"}}}`, ""},
		{"not", `{"properties":{"a":{"type":"string","not":{"const":"x"}}}}`, ""},
		{"no schema", `[1]`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, whole, ok := outputSchema(json.RawMessage(test.schema))
			if ok && whole == (test.name == "limits") {
				t.Errorf("whole: %t", whole)
			}
			if ok != (test.want != "") || ok && got != test.want {
				t.Errorf("%t\ngot  %s\nwant %s", ok, got, test.want)
			}
		})
	}
}

// TestManyReferences takes no longer for definitions that each refer twice to the
// next.
func TestManyReferences(t *testing.T) {
	var defs []string
	for i := range 60 {
		a, b := string(rune('A'+i)), string(rune('A'+i+1))
		defs = append(defs, `"`+a+`":{"properties":{"l":{"$ref":"#/$defs/`+b+`"},"r":{"$ref":"#/$defs/`+b+`"}}}`)
	}
	defs = append(defs, `"`+string(rune('A'+60))+`":{"type":"string"}`)
	schema := `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{` + strings.ReplaceAll(strings.Join(defs, ","), `\`, `\\`) + `}}`
	if _, _, ok := outputSchema(json.RawMessage(schema)); !ok {
		t.Error("refused")
	}
}

func FuzzOutputSchema(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"oneOf":[{"type":"string","minLength":1},{"items":{"type":["null"]}}]}}}`)
	f.Add(`{"properties":{},"$defs":[]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		got, _, ok := outputSchema(json.RawMessage(schema))
		if !ok {
			return
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("%s", got)
		}
		// What is closed stays as it is, but for limits, which become words.
		again, whole, ok := outputSchema(json.RawMessage(got))
		if !ok || !whole || !json.Valid([]byte(again)) {
			t.Errorf("%s\nbecame %s", got, again)
		}
	})
}
