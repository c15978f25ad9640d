package schema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

var profiles = map[string]*schema.Profile{
	"anthropic": schema.Anthropic, "openai": schema.OpenAI, "openai hint": schema.OpenAIHint,
	"codex": schema.Codex, "claude": schema.Claude, "google": schema.Google,
}

// unchanged is a narrowed schema that equals the original.
const unchanged = "unchanged"

// TestProfiles shows what each service gets of a schema. A profile that the table
// leaves out refuses the schema. "words" after a schema says that a limit became
// words.
func TestProfiles(t *testing.T) {
	const closed = `,"additionalProperties":false`
	object := func(properties, required string) string {
		return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]` + closed + `}`
	}
	wrapped := func(key, inner string) string {
		return `{"type":"object","properties":{"` + key + `":` + inner + `},"required":["` + key + `"]` + closed + `}`
	}
	for _, test := range []struct {
		name, schema string
		want         map[string]string
	}{
		{"a closed object", object(`"a":{"type":"string"}`, `"a"`), map[string]string{
			"anthropic": unchanged, "openai": unchanged, "openai hint": unchanged, "codex": unchanged, "claude": unchanged, "google": unchanged}},
		{"optional and nullable properties in their order",
			`{"type":"object","properties":{"b":{"type":"integer","minimum":1},"a":{"type":["string","null"]}},"required":["a"]}`, map[string]string{
				"anthropic": `{"type":"object","properties":{"b":{"type":"integer","description":"(minimum: 1)"},"a":{"type":["string","null"]}},"required":["a"]` + closed + `} words`,
				"openai":    object(`"b":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]},"a":{"type":["string","null"]}`, `"b","a"`),
				"codex":     object(`"a":{"type":["string","null"]},"b":{"type":["integer","null"],"minimum":1}`, `"a","b"`),
				"google":    `{"type":"object","properties":{"b":{"type":"integer","minimum":1},"a":{"type":["string","null"]}},"required":["a"],"propertyOrdering":["b","a"]}`,
				"claude":    unchanged, "openai hint": unchanged}},
		{"no type", `{"properties":{"a":{"type":"string"}},"required":["a"]}`, map[string]string{
			"anthropic": `{"properties":{"a":{"type":"string"}},"required":["a"]` + closed + `}`,
			"openai":    object(`"a":{"type":"string"}`, `"a"`), "codex": object(`"a":{"type":"string"}`, `"a"`),
			"claude": `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "google": unchanged, "openai hint": unchanged}},
		{"limits of strings", `{"type":"object","properties":{"a":{"type":"string","minLength":3,"default":"x","format":"uri","pattern":"^(?=x)","description":"d"}},"required":["a"]}`, map[string]string{
			"anthropic": `{"type":"object","properties":{"a":{"type":"string","default":"x","format":"uri","description":"d\n\n(minLength: 3, pattern: \"^(?=x)\")"}},"required":["a"]` + closed + `} words`,
			"openai":    object(`"a":{"type":"string","pattern":"^(?=x)","description":"d"}`, `"a"`),
			"codex":     object(`"a":{"type":"string","minLength":3,"default":"x","format":"uri","pattern":"^(?=x)","description":"d"}`, `"a"`),
			"google":    `{"type":"object","properties":{"a":{"type":"string","format":"uri","description":"d"}},"required":["a"]}`,
			"claude":    unchanged, "openai hint": unchanged}},
		{"limits of numbers and lists", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"number","maximum":1.50},"minItems":2},"b":{"type":"array","items":{"type":"string","format":"date","pattern":"^x$"},"minItems":1}},"required":["a","b"]}`, map[string]string{
			"anthropic": `{"type":"object","properties":{"a":{"type":"array","items":{"type":"number","description":"(maximum: 1.50)"},"description":"(minItems: 2)"},"b":{"type":"array","items":{"type":"string","format":"date","pattern":"^x$"},"minItems":1}},"required":["a","b"]` + closed + `} words`,
			"openai":    object(`"a":{"type":"array","items":{"type":"number","maximum":1.50},"minItems":2},"b":{"type":"array","items":{"type":"string","format":"date","pattern":"^x$"},"minItems":1}`, `"a","b"`),
			"codex":     object(`"a":{"type":"array","items":{"type":"number","maximum":1.50},"minItems":2},"b":{"type":"array","items":{"type":"string","format":"date","pattern":"^x$"},"minItems":1}`, `"a","b"`),
			"google":    `{"type":"object","properties":{"a":{"type":"array","items":{"type":"number","maximum":1.50},"minItems":2},"b":{"type":"array","items":{"type":"string","format":"date"},"minItems":1}},"required":["a","b"],"propertyOrdering":["a","b"]}`,
			"claude":    unchanged, "openai hint": unchanged}},
		{"enum and const", `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"const":3},"c":{"type":"integer","enum":[1,2]},"d":{"enum":["<",null]}},"required":["a","b","c"]}`, map[string]string{
			"anthropic": `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"const":3},"c":{"type":"integer","enum":[1,2]},"d":{"enum":["<",null]}},"required":["a","b","c"]` + closed + `}`,
			"openai":    object(`"a":{"type":"string","enum":["x","y"]},"b":{"type":"number","enum":[3]},"c":{"type":"integer","enum":[1,2]},"d":{"type":["string","null"],"enum":["<",null]}`, `"a","b","c","d"`),
			"codex":     object(`"a":{"enum":["x","y"]},"b":{"const":3},"c":{"type":"integer","enum":[1,2]},"d":{"anyOf":[{"enum":["<",null]},{"type":"null"}]}`, `"a","b","c","d"`),
			"google":    `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"enum":[3]},"c":{"type":"integer","enum":[1,2]},"d":{"enum":["<",null]}},"required":["a","b","c"],"propertyOrdering":["a","b","c","d"]}`,
			"claude":    unchanged, "openai hint": unchanged}},
		{"an optional enum", `{"type":"object","properties":{"b":{"type":"string","enum":["x"]},"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"object","properties":{"d":{"type":"number"}}}}}`, map[string]string{
			"anthropic": `{"type":"object","properties":{"b":{"type":"string","enum":["x"]},"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"object","properties":{"d":{"type":"number"}}` + closed + `}}` + closed + `}`,
			"openai": `{"type":"object","properties":{"b":{"anyOf":[{"type":"string","enum":["x"]},{"type":"null"}]},"c":{"anyOf":[{"$ref":"#/$defs/c"},{"type":"null"}]}},"required":["b","c"]` + closed + `,` +
				`"$defs":{"c":` + object(`"d":{"anyOf":[{"type":"number"},{"type":"null"}]}`, `"d"`) + `}}`,
			"codex": `{"type":"object","properties":{"b":{"type":["string","null"],"enum":["x",null]},"c":{"anyOf":[{"$ref":"#/$defs/c"},{"type":"null"}]}},"required":["b","c"]` + closed + `,` +
				`"$defs":{"c":` + object(`"d":{"type":["number","null"]}`, `"d"`) + `}}`,
			"google": `{"type":"object","properties":{"b":{"type":"string","enum":["x"]},"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"object","properties":{"d":{"type":"number"}}}},"propertyOrdering":["b","c"]}`,
			"claude": unchanged, "openai hint": unchanged}},
		{"a list", `{"$schema":"s","type":"array","items":{"type":"string"},"minItems":1}`, map[string]string{
			"openai":      wrapped("answer", `{"type":"array","items":{"type":"string"},"minItems":1}`),
			"openai hint": `{"type":"object","properties":{"answer":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["answer"]}`,
			"codex":       wrapped("value", `{"type":"array","items":{"type":"string"},"minItems":1}`),
			"claude":      wrapped("value", `{"type":"array","items":{"type":"string"},"minItems":1}`),
			"google":      `{"type":"array","items":{"type":"string"},"minItems":1}`}},
		{"a choice", `{"oneOf":[{"type":"string"},{"type":"number"}]}`, map[string]string{
			"openai":      wrapped("answer", `{"anyOf":[{"type":"string"},{"type":"number"}]}`),
			"openai hint": `{"type":"object","properties":{"answer":{"oneOf":[{"type":"string"},{"type":"number"}]}},"required":["answer"]}`,
			"codex":       wrapped("value", `{"oneOf":[{"type":"string"},{"type":"number"}]}`),
			"claude":      wrapped("value", `{"oneOf":[{"type":"string"},{"type":"number"}]}`), "google": unchanged}},
		{"old definitions in a list", `{"type":"array","items":{"$ref":"#/definitions/d"},"definitions":{"d":{"type":"boolean"}}}`, map[string]string{
			"openai": `{"type":"object","properties":{"answer":{"type":"array","items":{"$ref":"#/$defs/d"}}},"required":["answer"]` + closed + `,"$defs":{"d":{"type":"boolean"}}}`,
			"codex":  `{"type":"object","properties":{"value":{"type":"array","items":{"$ref":"#/definitions/d"}}},"required":["value"]` + closed + `,"definitions":{"d":{"type":"boolean"}}}`,
			"claude": `{"type":"object","properties":{"value":{"type":"array","items":{"$ref":"#/definitions/d"}}},"required":["value"]` + closed + `,"definitions":{"d":{"type":"boolean"}}}`,
			"google": `{"type":"array","items":{"$ref":"#/$defs/d"},"$defs":{"d":{"type":"boolean"}}}`}},
		{"a choice within", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"const":1}]}},"required":["a"]}`, map[string]string{
			"anthropic": `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"const":1}]}},"required":["a"]` + closed + `}`,
			"openai":    object(`"a":{"anyOf":[{"type":"string"},{"type":"number","enum":[1]}]}`, `"a"`),
			"codex":     object(`"a":{"oneOf":[{"type":"string"},{"const":1}]}`, `"a"`),
			"google":    `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"enum":[1]}]}},"required":["a"]}`,
			"claude":    unchanged, "openai hint": unchanged}},
		{"recursion", `{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"],"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}}}`, map[string]string{
			"openai": `{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]` + closed + `,"$defs":{"n":` + object(`"next":{"$ref":"#/$defs/n"}`, `"next"`) + `}}`,
			"codex":  `{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]` + closed + `,"$defs":{"n":` + object(`"next":{"$ref":"#/$defs/n"}`, `"next"`) + `}}`,
			"google": unchanged, "claude": unchanged, "openai hint": unchanged}},
		{"a map", `{"type":"object","additionalProperties":{"type":"string"}}`, map[string]string{
			"codex": unchanged, "claude": unchanged, "openai hint": unchanged, "google": unchanged}},
		{"any value", `{"type":"object","properties":{"a":{}}}`, map[string]string{
			"codex": object(`"a":{"anyOf":[{},{"type":"null"}]}`, `"a"`), "claude": unchanged, "openai hint": unchanged, "google": unchanged}},
		{"a condition", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"if":{},"then":{}}`, map[string]string{
			"codex":  `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"if":{},"then":{}` + closed + `}`,
			"google": `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "claude": unchanged, "openai hint": unchanged}},
		{"a requirement without a property", `{"type":"object","properties":{},"required":["a"]}`, map[string]string{
			"anthropic": `{"type":"object","properties":{},"required":["a"]` + closed + `}`,
			"codex":     object(``, ``), "google": unchanged, "claude": unchanged, "openai hint": unchanged}},
		{"a list of anything", `{"type":"array"}`, map[string]string{
			"openai hint": `{"type":"object","properties":{"answer":{"type":"array"}},"required":["answer"]}`,
			"codex":       wrapped("value", `{"type":"array"}`), "claude": wrapped("value", `{"type":"array"}`), "google": unchanged}},
		{"a reference to the whole of a list", `{"type":"array","items":{"$ref":"#"}}`, map[string]string{
			"codex": wrapped("value", `{"type":"array","items":{"$ref":"#"}}`), "claude": wrapped("value", `{"type":"array","items":{"$ref":"#"}}`), "google": unchanged}},
		{"a reference elsewhere", `{"type":"object","properties":{"a":{"$ref":"https://example.com/x.json"}},"required":["a"]}`, map[string]string{
			"codex": object(`"a":{"$ref":"https://example.com/x.json"}`, `"a"`), "claude": unchanged, "google": unchanged, "openai hint": unchanged}},
		{"true", `true`, map[string]string{"codex": unchanged, "claude": unchanged, "google": unchanged}},
	} {
		for name, profile := range profiles {
			form, ok := profile.Narrow(json.RawMessage(test.schema))
			got := ""
			if ok {
				if got = string(form.Schema); same(got, test.schema) {
					got = unchanged
				}
				if form.Lost {
					got += " words"
				}
			}
			want := test.want[name]
			if want == test.schema {
				want = unchanged
			}
			if g, w := strings.TrimSuffix(got, " words"), strings.TrimSuffix(want, " words"); strings.HasSuffix(got, " words") != strings.HasSuffix(want, " words") || g != w && !same(g, w) {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", test.name, name, got, want)
			} else if name != "codex" && order(g) != order(w) {
				t.Errorf("%s, %s: other order of properties:\ngot  %s\nwant %s", test.name, name, got, want)
			}
		}
	}
}

// same reports whether two texts are the same JSON value.
func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// order returns the names of the properties of a schema's root in order.
func order(schema string) string {
	var root struct {
		Properties json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal([]byte(schema), &root)
	d := json.NewDecoder(strings.NewReader(string(root.Properties)))
	var names []string
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return fmt.Sprint(names)
		}
		switch token := token.(type) {
		case json.Delim:
			depth += map[json.Delim]int{'{': 1, '[': 1, '}': -1, ']': -1}[token]
		case string:
			if depth == 1 {
				names = append(names, token)
			}
		}
	}
}

// TestRead shows how replies are read back.
func TestRead(t *testing.T) {
	const open = `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":["string","null"]},"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}}}},` +
		`"u":{"anyOf":[{"type":"object","properties":{"y":{"type":"string"}}},{"type":"string"}]},"r":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","properties":{"z":{"type":"number"}}}}}`
	const list = `{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"const":1}},"required":["a"]}}`
	for _, test := range []struct{ name, profile, schema, reply, want string }{
		{"a whole reply", "openai", open, ` {"a": "x", "n": 1.50}`, `{"a": "x", "n": 1.50}`},
		{"nulls for absent properties", "openai", open, `{"a":null,"n":null,"l":[{"x":null},{"x":12345678901234567890}],"u":{"y":null},"r":{"z":null}}`,
			`{"n":null,"l":[{},{"x":12345678901234567890}],"u":{},"r":{}}`},
		{"nulls for absent properties", "codex", open, `{"r":{"z":null},"a":null,"n":null,"l":[{"x":null},{"x":1.50}],"u":{"y":null}}`,
			`{"r":{},"n":null,"l":[{},{"x":1.50}],"u":{}}`},
		{"a null of another service", "claude", open, `{"a":null}`, `{"a":null}`},
		{"nulls of unknown properties", "openai", open, `{"other":null,"a":null}`, `{"other":null}`},
		{"a wrapped list", "openai", list, `{"answer":[{"b":null,"a":"x"}]}`, `[{"a":"x"}]`},
		{"a wrapped list", "codex", list, `{"value":[{"b":null,"a":"x"},{"a":"null","b":1}]}`, `[{"a":"x"},{"a":"null","b":1}]`},
		{"a wrapped list", "claude", list, `{"value":[]}`, `[]`},
		{"a list without its wrapper", "openai", list, `["a"]`, `["a"]`},
		{"words around", "openai", open, "Sure:\n```json\n{\"a\":\"x\"}\n```", `{"a":"x"}`},
		{"no JSON", "openai", open, "no", ""},
	} {
		form, ok := profiles[test.profile].Narrow(json.RawMessage(test.schema))
		if got := form.Read(test.reply); !ok || string(got) != test.want {
			t.Errorf("%s of %s: got %s, want %s", test.name, test.profile, got, test.want)
		}
	}
}

