package yamlsrc_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// TestTextPlaces wants the place of each character of the value of the key k.
// The places are counted from the start of the scalar's span.
func TestTextPlaces(t *testing.T) {
	tests := []struct {
		name, text, value string
		want              []int
	}{
		{"plain", "k: abc\n", "abc", []int{0, 1, 2}},
		{"plain over lines", "k: a\n   b\n\n\n  c\n", "a b\n\nc", []int{0, 1, 5, 7, 8, 11}},
		{"plain with blanks before the break", "k: a  \t\n b\n", "a b", []int{0, 4, 6}},
		{"plain at the end of the file", "k: a\n b", "a b", []int{0, 1, 3}},
		{"plain in brackets", "k: {x: [a\n b]}\n", "", nil},
		{"single quoted", "k: 'a''b'\n", "a'b", []int{1, 2, 4}},
		{"single quoted over lines", "k: 'a\n\n  b'\n", "a\nb", []int{1, 3, 6}},
		{"escapes", `k: "\t\x41\u00e9\U0001F600z"`, "\tAé😀z", []int{1, 3, 7, 13, 23}},
		{"named escapes", `k: "\0\a\b\v\f\r\e\ \"\\\N\_\L\Pz"`, "\x00\a\b\v\f\r\x1b \"\\\u0085\u00a0\u2028\u2029z", []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29}},
		{"escaped break", "k: \"a \\\n   b\"\n", "a b", []int{1, 2, 8}},
		{"double quoted over lines", "k: \"a\n  b\n\n  c\"\n", "a b\nc", []int{1, 2, 5, 7, 10}},
		{"literal", "k: |\n  ab\n   c\n", "ab\n c\n", []int{4, 5, 6, 9, 10, 11}},
		{"literal stripped", "k: |-\n  a\n\n", "a", []int{5}},
		{"literal kept", "k: |+\n  a\n\n \n", "a\n\n\n", []int{5, 6, 7, 9}},
		{"indentation indicator", "k: |2-\n    a\n", "  a", []int{6, 7, 8}},
		{"indicator after chomping", "k: |-1\n  a\n", " a", []int{5, 6}},
		{"literal with a blank first line", "k: |\n\n  a\n", "\na\n", []int{2, 5, 6}},
		{"literal with a tab in it", "k: |\n  a\tb\n", "a\tb\n", []int{4, 5, 6, 7}},
		{"literal at the end of the file", "k: |\n  a", "a", []int{4}},
		{"literal with a header comment", "k: | # c\n  a\n", "a\n", []int{8, 9}},
		{"folded", "k: >\n  a\n  b\n\n  c\n", "a b\nc\n", []int{4, 5, 8, 10, 13, 14}},
		{"folded around deeper lines", "k: >\n  a\n    b\n  c\n", "a\n  b\nc\n", []int{4, 5, 8, 9, 10, 11, 14, 15}},
		{"folded stripped", "k: >-\n  a\n  b\n", "a b", []int{5, 6, 9}},
		{"carriage returns", "k: |\r\n  a\r\n  b\r\n", "a\nb\n", []int{5, 6, 10, 11}},
		{"folded carriage returns", "k: \"a\r\n  b\"\r\n", "a b", []int{1, 2, 6}},
		{"anchor and tag", "k: &x !!str |\n  a\n", "a\n", []int{4, 5}},
		{"tag on its own line", "k: !!str\n  'a'\n", "a", []int{1}},
		{"line separator", "k: |\n  a\u2028  b\n", "a\u2028b\n", []int{4, 5, 10, 11}},
		{"escaped break and an empty line", "k: \"a\\\n\n b\"\n", "a\nb", []int{1, 4, 6}},
		{"indicator in a mapping", "k:\n  x: |1\n     a\n", "", nil},
		{"indicator in a list", "k:\n - |1\n    a\n", "", nil},
		{"indicator in a list at its key's column", "k:\n- |1\n   a\n- x: |1\n    a\n", "", nil},
		{"indicator below properties", "k: &a\n  &b x: |1\n     a\n", "", nil},
		{"nested lists", "k:\n- - |\n   a\n", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := mustParse(t, tt.text)
			checkDocument(t, doc, nil)
			n := doc.Root.Get("k")
			if n.Kind != yamlsrc.Scalar {
				return
			}
			if n.Value != tt.value {
				t.Fatalf("value %q, want %q", n.Value, tt.value)
			}
			var got []int
			text := n.Text()
			for i := range n.Value {
				got = append(got, text.Span(i, i+1).Start-n.Span.Start)
			}
			if len(got) != len(tt.want) {
				t.Fatalf("%d places, want %d: %v", len(got), len(tt.want), got)
			}
			for i := range got {
				if got[i] != max(tt.want[i], 0) {
					t.Fatalf("places %v, want %v", got, tt.want)
				}
			}
		})
	}
}

