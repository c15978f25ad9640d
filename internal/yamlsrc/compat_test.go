package yamlsrc_test

import "testing"

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
