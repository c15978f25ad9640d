package gen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A value under `with:` that the command file or the called workflow does not read fails
// the node as one that it reads.
func TestUnreadValuesFailTheNode(t *testing.T) {
	for _, c := range []struct {
		name, way, failing string
		say, child         string
	}{
		{"all is there", "long", "", "", ""},
		{"a skipped node has a fallback, or is empty", "short", "", "", ""},
		{"a node that failed", "short", "plan", "`$plan.output` cannot be read: node `plan` failed", "`$plan.output` cannot be read: node `plan` failed"},
		{"a node that failed and has a fallback for being skipped", "long", "extra", "`$extra.output` cannot be read: node `extra` failed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{Workflow: "unread", Inputs: json.RawMessage(`{"arguments":"x","way":"` + c.way + `"}`), Explore: 2}
			s.Results = map[string]flow.Result{"plan": text("p"), "extra": text("e"), "say": text("said"), "one": text("done")}
			if c.failing != "" {
				s.Results[c.failing] = failed("exit status 1")
			}
			o := execute(t, s)
			for key, want := range map[string]string{"say": c.say, "child": c.child} {
				r := o.Step(key)
				if want == "" && r.Status != flow.Completed {
					t.Errorf("%s ended as %+v", key, r)
				}
				if want != "" && (r.Status != flow.Failed || r.Failure == nil || r.Failure.Reason != "reference" || !strings.Contains(r.Failure.Message, want)) {
					t.Errorf("%s ended as %+v, want the failure %q", key, r, want)
				}
			}
			if got := o.Children["child"] != nil; got != (c.child == "") {
				t.Errorf("the called workflow ran: %t", got)
			}
		})
	}
}
