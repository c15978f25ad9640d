package graphloop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// stateful is a workflow with variables, handlers of a task's outputs a and b,
// and the condition of the edge that leaves it.
func stateful(variables, handlers, condition string) string {
	if condition == "" {
		condition = "a"
	}
	return "state: {variables: {" + variables + "}}\n" +
		nodes("  n: {type: task, agent: self, prompt: p, outputs: [a, b], on_output: {"+handlers+"}}\n") +
		"edges:\n  - {from: START, to: n}\n  - {from: n, to: END, condition: \"" + condition + "\"}\n  - {from: n, to: n}\n"
}

// A variable has the type of its first value, of its assignments, and of its
// comparisons.
func TestTypesOfState(t *testing.T) {
	for _, test := range []struct{ variables, handlers, condition, want string }{
		{"x: 0", "", "", "x int = 0"},
		{"x: 0x10", "", "", "x int = 16"},
		{"x: 0.5", "", "", "x float = 0.5"},
		{"x: 9007199254740993", "", "", "x float = 9007199254740993"},
		{"x: yes", "", "", "x text = 'yes'"},
		{"x: '5'", "", "", "x text = '5'"},
		{"x: true", "", "", "x bool = true"},
		{"x: []", "", "", "x list of any = []"},
		{"x: [1, 2]", "", "", "x list of int = [1,2]"},
		{"x: [1, two]", "", "", `x list of any = [1,"two"]`},
		{"x: [[a], [b]]", "", "", `x list of list of text = [["a"],["b"]]`},
		{"x: {b: 1, a: [2]}", "", "", `x any = {"b":1,"a":[2]}`},
		{"x: ~", "", "", "x any or null"},
		{"x: ", "", "", "x any or null"},
		{"x: 0", "a: {set: {x: 2.5}}", "", "x float = 0"},
		{"x: 0", "a: {set: {x: ~}}", "", "x int or null = 0"},
		{"x: 0", "", "state.x < 1.5", "x float = 0"},
		{"x: 0", "", "state.x < 1", "x int = 0"},
		{"x: ~", "a: {set: {x: 2}}", "", "x int or null"},
		{"x: ~", "", "state.x", "x bool or null"},
		{"x: ~", "", "!state.x || a", "x bool or null"},
		{"x: ~", "", "state.x == 'ready'", "x text or null"},
		{"x: ~", "", "state.x == outputs.n", "x text or null"},
		{"x: ~", "", "state.x > state.iteration", "x int or null"},
		{"x: ~, y: 1", "", "state.x > state.y", "x int or null; y int = 1"},
		{"x: ~, y: ~", "a: {set: {y: 1.5}}", "state.x > state.y", "x float or null; y float or null"},
		{"x: 1, y: 0", "a: {set: {y: 0.5}}", "state.x > state.y", "x float = 1; y float = 0"},
		{"x: []", "a: {append: {x: one}}", "", "x list of text = []"},
		{"x: []", "a: {append: {x: output}}", "", "x list of text = []"},
		{"x: []", "a: {append: {x: [1]}}, b: {append: {x: [2]}}", "", "x list of list of int = []"},
		{"x: [1]", "a: {append: {x: ~}}", "", "x list of any = [1]"},
		{"x: ''", "a: {set: {x: output}}", "", "x text = ''"},
	} {
		_, g := good(t, stateful(test.variables, test.handlers, test.condition))
		if got := dumpState(g); got != test.want {
			t.Errorf("%s, %s, %s: %s, want %s", test.variables, test.handlers, test.condition, got, test.want)
		}
	}
}

