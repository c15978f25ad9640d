package report

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

var (
	errorCode   = &diag.Code{ID: "WFC901", Slug: "an-error", Severity: diag.Error}
	warningCode = &diag.Code{ID: "WFC902", Slug: "a-warning", Severity: diag.Warning}
)

// at returns the span of the nth (from 0) occurrence of text in f.
func at(t *testing.T, f *source.File, text string, nth int) source.Span {
	t.Helper()
	from := 0
	for {
		i := strings.Index(string(f.Content[from:]), text)
		if i < 0 {
			t.Fatalf("%q is not in %s", text, f.Name)
		}
		if nth == 0 {
			return source.Span{File: f, Start: from + i, End: from + i + len(text)}
		}
		nth--
		from += i + len(text)
	}
}

func diagnosed(code *diag.Code, span source.Span, message string) *diag.Diagnostic {
	return &diag.Diagnostic{Code: code, Severity: code.Severity, Span: span, Message: message}
}

func render(t *testing.T, opt Options, ds ...*diag.Diagnostic) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, Text, &Report{Groups: []Group{{Name: "flow.yaml", Diagnostics: ds}}, Files: 1}, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	tests := []struct {
		name, content string
		width         int
		make          func(t *testing.T, f *source.File) *diag.Diagnostic
		want          string
	}{
		{
			name:    "related line, gap, label, help and fix",
			content: "name: w\nnodes:\n  - id: a\n    output_format: {}\n    prompt: x\n  - id: b\n    when: $a.output.kinds == 'bug'\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "$a.output.kinds", 0), "node `b` reads a field that `a` does not produce").
					WithLabel("no field `kinds`").
					WithRelated(at(t, f, "output_format", 0), "`a` declares its fields here: kind").
					WithHelp("declare it").
					WithSureFix("did you mean `kind`?", at(t, f, "kinds", 0), "kind")
			},
			want: "error[WFC901]: node `b` reads a field that `a` does not produce\n" +
				" --> flow.yaml:7:11\n" +
				"  |\n" +
				"4 |     output_format: {}\n" +
				"  |     ------------- `a` declares its fields here: kind\n" +
				"  ·\n" +
				"7 |     when: $a.output.kinds == 'bug'\n" +
				"  |           ^^^^^^^^^^^^^^^ no field `kinds`\n" +
				"  |\n" +
				"help: declare it\n" +
				"help: did you mean `kind`?  (wfc check --fix)\n" +
				"7 |     when: $a.output.kind == 'bug'\n" +
				"  = see: wfc explain WFC901\n",
		},
		{
			name:    "two spans of one line, and one line between is shown",
			content: "a: one two\nb: x\nc: three\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "two", 0), "m").WithLabel("second").
					WithRelated(at(t, f, "one", 0), "first").WithRelated(at(t, f, "three", 0), "third")
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:8\n  |\n" +
				"1 | a: one two\n  |    --- first\n  |        ^^^ second\n" +
				"2 | b: x\n" +
				"3 | c: three\n  |    ----- third\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "tabs, wide and combining characters",
			content: "a:\t日本e\u0301 bad\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "bad", 0), "m")
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:9\n  |\n1 | a:  日本e\u0301 bad\n  |           ^^^\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "byte order mark and carriage returns",
			content: "\ufeffa: bad\r\nb: c\r\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "bad", 0), "m").WithFix("mend it", at(t, f, "bad", 0), "good")
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:4\n  |\n1 | a: bad\n  |    ^^^\n  |\nhelp: mend it\n1 | a: good\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "several lines: the first and the last, without white space at the end",
			content: "- id: a\n  x: 1\n  y: 2\n  z: 3\n\n- id: b\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				s := at(t, f, "id: a", 0)
				s.End = at(t, f, "- id: b", 0).Start
				return diagnosed(warningCode, s, "m").WithLabel("here")
			},
			want: "warning[WFC902]: m\n --> flow.yaml:1:3\n  |\n1 | - id: a\n  |   ^^^^^\n  ·\n4 |   z: 3\n  |   ^^^^ here\n  = see: wfc explain WFC902\n",
		},
		{
			name:    "several lines beside the finding: the first",
			content: "a:\n  b: 1\n  c: 2\nd: bad\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				s := at(t, f, "b: 1", 0)
				s.End = at(t, f, "c: 2", 0).End
				return diagnosed(errorCode, at(t, f, "bad", 0), "m").WithRelated(s, "declared here")
			},
			want: "error[WFC901]: m\n --> flow.yaml:4:4\n  |\n2 |   b: 1\n  |   ---- declared here\n" +
				"3 |   c: 2\n4 | d: bad\n  |    ^^^\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "a line that may hold a password",
			content: "a: bad\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				d := diagnosed(errorCode, at(t, f, "bad", 0), "m")
				d.Private = true
				return d
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:4\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "nothing at the end of a line",
			content: "a:\nb: c\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, source.Span{File: f, Start: 2, End: 2}, "m").WithLabel("a value belongs here")
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:3\n  |\n1 | a:\n  |   ^ a value belongs here\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "the end of the file",
			content: "a: b\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, source.Span{File: f, Start: 5, End: 5}, "m")
			},
			want: "error[WFC901]: m\n --> flow.yaml:2:1\n  |\n2 |\n  | ^\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "a long line is cut round the span",
			content: "prompt: " + strings.Repeat("lorem ", 100) + "BAD " + strings.Repeat("ipsum ", 100) + "\n",
			width:   60,
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "BAD", 0), "m").WithLabel("l")
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:609\n  |\n" +
				"1 | …orem lorem lorem BAD ipsum ipsum ipsum ipsum ipsum ips…\n" +
				"  |                   ^^^ l\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "nothing in a file steers the terminal",
			content: "a: \x1b[31mred\u202e\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "red", 0), "bad \x1b[0m")
			},
			want: "error[WFC901]: bad ␛[0m\n --> flow.yaml:1:9\n  |\n1 | a: ␛[31mred\ufffd\n  |         ^^^\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "a fix that removes a line, and one that adds one",
			content: "a: 1\nb: 2\nc: 3\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "b: 2", 0), "m").
					WithFix("remove it", at(t, f, "b: 2\n", 0), "").
					WithFix("add one", source.Span{File: f, Start: 5, End: 5}, "x: 0\n")
			},
			want: "error[WFC901]: m\n --> flow.yaml:2:1\n  |\n2 | b: 2\n  | ^^^^\n  |\n" +
				"help: remove it\n2 - b: 2\nhelp: add one\n2 + x: 0\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "a question that a fix answers is put once",
			content: "a: bad\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, at(t, f, "bad", 0), "m").WithHelp("did you mean `good`?").WithHelp("did you mean `other`?").
					WithFix("replace with `good`", at(t, f, "bad", 0), "good")
			},
			want: "error[WFC901]: m\n --> flow.yaml:1:4\n  |\n1 | a: bad\n  |    ^^^\n  |\n" +
				"help: did you mean `other`?\nhelp: did you mean `good`?\n1 | a: good\n  = see: wfc explain WFC901\n",
		},
		{
			name:    "no place",
			content: "a: 1\n",
			make: func(t *testing.T, f *source.File) *diag.Diagnostic {
				return diagnosed(errorCode, source.Span{}, "m").WithHelp("h")
			},
			want: "error[WFC901]: m\nhelp: h\n  = see: wfc explain WFC901\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := source.NewFile("flow.yaml", []byte(test.content))
			d := test.make(t, f)
			summary := "\n1 error in 1 file\n"
			if d.Severity == diag.Warning {
				summary = "\n1 warning in 1 file\n"
			}
			got := render(t, Options{Width: test.width}, d)
			if got != test.want+summary {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want+summary)
			}
		})
	}
}

