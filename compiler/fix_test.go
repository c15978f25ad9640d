package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

func TestFix(t *testing.T) {
	content := func(text string) *Result {
		return compileFile(source.NewFile("flow.yaml", []byte(text)), Options{}, []dialect.Frontend{stub{}})
	}
	f := Fix(content("nodes:\n  - x # wfc:ignore[WFC804] gone\n  # wfc:ignore[WFC804]\n  - y\n"), func(c []byte) *Result { return content(string(c)) })
	if got, want := string(f.Result.File.Content), "nodes:\n  - x\n  - y\n"; got != want || f.Applied != 2 || len(f.Refused) > 0 {
		t.Errorf("%d fixes give %q, want %q", f.Applied, got, want)
	}
}

// A finder is a compiler that finds something in every scalar in which a text
// is, once.
type finder struct {
	text string
	edit func(n *yamlsrc.Node, at source.Span) diag.Edit
	done bool
}

func (f *finder) compile(content []byte) *Result {
	r := &Result{File: source.NewFile("f.yaml", content)}
	var bag diag.Bag
	doc := yamlsrc.Parse(r.File, &bag)
	if doc != nil && doc.Root != nil && !f.done {
		f.find(doc.Root, &bag)
		f.done = true
	}
	r.Diagnostics = bag.Sorted()
	if doc != nil {
		doc.EncodeFixes(r.Diagnostics)
	}
	return r
}

func (f *finder) find(n *yamlsrc.Node, bag *diag.Bag) {
	if i := strings.Index(n.Value, f.text); n.Kind == yamlsrc.Scalar && i >= 0 {
		d := &diag.Diagnostic{Code: stubWarning, Span: n.Place()}
		d.Fixes = []diag.Fix{{Title: "t", Safe: true, Edits: []diag.Edit{f.edit(n, n.Text().Span(i, i+len(f.text)))}}}
		bag.Add(d)
	}
	for _, item := range n.Items {
		f.find(item, bag)
	}
	for _, p := range n.Pairs {
		f.find(p.Key, bag)
		f.find(p.Value, bag)
	}
}

func (f *finder) fix(content string) *FixResult {
	return Fix(f.compile([]byte(content)), f.compile)
}

// decoded has a finding's text replaced by another.
func decoded(text string) func(*yamlsrc.Node, source.Span) diag.Edit {
	return func(_ *yamlsrc.Node, at source.Span) diag.Edit { return diag.Edit{Span: at, New: text, Decoded: true} }
}

