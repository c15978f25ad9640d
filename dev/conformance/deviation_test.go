package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A deviation is what wfc does otherwise on purpose: one case, or a class of
// cases that a function tells.
type deviation struct {
	Case, Class string
	// Rule names the rule of DESIGN.md that says so.
	Rule string
	// Got is what wfc does in a case.
	Got string
	// Ahead says of a class that no case of those that are usually run is of it, but
	// others may be; TestStepClasses has some.
	Ahead bool

	used bool
}

type deviations struct {
	cases   map[string]*deviation
	classes []*deviation
}

// readDeviations reads the list of all dialects, and that of today's Archon.
func readDeviations(t *testing.T) *deviations {
	t.Helper()
	all := &deviations{cases: map[string]*deviation{}}
	for _, dir := range []string{ownCases, filepath.Join(ownCases, nowFolder)} {
		path := filepath.Join(dir, "deviations.yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		known, err := parseDeviations(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		maps.Copy(all.cases, known.cases)
		all.classes = append(all.classes, known.classes...)
	}
	return all
}

func parseDeviations(text []byte) (*deviations, error) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("deviations.yaml", text), &bag)
	for _, d := range bag.Sorted() {
		return nil, fmt.Errorf("line %d: %s", d.Span.Position().Line, d.Message)
	}
	var list []*deviation
	if err := json.Unmarshal([]byte(doc.Root.JSON()), &list); err != nil {
		return nil, err
	}
	known := &deviations{cases: map[string]*deviation{}}
	for _, d := range list {
		switch {
		case d.Rule == "" || (d.Case == "") == (d.Class == "") || (d.Case == "") != (d.Got == ""):
			return nil, fmt.Errorf("%+v has not a rule and a class, or a rule, a case and got", *d)
		case d.Class != "" && classes[d.Class] == nil:
			return nil, fmt.Errorf("there is no class %q", d.Class)
		case d.Class != "":
			known.classes = append(known.classes, d)
		case known.cases[d.Case] != nil:
			return nil, fmt.Errorf("%s is listed twice", d.Case)
		default:
			known.cases[d.Case] = d
		}
	}
	return known, nil
}

// Verdicts on cases.
const (
	agrees   = "agrees"
	deviates = "deviates"
	failed   = "fails"
	skips    = "skipped"
	notYet   = "not yet"
)

// verdict says whether a case agrees, deviates as it is known to, or fails, and
// why.
func (k *deviations) verdict(c *recorded, diffs []difference) (verdict, why string) {
	if d := k.cases[c.id()]; d != nil {
		d.used = true
		switch got := describe(diffs); {
		case len(diffs) == 0:
			return failed, "it is listed as a deviation (" + d.Rule + ") but agrees"
		case got != d.Got:
			return failed, "it is listed as a deviation that ends with\n" + d.Got + "\nbut wfc does\n" + got
		}
		return deviates, d.Rule
	}
	if len(diffs) == 0 {
		return agrees, ""
	}
	for _, d := range k.classes {
		if classes[d.Class](c, diffs) {
			d.used = true
			return deviates, "as all of class " + d.Class + ": " + d.Rule
		}
	}
	var b strings.Builder
	for _, d := range diffs {
		fmt.Fprintln(&b, d)
	}
	fmt.Fprintf(&b, "as an entry of deviations.yaml:\n- case: %s\n  rule: \n  got: %s", quote(c.id()), quote(describe(diffs)))
	return failed, b.String()
}

// expect notes that a case, which cannot run yet, may be listed.
func (k *deviations) expect(c *recorded) {
	if d := k.cases[c.id()]; d != nil {
		d.used = true
	}
}

// unused returns what is listed although no case that ran is it.
func (k *deviations) unused() (list []string) {
	for id, d := range k.cases {
		if !d.used {
			list = append(list, "case "+id)
		}
	}
	for _, d := range k.classes {
		if !d.used && !d.Ahead {
			list = append(list, "class "+d.Class)
		}
	}
	slices.Sort(list)
	return list
}