// TestLongEscape wants all bytes of a character inside its escape sequence.
func TestLongEscape(t *testing.T) {
	n := mustParse(t, `k: "\Pz"`).Root.Get("k")
	if s := n.Text().Span(0, 3); s.Text() != `\P` {
		t.Errorf("the character stands at %q", s.Text())
	}
}

// TestKeyText maps a key that needs decoding.
func TestKeyText(t *testing.T) {
	doc := mustParse(t, "\"a\\tb\": 1\n")
	if s := doc.Root.Pairs[0].Key.Text().Span(2, 3); s.Start != 4 || s.Text() != "b" {
		t.Errorf("b stands at %d", s.Start)
	}
}

// TestTextNotVerified changes a value after reading, as if the reader had
// misread it: every part then has the scalar's whole span.
func TestTextNotVerified(t *testing.T) {
	n := mustParse(t, "k: 'a''b'\n").Root.Get("k")
	n.Value = "something else"
	for _, s := range []source.Span{n.Text().Span(0, 1), n.Text().Span(5, 9), n.Text().Slice(2, 5).Whole(), n.Text().Whole()} {
		if s != n.Span {
			t.Errorf("span %d-%d, want %d-%d", s.Start, s.End, n.Span.Start, n.Span.End)
		}
	}
}

// TestEveryStyle writes one text in every style that can hold it and wants the
// same value, and the words at their own places, from each.
func TestEveryStyle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé日🎉]{1,6}`), 1, 8).Draw(rt, "words")
		breaks := rapid.SliceOfN(rapid.IntRange(0, 3), len(words), len(words)).Draw(rt, "breaks")
		indent := rapid.SampledFrom([]string{"  ", "   ", "     "}).Draw(rt, "indent")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "eol")
		var value, folded, literal strings.Builder
		for i, w := range words {
			if i > 0 && breaks[i] == 0 {
				value.WriteString(" ")
				folded.WriteString(eol + indent)
				literal.WriteString(" ")
			} else if i > 0 {
				value.WriteString(strings.Repeat("\n", breaks[i]))
				folded.WriteString(strings.Repeat(eol, breaks[i]+1) + indent)
				literal.WriteString(strings.Repeat(eol, breaks[i]) + indent)
			}
			value.WriteString(w)
			folded.WriteString(w)
			literal.WriteString(w)
		}
		for _, text := range []string{
			"k: '" + folded.String() + "'", `k: "` + folded.String() + `"`, "k:" + eol + indent + folded.String() + eol,
			"k: >-" + eol + indent + folded.String() + eol, "k: |-" + eol + indent + literal.String(), "- - k: &a !!str |-" + eol + "    " + indent + strings.ReplaceAll(literal.String(), indent, "    "+indent) + eol,
		} {
			doc := mustParse(t, text)
			checkDocument(t, doc, nil)
			n := doc.Root
			for n.Kind == yamlsrc.Sequence {
				n = n.Items[0]
			}
			n = n.Get("k")
			if n.Value != value.String() {
				rt.Fatalf("%q has value %q, want %q", text, n.Value, value.String())
			}
			at := 0
			for _, w := range words {
				at += strings.Index(n.Value[at:], w)
				if got := n.Text().Span(at, at+len(w)).Text(); got != w {
					rt.Fatalf("%q: %q is said to stand at %q", text, w, got)
				}
				at += len(w)
			}
		}
	})
}

// TestTree writes random trees in random styles and reads them back.
func TestTree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var draw func(depth int, flow bool, indent string) (text, json string)
		draw = func(depth int, flow bool, indent string) (string, string) {
			kind := rapid.IntRange(0, 4).Draw(rt, "kind")
			if depth == 0 || kind == 0 {
				w := rapid.StringMatching(`[a-d]{1,4}`).Draw(rt, "word")
				quote := rapid.SampledFrom([]string{"", "'", `"`}).Draw(rt, "quote")
				return " " + quote + w + quote, `"` + w + `"`
			}
			flow = flow || kind == 2
			var parts, values []string
			for i := range rapid.IntRange(1, 3).Draw(rt, "size") {
				head, name := "-", ""
				if kind > 2 {
					key := string(rune('p' + i))
					head, name = key+":", `"`+key+`":`
				}
				v, j := draw(depth-1, flow, indent+"  ")
				if flow && kind <= 2 {
					head = ""
				}
				parts, values = append(parts, head+v), append(values, name+j)
			}
			open, end := "[", "]"
			if kind > 2 {
				open, end = "{", "}"
			}
			json := open + strings.Join(values, ",") + end
			if flow {
				return " " + open + strings.Join(parts, ", ") + end, json
			}
			return "\n" + indent + strings.Join(parts, "\n"+indent), json
		}
		text, json := draw(4, false, "")
		doc := mustParse(t, text)
		checkDocument(t, doc, nil)
		if doc.Root.JSON() != json {
			rt.Fatalf("%q reads as %s, want %s", text, doc.Root.JSON(), json)
		}
		reparse(t, doc.Root)
	})
}
