package yamlsrc

import (
	"encoding/json"
	"testing"
)

func scalar(tag, value string) *Node { return &Node{Kind: Scalar, Tag: tag, Value: value} }

func TestNodeJSON(t *testing.T) {
	key := func(k string, v *Node) Pair { return Pair{Key: scalar(TagString, k), Value: v} }
	tests := []struct {
		node *Node
		want string
	}{
		{nil, `null`},
		{scalar(TagNull, "~"), `null`},
		{scalar(TagBool, "True"), `true`},
		{scalar(TagBool, "FALSE"), `false`},
		{scalar(TagString, "a \"b\"\n<c> & \u2028"), `"a \"b\"\n<c> & \u2028"`},
		{scalar(TagString, `a "b"`), `"a \"b\""`},
		{scalar(TagString, `a\b`), `"a\\b"`},
		{scalar(TagString, "a\tb"), `"a\tb"`},
		{scalar(TagString, "é"), `"é"`},
		{scalar(TagInt, "0x1F"), `31`},
		{scalar(TagInt, "0o17"), `15`},
		{scalar(TagInt, "+7"), `7`},
		{scalar(TagInt, "-007"), `-7`},
		{scalar(TagInt, "90071992547409931234567890"), `90071992547409931234567890`},
		{scalar(TagFloat, "1e3"), `1000`},
		{scalar(TagFloat, "1.50"), `1.5`},
		{scalar(TagFloat, ".5"), `0.5`},
		{scalar(TagFloat, "1e21"), `1e+21`},
		{scalar(TagFloat, "-.inf"), `null`},
		{scalar(TagFloat, ".NaN"), `null`},
		{scalar(TagFloat, "1e999"), `null`},
		{scalar("!own", "x"), `"x"`},
		{&Node{Kind: Sequence}, `[]`},
		{&Node{Kind: Mapping}, `{}`},
		{&Node{Kind: Mapping, Pairs: []Pair{
			key("z", scalar(TagInt, "1")),
			key("a", &Node{Kind: Sequence, Items: []*Node{scalar(TagBool, "true"), scalar(TagString, "x")}}),
		}}, `{"z":1,"a":[true,"x"]}`},
	}
	for _, test := range tests {
		got := test.node.JSON()
		if got != test.want {
			t.Errorf("JSON = %s, want %s", got, test.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

func TestNumberOfOtherNodes(t *testing.T) {
	for _, n := range []*Node{nil, scalar(TagString, "5"), {Kind: Sequence}, scalar(TagNull, "")} {
		if f, ok := n.Number(); ok {
			t.Errorf("Number of %v = %v, want none", n, f)
		}
	}
}
