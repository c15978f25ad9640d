package gen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Lists and choices reach templates as values, and a prompt_part is the prompt of an agent
// whose answer later steps read.
func TestMacros(t *testing.T) {
	results := map[string]flow.Result{"sum": text("n=3"), "inject": text("an answer"), "keep": text("x=1")}
	for inputs, want := range map[string]string{
		`{}`: "In test: high a b [1, 2]",
		`{"env":"prod","asked":"low","counts":[3]}`: "In prod: low a b [3]",
		`{"counts":[]}`: "In test: high a b []",
	} {
		o := execute(t, scenario{Workflow: "macros", Inputs: json.RawMessage(inputs), Results: results})
		var inject flow.Prompt
		o.payload(t, "inject", &inject)
		if strings.TrimSpace(inject.Text) != want {
			t.Errorf("%s: the prompt is %q, want %q", inputs, inject.Text, want)
		}
		var keep flow.Bash
		o.payload(t, "keep", &keep)
		var values []string
		for _, b := range keep.Bindings {
			values = append(values, strings.TrimSpace(b.Value))
		}
		if got := strings.Join(values, "|"); got != want+"|an answer" {
			t.Errorf("%s: keep got %q", inputs, got)
		}
	}
	o := execute(t, scenario{Workflow: "macros", Inputs: json.RawMessage(`{"asked":"huge"}`), Results: results})
	if got := o.Step("inject"); got.Status != flow.Failed || !strings.Contains(got.Failure.Message, "\"huge\" is not one of") {
		t.Errorf("inject ended as %+v %+v", got, got.Failure)
	}
}