// A contradiction is reported with the place that determined the type, and so are
// variables that nobody declares.
func TestFaultsOfState(t *testing.T) {
	for _, test := range []struct {
		variables, handlers, condition, state string
		want                                  []string // "severity slug text < related"
	}{
		{"x: 0", "a: {set: {x: three}}", "", "x int = 0", []string{"error assigned-type three < 0"}},
		{"x: 0", "a: {set: {x: state.x + 1}}", "", "x int = 0", []string{"error assigned-type state.x + 1 < 0"}},
		{"x: 0", "a: {set: {x: [1]}}", "", "x int = 0", []string{"error assigned-type [1] < 0"}},
		{"x: [a]", "a: {append: {x: 1}}", "", `x list of text = ["a"]`, []string{"error assigned-type 1 < a"}},
		{"x: a", "a: {append: {x: b}}", "", "x text = 'a'", []string{"error assigned-type x < a"}},
		{"x: [a]", "a: {set: {x: output}}", "", `x list of text = ["a"]`, []string{"error assigned-type output < [a]"}},
		{"x: 0", "a: {set: {x: output}}", "", "x float = 0", []string{"warning converted-text x < 0"}},
		{"x: true", "a: {set: {x: output}}", "", "x bool = true", []string{"warning converted-text x < true"}},
		{"x: [1]", "a: {append: {x: output}}", "", "x list of float = [1]", []string{"warning converted-text x < 1"}},
		{"x: ''", "a: {set: {x: 'output'}}", "", "x text = ''", []string{"note quoted-output 'output'"}},
		{"x: 1, y: 0", "a: {set: {y: output}}", "state.x > state.y", "x float = 1; y float = 0", []string{"warning converted-text y < 1"}},
		{"x: 0", "a: {set: {y: 1}}, b: {set: {y: 2}}", "", "x int = 0; y int or null (undeclared)", []string{"warning undeclared-state y"}},
		{"x: 0", "a: {set: {y: output}}", "state.y >= 8", "x int = 0; y float or null (undeclared)", []string{"warning converted-text y < state.y", "warning undeclared-state y"}},
		{"x: 0", "a: {append: {y: 1}}", "", "x int = 0; y list of int or null (undeclared)", []string{"warning undeclared-state y"}},
		{"x: 0", "a: {set: {y: true}}", "y", "x int = 0; y bool or null (undeclared)", []string{"error unknown-output y", "warning undeclared-state y"}},
		{"x: 0", "a: {set: {y: 1}}", "state.y == 'one'", "x int = 0; y int or null (undeclared)", []string{"error condition-type state.y == 'one' < 1", "warning undeclared-state y"}},
		{"x: ~", "", "state.x == 'a' && state.x > 3", "x text or null", []string{"error condition-type state.x > 3 < state.x"}},
	} {
		p, list := compile(t, project(nil), stateful(test.variables, test.handlers, test.condition))
		var got []string
		for i, s := range findings(list) {
			for _, r := range list[i].Related {
				s += " < " + r.Span.Text()
			}
			got = append(got, s)
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s, %s, %s:\n got %q\nwant %q", test.variables, test.handlers, test.condition, got, test.want)
		}
		if got := dumpState(graphOf(p)); got != test.state {
			t.Errorf("%s, %s, %s: %s, want %s", test.variables, test.handlers, test.condition, got, test.state)
		}
	}
}

// A bare variable that may have no value is compared, so that it decides even
// then.
func TestVariablesWithoutValue(t *testing.T) {
	_, g := good(t, stateful("x: ~", "a: {set: {x: true}}", "state.x || !state.x"))
	if got := show(g.Nodes[0].Out[0].Guard); got != "((state.x==true) || !(state.x==true))" {
		t.Error(got)
	}
}

// Values that the user provides are inputs; their declared values are the defaults.
func TestInputs(t *testing.T) {
	w, g := good(t, `workflow: w
state:
  variables:
    tries: 3
    plain: 1
nodes:
  n:
    type: task
    agent: bash
    command: deploy "(user provides via state.version)" (reference state.tries)
    outputs: [a]
    on_output: {a: {set: {version: done}}}
  m:
    type: human
    prompt: |
      Up to (User  provides via
      state.tries) times, (reference state.version)?
    outputs: [a]
edges:
  - {from: START, to: n}
  - {from: n, to: m}
  - {from: m, to: END, condition: "state.level > 2"}
interrupts:
  - {before: m, prompt: "Level (user provides via state.level)"}
`)
	var got []string
	for _, in := range w.Inputs {
		got = append(got, fmt.Sprintf("%s %s default %s", in.Name, in.Type, show(in.Default)))
	}
	want := []string{"tries float default 3", "version text default always", "level float default always"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got, want := dumpState(g), "tries float = input.tries; plain int = 1; version text = input.version (undeclared); level float = input.level (undeclared)"; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := dump(g.Nodes[0]), `n bash "deploy \"${state_version}\" \"${state_tries}\"" state_version=input.version state_tries=state.tries -> a within 10m0s on a: version='done'`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := dumpText(g.Interrupts[0].Message); got != `"Level {input.level}"` {
		t.Error(got)
	}
	if !strings.Contains(dump(g.Nodes[1]), `"Up to {input.tries} times, {state.version}?\n"`) {
		t.Error(dump(g.Nodes[1]))
	}
}
