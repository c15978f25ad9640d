package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

// The type of a list's elements is the singular of the list's name if dropping an s makes
// one. A field that is called like its node does not repeat the name.
func TestNamesOfTypesInside(t *testing.T) {
	for _, tt := range []struct{ node, field, element string }{
		{"review", "tags", "ReviewTag"},
		{"review", "ids", "ReviewID"},
		{"review", "open_issues", "ReviewOpenIssue"},
		{"review", "data", "ReviewDataItem"},
		{"review", "entries", "ReviewEntriesItem"},
		{"review", "classes", "ReviewClassesItem"},
		{"review", "status", "ReviewStatusItem"},
		{"review", "analysis", "ReviewAnalysisItem"},
		{"review", "news", "ReviewNewsItem"},
		{"review", "s", "ReviewSItem"},
		{"files", "files", "File"},
	} {
		p := workflow("names", fmt.Sprintf(`nodes:
  - id: %s
    prompt: Hi
    output_format: {type: object, properties: {%s: {type: array, items: {type: string, enum: [low, high]}}}}
`, tt.node, tt.field))
		code := string(gen.Generate(p, gen.Options{})[0].Content)
		if !strings.Contains(code, "\ntype "+tt.element+" string\n") {
			t.Errorf("the elements of `%s` of node `%s` are not of type %s:\n%s", tt.field, tt.node, tt.element, code)
		}
	}
	p := workflow("names", "nodes:\n  - {id: verdict, prompt: Hi, output_format: {type: object, properties: {verdict: {type: string, enum: [go, stop]}}}}\n")
	if code := string(gen.Generate(p, gen.Options{})[0].Content); !strings.Contains(code, "\ntype Verdict string\n") {
		t.Errorf("the name of the type repeats:\n%s", code)
	}
}
