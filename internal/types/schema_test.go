package types_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// read returns the type of a schema in a short notation, its JSON, and the findings
// as "slug text under the span".
func read(t testing.TB, schema string) (shape, json string, found []string) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("s.yaml", []byte(schema)), &bag)
	if doc == nil || doc.Root == nil || bag.HasErrors() {
		return "", "", nil
	}
	typ, json := types.FromSchema(doc.Root, &bag)
	for _, d := range bag.Sorted() {
		found = append(found, d.Code.Slug+" "+d.Span.Text())
	}
	return notation(typ), json, found
}

func notation(t types.Type) string {
	switch t := t.(type) {
	case *types.Enum:
		return strings.Join(t.Values, "|")
	case *types.List:
		return "[" + notation(t.Elem) + "]"
	case *types.Optional:
		return notation(t.Elem) + "?"
	case *types.Struct:
		var fields []string
		for _, f := range t.Fields {
			mark := ""
			if f.Required {
				mark = "!"
			}
			fields = append(fields, f.Name+mark+": "+notation(f.Type))
		}
		if t.Open {
			fields = append(fields, "...")
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return fmt.Sprint(t)
}

func TestTypesOfSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		"{type: string}":                             "text",
		"{type: integer}":                            "int",
		"{type: number}":                             "float",
		"{type: boolean}":                            "bool",
		"{type: 'null'}":                             "null",
		"{}":                                         "any",
		"true":                                       "any",
		"{type: string, pattern: x}":                 "text",
		"{type: [string, 'null']}":                   "text?",
		"{type: [integer, number]}":                  "float",
		"{type: [string, integer]}":                  "any",
		"{enum: [a, b, a]}":                          "a|b",
		"{type: string, enum: [a, null]}":            "a?",
		"{enum: [1, 2]}":                             "int",
		"{enum: [1, 2.5]}":                           "float",
		"{enum: [1, a]}":                             "any",
		"{const: x}":                                 "x",
		"{const: true}":                              "bool",
		"{type: array}":                              "[any]",
		"{type: array, items: {type: string}}":       "[text]",
		"{type: array, items: [{type: string}]}":     "[any]",
		"{anyOf: [{type: string}, {type: 'null'}]}":  "text?",
		"{oneOf: [{type: string}, {type: integer}]}": "any",
		"{anyOf: [{type: string}]}":                  "text",
		"{type: object}":                             "any",
		"{type: object, properties: {}}":             "{...}",
		"{type: object, additionalProperties: false, properties: {}}":             "{}",
		"{properties: {a: {type: string}}, required: [a]}":                        "{a!: text, ...}",
		"{type: [object, 'null'], properties: {a: {type: string}}, required: []}": "{a: text, ...}?",
		"{type: object, required: [b], additionalProperties: false, properties: {b: {type: object, properties: {c: {type: array, items: {enum: [x]}}}}, a: {type: number}}}": "{b!: {c: [x], ...}, a: float}",
		"{$ref: '#/$defs/n', $defs: {n: {type: integer}}}":                             "int",
		"{$ref: '#/definitions/a~1b', definitions: {a/b: {type: integer}}}":            "int",
		"{type: object, required: [], properties: {next: {$ref: '#'}}}":                "{next: {next: any, ...}, ...}",
		"{$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}}": "any",
	} {
		got, _, found := read(t, schema)
		if got != want || len(found) > 0 {
			t.Errorf("%s\ngot  %s %q\nwant %s", schema, got, found, want)
		}
	}
}

func TestFaultsOfSchemas(t *testing.T) {
	for schema, want := range map[string][]string{
		"{type: bool}":                         {"bad-schema bool"},
		"{type: strng}":                        {"bad-schema strng"},
		"{type: [string, null]}":               {"bad-schema null"},
		"{type: 5}":                            {"bad-schema 5"},
		"{type: []}":                           {"bad-schema []"},
		"{enum: []}":                           {"bad-schema []"},
		"{enum: x}":                            {"bad-schema x"},
		"{anyOf: {}}":                          {"bad-schema {}"},
		"{$ref: '#/$defs/no'}":                 {"bad-schema '#/$defs/no'"},
		"{$ref: 'https://example.org/s'}":      {"bad-schema 'https://example.org/s'"},
		"just text":                            {"bad-schema just text"},
		"{type: object, properties: [a]}":      {"bad-schema [a]"},
		"{type: object, required: a}":          {"bad-schema a"},
		"{type: array, items: x}":              {"bad-schema x"},
		"{properties: {a: {}}, required: [b]}": {"undeclared-required b"},
		"{properties: {a: {}}}":                {"loose-schema properties"},
		// All faults of one schema in one run.
		"{properties: {a: {type: int}, b: {type: [text]}}, required: [a, 5, c]}": {"bad-schema int", "bad-schema text", "bad-schema 5", "undeclared-required c"},
	} {
		_, _, found := read(t, schema)
		if !slices.Equal(found, want) {
			t.Errorf("%s\ngot  %q\nwant %q", schema, found, want)
		}
	}
}

func TestSchemaKeepsItsText(t *testing.T) {
	_, json, _ := read(t, "type: object\nrequired: [b]\nproperties:\n  b: {type: string, description: 'a < b'}\n  a: {minimum: 0.5}\n")
	want := `{"type":"object","required":["b"],"properties":{"b":{"type":"string","description":"a < b"},"a":{"minimum":0.5}}}`
	if json != want {
		t.Errorf("got  %s\nwant %s", json, want)
	}
}

func TestFieldsKnowTheirPlace(t *testing.T) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("s.yaml", []byte("properties:\n  a:\n    description: the first\n")), &bag)
	typ, _ := types.FromSchema(doc.Root, &bag)
	f := typ.(*types.Struct).Field("a")
	if f.Doc != "the first" || f.Span.Text() != "a" {
		t.Errorf("%q at %q", f.Doc, f.Span.Text())
	}
}

// A small schema that represents an endless one is read in bounded time.
func TestSchemaBombs(t *testing.T) {
	var b strings.Builder
	b.WriteString("{$ref: '#/$defs/d0', $defs: {")
	for i := range 30 {
		fmt.Fprintf(&b, "d%d: {type: object, required: [], properties: {", i)
		for _, name := range "abcdefgh" {
			fmt.Fprintf(&b, "%c: {$ref: '#/$defs/d%d'}, ", name, i+1)
		}
		b.WriteString("}}, ")
	}
	b.WriteString("d30: {type: string}}}")
	if _, _, found := read(t, b.String()); len(found) > 0 {
		t.Error(found)
	}
}

func FuzzSchema(f *testing.F) {
	for _, schema := range []string{
		"{type: object, properties: {a: {type: [string, 'null']}}, required: [a]}", "{$ref: '#'}", "{enum: [1, a, null, {}]}", "{anyOf: [true, {type: 'null'}]}", "[]", "a",
	} {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		if shape, _, _ := read(t, schema); strings.Contains(shape, "invalid") {
			t.Errorf("%q has an invalid type", schema)
		}
	})
}
