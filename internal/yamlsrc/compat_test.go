package yamlsrc_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A question mark inside a plain scalar between brackets is text like any
// other, wherever else in the file question marks are.
func TestQuestionMarksInPlainScalars(t *testing.T) {
	for text, want := range map[string]string{
		"{a: ok?}":                       `{"a":"ok?"}`,
		"{a: ok? , b?: 1}":               `{"a":"ok?","b?":1}`,
		"[sure??, 1?, what? yes]":        `["sure??","1?","what? yes"]`,
		"# really?\na: {b: x?}  # or?\n": `{"a":{"b":"x?"}}`,
		"a: \"q? ~\"\nb: 'r?'\nc: [s~?]": `{"a":"q? ~","b":"r?","c":["s~?"]}`,
		"a: |\n  why?\n  so ~\nb: [x?]":  `{"a":"why?\nso ~\n","b":["x?"]}`,
		"a: \"x\\/?\"\nb: [y?]":          `{"a":"x/?","b":["y?"]}`,
		"? a\n: {b: c?}":                 `{"a":{"b":"c?"}}`,
		"{a: sure ?}":                    `{"a":"sure ?"}`,
		"[?really, why ? yes, a ?]":      `["?really","why ? yes","a ?"]`,
		"{?a: ?b}":                       `{"?a":"?b"}`,
		"[a-?, http:?, b]":               `["a-?","http:?","b"]`,
		"{? a: b, c: d?}":                `{"a":"b","c":"d?"}`,
		"[?x]":                           `["?x"]`,
		"k: {?x: 'z?', a: [b,\n  ?-]}":   `{"k":{"?x":"z?","a":["b","?-"]}}`,
		"{b: [? c, ?d]}":                 `{"b":[{"c":null},"?d"]}`,
		"- ?x\n- [y ?]":                  `["?x",["y ?"]]`,
	} {
		doc := mustParse(t, text)
		if got := doc.Root.JSON(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestQuestionMarkSpans(t *testing.T) {
	doc := mustParse(t, "a: {ask: really sure?, b: 'no?'}\n")
	for _, key := range []string{"ask", "b"} {
		n := doc.Root.Get("a").Get(key)
		if got := n.Span.Text(); got != n.Value && got != "'"+n.Value+"'" {
			t.Errorf("%s is %q and its span is %q", key, n.Value, got)
		}
	}
}

// A fault behind a question mark is reported at its own place.
func TestFaultBehindQuestionMark(t *testing.T) {
	const text = "a: {ask: sure ?}\nb: \"x\" y\n"
	var bag diag.Bag
	yamlsrc.Parse(source.NewFile("f.yaml", []byte(text)), &bag)
	if list := bag.Sorted(); len(list) != 1 || list[0].Span.Text() != "y" {
		t.Errorf("%v", list)
	}
}
