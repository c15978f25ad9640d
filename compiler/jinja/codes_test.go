package jinja_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
	"github.com/wfc-lang/wfc/internal/testkit"
)

func workflow(yaml string) []*diag.Diagnostic {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("flow.yml", []byte(yaml)), &bag)
	if doc != nil {
		xprompt.Frontend{}.Compile(doc, &dialect.Env{Root: "repo", Dir: "repo", Home: "home", Files: testkit.Memory{}}, &bag)
	}
	return bag.Sorted()
}

// TestExamplesOfCodes holds the examples of this package's codes to what they
// say: the bad one yields the code and no other error, the good one nothing.
func TestExamplesOfCodes(t *testing.T) {
	n := 0
	for _, code := range diag.Codes() {
		if code.ID < "WFC362" || code.ID > "WFC389" {
			continue
		}
		n++
		list := workflow(code.Bad)
		if !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("%s: the bad example yields\n%s\n%s", code, strings.Join(said(list), "\n"), code.Bad)
		}
		for _, d := range list {
			if d.Code != code && d.Severity == diag.Error {
				t.Errorf("%s: the bad example also yields %s: %s", code, d.Code, d.Message)
			}
		}
		if list := workflow(code.Good); len(list) > 0 {
			t.Errorf("%s: the good example yields\n%s\n%s", code, strings.Join(said(list), "\n"), code.Good)
		}
	}
	if n != 14 {
		t.Errorf("%d codes", n)
	}
}
