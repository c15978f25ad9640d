package gotext_test

import (
	"strings"
	"testing"
	"text/template"

	"github.com/wfc-lang/wfc/runtime/value/gotext"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// What the functions give is what Go's templates give.
func TestSameAsTextTemplate(t *testing.T) {
	texts := []string{"", "plain", `<a href="x">'&'</a>`, "tab\tline\nnul\x00", "é€😀\u2028\ufeff", `\ " '`, "a b&c=d?%", "\x7f\u00a0\xff"}
	for name, f := range map[string]func(gotext.Args) string{
		"html": gotext.Args.HTML, "js": gotext.Args.JS, "urlquery": gotext.Args.URLQuery, "print": gotext.Args.Print, "println": gotext.Args.Println,
	} {
		for _, s := range texts {
			for _, args := range [][]any{{s}, {s, int64(3), "x"}, {int64(1), true, 1.5, s}} {
				var want strings.Builder
				actions := make([]string, len(args))
				for i := range args {
					actions[i] = "(index . " + string(rune('0'+i)) + ")"
				}
				tmpl := template.Must(template.New("").Parse("{{" + name + " " + strings.Join(actions, " ") + "}}"))
				if err := tmpl.Execute(&want, args); err != nil {
					t.Fatal(err)
				}
				if got := f(args); got != want.String() {
					t.Errorf("%s %q: %q, not %q", name, args, got, want.String())
				}
			}
		}
	}
}

func TestValuesOfTemplates(t *testing.T) {
	if got := (gotext.Args{py.Str("a"), py.Int(3), py.Float(1.5), py.Bool(true)}).Printf("%s %d %v %t"); got != "a 3 1.5 true" {
		t.Error(got)
	}
}

func TestSlice(t *testing.T) {
	for _, c := range []struct {
		bounds []int64
		want   string
		ok     bool
	}{
		{nil, "abc", true}, {[]int64{1}, "bc", true}, {[]int64{0, 2}, "ab", true}, {[]int64{3}, "", true},
		{[]int64{4}, "", false}, {[]int64{2, 1}, "", false}, {[]int64{-1}, "", false}, {[]int64{0, 4}, "", false},
	} {
		if got, err := gotext.Slice("abc", c.bounds...); got != c.want || (err == nil) != c.ok {
			t.Errorf("%v: %q, %v", c.bounds, got, err)
		}
	}
}
