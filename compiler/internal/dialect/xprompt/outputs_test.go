package xprompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/types"
)

// typeText shows a type: ? marks fields that may be missing, + open objects.
func typeText(t types.Type) string {
	switch t := t.(type) {
	case *types.List:
		return "[" + typeText(t.Elem) + "]"
	case *types.Optional:
		return typeText(t.Elem) + " or null"
	case *types.Struct:
		var fields []string
		for _, f := range t.Fields {
			name := f.Name
			if !f.Required {
				name += "?"
			}
			fields = append(fields, name+": "+typeText(f.Type))
		}
		if t.Open {
			fields = append(fields, "+")
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return t.String()
}

// The declared outputs of steps, with the types of the steps and the defaults.
func TestOutputs(t *testing.T) {
	for _, test := range []struct{ name, step, want string }{
		{"none", "bash: ls", "any"},
		{"object", "bash: ls, output: {a: word, b: Integer, c: float}", "{a?: word, b?: int, c?: float, +}"},
		{"defaults", "bash: ls, output: {a: {type: int, default: '3'}, b: {type: text, default: null}, c: {type: bool, default: no}}",
			`{a: int, b?: text or null, c: bool, +} a=3 b=null c=false`},
		{"array", "bash: ls, output: [{a: word, b: {type: int, default: 0}, c: {type: text, default: null}}]", "[{a: word, b: int, c?: text or null, +}] b=0 c=null"},
		{"nested", "bash: ls, output: {a: {b: int, c: {d: word}}, l: [{n: int}], o: object, r: array}",
			`{a?: {b?: int, c?: {d?: word, +}, +}, l?: [{n: int, +}], o?: {+}, r?: [any], +} schema`},
		{"JSON Schema", "bash: ls, output: {type: json_schema, schema: {type: object, properties: {a: {type: string}}, required: [a]}}", "{a: text, +} schema"},
		{"a field called type", "bash: ls, output: {type: word, schema: text}", "{type?: word, schema?: text, +}"},
		{"review", "bash: ls, output: {a: int}, hitl: true", "{a?: int, approved: bool, +}"},
		{"review without fields", "bash: ls, hitl: true", "any"},
		{"review of a list", "bash: ls, output: [{a: int}], hitl: true", "[{a: int, +}]"},
		{"for", "bash: 'echo {{ i }}', output: {a: {type: int, default: 1}}, for: {i: [1]}", "[{a: int, +}] a=1"},
		{"for, object", "bash: 'echo {{ i }}', output: {a: {type: int, default: 1}}, for: {i: [1]}, join: object", "{a?: int, +} a=1"},
		{"for, text", "bash: 'echo {{ i }}', for: {i: [1]}, join: text", "text"},
		{"for, last", "bash: 'echo {{ i }}', output: {a: {type: int, default: 1}}, for: {i: [1]}, join: lastOf", "{a?: int, +} a=1"},
		{"for, unknown", "bash: 'echo {{ i }}', for: {i: [1]}, join: object", "any"},
		{"while", "bash: ls, output: {a: int}, while: '{{ s.a }}'", "{a?: int, +} a"},
		{"parallel", "parallel: [{name: x, bash: ls, output: {a: int}}, {name: y, bash: ls, if: '{{ g }}'}]", "{x: {a?: int, +}, y?: any}"},
		{"parallel, array", "parallel: [{name: x, bash: ls, output: {a: int}}, {name: y, bash: ls, output: {a: int}}], join: array", "[{a?: int, +}]"},
		{"parallel, mixed array", "parallel: [{name: x, bash: ls, output: {a: int}}, {name: y, bash: ls}], join: array", "[any]"},
		{"parallel, last", "parallel: [{name: x, bash: ls}, {name: y, bash: ls, output: {a: int}}], join: lastOf", "{a?: int, +}"},
		{"for and parallel", "parallel: [{name: x, bash: 'echo {{ i }}'}, {name: y, bash: ls}], for: {i: [1]}", "[{x: any, y: any}]"},
		{"for and parallel, object", "parallel: [{name: x, bash: 'echo {{ i }}'}, {name: y, bash: ls}], for: {i: [1]}, join: object", "{x?: any, y?: any}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, list := compile(t, project(nil), "input: {g: bool}\nsteps:\n  - {name: s, "+test.step+"}\n  - {name: z, if: '{{ g }}', bash: ls}\n")
			if len(list) > 0 {
				t.Fatalf("%s", messages(list))
			}
			n := p.Workflow.Body.All()[0]
			got := typeText(n.Output)
			for inner := n; inner != nil; {
				if inner.Spec != nil {
					for _, d := range inner.Spec.Defaults {
						got += " " + d.Field + "=" + d.JSON
					}
					if inner.Spec.Schema != "" {
						got += " schema"
					}
				}
				below := inner.Inner()
				if len(below) != 1 {
					break
				}
				inner = below[0]
			}
			if got != strings.TrimSuffix(test.want, " a") {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestWrongOutputs(t *testing.T) {
	for _, test := range []struct {
		name, output string
		want         []string
	}{
		{"a text", "text", []string{"error wrong-value text"}},
		{"empty", "{}", []string{"error empty-value {}"}},
		{"empty list", "[]", []string{"error empty-value []"}},
		{"two entries", "[{a: int}, {b: int}]", []string{"warning no-effect {b: int}"}},
		{"unknown type", "{a: itn}", []string{"error unknown-value itn"}},
		{"string", "{a: string}", []string{"warning unknown-value string"}},
		{"unknown type in a mapping", "{a: {type: foo}}", []string{"error unknown-value foo"}},
		{"default", "{a: {type: int, default: many}}", []string{"error wrong-value many"}},
		{"unknown key", "{a: {type: int, defualt: 1}}", []string{"error wrong-key defualt"}},
		{"wrong schema", "{type: json_schema, schema: {type: strin}}", []string{"warning bad-schema strin"}},
	} {
		_, list := compile(t, project(nil), "steps:\n  - {name: s, bash: ls, output: "+test.output+"}\n")
		if got := findings(list); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, messages(list))
		}
	}
}
