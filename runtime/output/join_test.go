package output_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/output"
)

func TestJoinsOfLoops(t *testing.T) {
	for _, c := range []struct {
		name  string
		join  func([]string) (string, error)
		texts []string
		want  string
	}{
		{"array", output.Array, []string{`{"v":1}`, `{}`, `[]`, `{"v":2.0}`}, `[{"v":1},{"v":2.0}]`},
		{"array of nothing", output.Array, nil, `[]`},
		{"object", output.Object, []string{`{"a":1,"b":1}`, `{"b":2,"c":3}`}, `{"a":1,"b":2,"c":3}`},
		{"object of nothing", output.Object, nil, `{}`},
		{"object of lists", output.Object, []string{`{"a":1}`, `[1]`}, "! `join: object` makes one object of the outputs, but output 2 is a list"},
		{"text", output.Text, []string{`{"line":"a"}`, `{"line":"b"}`}, "line=a\nline=b"},
		{"text of texts", output.Text, []string{`{"_raw":"r","a":1}`, `{"_output":"o\np"}`, `{}`}, "r\no\np"},
		{"text of values", output.Text, []string{`{"t":true,"n":null,"f":1.0,"o":{"x":["é"]}}`, `[1]`}, "t=True\nn=None\nf=1.0\no={\"x\": [\"\\u00e9\"]}\n[1]"},
		{"text of nothing", output.Text, nil, ``},
		{"last", output.Last, []string{`{"v":1}`, `{"v":2}`, `{}`}, `{"v":2}`},
		{"last of nothing", output.Last, nil, `{}`},
		{"last list", output.LastList, []string{`[]`}, `[]`},
		{"plain text", output.Array, []string{"words"}, `["words"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.join(c.texts)
			same(t, got, err, c.want)
		})
	}
}

func TestJoinsOfForks(t *testing.T) {
	ends := []steps.BranchOutput{{Name: "a", Text: `{"x":1}`, Ran: true}, {Name: "b"}, {Name: "c", Text: `{}`, Ran: true}}
	for _, c := range []struct {
		name string
		join func([]steps.BranchOutput) (string, error)
		ends []steps.BranchOutput
		want string
	}{
		{"object", output.ForkObject, ends, `{"a":{"x":1},"c":{}}`},
		{"array", output.ForkArray, ends, `[{"x":1},{}]`},
		{"text", output.ForkText, ends[:2], "x=1"},
		{"last", output.ForkLast, ends, `{}`},
		{"last of nothing", output.ForkLast, ends[1:2], `{}`},
		{"object of nothing", output.ForkObject, nil, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.join(c.ends)
			same(t, got, err, c.want)
		})
	}
}