func TestTextSecondFile(t *testing.T) {
	f := source.NewFile("flow.yaml", []byte("command: c\n"))
	g := source.NewFile("commands/c.md", []byte("one\ntwo $x.output\n"))
	got := render(t, Options{}, diagnosed(errorCode, at(t, f, "c\n", 0), "m").WithRelated(at(t, g, "$x", 0), "used here"))
	want := " ::: commands/c.md:2:5\n  |\n2 | two $x.output\n  |     -- used here\n"
	if !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant in it:\n%s", got, want)
	}
}

func TestTextLimitKeepsErrors(t *testing.T) {
	f := source.NewFile("flow.yaml", []byte("a\nb\nc\nd\n"))
	var ds []*diag.Diagnostic
	for i, code := range []*diag.Code{warningCode, warningCode, warningCode, errorCode} {
		ds = append(ds, diagnosed(code, source.Span{File: f, Start: 2 * i, End: 2*i + 1}, "m"+string(rune('0'+i))))
	}
	got := render(t, Options{Limit: 2}, ds...)
	for _, want := range []string{"]: m0", "]: m3", "… and 2 more in flow.yaml", "1 error, 3 warnings in 1 file"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "]: m1") {
		t.Errorf("more than the limit is shown:\n%s", got)
	}
}

