package jinja_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
)

func TestExpressionsOnTheirOwn(t *testing.T) {
	for _, test := range []struct {
		text, want string
		said       []string
	}{
		{"words", "$words", nil},
		{" {{ words }} \n", "$words", nil},
		{"{{ words -}}", "BAD", []string{`1:10 "-" template-syntax: expected an expression after this`}},
		{"['a', n]", `["a", $n]`, nil},
		{"{'a': {'b': 1}}", `{"a": {"b": 1}}`, nil},
		{"[x] if n else []", "([$x] if $n else [])", nil},
		{"wrods", "BAD", []string{"1:1 \"wrods\" undefined-variable: `wrods` is not defined here"}},
		{"{{ words }} {{ words }}", "BAD", []string{"1:10 \"}\" template-syntax: `}` has no opening bracket"}},
		{"1, 2", "BAD", []string{`1:2 "," template-syntax: only one expression is allowed here`}},
		{"", "BAD", []string{`1:1 "" template-syntax: an expression is missing`}},
		{"{{ }}", "BAD", []string{`1:3 "" template-syntax: an expression is missing`}},
		{"words[", "BAD", []string{"1:6 \"[\" template-syntax: `[` is never closed: `]` is missing"}},
		{"orders.keys", "BAD", []string{"1:8 \"keys\" template-type: `keys` is a method: call it"}},
	} {
		var bag diag.Bag
		e := jinja.Expression(inFile(test.text), world{}, jinja.Options{}, &bag)
		compareSaid(t, test.text, bag.Sorted(), test.said...)
		if got := show(e); got != test.want {
			t.Errorf("%q is %s, want %s", test.text, got, test.want)
		}
	}
}

// TestNoFileIsNeeded parses a text that comes from no file.
func TestNoFileIsNeeded(t *testing.T) {
	var bag diag.Bag
	jinja.Template(source.PlainText("{{ nope + }}{% fi %}"), world{}, jinja.Options{}, &bag)
	if bag.Len() == 0 {
		t.Error("nothing was reported")
	}
}
