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
		{"array", output.JoinArray[string], []string{`{"v":1}`, `{}`, `[]`, `{"v":2.0}`}, `[{"v":1},{"v":2.0}]`},
		{"array of nothing", output.JoinArray[string], nil, `[]`},
		{"object", output.JoinObject[string], []string{`{"a":1,"b":1}`, `{"b":2,"c":3}`}, `{"a":1,"b":2,"c":3}`},
		{"object of nothing", output.JoinObject[string], nil, `{}`},
		{"object of lists", output.JoinObject[string], []string{`{"a":1}`, `[1]`}, "! `join: object` makes one object of the outputs, but output 2 is a list"},
		{"text", output.JoinText[string], []string{`{"line":"a"}`, `{"line":"b"}`}, "line=a\nline=b"},
		{"text of texts", output.JoinText[string], []string{`{"_raw":"r","a":1}`, `{"_output":"o\np"}`, `{}`}, "r\no\np"},
		{"text of values", output.JoinText[string], []string{`{"t":true,"n":null,"f":1.0,"o":{"x":["é"]}}`, `[1]`}, "t=True\nn=None\nf=1.0\no={\"x\": [\"\\u00e9\"]}\n[1]"},
		{"text of nothing", output.JoinText[string], nil, ``},
		{"last", output.JoinLast[string], []string{`{"v":1}`, `{"v":2}`, `{}`}, `{"v":2}`},
		{"last of nothing", output.JoinLast[string], nil, `{}`},
		{"last list", output.JoinLastList[string], []string{`[]`}, `[]`},
		{"plain text", output.JoinArray[string], []string{"words"}, `["words"]`},
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
		{"object", output.JoinObject[steps.BranchOutput], ends, `{"a":{"x":1},"c":{}}`},
		{"array", output.JoinArray[steps.BranchOutput], ends, `[{"x":1},{}]`},
		{"text", output.JoinText[steps.BranchOutput], ends[:2], "x=1"},
		{"last", output.JoinLast[steps.BranchOutput], ends, `{}`},
		{"last of nothing", output.JoinLast[steps.BranchOutput], ends[1:2], `{}`},
		{"object of nothing", output.JoinObject[steps.BranchOutput], nil, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.join(c.ends)
			same(t, got, err, c.want)
		})
	}
}
