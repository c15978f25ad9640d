package output_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/output"
)

type nestedShape struct {
	Who    nestedPart   `json:"who"`
	Scores []float64    `json:"scores"`
	Parts  []nestedPart `json:"parts,omitempty"`
	Any    any          `json:"any"`
	Null   *string      `json:"null"`
	Count  int64        `json:"count" default:"1"`
	OK     bool         `json:"approved" review:"true"`
}

type nestedPart struct {
	Name  string `json:"name"`
	Known *bool  `json:"known,omitempty"`
}

// The JSON Schemas of shapes: of what an agent is asked for, and of the whole output.
func TestShapesAsSchemas(t *testing.T) {
	const part = `{"type":"object","properties":{"name":{"type":"string"},"known":{"type":"boolean"}},"required":["name"]}`
	const fields = `{"type":"object","properties":{"who":` + part + `,"scores":{"type":"array","items":{"type":"number"}},` +
		`"parts":{"type":"array","items":` + part + `},"any":{},"null":{"anyOf":[{"type":"string"},{"type":"null"}]},"count":{"type":"integer"}},"required":[`
	nested := output.Of[nestedShape]("prompt", "s").WithCheck(structured.Check)
	for _, c := range []struct{ name, got, want string }{
		{"asked", string(nested.ReplySchema()), fields + `"who","scores","any","null"]}`},
		{"checked", string(nested.Schema), fields + `"who","scores","any","null","count"]}`},
		{"list", string(output.Of[[]itemShape]("bash", "s").ReplySchema()),
			`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name"]}}`},
		{"nothing required", string(output.Of[struct {
			A *string `json:"a,omitempty" is:"word"`
		}]("bash", "s").ReplySchema()), `{"type":"object","properties":{"a":{"type":"string"}}}`},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
		if !json.Valid([]byte(c.got)) {
			t.Errorf("%s is no JSON", c.got)
		}
	}
	for text, want := range map[string]string{
		`{"who":{"name":"a"},"scores":["1.5"],"any":null,"null":null}`:              `{"who":{"name":"a"},"scores":[1.5],"any":null,"null":null,"count":1}`,
		`{"who":{},"scores":[],"any":1,"null":"x"}`:                                 "! the output of prompt step `s`: `who.name` is missing",
		`{"who":{"name":"a","known":"yes"},"scores":[],"any":1,"null":3,"count":2}`: "! the output of prompt step `s`: ",
	} {
		got, err := nested.FromStdout(flow.Result{Text: text}, nil)
		same(t, got, err, want)
	}
}

// An action that failed has no output.
func TestOutputsOfFailures(t *testing.T) {
	failure := &flow.Failure{Message: "exit 1"}
	for name, make := range map[string]func(flow.Result, error) (string, error){"Printed": typed.FromStdout, "Replied": typed.FromReply, "Proposed": typed.FromReviewedReply} {
		if got, err := make(flow.Result{Text: "i=1"}, failure); got != "" || err != failure {
			t.Errorf("%s gives %q, %v", name, got, err)
		}
	}
}

func ExampleOf() {
	type Commits struct {
		Count  *int64 `json:"count,omitempty"`
		Title  string `json:"title" is:"line" default:"\"none\""`
		Urgent bool   `json:"urgent" default:"false"`
	}
	spec := output.Of[Commits]("bash", "commits")
	text, err := spec.FromStdout(flow.Result{Text: "count=3\nurgent=yes\n"}, nil)
	fmt.Println(text, err)
	_, err = spec.FromStdout(flow.Result{Text: "count=many"}, nil)
	fmt.Println(err)
	// Output:
	// {"count":3,"urgent":true,"title":"none"} <nil>
	// the output of bash step `commits`: `count` must be an integer (int), but it is 'many'
}
