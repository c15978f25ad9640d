package yamlsrc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// outline lists the nodes of a tree with the text of their spans.
func outline(n *yamlsrc.Node) []string {
	list := []string{fmt.Sprintf("%d-%d %q", n.Span.Start, n.Span.End, n.Span.Text())}
	for _, item := range n.Items {
		list = append(list, outline(item)...)
	}
	for _, p := range n.Pairs {
		list = append(list, outline(p.Key)...)
		list = append(list, outline(p.Value)...)
	}
	return list
}

// TestSpans wants the span of every node, parents before children.
func TestSpans(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"pair", "a: b\n", []string{`0-4 "a: b"`, `0-1 "a"`, `3-4 "b"`}},
		{"quotes", "'a': \"b\"", []string{`0-8 "'a': \"b\""`, `0-3 "'a'"`, `5-8 "\"b\""`}},
		{"absent value", "a:\nb: 1\n", []string{`0-7 "a:\nb: 1"`, `0-1 "a"`, `2-2 ""`, `3-4 "b"`, `6-7 "1"`}},
		{"absent value before a comment", "a:  # c\n", []string{`0-2 "a:"`, `0-1 "a"`, `2-2 ""`}},
		{"absent value behind an anchor", "a: &x\nb: 1\n", []string{`0-10 "a: &x\nb: 1"`, `0-1 "a"`, `5-5 ""`, `6-7 "b"`, `9-10 "1"`}},
		{"absent items", "-\n- \n", []string{`0-3 "-\n-"`, `1-1 ""`, `3-3 ""`}},
		{"empty flow", "a: {}\nb: []\n", []string{`0-11 "a: {}\nb: []"`, `0-1 "a"`, `3-5 "{}"`, `6-7 "b"`, `9-11 "[]"`}},
		{"flow over lines", "[\n a, # c ]\n b,\n]\n", []string{`0-17 "[\n a, # c ]\n b,\n]"`, `3-4 "a"`, `13-14 "b"`}},
		{"flow values", "{a, b: , c: d}", []string{`0-14 "{a, b: , c: d}"`, `1-2 "a"`, `2-2 ""`, `4-5 "b"`, `6-6 ""`, `9-10 "c"`, `12-13 "d"`}},
		{"lone pair in a list", "[a: b, c]", []string{`0-9 "[a: b, c]"`, `1-5 "a: b"`, `1-2 "a"`, `4-5 "b"`, `7-8 "c"`}},
		{"block text", "a: |\n  x\n  y\n\nb: 1\n", []string{`0-18 "a: |\n  x\n  y\n\nb: 1"`, `0-1 "a"`, `3-12 "|\n  x\n  y"`, `14-15 "b"`, `17-18 "1"`}},
		{"empty block text", "a: |-\n", []string{`0-5 "a: |-"`, `0-1 "a"`, `3-5 "|-"`}},
		{"folded plain", "a: b\n  c\n", []string{`0-8 "a: b\n  c"`, `0-1 "a"`, `3-8 "b\n  c"`}},
		{"anchor of a mapping", "&m\na: 1\n", []string{`3-7 "a: 1"`, `3-4 "a"`, `6-7 "1"`}},
		{"anchor of a key", "&k a: 1\n", []string{`0-7 "&k a: 1"`, `3-4 "a"`, `6-7 "1"`}},
		{"anchor of both", "&m\n&k a: 1\n", []string{`3-10 "&k a: 1"`, `6-7 "a"`, `9-10 "1"`}},
		{"tagged list", "a: !!seq\n- 1\n", []string{`0-12 "a: !!seq\n- 1"`, `0-1 "a"`, `9-12 "- 1"`, `11-12 "1"`}},
		{"tag and anchor", "a: !!str &x 'b'\n", []string{`0-15 "a: !!str &x 'b'"`, `0-1 "a"`, `12-15 "'b'"`}},
		{"byte order mark", "\ufeffa: b", []string{`3-7 "a: b"`, `3-4 "a"`, `6-7 "b"`}},
		{"line feeds after carriage returns", "a: b\r\nc:\r\n  - d\r\n", []string{`0-15 "a: b\r\nc:\r\n  - d"`, `0-1 "a"`, `3-4 "b"`, `6-7 "c"`, `12-15 "- d"`, `14-15 "d"`}},
		{"wide characters", "日本: \"🎉\"\n", []string{`0-14 "日本: \"🎉\""`, `0-6 "日本"`, `8-14 "\"🎉\""`}},
		{"nested lists", "- - a\n  - b\n", []string{`0-11 "- - a\n  - b"`, `2-11 "- a\n  - b"`, `4-5 "a"`, `10-11 "b"`}},
		{"explicit key without a value", "? a\n:b : c\n", []string{`0-10 "? a\n:b : c"`, `2-3 "a"`, `3-3 ""`, `4-6 ":b"`, `9-10 "c"`}},
		{"explicit key", "? a\n: b\n", []string{`0-7 "? a\n: b"`, `2-3 "a"`, `6-7 "b"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := mustParse(t, tt.text)
			if got := outline(doc.Root); strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%q:\ngot  %v\nwant %v", tt.text, got, tt.want)
			}
		})
	}
}

func TestTags(t *testing.T) {
	tests := map[string][]string{
		yamlsrc.TagNull:   {"", "~", "null", "Null", "NULL", "!!null x"},
		yamlsrc.TagBool:   {"true", "True", "TRUE", "false", "False", "FALSE"},
		yamlsrc.TagInt:    {"0", "12", "-3", "+4", "007", "0x1F", "0o17", "!!int '5'"},
		yamlsrc.TagFloat:  {"1.5", "-.5", "1.", "1e3", "1E-3", "+1.5e+10", ".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN", "!!float 1"},
		yamlsrc.TagString: {"yes", "no", "on", "off", "y", "n", "30_000", "2024-01-02", "12:30", "0b11", "0x", "0xg", "0o8", "1e", "1e+", ".", "+", "-0x1", "nULL", "tRUE", ".iNF", "1.2.3", "'1'", "\"true\"", "!!str 1", "!!str", "! 1", "!", "!custom x", "=", "<"},
	}
	for want, list := range tests {
		for _, text := range list {
			doc := mustParse(t, "k: "+text+"\n")
			n := doc.Root.Get("k")
			if n.Tag != want {
				t.Errorf("%q has tag %s, want %s", text, n.Tag, want)
			}
		}
	}
	if n := mustParse(t, "k: !custom 5\n").Root.Get("k"); n.Tag != yamlsrc.TagInt {
		t.Errorf("an unknown tag hides the value's own: %s", n.Tag)
	}
	if n := mustParse(t, "k: |\n  1\n").Root.Get("k"); n.Tag != yamlsrc.TagString {
		t.Errorf("a block text has tag %s", n.Tag)
	}
}

func TestDuplicates(t *testing.T) {
	doc := mustParse(t, "a: 1\nb: 2\na: 3\nc: {x: 1, x: 2}\na: 4\n")
	if got := doc.Root.JSON(); got != `{"b":2,"c":{"x":2},"a":4}` {
		t.Errorf("the last does not win: %s", got)
	}
	var got []string
	for _, d := range doc.Duplicates {
		got = append(got, fmt.Sprintf("%s %d %d", d.Key, d.First.Start, d.Second.Start))
	}
	if want := "a 0 10,x 19 25,a 0 31"; strings.Join(got, ",") != want {
		t.Errorf("duplicates %v, want %s", got, want)
	}
	d := finding.DuplicateKey("a", doc.Duplicates[0].First, doc.Duplicates[0].Second)
	if d.Span.Text() != "a" || d.Severity != diag.Error || len(d.Related) != 1 {
		t.Errorf("%+v", d)
	}
}

// TestManyKeys crosses the size at which keys are looked up by a map.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "k%d: %d\n", i, i)
	}
	b.WriteString("k3: again\nk30: again\n")
	doc := mustParse(t, b.String())
	if len(doc.Root.Pairs) != 40 || len(doc.Duplicates) != 2 || doc.Root.Get("k30").Value != "again" || doc.Root.Get("k29").Value != "29" {
		t.Errorf("%d pairs, %d duplicates: %s", len(doc.Root.Pairs), len(doc.Duplicates), doc.Root.JSON())
	}
}

func TestMerge(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"own keys win", "a: &a {x: 1, y: 2}\nb: {<<: *a, x: 9}\n", `{"x":9,"y":2}`},
		{"own keys win before", "a: &a {x: 1, y: 2}\nb: {x: 9, <<: *a}\n", `{"x":9,"y":2}`},
		{"list, the earlier wins", "b: {<<: [{x: 1}, {x: 2, z: 3}]}\n", `{"x":1,"z":3}`},
		{"through merges", "a: &a {x: 1}\nc: &c {<<: *a, y: 2}\nb: {<<: *c}\n", `{"y":2,"x":1}`},
		{"block", "a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n", `{"y":2,"x":1}`},
		{"quoted is a key", "b: {'<<': 1}\n", `{"\u003c\u003c":1}`},
	}
	for _, tt := range tests {
		doc := mustParse(t, tt.text)
		got := strings.ReplaceAll(doc.Root.Get("b").JSON(), "<", `\u003c`)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	doc := mustParse(t, "a: &a {x: 1}\nb: {<<: *a, y: 2}\n")
	if p := doc.Root.Get("b").Pair("x"); !p.Merged || p.Key.Span.Start != 7 {
		t.Errorf("merged pair %+v", p)
	}
	if p := doc.Root.Get("b").Pair("y"); p.Merged {
		t.Errorf("own pair is marked as merged")
	}
}

func TestAlias(t *testing.T) {
	doc := mustParse(t, "a: &x {k: [1]}\nb: *x\n")
	a, b := doc.Root.Get("a"), doc.Root.Get("b")
	if b.Alias.Text() != "*x" || b.Place() != b.Alias || b.Span != a.Span {
		t.Errorf("alias at %q, span %q", b.Alias.Text(), b.Span.Text())
	}
	if a.Alias.IsValid() || a.Place() != a.Span {
		t.Errorf("the anchored node has an alias place")
	}
	if a.Get("k") != b.Get("k") {
		t.Errorf("the copy does not share its children")
	}
	doc = mustParse(t, "a: &x k\n*x : 1\n")
	if p := doc.Root.Pair("k"); p == nil || p.Key.Alias.Text() != "*x" {
		t.Errorf("an alias as key: %s", doc.Root.JSON())
	}
	if doc = mustParse(t, "a: &x 1\nb: &x 2\nc: *x\n"); doc.Root.Get("c").Value != "2" {
		t.Errorf("an anchor written again does not count")
	}
}

// TestRejected wants the code, the text blamed and whether a tree is left.
func TestRejected(t *testing.T) {
	bomb := "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	tests := []struct {
		name, text, code, blamed string
		tree                     bool
	}{
		{"alias in its own list", "a: &x [1, *x]\n", "WFC106", "*x", false},
		{"alias in its own mapping", "a: &x\n  b: {c: *x}\n", "WFC106", "*x", false},
		{"alias merged into itself", "a: &x\n  <<: *x\n", "WFC106", "*x", false},
		{"alias bomb", bomb, "WFC107", "*a5", false},
		{"deep nesting", strings.Repeat("[", 1001) + strings.Repeat("]", 1001), "WFC107", "[", false},
		{"very deep nesting", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "WFC101", "[", false},
		{"list as key", "[a]: b\nc: d\n", "WFC104", "[a]", true},
		{"mapping as key", "x: {{a}: b}\n", "WFC104", "{a}", true},
		{"merge of a text", "<<: x\na: b\n", "WFC105", "x", true},
		{"merge of nothing", "<<:\na: b\n", "WFC105", "<<", true},
		{"merge of a list of texts", "<<: [{a: b}, x]\n", "WFC105", "x", true},
		{"NUL", "a: b\x00c\n", "WFC101", "\x00", false},
		{"not UTF-8", "é: b\xffc\n", "WFC101", "\xff", false},
		{"cut character", "a: \xe2\x82", "WFC101", "\xe2", false},
		{"control character", "a: \x1b[0m\n", "WFC101", "\x1b", false},
		{"mark in the middle", "a: b\ufeff\n", "WFC101", "\ufeff", false},
		{"UTF-16 with mark", "\xff\xfea\x00:\x00", "WFC101", "\xff\xfe", false},
		{"UTF-16 big-endian with mark", "\xfe\xff\x00a\x00:", "WFC101", "\xfe\xff", false},
		{"UTF-16 without mark", "a\x00:\x00 \x00b\x00", "WFC101", "a\x00", false},
		{"text behind the root", "{a: b}\nc\n", "WFC101", "c", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, list := parse(tt.text)
			if len(list) != 1 {
				t.Fatalf("%d diagnostics, want 1: %+v", len(list), list)
			}
			d := list[0]
			if d.Code.ID != tt.code || d.Span.Text() != tt.blamed {
				t.Errorf("%s at %q (%s), want %s at %q", d.Code, d.Span.Text(), d.Message, tt.code, tt.blamed)
			}
			if (doc.Root != nil) != tt.tree {
				t.Errorf("root %v", doc.Root)
			}
		})
	}
}

func TestSizeLimit(t *testing.T) {
	_, list := parse("a: b" + strings.Repeat(" ", 2<<20))
	if len(list) != 1 || list[0].Code.ID != "WFC107" || !strings.Contains(list[0].Message, "2 MiB") {
		t.Errorf("%+v", list)
	}
}

// TestManyAliases reads a file with more aliases than nodes, far from a bomb.
func TestManyAliases(t *testing.T) {
	doc := mustParse(t, "a: &a {x: 1, y: 2}\nb: ["+strings.Repeat("*a, ", 5000)+"]\n")
	if n := len(doc.Root.Get("b").Items); n != 5000 {
		t.Errorf("%d items", n)
	}
}

func TestDocuments(t *testing.T) {
	tests := []struct {
		text, root string
		more       int // -1: none
	}{
		{"", "", -1},
		{"\n\n", "", -1},
		{"# only a comment\n", "", -1},
		{"\ufeff", "", -1},
		{"---\n", "null", -1},
		{"--- a\n", `"a"`, -1},
		{"a: 1\n---\nb: 2\n", `{"a":1}`, 5},
		{"a: 1\n---\n", `{"a":1}`, 5},
		{"---\n---\nb: 2\n", "null", 4},
		{"a: 1\n...\n", `{"a":1}`, -1},
		{"a: 1\n...\n# c\n---\nb\n", `{"a":1}`, 13},
		{"%YAML 1.2\n---\na: 1\n", `{"a":1}`, -1},
		{"a: |\n  x\n\n# c\n---\nb\n", `{"a":"x\n"}`, 14},
	}
	for _, tt := range tests {
		doc := mustParse(t, tt.text)
		root := ""
		if doc.Root != nil {
			root = doc.Root.JSON()
		}
		more := -1
		if doc.More.IsValid() {
			more = doc.More.Start
		}
		if root != tt.root || more != tt.more {
			t.Errorf("%q: root %s, more at %d; want %s, %d", tt.text, root, more, tt.root, tt.more)
		}
	}
}

func TestComments(t *testing.T) {
	text := "# top\n\na: b # tail\nc: 'x # no' #close\nd: |  # head\n  # text\n  y\n# after\ne: f#g\nh: [i, # in\n  j] #out\n   #  alone \r\nk: p\n  # q\n---\n# second document\n"
	var got []string
	for _, c := range mustParse(t, text).Comments {
		got = append(got, fmt.Sprintf("%d %s %v", c.Line, c.Text, c.Alone))
	}
	want := []string{"1 top true", "3 tail false", "4 close false", "5 head false", "8 after true", "10 in false", "11 out false", "12 alone true", "14 q true"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestLastComment reads a comment that ends the file within a block header.
func TestLastComment(t *testing.T) {
	if c := mustParse(t, "a: | # c").Comments; len(c) != 1 || c[0].Text != "c" {
		t.Errorf("%+v", c)
	}
}

// TestEscapedSlash reads an escape of YAML 1.2 that yaml.v3 does not know.
func TestEscapedSlash(t *testing.T) {
	doc := mustParse(t, "a: \"x\\/y\\\\/\"\nb: |\n  s/\\/v\\//x/\nc: p\\/q\nd: 'r\\/'\n")
	if got, want := doc.Root.JSON(), `{"a":"x/y\\/","b":"s/\\/v\\//x/\n","c":"p\\/q","d":"r\\/"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	checkDocument(t, doc, nil)
	if _, list := parse("a: \"x\\/y\"\nb: \"\\q\"\n"); len(list) != 1 || list[0].Span.Text() != `\q` {
		t.Errorf("%+v", list)
	}
}

func BenchmarkParse(b *testing.B) {
	text := benchmarkText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var bag diag.Bag
		if yamlsrc.Parse(source.NewFile("f.yaml", text), &bag); bag.Len() > 0 {
			b.Fatal(bag.Sorted()[0].Message)
		}
	}
}

func benchmarkText() []byte {
	var t strings.Builder
	t.WriteString("name: w\ndescription: a workflow # with a comment\nnodes:\n")
	for i := range 20 {
		fmt.Fprintf(&t, "  - id: n%d\n    depends_on: [a, 'b', \"c\"]\n    bash: |\n      set -e\n      echo hi $n.output\n\n      cat x\n    timeout: 30\n", i)
	}
	return []byte(t.String())
}
