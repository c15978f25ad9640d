package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
)

// severalRules are the rules of graphloop whose codes serve other rules or other
// dialects, too. The other rules are named by the documentation of their codes.
var severalRules = map[string][]string{
	"GL001": {"WFC101", "WFC110"}, "GL002": {"WFC112"}, "GL003": {"WFC114"}, "GL004": {"WFC112", "WFC116"}, "GL005": {"WFC112", "WFC116"},
	"GL006": {"WFC117", "WFC118"}, "GL007": {"WFC113", "WFC115"}, "GL012": {"WFC103"}, "GL104": {"WFC230", "WFC203"}, "GL405": {"WFC114"},
	"GL407": {"WFC124"}, "GL408": {"WFC238"}, "GL409": {"WFC238"},
}

// rules finds the rules that a code stands for.
type rules map[string][]string

func newRules() rules {
	named := regexp.MustCompile(`GL\d{3}`)
	list := rules{}
	for rule, codes := range severalRules {
		for _, code := range codes {
			list[code] = append(list[code], rule)
		}
	}
	for _, code := range codes.All() {
		for _, rule := range named.FindAllString(codes.DocumentOf(code).Text, -1) {
			if !slices.Contains(list[code.ID], rule) {
				list[code.ID] = append(list[code.ID], rule)
			}
		}
	}
	for code := range list {
		slices.Sort(list[code])
	}
	return list
}

// planCheck compares the findings in a workflow with the recorded ones: the rule,
// the severity and the line of each. Those of no rule are wfc's own.
func planCheck(_ *bench, c *recorded) (plan, error) {
	var yaml string
	var want struct {
		Valid, Exhaustive bool
		Diagnostics       []struct {
			Rule, Severity string
			Line           int
		}
	}
	if err := c.decode(&yaml, &want); err != nil {
		return plan{}, err
	}
	r, known := compileGraph(yaml), newRules()
	used := make([]bool, len(r.Diagnostics))
	diffs := same("valid", fmt.Sprint(want.Valid), fmt.Sprint(!r.HasErrors()))
	for _, w := range want.Diagnostics {
		i := slices.IndexFunc(r.Diagnostics, func(d *diag.Diagnostic) bool {
			return slices.Contains(known[d.Code.ID], w.Rule) && d.Span.Position().Line == w.Line && d.Severity.String() == w.Severity
		})
		if i < 0 || used[i] {
			diffs = append(diffs, difference{fmt.Sprintf("line %d", w.Line), w.Severity + " " + w.Rule, "none"})
			continue
		}
		used[i] = true
	}
	for i, d := range r.Diagnostics {
		if list := known[d.Code.ID]; want.Exhaustive && !used[i] && len(list) > 0 && d.Severity != diag.Note {
			diffs = append(diffs, difference{fmt.Sprintf("line %d", d.Span.Position().Line), "none", d.Severity.String() + " " + strings.Join(list, " or ")})
		}
	}
	return judged(diffs), nil
}

// judgeRefusal compares the findings in a workflow that is refused with what is
// recorded: the rules of a compile error, and maybe what would come of the step
// if the workflow were run anyway.
func judgeRefusal(want *stepEnd, list []*diag.Diagnostic) []difference {
	named := regexp.MustCompile(`GL\d{3}`)
	said, _, _ := strings.Cut(want.Next, ";")
	var expected []string
	if strings.HasPrefix(said, "compile-error") {
		expected = named.FindAllString(said, -1)
	}
	known, got := newRules(), []string{}
	for _, d := range list {
		got = append(got, known[d.Code.ID]...)
	}
	for _, rule := range expected {
		if !slices.Contains(got, rule) {
			return []difference{{"rules", strings.Join(expected, " "), strings.Join(got, " ")}}
		}
	}
	if len(expected) == 0 {
		return []difference{{"compilation", "a step", "refused: " + strings.Join(got, " ")}}
	}
	return nil
}