func TestSameFindingOfTwoInputsIsShownOnce(t *testing.T) {
	r := &Report{Files: 2}
	for _, name := range []string{"a.yaml", "b.yaml"} {
		f := source.NewFile("commands/c.md", []byte("x\n"))
		r.Groups = append(r.Groups, Group{Name: name, Diagnostics: []*diag.Diagnostic{diagnosed(errorCode, source.Span{File: f, End: 1}, "m")}})
	}
	if c := r.Counts(); c != (Counts{Errors: 1}) {
		t.Errorf("counts %+v", c)
	}
}

func TestColorOnlyWhenAllowed(t *testing.T) {
	f := source.NewFile("flow.yaml", []byte("a\n"))
	d := diagnosed(errorCode, source.Span{File: f, End: 1}, "m")
	if got := render(t, Options{}, d); strings.Contains(got, "\x1b") {
		t.Errorf("colour without permission: %q", got)
	}
	if got := render(t, Options{Color: true}, d); !strings.Contains(got, "\x1b[1;31merror[WFC901]\x1b[0m") {
		t.Errorf("no colour: %q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a: b\r\n\tc: \u200b日", 2, 5, 3, 9, "x\ny", uint8(30))
	f.Add("\ufeff", 0, 3, 1, 1, "", uint8(0))
	f.Fuzz(func(t *testing.T, content string, a, b, c, d int, text string, width uint8) {
		file := source.NewFile("f.yaml", []byte(content))
		g := diagnosed(errorCode, source.Span{File: file, Start: a, End: b}, text).WithLabel(text).
			WithRelated(source.Span{File: file, Start: c, End: d}, text).
			WithSureFix(text, source.Span{File: file, Start: a, End: b}, text)
		out := render(t, Options{Width: int(width)}, g)
		if strings.ContainsAny(out, "\x1b\r\t\x00") {
			t.Errorf("control characters in %q", out)
		}
	})
}

// TestTextListsFurtherPlaces checks that one cause at many places is printed once, with the
// places, and that the formats for programs keep each finding.
func TestTextListsFurtherPlaces(t *testing.T) {
	f := source.NewFile("flow.yaml", []byte(strings.Repeat("key: x\n", 20)))
	same := func(n int) (list []*diag.Diagnostic) {
		for i := range n {
			list = append(list, diagnosed(warningCode, at(t, f, "key", i), "unknown key"))
		}
		return list
	}
	if got := render(t, Options{}, same(3)...); strings.Count(got, "warning[") != 3 || strings.Contains(got, "the same") {
		t.Errorf("three are printed as\n%s", got)
	}
	got := render(t, Options{}, same(14)...)
	if strings.Count(got, "warning[") != 1 || !strings.Contains(got, " = the same 13 more times: 2:1, 3:1, ") ||
		!strings.Contains(got, ", 11:1 and 3 more (`--format oneline` lists all)\n") || !strings.Contains(got, "14 warnings in 1 file\n") {
		t.Errorf("fourteen are printed as\n%s", got)
	}
	other := diagnosed(warningCode, at(t, f, "x", 19), "another")
	if got := render(t, Options{Limit: 1}, append(same(14), other)...); !strings.Contains(got, "… and 1 more in flow.yaml") {
		t.Errorf("with a limit of 1\n%s", got)
	}
	var b strings.Builder
	if err := Write(&b, OneLine, &Report{Groups: []Group{{Name: f.Name, Diagnostics: same(14)}}, Files: 1}, Options{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "unknown key"); n != 14 {
		t.Errorf("oneline has %d findings, want 14", n)
	}
}