// TestManyReferences narrows definitions that each refer twice to the next one.
// Following each reference anew would take 2^60 steps.
func TestManyReferences(t *testing.T) {
	var defs []string
	for i := range 60 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"properties":{"l":{"$ref":"#/$defs/d%d"},"r":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
	}
	text := `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `,"d60":{"type":"string"}}}`
	if _, ok := schema.Anthropic.Narrow(json.RawMessage(text)); !ok {
		t.Error("refused")
	}
}

// FuzzNarrow checks that every narrowed schema is JSON, and that reading a reply
// that satisfies the schema gives one that satisfies it.
func FuzzNarrow(f *testing.F) {
	for _, text := range []string{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"array","items":{"enum":[null,1,"x"]}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`, `{"type":"object","properties":{"a":{"const":null},"b":true},"required":[1]}`, `[]`,
		`{"items":[{"not":{}}],"anyOf":{"x":1},"properties":[]}`, `{"$ref":1}`, `{"properties":{},"$defs":[]}`,
		`{"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"null"}],"$ref":"#/anyOf"}`} {
		f.Add(text, `{"a":null,"b":[{"a":null}]}`)
	}
	f.Fuzz(func(t *testing.T, text, reply string) {
		if !json.Valid([]byte(text)) || len(text) > 1000 || len(reply) > 1000 {
			return
		}
		for name, profile := range profiles {
			form, ok := profile.Narrow(json.RawMessage(text))
			if !ok {
				continue
			}
			if !json.Valid(form.Schema) {
				t.Fatalf("%s: %s became %s", name, text, form.Schema)
			}
			got := form.Read(reply)
			if got != nil && !json.Valid(got) {
				t.Fatalf("%s: %s was read as %s", name, reply, got)
			}
			if got == nil || !strings.HasPrefix(string(form.Schema), `{"type":"object"`) || strings.Contains(string(form.Schema), `"answer"`) || strings.Contains(string(form.Schema), `"value"`) {
				continue
			}
			before, err := structured.Check(json.RawMessage(text), json.RawMessage(reply))
			if err != nil || len(before) > 0 {
				continue
			}
			if after, _ := structured.Check(json.RawMessage(text), got); len(after) > 0 {
				t.Fatalf("%s: %s was read as %s: %v", name, reply, got, after)
			}
		}
	})
}

// FuzzAnthropic checks that a narrowed schema stays as it is when it is narrowed
// again: limits are words then.
func FuzzAnthropic(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"oneOf":[{"type":"string","minLength":1},{"items":{"type":["null"]}}]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		form, ok := schema.Anthropic.Narrow(json.RawMessage(text))
		if !ok {
			return
		}
		again, ok := schema.Anthropic.Narrow(form.Schema)
		if !ok || again.Lost || !json.Valid(again.Schema) {
			t.Errorf("%s\nbecame %s", form.Schema, again.Schema)
		}
	})
}
