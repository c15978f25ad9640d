package suite

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
)

// The values for a comparison are on both sides of it, and say which result they give.
func TestCompared(t *testing.T) {
	for _, tt := range []struct {
		op       string
		constant any
		mirrored bool
		yes, no  string
	}{
		{"==", "bug", false, `["bug"]`, `["something else",""]`},
		{"!=", "bug", false, `["something else",""]`, `["bug"]`},
		{"==", true, false, `[true]`, `[false]`},
		{"==", 3.0, false, `[3]`, `[4]`},
		{"==", "3", false, `["3",3]`, `[4,"something else",""]`},
		{">=", 7.0, false, `[7,8,9]`, `[6,5]`},
		{">", 7.0, false, `[8,9]`, `[6,7,5]`},
		{"<", "0.5", false, `[0.375,0.25]`, `[0.5,0.625,0.75]`},
		{"<=", 7.0, true, `[7,8,9]`, `[6,5]`}, // 7 <= x
		{"in", []any{"a", "b"}, false, `["a","b"]`, `["something else"]`},
		{"in", "a", true, `["a",["a"]]`, `["something else",[]]`},
	} {
		sides := map[bool][]any{}
		for _, v := range comparisonValues(tt.op, tt.constant, tt.mirrored) {
			if v.known {
				sides[v.truth] = append(sides[v.truth], v.value)
			}
		}
		if yes, no := encodeJSON(sides[true]), encodeJSON(sides[false]); yes != tt.yes || no != tt.no {
			t.Errorf("%s %v: true for %s, false for %s, want %s and %s", tt.op, tt.constant, yes, no, tt.yes, tt.no)
		}
	}
}

// A sample satisfies the parts of its schema that say how values look, and its strings say
// where they are from.
func TestSample(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"type": "string"}`, `"x"`},
		{`{"type": ["null", "string"], "minLength": 3}`, `"xxx"`},
		{`{"type": "string", "maxLength": 0, "enum": ["b", "c"]}`, `"b"`},
		{`{"const": 5}`, `5`},
		{`{"type": "integer", "minimum": 2.5}`, `3`},
		{`{"type": "number", "exclusiveMinimum": 1, "maximum": 2}`, `2`},
		{`{"type": "array", "items": {"type": "boolean"}, "minItems": 3}`, `[true,true,true]`},
		{`{"type": "array", "items": {"enum": ["a-b"]}}`, `["a-b","a-b"]`},
		{`{"type": "array", "maxItems": 1}`, `["x-1"]`},
		{`{"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "b": {}}}`, `{"a":1,"b":"b of x"}`},
	} {
		var s shape
		if err := json.Unmarshal([]byte(tt.schema), &s); err != nil {
			t.Fatal(err)
		}
		got := sampleSchema(s, "x", 0)
		if encodeJSON(got) != tt.want {
			t.Errorf("%s: %s, want %s", tt.schema, encodeJSON(got), tt.want)
		}
		if s["properties"] == nil && !schemaAllows(s, got) {
			t.Errorf("%s does not allow its sample %s", tt.schema, encodeJSON(got))
		}
	}
}

// A flip changes a give in its place, and leaves the others.
func TestFlips(t *testing.T) {
	at := slot{"agents", "a"}
	first := &scenario{lists: map[slot][]give{at: {{data: map[string]any{"kind": "bug", "tags": []any{"x", "y"}}, structured: true}}}}
	for _, tt := range []struct {
		flip flip
		want string
	}{
		{flip{slot: at, at: every, path: []string{"kind"}, to: give{data: "idea"}}, `{"json":{"kind":"idea","tags":["x","y"]}}`},
		{flip{slot: at, at: every, path: []string{"kind"}, to: give{absent: true}}, `{"json":{"tags":["x","y"]}}`},
		{flip{slot: at, at: every, path: []string{"tags", element}, to: give{data: "z"}}, `{"json":{"kind":"bug","tags":["z","z"]}}`},
		{flip{slot: at, at: 0, to: give{fail: "no", class: "transient"}}, `[{"class":"transient","fail":"no"},{"json":{"kind":"bug","tags":["x","y"]}}]`},
		{flip{slot: at, at: every, to: give{data: "Hi."}}, `"Hi."`},
	} {
		if got := encodeJSON(first.withFlips(tt.flip).testFileGives(at)); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.flip.path, got, tt.want)
		}
	}
	if got := encodeJSON(first.testFileGives(at)); got != `{"json":{"kind":"bug","tags":["x","y"]}}` {
		t.Errorf("the first scenario has changed: %s", got)
	}
}

const deep = `name: w
description: d
nodes:
  - id: ask
    prompt: p
    output_format: {type: object, properties: {kind: {type: string, enum: [bug, idea]}, size: {type: integer}}, required: [kind, size]}
  - id: fix
    depends_on: [ask]
    when: $ask.output.kind == 'bug' && $ask.output.size > 3
    bash: ./fix
  - id: check
    depends_on: [fix]
    when: $fix.output == 'done'
    prompt: p
  - id: gone
    command: missing
  - id: never
    depends_on: [gone]
    prompt: p
  - id: last
    depends_on: [check, ask]
    trigger_rule: all_done
    prompt: p
`

// Solutions go backward through conditions and dependencies.
func TestSolutionsGoBackward(t *testing.T) {
	m := newModel(compileText(t, deep))
	for _, tt := range []struct{ item, want string }{
		{"node check", "ask kind is bug, ask size is 4, fix is done"},
		{"when fix false", "ask kind is bug, ask size is 3"},
		{"when check false", "ask kind is bug, ask size is 4, fix is something else"},
		{"rule last failed", "ask kind is bug, ask size is 4, fix is done, check fails"},
		{"rule last skipped", "ask kind is bug, ask size is 3"},
		{"alt ask .kind \"idea\"", "ask kind is idea"},
	} {
		var found []string
		for _, flips := range m.solveItem(cover.Item{Name: tt.item}) {
			var texts []string
			for _, f := range flips {
				texts = append(texts, f.text)
			}
			found = append(found, strings.Join(texts, ", "))
		}
		if !slices.Contains(found, tt.want) {
			t.Errorf("%s: no solution %q in\n%s", tt.item, tt.want, strings.Join(found, "\n"))
		}
	}
}

// A proof names the cause, and there is none for what a run can do.
func TestProofs(t *testing.T) {
	s := searchOf(compileText(t, deep), nil)
	for item, want := range map[string]string{
		"node never":        "`gone` always fails",
		"edge gone never":   "`gone` always fails",
		"node check":        "",
		"edge fix check":    "",
		"when fix false":    "",
		"rule last failed":  "",
		"rule last skipped": "",
	} {
		reason, proven := s.whyUnreachable(cover.Item{Name: item})
		if proven != (want != "") || !strings.Contains(reason, want) {
			t.Errorf("%s: %t, %s", item, proven, reason)
		}
	}
}
