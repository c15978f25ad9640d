package graphloop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// show writes an expression with all its parentheses.
func show(e expr.Expr) string {
	switch e := e.(type) {
	case nil:
		return "always"
	case *expr.Literal:
		if e.Typ == types.Text {
			return "'" + e.Text + "'"
		}
		return e.Text
	case *expr.State:
		return "state." + e.Name
	case *expr.Input:
		return "input." + e.Name
	case *expr.Progress:
		return "run." + e.Measure.String()
	case *expr.LastLabel:
		if isOptional(e.Typ) {
			return e.Node + "?"
		}
		return e.Node
	case *expr.Said:
		return "said"
	case *expr.Not:
		return "!" + show(e.X)
	case *expr.Compare:
		return "(" + show(e.X) + e.Op.String() + show(e.Y) + ")"
	case *expr.Logic:
		return "(" + show(e.X) + [...]string{" && ", " || "}[e.Op] + show(e.Y) + ")"
	case *expr.Bad:
		return "bad"
	}
	return fmt.Sprintf("%T", e)
}

func isOptional(t types.Type) bool { _, ok := t.(*types.Optional); return ok }

const conditionState = `state: {variables: {n: 0, m: 3, f: 1.5, s: '', flag: false, list: [], map: {}, none: ~}}
`

// guarded is a workflow whose second edge from n has a condition, in the single
// quotes of YAML.
func guarded(condition string) string {
	return conditionState + nodes("  n: {type: task, agent: self, prompt: p, outputs: [a, b-c, any, 'true', s2, n]}\n"+
		"  m: {type: decision, condition: 'state.n > 0', outputs: [yes, no]}\n") +
		"edges:\n  - {from: START, to: n}\n  - {from: n, to: m, condition: '" + strings.ReplaceAll(condition, "'", "''") + "'}\n  - {from: n, to: END}\n  - {from: m, to: END}\n"
}

// The meaning of every form of a condition.
func TestConditions(t *testing.T) {
	for _, test := range []struct{ condition, want string }{
		{"a", "(n=='a')"},
		{"b-c", "(n=='b-c')"},
		{`"a"`, "(n=='a')"},
		{"'a'", "(n=='a')"},
		{" \t a ", "(n=='a')"},
		{"any", "(n=='any')"},
		{"true", "(n=='true')"}, // an output before it is a constant
		{"any(a)", "(n=='a')"},
		{"any (a , b-c)", "((n=='a') || (n=='b-c'))"},
		{`any('a', "b-c", s2)`, "(((n=='a') || (n=='b-c')) || (n=='s2'))"},
		{"all(a, flag)", "((n=='a') && state.flag)"},
		{"any(a, state.n < 3 && b-c)", "((n=='a') || ((state.n<3) && (n=='b-c')))"},
		{"any(a, outputs.m == 'yes')", "((n=='a') || (m?=='yes'))"},
		{"state.n < 3", "(state.n<3)"},
		{"state.n <= -3.25", "(state.n<=-3.25)"},
		{"3 > state.n", "(state.n<3)"}, // constants go to the right
		{"3 == state.n", "(state.n==3)"},
		{"3 <= state.n", "(state.n>=3)"},
		{"state.n != state.m", "(state.n!=state.m)"},
		{"state.s == 'it is'", "(state.s=='it is')"},
		{`state.s != "x"`, "(state.s!='x')"},
		{"state.s < 'b'", "(state.s<'b')"},
		{"state.flag", "state.flag"},
		{"flag", "state.flag"},
		{"!flag", "!state.flag"},
		{"!!flag", "!!state.flag"},
		{"state.flag == true", "(state.flag==true)"},
		{"state.flag != false", "(state.flag!=false)"},
		{"!(a || flag)", "!((n=='a') || state.flag)"},
		{"a || b-c && flag", "((n=='a') || ((n=='b-c') && state.flag))"},
		{"(a || b-c) && flag", "(((n=='a') || (n=='b-c')) && state.flag)"},
		{"a && !flag || b-c", "(((n=='a') && !state.flag) || (n=='b-c'))"},
		{"outputs.n == 'a'", "(n=='a')"},
		{"outputs.m == 'yes'", "(m?=='yes')"},
		{"outputs.m == null", "(m?==null)"},
		{"null != outputs.m", "(m?!=null)"},
		{"outputs.m == state.s", "(m?==state.s)"},
		{"outputs.n == outputs.m", "(n==m?)"},
		{"state.none == null", "(state.none==null)"},
		{"state.list != null", "(state.list!=null)"},
		{"state.iteration >= 3", "(run.iteration>=3)"},
		{"state.estimated_cost > 1.5", "(run.estimated_cost>1.5)"},
		{"state.current_node == 'n'", "(run.current_node=='n')"},
		{"state.started_at < '2030'", "(run.started_at<'2030')"},
		{"state.nodes_executed != null", "(run.nodes_executed!=null)"},
		{"1 == 1.0", "true"},
		{"1 > 2", "false"},
		{"'a' != 'b'", "true"},
		{"null == null", "true"},
		{"1 == null", "false"},
		{"!(1 > 2)", "!false"},
		{"(a) == true", "(n=='a')"},
		{"a != true", "!(n=='a')"},
		{"a == false", "!(n=='a')"},
		{"a == flag", "(((n=='a') && state.flag) || (!(n=='a') && !state.flag))"},
		{"(state.n > 1) == (state.m > 1)", "(((state.n>1) && (state.m>1)) || (!(state.n>1) && !(state.m>1)))"},
		{"(state.n > 1) != null", "((state.n>1)!=null)"},
	} {
		_, g := good(t, guarded(test.condition))
		if got := show(g.Nodes[0].Out[0].Guard); got != test.want {
			t.Errorf("%s: %s, want %s", test.condition, got, test.want)
		}
	}
}

