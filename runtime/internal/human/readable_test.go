package human_test

import (
	"encoding/json"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/output"
)

func TestReadable(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{`plain text`, `plain text`},
		{`{}`, "{}\n"},
		{`{"z":1,"a":"two words","t":true,"n":null,"f":1.50}`, "z: 1\na: two words\nt: true\nn: null\nf: 1.50\n"},
		{`{"yes":"no","k":"1","e":"","s":" x","c":"a: b","h":"a #b","q":"\"q\"","d":"2026-01-02"}`,
			"\"yes\": \"no\"\nk: \"1\"\ne: \"\"\ns: \" x\"\nc: \"a: b\"\nh: \"a #b\"\nq: \"\\\"q\\\"\"\nd: \"2026-01-02\"\n"},
		{`{"o":{"x":[1,{"y":2,"z":[]}],"e":{}}}`, "o:\n  x:\n    - 1\n    - y: 2\n      z: []\n  e: {}\n"},
		{`[[1,2],["a"],{"k":"v"}]`, "- - 1\n  - 2\n- - a\n- k: v\n"},
		{`{"t":"a\n b\n","u":"a\nb","v":"\n x\n\n","w":["a\nb"]}`, "t: |\n  a\n   b\nu: |-\n  a\n  b\nv: |2+\n\n   x\n\nw:\n  - |-\n    a\n    b\n"},
		{`{"esc":"\u001b[31mred","bidi":"a\u202eb"}`, "esc: \"\\u001b[31mred\"\nbidi: \"a\\u202eb\"\n"},
		{`{"n":123456789012345678901234567890}`, "n: 123456789012345678901234567890\n"},
	} {
		if got := human.Readable(c.output); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.output, got, c.want)
		}
	}
}

// What is shown means the output: read as what a person edits is, it is the same.
func FuzzReadable(f *testing.F) {
	for _, seed := range []string{`{"a":[{"b":"x\ny"},[]],"c":" z"}`, `{"k: v":"- x","#":"|\n  y\n\n"}`, `["\t\n","\n",": ","? x","!t","&a","*b"]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		before, err := output.Undeclared.FromEdit(text)
		if err != nil {
			return
		}
		after, err := output.Undeclared.FromEdit(human.Readable(before))
		if err != nil || after != before {
			t.Errorf("%s is shown as\n%s\nwhich is %s, %v", before, human.Readable(before), after, err)
		}
	})
}
