package yamlsrc_test

import (
	"strings"
	"testing"
)

// TestFaults wants the message and the exact text blamed, which the » and « in
// the input enclose, and the place of the related span, which ‹ marks.
func TestFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"tab indents a key", "a:\n»\t«b: c\n", "a tab is not allowed here"},
		{"tab after spaces", "a:\n  b: 1\n  »\t«c: d\n", "a tab is not allowed here"},
		{"tab indents a list item", "a:\n»\t«- b\n", "a tab is not allowed here"},
		{"tab after dash", "- »\t«b\n", "a tab is not allowed here"},
		{"tab in block text", "a: |\n»\t«x\n", "a tab in the indentation of a block"},
		{"tab in a later line of block text", "a: |\n  x\n»\t«y\n", "a tab in the indentation of a block"},
		{"tab continues a value", "a:\n  b: c\n»\t«d\n", "a tab is not allowed here"},
		{"double quote open", "a: »\"«x\nb: c\n‹", "never closed"},
		{"single quote open", "a: »'«x\nb: c\n‹", "never closed"},
		{"quote closed by the next one", "a: ‹\"x\nb: \"»c\"«\n", "text after the closing \""},
		{"text after quoted", "a: ‹'it'»s' fine«\n", "text after the closing '"},
		{"bracket open at end", "a: »[«b, c\n‹", "never closed"},
		{"bracket open before keys", "a: »[«b, c\n‹d: e\n", "never closed"},
		{"bracket open before items", "x:\n  a: »[«b, c\n  ‹- d\n", "never closed"},
		{"brace open", "a: »{«b: c\n‹d: e\n", "never closed"},
		{"bracket mismatch", "a: ‹[b»}«\n", "expected `]`, got `}`"},
		{"missing comma", "a: ‹[b: c »d:« e]\n", "missing"},
		{"missing comma between quoted", "a: ‹[\"b\" »\"c\"«]\n", "missing"},
		{"no key in braces", "a: {b: c, »:« d}\n", "without a key"},
		{"entry over two lines", "a: {\n  »b«\n  c‹: d\n  }\n", "a key and its `:` must be on one line"},
		{"explicit entry is followed", "a: ‹[? b : 'c' »d«]\n", "missing"},
		{"empty entry", "a: ‹[b, »,« c]\n", "nothing before it"},
		{"item in brackets", "a: ‹[»-« b]\n", "missing"},
		{"text after bracket", "a: ‹[b] »c«\n", "text after a complete value"},
		{"template text", "a: ‹{{x}} »y«\n", "text after a complete value"},
		{"second colon", "a: ‹b»:« c\n", "a second `: `"},
		{"second colon after quoted", "a: ‹'b'»:« c\n", "a second `: `"},
		{"key too deep", "a: ‹b\n  »c«: d\n", "key `c` is not allowed here"},
		{"no colon, list follows", "»steps«\n  ‹- name: s\n", "neither a key"},
		{"no colon, key follows", "a:\n  »some text«\n  ‹b: c\n", "neither a key"},
		{"key too deep after quoted", "a: ‹'b'\n  »c: d«\n", "indented deeper"},
		{"bad dedent", "a:\n    b: 1\n  »c: 2«\n", "the indentation of 2 columns matches no line"},
		{"bad dedent in list", "a:\n    - b\n  »- c«\n", "the indentation of 2 columns matches no line"},
		{"list item among keys", "‹a: b\n»-« c\n", "among the keys"},
		{"key among items", "‹- a\n»b«: c\n", "expected a list item, got key `b`"},
		{"list on key's line", "a: »-« b\n", "cannot start on the line of its key"},
		{"missing colon", "a: b\n»c«\nd: e\n", "neither a key"},
		{"missing colon at end", "a: b\n»c d«\n", "neither a key"},
		{"missing space after colon", "a: b\n»c:d«\n", "neither a key"},
		{"unknown escape", "a: \"x »\\q«\"\n", "unknown escape"},
		{"short escape", "a: \"»\\x1«\"\n", "2 hexadecimal digits"},
		{"surrogate escape", "a: \"»\\ud800«\"\n", "4 hexadecimal digits"},
		{"at sign", "a: »@«b\n", "cannot start a value"},
		{"backquote", "a: »`«b`\n", "cannot start a value"},
		{"percent", "a: »%«b\n", "cannot start a value"},
		{"text behind block header", "a: |»x«\n  y\n", "text after the `|`"},
		{"block less indented", "a: |\n    x\n  »y«\nb: c\n", "between that of the block and its key"},
		{"text after block at key column", "a: |\n  x\n»y«\nb: c\n", "neither a key"},
		{"text after root", "'a'\n»b«\n", "text after the end"},
		{"empty anchor", "a: »&« b\n", "missing name of the anchor"},
		{"stray colon", "a: b\n»:« c\n", "without a key"},
		{"crlf", "a: b\r\n  »c«: d\r\n", "is not allowed here"},
		{"wide characters before", "é: [日本, »:«: x]\n", "without a key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, start, end, related := unmark(tt.text)
			_, list := parse(text)
			if len(list) != 1 {
				t.Fatalf("%q: %d diagnostics, want 1", text, len(list))
			}
			d := list[0]
			if tt.want != "" && !strings.Contains(d.Message, tt.want) {
				t.Errorf("%q: message %q, want %q in it", text, d.Message, tt.want)
			}
			if d.Code.ID != "WFC101" {
				t.Errorf("code %s", d.Code)
			}
			if d.Span.Start != start || d.Span.End != end {
				t.Errorf("%q: blames %q at %d (%s), want %q at %d", text, d.Span.Text(), d.Span.Start, d.Message, text[start:end], start)
			}
			if related >= 0 && (len(d.Related) == 0 || d.Related[0].Span.Start > related || d.Related[0].Span.Start < related-1) {
				t.Errorf("%q: related %+v, want one at %d", text, d.Related, related)
			}
		})
	}
}

// unmark takes the marks out of a text and returns where they stood, -1 for
// none.
func unmark(marked string) (text string, start, end, related int) {
	start, end, related = -1, -1, -1
	for _, r := range marked {
		switch r {
		case '»':
			start = len(text)
		case '«':
			end = len(text)
		case '‹':
			related = len(text)
		default:
			text += string(r)
		}
	}
	return text, start, end, related
}

func TestUnknownAnchor(t *testing.T) {
	_, list := parse("a: &base {x: 1}\nb: *bas\n")
	if len(list) != 1 || list[0].Code.ID != "WFC106" || list[0].Span.Text() != "*bas" {
		t.Fatalf("%+v", list)
	}
	if len(list[0].Fixes) != 1 || list[0].Fixes[0].Edits[0].New != "*base" {
		t.Errorf("fixes %+v", list[0].Fixes)
	}
	_, list = parse("a: *.go\n")
	if len(list) != 1 || list[0].Code.ID != "WFC106" || list[0].Span.Text() != "*.go" {
		t.Errorf("%+v", list)
	}
}