// A fix is written as the scalar's style wants it, or the scalar in another.
func TestFixesInStyles(t *testing.T) {
	for _, test := range []struct{ yaml, text, want string }{
		{"k: a BAD b", "good", "k: a good b"},
		{"k: a BAD b", `"q" 'q' \`, `k: a "q" 'q' \ b`},
		{"k: a BAD b", "x: y", `k: "a x: y b"`},
		{"k: a BAD b", "x #y", `k: "a x #y b"`},
		{"k: a BAD", "b:", `k: "a b:"`},
		{"k: BAD", "true", `k: "true"`},
		{"k: BAD", "", `k: ""`},
		{"k: BAD", "-x", `k: "-x"`},
		{"k: BAD", "12", `k: "12"`},
		{"k: BAD b", "*x", `k: "*x b"`},
		{"k: [a BAD b, c]", "d, e", `k: ["a d, e b", c]`},
		{"k: {a: BAD}", "}", `k: {a: "}"}`},
		{"k: a BAD b", "x\ny", `k: "a x\ny b"`},
		{"k: a\n  BAD b", "x", "k: a\n  x b"},
		{"k: 'a BAD b'", "it's", "k: 'a it''s b'"},
		{"k: 'a BAD b'", "x\ty\n", `k: "a x\ty\n b"`},
		{"k: 'it''s BAD'", "x", "k: 'it''s x'"},
		{`k: "a BAD b"`, `"q" \`, `k: "a \"q\" \\ b"`},
		{`k: "a BAD\" b"`, "x", `k: "a x\" b"`},
		{`k: "\x42AD\n"`, "x", `k: "x\n"`},
		{"k: \"a\n  BAD b\"", "x", "k: \"a\n  x b\""},
		{"k: |\n  a BAD b\n  c\n", `'q' "q": #`, "k: |\n  a 'q' \"q\": # b\n  c\n"},
		{"k: |\n  a BAD b\n", "x\ny", "k: |\n  a x\n  y b\n"},
		{"k: |\r\n  a BAD b\r\n", "x\ny", "k: |\r\n  a x\r\n  y b\r\n"},
		{"k: >\n  a BAD b\n  c\n", "x: y", "k: >\n  a x: y b\n  c\n"},
		{"BAD: x", "good", "good: x"},
		{"BAD: x", "a: b", `"a: b": x`},
		{"'BAD': x", "it's", "'it''s': x"},
		{"- &a x\n- *a\n- BAD", "y", "- &a x\n- *a\n- y"},
		{"\ufeffk: BAD # c", "y", "\ufeffk: y # c"},
	} {
		f := (&finder{text: "BAD", edit: decoded(test.text)}).fix(test.yaml)
		if got := string(f.Result.File.Content); got != test.want || f.Applied != 1 {
			t.Errorf("%q with %q gives %q, want %q (%v)", test.yaml, test.text, got, test.want, f.Refused)
		}
	}
}

// A fix that would harm the file is not written.
func TestFixesRefused(t *testing.T) {
	written := func(yaml string) func(*yamlsrc.Node, source.Span) diag.Edit {
		return func(_ *yamlsrc.Node, at source.Span) diag.Edit { return diag.Edit{Span: at, New: yaml} }
	}
	for name, test := range map[string]struct {
		yaml string
		edit func(*yamlsrc.Node, source.Span) diag.Edit
		why  string
	}{
		"not YAML any more":      {"k: BAD\nl: x\n", written(`"`), "the file would no longer be valid YAML"},
		"another value":          {"k: [BAD, x]\n", written("a] #"), "line 1"},
		"the value's end":        {"k: BAD and more\n", written("x #"), "line 1"},
		"an anchor that is used": {"k: &a BAD\nl: *a\n", decoded("x"), "line 2"},
		"in a merged mapping":    {"k: &a {b: BAD}\nl:\n  <<: *a\n  c: d\n", decoded("x"), "line"},
		"another file": {"k: BAD\n", func(_ *yamlsrc.Node, at source.Span) diag.Edit {
			at.File = otherFile
			return diag.Edit{Span: at, New: "x"}
		}, "in another file"},
		"a duplicate key comes new": {"k: x\nBAD: y\n", decoded("k"), ""},
	} {
		f := (&finder{text: "BAD", edit: test.edit}).fix(test.yaml)
		if string(f.Result.File.Content) != test.yaml || f.Applied != 0 || len(f.Refused) == 0 || !strings.Contains(f.Refused[0].Why, test.why) {
			t.Errorf("%s: %d applied, %q, refused %v", name, f.Applied, f.Result.File.Content, f.Refused)
		}
	}
}

var otherFile = source.NewFile("other.yaml", []byte("k: BAD\n"))

// If fixes are incompatible, or one of them does harm, the others are applied.
func TestFixesOneByOne(t *testing.T) {
	n := 0
	f := (&finder{text: "BAD", edit: func(_ *yamlsrc.Node, at source.Span) diag.Edit {
		if n++; n == 3 {
			return diag.Edit{Span: at, New: `"`}
		}
		return diag.Edit{Span: at, New: "good", Decoded: true}
	}}).fix("- BAD\n- BAD\n- BAD\n- BAD\n- BAD\n")
	if got, want := string(f.Result.File.Content), "- good\n- good\n- BAD\n- good\n- good\n"; got != want || f.Applied != 4 || len(f.Refused) != 0 {
		t.Errorf("%d applied, %q, want %q, %v", f.Applied, got, want, f.Refused)
	}
}

func TestFixesThatTouch(t *testing.T) {
	file := source.NewFile("f", []byte("abcdef"))
	e := func(start, end int) diag.Edit {
		return diag.Edit{Span: source.Span{File: file, Start: start, End: end}}
	}
	var list []diag.Edit
	var taken []bool
	for _, edits := range [][]diag.Edit{{e(4, 5)}, {e(1, 3)}, {e(2, 4)}, {e(1, 1)}, {e(0, 1), e(4, 4)}, {e(0, 1)}, {e(3, 4)}} {
		var ok bool
		list, ok = mergeEdits(list, edits)
		taken = append(taken, ok)
	}
	if want := []bool{true, true, false, false, false, true, true}; !slices.Equal(taken, want) || len(list) != 4 {
		t.Errorf("%v %v, want %v", list, taken, want)
	}
}
