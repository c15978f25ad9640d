package google

import (
	"encoding/json"
	"slices"
	"testing"
)

// FuzzSimplified looks for schemas that cannot be sent, and for keywords that
// the service does not know.
func FuzzSimplified(f *testing.F) {
	for _, schema := range []string{`{"type":"object","properties":{"a":{"const":1},"b":true}}`, `{"$ref":"#/definitions/a","definitions":{"a":{"allOf":[{}]}}}`,
		`{"items":[{"not":{}}],"anyOf":{"x":1},"properties":[]}`, `true`, `{"$ref":1}`} {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		got := simplified(json.RawMessage(schema))
		if _, err := json.Marshal(got); err != nil && json.Valid([]byte(schema)) {
			t.Fatalf("%s became %v: %v", schema, got, err)
		}
		root, _ := got.(map[string]any)
		for key := range root {
			if !slices.Contains(known, key) {
				t.Fatalf("%s became %v", schema, got)
			}
		}
	})
}
