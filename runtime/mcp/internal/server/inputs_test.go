package server_test

import (
	"encoding/json"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
)

// The schema of a workflow's inputs says which values a list and a choice can have.
func TestSchemaOfListsAndChoices(t *testing.T) {
	s := server.InputSchema(&flow.Definition{Inputs: []flow.InputInfo{
		{Name: "env", Type: "word", Choices: []string{"test", "prod"}},
		{Name: "counts", Type: "list", Items: "int", Default: "[]"},
	}})
	for name, want := range map[string]string{
		"env":    `{"type":"string","description":"the input env; one word","enum":["test","prod"]}`,
		"counts": `{"type":"array","items":{"type":"integer"},"description":"the input counts (default [])"}`,
	} {
		got, err := json.Marshal(s.Properties[name])
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
