package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
)

// A test of the kind of a value has a proof if terms or conditions before it leave only kinds
// for which it has one result.
func TestProofsOfKinds(t *testing.T) {
	for _, tt := range []struct{ name, before, condition, proven string }{
		{"nothing before", "", "d.n is number", ""},
		{"a chain of comparisons", "1 < d.n <= 5", "d.n is number", "false"},
		{"a comparison of strings", "d.n >= 'a'", "d.n is string", "false"},
		{"another value", "d.m > 1", "d.n is number", ""},
		{"the second link only if it held", "1 < 2 < d.n", "d.n is number", ""},
		{"the second link of a term that held", "", "1 < 2 < d.n and d.n is number", "false"},
		{"equality", "d.n == 5", "d.n is number", ""},
		{"a member", "'a' in d.l", "d.l is iterable", "false"},
		{"a member says nothing about the element", "d.l in 'a'", "d.l is iterable", ""},
		{"a field that is there", "d.n > 1", "d is mapping", "false"},
		{"a field that may be absent", "'a' in d.n", "d is mapping", ""},
		{"an attribute that strings have", "d.count > 1", "d is mapping", ""},
		{"the left operand of and", "", "d.n is odd and d.n is number", "false"},
		{"the left operand of or", "", "d.n is string or d.n is string", "true"},
		{"a negated test", "", "d.n is not string and d.n is not string", "false"},
		{"the right operand may not be evaluated", "d.m is odd and d.n > 1", "d.n is number", ""},
		{"both operands of an and that held", "", "(d.m is odd and d.n is odd) and d.n is number", "false"},
		{"an or that held", "", "(d.m is odd or d.n is odd) and d.n is number", ""},
		{"an or that did not hold", "", "not (d.m is string or d.n is not string) and d.n is string", "false"},
		{"an odd number", "", "d.n is odd and d.n is even", "true"},
		{"an odd number and two", "", "d.n is odd and d.n is not divisibleby 2", "false"},
		{"an odd number and three", "", "d.n is odd and d.n is divisibleby 3", ""},
		{"a number that is not odd", "", "d.n is not odd and d.n is even", ""},
	} {
		steps := "steps:\n  - name: d\n    bash: print\n"
		if tt.before != "" {
			steps += fmt.Sprintf("  - name: before\n    if: \"{{ %s }}\"\n    bash: print\n", tt.before)
		}
		steps += fmt.Sprintf("  - name: last\n    if: \"{{ %s }}\"\n    bash: print\n", tt.condition)
		s := searchOf(compileSteps(t, steps), nil)
		proven := ""
		for _, result := range []string{"true", "false"} {
			if _, ok := s.whyUnreachable(cover.Item{Name: "term " + lastTerm(s.model, "last") + " " + result}); ok {
				proven += result
			}
		}
		if proven != tt.proven {
			t.Errorf("%s: never %q, want %q", tt.name, proven, tt.proven)
		}
	}
}

// lastTerm returns the place of the last term of the condition of a step.
func lastTerm(m *model, step string) string {
	terms := conditionTerms(m.top.places[step].node.When)
	at := terms[len(terms)-1].Span()
	return fmt.Sprintf("%d-%d", at.Start, at.End)
}

// Nothing is known about the value of a step that may be skipped, or behind a condition that a
// run may leave out.
func TestNoProofsOfKinds(t *testing.T) {
	const first, last = "  - {name: d, bash: print}\n", "  - {name: last, if: \"{{ d.n is number }}\", bash: print}\n"
	before := "  - {name: a, if: \"{{ d.n > 1 }}\", bash: print}\n"
	for name, steps := range map[string]string{
		"a step that may be skipped":            "  - {name: d, if: \"{{ x }}\", bash: print}\n" + before + last,
		"a condition of finally":                first + before + strings.Replace(last, "last,", "last, finally: true,", 1),
		"a condition behind it":                 first + last + before,
		"a step that an input may replace":      first + strings.Replace(before, "print}", "print, output: {n: int}}", 1) + last,
		"a condition of a branch of a parallel": first + "  - {name: p, parallel: [{name: a, if: \"{{ d.n > 1 }}\", bash: print}, {name: b, bash: print}]}\n" + last,
	} {
		s := searchOf(compileSteps(t, "input: {x: {type: bool, default: true}}\nsteps:\n"+steps), nil)
		if reason, proven := s.whyUnreachable(cover.Item{Name: "term " + lastTerm(s.model, "last") + " false"}); proven {
			t.Errorf("%s: %s", name, reason)
		}
	}
}