// A fault in a condition is reported once, at its exact place.
func TestFaultsOfConditions(t *testing.T) {
	for _, test := range []struct {
		condition string
		want      []string // "slug text"
	}{
		{"", []string{"condition-syntax "}},
		{"state.n = 3", []string{"condition-syntax ="}},
		{"state.n === 3", []string{"condition-syntax ==="}},
		{"a & flag | b-c", []string{"condition-syntax &", "condition-syntax |"}},
		{"a and not(flag)", []string{"condition-syntax and", "condition-syntax not"}},
		{"any(a, b-c", []string{"condition-syntax ("}},
		{"(a || b-c", []string{"condition-syntax ("}},
		{"a)", []string{"condition-syntax )"}},
		{"a, b-c", []string{"condition-syntax ,"}},
		{"a && && b-c", []string{"condition-syntax &&"}},
		{"a &&", []string{"condition-syntax &"}},
		{"|| a", []string{"condition-syntax ||"}},
		{"any()", []string{"condition-syntax )"}},
		{"Any(a)", []string{"condition-syntax Any"}},
		{"len(state.list)", []string{"condition-syntax len"}},
		{"0 < state.n < 3", []string{"condition-syntax <"}},
		{"a b-c", []string{"condition-syntax b-c"}},
		{"state.s '==' state.s", []string{"condition-syntax '=='", "condition-syntax state.s"}},
		{"state.n + 1 > 2", []string{"condition-syntax +", "condition-syntax 1"}},
		{"state.n-1 > 2", []string{"condition-syntax state.n-1"}},
		{"state.n.m > 2", []string{"condition-syntax state.n.m"}},
		{"n.a", []string{"condition-syntax n.a"}},
		{"stat.n > 2", []string{"condition-syntax stat.n"}},
		{"state.s == 'x", []string{"condition-syntax '"}},
		{"state.n == 3x", []string{"condition-syntax 3x"}},
		{"state.n > ", []string{"condition-syntax >"}},
		{"state.n == !flag", []string{"condition-syntax !"}},
		{"$a", []string{"condition-syntax $"}},
		{"state.x = 3 && c && state.n ==", []string{"condition-syntax =", "condition-syntax =", "unknown-output c", "unknown-state state.x"}},
		{"c", []string{"unknown-output c"}},
		{"any(a, 'c', d)", []string{"unknown-output 'c'", "unknown-output d"}},
		{"s", []string{"unknown-output s"}}, // a variable, but not true or false
		{"True", []string{"unknown-output True"}},
		{"state.nn > 1 || state.mm > 1", []string{"unknown-state state.mm", "unknown-state state.nn"}},
		{"outputs.x == 'a'", []string{"unknown-node outputs.x"}},
		{"outputs.m == 'maybe'", []string{"unknown-output 'maybe'"}},
		{"'maybe' == outputs.m", []string{"unknown-output 'maybe'"}},
		{"state.current_node == 'x'", []string{"unknown-node 'x'"}},
		{"state.n == 'three'", []string{"condition-type state.n == 'three'"}},
		{"state.n == '3'", []string{"condition-type state.n == '3'"}},
		{"state.s > 3", []string{"condition-type state.s > 3"}},
		{"state.n == state.s", []string{"condition-type state.n == state.s"}},
		{"state.flag > true", []string{"condition-type state.flag > true"}},
		{"state.n > null", []string{"condition-type state.n > null"}},
		{"state.list == 3", []string{"condition-type state.list == 3"}},
		{"state.map == state.map", []string{"condition-type state.map == state.map"}},
		{"state.n", []string{"condition-type state.n"}},
		{"!state.s && state.list", []string{"condition-type state.list", "condition-type state.s"}},
		{"'a' || flag", []string{"condition-type 'a'"}},
		{"outputs.m", []string{"condition-type outputs.m"}},
		{"null", []string{"condition-type null"}},
		{"a == 3", []string{"condition-type a == 3"}},
		{"1 == 'x'", []string{"condition-type 1 == 'x'"}},
		{strings.Repeat("(", 300) + "a" + strings.Repeat(")", 300), []string{"condition-syntax (", "condition-syntax ("}},
		{strings.Repeat("!", 300) + "a", []string{"condition-syntax !"}},
		{strings.Repeat("a || ", 5000) + "a", []string{"condition-syntax a ||"}},
	} {
		p, list := compile(t, project(nil), guarded(test.condition))
		var got []string
		for _, d := range list {
			text, _, _ := strings.Cut(d.Span.Text(), "\n")
			got = append(got, d.Code.Slug+" "+strings.ReplaceAll(text, "''", "'"))
		}
		slices.Sort(got)
		want := slices.Clone(test.want)
		if len(test.condition) > 100 {
			if len(got) == 0 || !strings.HasPrefix(got[0], want[0][:12]) {
				t.Errorf("%.20s…: %q", test.condition, got)
			}
		} else if !slices.Equal(got, want) && !(test.condition == "" && len(got) == 1) {
			t.Errorf("%s: %q, want %q", test.condition, got, want)
		}
		if guard := show(p.Workflow.Body.(*ir.Graph).Nodes[0].Out[0].Guard); guard != "bad" {
			t.Errorf("%.40s: the guard is %s", test.condition, guard)
		}
	}
}

