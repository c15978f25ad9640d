package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// A deviation is what wfc does otherwise on purpose: one case, or a class of
// cases that a function tells.
type deviation struct {
	Case, Class string
	// Rule names the rule of DESIGN.md that says so.
	Rule string
	// Got is what wfc does in a case.
	Got string

	used bool
}

type deviations struct {
	cases   map[string]*deviation
	classes []*deviation
}

func readDeviations(t *testing.T) *deviations {
	t.Helper()
	path := filepath.Join(ownCases, "deviations.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile(path, text), &bag)
	for _, d := range bag.Sorted() {
		t.Fatalf("%s:%d: %s", path, d.Span.Position().Line, d.Message)
	}
	var list []*deviation
	if err := json.Unmarshal([]byte(doc.Root.JSON()), &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	known := &deviations{cases: map[string]*deviation{}}
	for _, d := range list {
		switch {
		case d.Rule == "" || (d.Case == "") == (d.Class == "") || (d.Case == "") != (d.Got == ""):
			t.Errorf("%s: %+v: give a rule and a class, or a rule, a case and got", path, *d)
		case d.Class != "" && classes[d.Class] == nil:
			t.Errorf("%s: there is no class %q", path, d.Class)
		case d.Class != "":
			known.classes = append(known.classes, d)
		case known.cases[d.Case] != nil:
			t.Errorf("%s: %s is listed twice", path, d.Case)
		default:
			known.cases[d.Case] = d
		}
	}
	return known
}

// verdict says whether a case agrees, deviates as it is known to, or fails.
func (k *deviations) verdict(t *testing.T, c *recorded, diffs []difference) string {
	t.Helper()
	if d := k.cases[c.id()]; d != nil {
		d.used = true
		switch got := describe(diffs); {
		case len(diffs) == 0:
			t.Errorf("it is listed as a deviation (%s) but agrees", d.Rule)
			return "fails"
		case got != d.Got:
			t.Errorf("it is listed as a deviation that ends with\n%s\nbut wfc does\n%s", d.Got, got)
			return "fails"
		}
		t.Logf("deviates: %s", d.Rule)
		return "deviates"
	}
	if len(diffs) == 0 {
		return "agrees"
	}
	for _, d := range k.classes {
		if classes[d.Class](c, diffs) {
			d.used = true
			t.Logf("deviates as all of class %s: %s", d.Class, d.Rule)
			return "deviates"
		}
	}
	for _, d := range diffs {
		t.Error(d)
	}
	t.Logf("- case: %s\n  rule: \n  got: %s", quote(c.id()), quote(describe(diffs)))
	return "fails"
}

// checkUse requires that all deviations are of cases that ran.
func (k *deviations) checkUse(t *testing.T, all *collection) {
	t.Helper()
	for id, d := range k.cases {
		if !d.used {
			t.Errorf("deviations.yaml lists %s, which did not run", id)
		}
	}
	for _, d := range k.classes {
		if !d.used {
			t.Errorf("deviations.yaml has the class %s, but no case is of it", d.Class)
		}
	}
}
