package shell

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// FuzzRewrite feeds arbitrary scripts: none may panic, a refusal must have a
// place, and a script that passes must hold a variable for each live hole.
func FuzzRewrite(f *testing.F) {
	for _, c := range contexts {
		f.Add(c.script)
	}
	for _, r := range refusals {
		f.Add(r.script)
	}
	f.Add("'")
	for _, found := range []string{"$'\\\x00$a.output'", "!($$a.output)", "<(0&$a.output#0)", "($a.output##)", "(($a.output#))"} {
		f.Add(found)
	}
	f.Add("\xff$a.output\x00`\\`")
	f.Fuzz(func(t *testing.T, src string) {
		o := DefaultOptions()
		o.Check = func(string) Verdict { return Accepted }
		var bag diag.Bag
		file := source.NewFile("script.sh", []byte(src))
		holes := findHoles(src)
		out := NewRewriter(o).Rewrite(source.FileText(file, 0, len(src)), holes, &bag)
		if (out == nil) != bag.HasErrors() {
			t.Fatalf("script %v with errors %v", out, messages(bag.Sorted()))
		}
		for _, d := range bag.Sorted() {
			if !d.Span.IsValid() || d.Span.End < d.Span.Start || d.Span.End > len(src) {
				t.Errorf("%s has no place in the script: %+v", d.Message, d.Span)
			}
			if d.Code.ID == "WFC507" && strings.Contains(d.Message, "for certain") {
				t.Errorf("the rewriting failed its own check: %q", src)
			}
		}
		if out == nil {
			return
		}
		for _, b := range out.Bindings {
			if !isName(b.Name) || !strings.Contains(out.Text, "${"+b.Name+"}") || strings.Contains(src, b.Name) && len(b.Name) > 60 {
				t.Errorf("binding %+v is not in the script %q", b, out.Text)
			}
		}
	})
}
