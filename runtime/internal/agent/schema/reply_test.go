package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

func TestExtract(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 20_000)
	for text, want := range map[string]string{
		`{"a":1}`:                            `{"a":1}`,
		" [1, 2]\n":                          `[1, 2]`,
		"no json":                            "",
		"":                                   "",
		"see {x} and":                        "",
		"Sure! {\"a\": {\"b\": \"}\"}} hope": `{"a": {"b": "}"}}`,
		"```\n{\"a\":1}\n```\n{\"b\":2}":     `{"a":1}`,
		"```go\nx := {}\n```\n{\"b\":2}":     "{}",
		"```JSON\n[1]\n```":                  "[1]",
		"```json\nnot\n```\n{\"b\":2}":       `{"b":2}`,
		"```json\n{\"a\":1}":                 `{"a":1}`,
		deep:                                 "",
	} {
		if got := string(schema.Extract(text)); got != want {
			t.Errorf("Extract(%.40q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("a ```json\n{\"a\":1}\n``` b {")
	f.Fuzz(func(t *testing.T, text string) {
		if got := schema.Extract(text); got != nil && !json.Valid(got) {
			t.Errorf("%q is not JSON", got)
		}
	})
}