// Outputs have names on edges only.
func TestConditionsElsewhere(t *testing.T) {
	yaml := nodes(`  n: {type: decision, condition: "done", outputs: [pass, fail]}
`) + `edges:
  - {from: START, to: n, condition: "pass"}
  - {from: n, to: END}
interrupts:
  - {after: n, condition: "pass || outputs.n == 'fail'", prompt: Go on?}
completion:
  - pass
  - "state.x && outputs.n == 'pass'"
`
	_, list := compile(t, project(nil), yaml)
	want := []string{
		"error unknown-output done", "error unknown-output pass", "error unknown-output pass", "error unknown-output pass", "error unknown-state state.x",
	}
	if got := findings(list); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A condition must be a text to all readers of YAML.
func TestQuotingOfConditions(t *testing.T) {
	for _, test := range []struct{ written, want string }{
		{`"yes"`, ""}, {"'no'", ""}, {"|\n      yes", ""}, {">-\n      no", ""},
		{"yes", "error condition-not-text"}, {"NO", "error condition-not-text"}, {"on", "error condition-not-text"}, {"y", "error condition-not-text"},
		{"true", "error condition-not-text"}, {"null", "error condition-not-text"}, {"~", "error condition-not-text"}, {"", "error condition-not-text"},
		{"1", "error condition-not-text"}, {"!state.x", "error condition-not-text"}, {"[yes]", "error condition-not-text"}, {"{a: b}", "error condition-not-text"},
		{"maybe", "warning unquoted-condition"}, {"any(yes, no)", "warning unquoted-condition"},
	} {
		yaml := nodes("  n: {type: human, prompt: p, outputs: [yes, no, maybe, on, y]}\n") +
			"edges:\n  - {from: START, to: n}\n  - from: n\n    to: END\n    condition: " + test.written + "\n  - {from: n, to: n}\n"
		_, list := compile(t, project(nil), yaml)
		got := ""
		for _, d := range list {
			got += d.Severity.String() + " " + d.Code.Slug
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.written, got, test.want)
		}
	}
}

