package checks

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
)

func TestCompare(t *testing.T) {
	text := "a # want WFC101 \"first\" WFC101 \"second\"\n# want+1 WFC104 \"x\\\\.y\"\nb\n"
	file := source.NewFile("f.yaml", []byte(text))
	lookup := func(id string) *diag.Code { c, _ := codes.Lookup(id); return c }
	found := func(id, message string, line int) *diag.Diagnostic {
		_, at := file.Line(line)
		return &diag.Diagnostic{Code: lookup(id), Span: source.Span{File: file, Start: at, End: at}, Message: message}
	}
	first, second, third := found("WFC101", "the first", 1), found("WFC101", "the second", 1), found("WFC104", "x.y", 3)
	for _, test := range []struct {
		name     string
		findings []*diag.Diagnostic
		want     []string
	}{
		{"all", []*diag.Diagnostic{second, first, third}, nil},
		{"one missing", []*diag.Diagnostic{first, third}, []string{"f.yaml:1: expected WFC101 \"second\""}},
		{"one too many", []*diag.Diagnostic{first, first, second, third}, []string{"f.yaml:1: unexpected"}},
		{"another line", []*diag.Diagnostic{first, second, found("WFC104", "x.y", 2)}, []string{"f.yaml:2: unexpected", "f.yaml:3: expected"}},
		{"another message", []*diag.Diagnostic{first, second, found("WFC104", "xzy", 3)}, []string{"f.yaml:3: unexpected", "f.yaml:3: expected"}},
		{"another code", []*diag.Diagnostic{first, second, found("WFC105", "x.y", 3)}, []string{"f.yaml:3: unexpected", "f.yaml:3: expected"}},
	} {
		wants, err := Wants("f.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		got := Compare(wants, test.findings)
		if len(got) != len(test.want) {
			t.Errorf("%s: got %q", test.name, got)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], test.want[i]) {
				t.Errorf("%s: got %q, want %q", test.name, got[i], test.want[i])
			}
		}
	}
}

func TestMalformedWants(t *testing.T) {
	for _, text := range []string{"# want WFC101\n", "# want WFC101 bare\n", "# want WFC101 \"(\"\n", "# want+x WFC101 \"a\"\n"} {
		if wants, err := Wants("f.yaml", text); err == nil {
			t.Errorf("%q gives %v", text, wants)
		}
	}
}
