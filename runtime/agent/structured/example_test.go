package structured_test

import (
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/structured"
)

func ExampleCheck() {
	schema := json.RawMessage(`{"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}`)
	for _, reply := range []string{`{"score": 7}`, `{"score": "high"}`} {
		problems, err := structured.Check(schema, json.RawMessage(reply))
		fmt.Println(problems, err)
	}
	// Output:
	// [] <nil>
	// [`score` must be of type integer, but it is of type string] <nil>
}