// Putting quotes around a condition changes nothing but the warning.
func TestQuotingFix(t *testing.T) {
	for _, written := range []string{"a", "any(a, 'b')", `state.s == "x"`, `state.s == 'a\b'`} {
		yaml := "state: {variables: {s: ''}}\n" + nodes("  n: {type: task, agent: self, prompt: p, outputs: [a, b]}\n") +
			"edges:\n  - {from: START, to: n}\n  - from: n\n    to: END\n    condition: " + written + "\n  - {from: n, to: n}\n"
		p, list := compile(t, project(nil), yaml)
		if len(list) != 1 || len(list[0].Fixes) != 1 || !list[0].Fixes[0].Safe {
			t.Fatalf("%s: %q", written, findings(list))
		}
		edit := list[0].Fixes[0].Edits[0]
		fixed := yaml[:edit.Span.Start] + edit.New + yaml[edit.Span.End:]
		q, list := compile(t, project(nil), fixed)
		if len(list) > 0 {
			t.Errorf("%s: %q\n%s", written, findings(list), fixed)
			continue
		}
		guard := func(p *ir.Program) string { return show(p.Workflow.Body.(*ir.Graph).Nodes[0].Out[0].Guard) }
		if guard(p) != guard(q) {
			t.Errorf("%s became %s", guard(p), guard(q))
		}
	}
}

// A bare name compared with a string is no string in quotes: the result would never hold. If the
// string is an output of the node, the output alone is meant.
func TestNameComparedWithString(t *testing.T) {
	for text, want := range map[string]string{"done": "done", "a": "a", "other": ""} {
		yaml := nodes("  n: {type: task, agent: self, prompt: p, outputs: [done, a]}\n") +
			"edges:\n  - {from: START, to: n}\n  - {from: n, to: END, condition: \"output == '" + text + "'\"}\n  - {from: n, to: n}\n"
		_, list := compile(t, project(nil), yaml)
		if len(list) != 1 || len(list[0].Fixes) != min(len(want), 1) {
			t.Fatalf("%s: %q", text, findings(list))
		}
		if want == "" {
			continue
		}
		edit := list[0].Fixes[0].Edits[0]
		fixed := yaml[:edit.Span.Start] + edit.New + yaml[edit.Span.End:]
		if _, list := compile(t, project(nil), fixed); len(list) > 0 || !strings.Contains(fixed, `condition: "`+want+`"`) {
			t.Errorf("%q\n%s", findings(list), fixed)
		}
	}
}

// Places are exact through YAML's quotes and lines.
func TestPlacesInConditions(t *testing.T) {
	yaml := nodes("  n: {type: task, agent: self, prompt: p, outputs: [a, b]}\n") +
		"edges:\n  - {from: START, to: n}\n  - from: n\n    to: END\n    condition: \"a &&\\x20('q' == outputs.n)\"\n  - from: n\n    to: n\n    condition: >-\n      b ||\n      state.oops\n"
	_, list := compile(t, project(nil), yaml)
	got := findings(list)
	if want := []string{"error unknown-output 'q'", "error unknown-state state.oops"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func FuzzCondition(f *testing.F) {
	for _, seed := range []string{"a", "any(a, 'b-c') && state.n < 3", "!(flag || outputs.m == 'yes')", "'a", "((((", "state.n = 3 and x", "a,,b)", "any(", "1 < 2 < 3", "\x00é", "not(a)", "all(\"a\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, condition string) {
		if strings.ContainsAny(condition, "\r\n\u0085\u2028\u2029\ufeff") || strings.TrimFunc(condition, func(r rune) bool { return r >= ' ' && r < 0x7f || r >= 0xa0 && r < 0xd800 }) != "" {
			t.Skip("YAML folds or refuses it")
		}
		p, list := compile(t, project(nil), guarded(condition))
		if p == nil {
			t.Skip("not YAML")
		}
		guard := p.Workflow.Body.(*ir.Graph).Nodes[0].Out[0].Guard
		if _, bad := guard.(*expr.Bad); bad != diag.HasErrors(list) {
			t.Errorf("%q: the guard is %s, with %q", condition, show(guard), findings(list))
		}
		for _, d := range list {
			if at := d.Span; !at.IsValid() || at.Start > at.End {
				t.Errorf("%q: %s has no place", condition, d.Message)
			}
		}
	})
}
