package output_test

import (
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/output"
)

func TestStrict(t *testing.T) {
	spec := &output.Spec{Step: "s", Kind: "bash", Check: schema.Check, Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}
	for _, c := range []struct{ stdout, want string }{
		{`{"n":1}`, `{"n":1}`},
		{" {\"n\" : 1,\n \"z\": [ ], \"a\": 1.50}\n\n", `{"n":1,"z":[],"a":1.50}`},
		{"", "! the output of bash step `s`: it must be exactly one JSON document: "},
		{"n=1", "! the output of bash step `s`: it must be exactly one JSON document: "},
		{"{\"n\":1}\n{\"n\":2}", "! the output of bash step `s`: it must be exactly one JSON document: "},
		{"```\n{\"n\":1}\n```", "! the output of bash step `s`: it must be exactly one JSON document: "},
		{`{"n":1`, "! the output of bash step `s`: it must be exactly one JSON document: "},
		{`{"n":"1"}`, "! the output of bash step `s`: `n` must be of type integer"},
		{`[]`, "! the output of bash step `s`: the whole value must be of type object"},
		{`{}`, "! the output of bash step `s`: `n` is missing"},
	} {
		t.Run(c.stdout, func(t *testing.T) {
			got, err := spec.FromJSON(flow.Result{Text: c.stdout}, nil)
			same(t, got, err, c.want)
		})
	}
	failed := errors.New("exit 1")
	if _, err := spec.FromJSON(flow.Result{}, failed); !errors.Is(err, failed) {
		t.Errorf("what failed fails with %v", err)
	}
	whatever := &output.Spec{Step: "s", Kind: "script", Check: schema.Check, Schema: []byte(`{}`)}
	for _, document := range []string{"null", "true", `"a b"`, "-0.0"} {
		got, err := whatever.FromJSON(flow.Result{Text: document}, nil)
		same(t, got, err, document)
	}
}
