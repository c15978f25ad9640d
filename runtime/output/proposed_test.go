package output_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/output"
)

// A reply that does not fit is shown to the reviewer, who can mend it but not accept
// it.
func TestProposed(t *testing.T) {
	s := &output.Spec{Step: "p", Kind: "prompt", Fields: []output.Field{{Name: "n", Type: "int"}}}
	list := &output.Spec{Step: "p", Kind: "prompt", List: true}
	for _, c := range []struct {
		spec        *output.Spec
		reply, want string
	}{
		{s, `{"n": "3"}`, `{"n":3}`},
		{s, "no data", `{"_raw":"no data"}`},
		{s, `{"n": "many", "m": 1}`, `{"n":"many","m":1,"_validation_error":"the output of prompt step ` + "`p`: `n`" + ` must be an integer (int), but it is 'many'"}`},
		{list, "none", `{"_raw":"none","_validation_error":"the output of prompt step ` + "`p`" + `: the reply contains no list: 'none'"}`},
		{list, "3", `{"_data":3,"_validation_error":"the output of prompt step ` + "`p`" + `: it must be a list, but it is 3"}`},
	} {
		got, err := c.spec.FromReviewedReply(flow.Result{Text: c.reply}, nil)
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.reply, got, err)
		}
		_, err = c.spec.Accept(got)
		if faulty := strings.Contains(c.want, "_validation_error"); faulty != (err != nil) {
			t.Errorf("%s: accepting it gives %v", got, err)
		}
	}
	edited, err := s.FromEdit(`{"n":4,"m":1,"_validation_error":"was shown"}`)
	if err != nil || edited != `{"n":4,"m":1}` {
		t.Errorf("%s, %v", edited, err)
	}
}
