package xprompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// readAll is a workflow whose only step reads the inputs of the names.
func readAll(input string, names ...string) string {
	yaml := "input: " + input + "\nsteps:\n  - name: s\n    bash: |\n      echo hi\n"
	for _, n := range names {
		yaml += "      echo \"{{ " + n + " }}\"\n"
	}
	return yaml
}

// shown is an input in words.
func shown(in *ir.Input) string {
	s := fmt.Sprintf("%d %s %s", in.Position, in.Name, in.Type)
	if lit, ok := in.Default.(*expr.Literal); ok {
		s += fmt.Sprintf(" = %q %s", lit.Text, lit.Typ)
	}
	if in.Replaces != "" {
		s += " for " + in.Replaces
	}
	return s
}

func TestInputs(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		want       []string
	}{
		{"long", readAll("[{name: a, type: path}, {name: n, type: int, default: 3}, {name: t, type: text, default: ''}]", "a", "n", "t"),
			[]string{"1 a path", `2 n int = "3" int`, `3 t text = "" text`}},
		{"short", readAll("{a: word, b: {type: line, default: x y}, c: }", "a", "b", "c"), []string{"1 a word", `2 b line = "x y" line`, "3 c line"}},
		{"names of types", readAll("{a: Integer, b: BOOLEAN, c: float, d: ' int '}", "a", "b", "c", "d"), []string{"1 a int", "2 b bool", "3 c float", "4 d int"}},
		{"numbers as Python reads them", readAll("{a: {type: int, default: '1_000'}, b: {type: int, default: '+07'}, c: {type: float, default: 1e3}}", "a", "b", "c"),
			[]string{`1 a int = "1000" int`, `2 b int = "7" int`, `3 c float = "1000" float`}},
		{"booleans", readAll("{a: {type: bool, default: yes}, b: {type: bool, default: Off}, c: {type: bool, default: 1}, d: {type: bool, default: false}}", "a", "b", "c", "d"),
			[]string{`1 a bool = "true" bool`, `2 b bool = "false" bool`, `3 c bool = "true" bool`, `4 d bool = "false" bool`}},
		{"optional", readAll("{a: {type: int, default: null}}", "a"), []string{`1 a int or null = "null" null`}},
		{"a list is text", readAll("{a: {type: text, default: [1, x]}}", "a"), []string{`1 a text = "[1,\"x\"]" text`}},
		{"outputs of steps", "input: {a: word}\nsteps:\n  - {name: s, bash: 'echo n={{ a }}', output: {n: int}}\n  - {name: a, bash: echo x=1, output: {x: int}}\n",
			[]string{"1 a word", `2 s any = "null" null for s`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, _ := good(t, test.yaml)
			var got []string
			for _, in := range w.Inputs {
				got = append(got, shown(in))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// One name is one input: of the steps of a name the last one can be replaced.
func TestInputsOfStepsOfOneName(t *testing.T) {
	p, _ := compile(t, project(nil), steps("  - {name: s, bash: ls, output: {a: int}}\n  - {name: s, bash: ls, output: {a: int}}\n"))
	if list := p.Workflow.Inputs; len(list) != 1 || shown(list[0]) != `1 s any = "null" null for s_2` {
		t.Errorf("%d inputs", len(list))
	}
}

func TestWrongInputs(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		want       []string
	}{
		{"a text", "input: a\n" + steps("  - bash: ls\n"), []string{"error wrong-value a"}},
		{"no name", "input: [{type: int}]\n" + steps("  - bash: ls\n"), []string{"error missing-key type"}},
		{"twice", "input: [{name: a}, {name: a}]\n" + steps("  - bash: 'echo {{ a }}'\n"), []string{"error duplicate-key a"}},
		{"unknown type", readAll("{a: itn}", "a"), []string{"error unknown-value itn"}},
		{"string", readAll("{a: string}", "a"), []string{"warning unknown-value string"}},
		{"no int", readAll("{a: {type: int, default: 1.5}}", "a"), []string{"error wrong-value 1.5"}},
		{"no bool", readAll("{a: {type: bool, default: maybe}}", "a"), []string{"error wrong-value maybe"}},
		{"no float", readAll("{a: {type: float, default: nan}}", "a"), []string{"error wrong-value nan"}},
		{"no word", readAll("{a: {type: word, default: x y}}", "a"), []string{"error wrong-value x y"}},
		{"no line", readAll(`{a: {type: line, default: "x\ny"}}`, "a"), []string{`error wrong-value "x\ny"`}},
		{"a list is no int", readAll("{a: {type: int, default: [1]}}", "a"), []string{"error wrong-value [1]"}},
		{"unknown key", readAll("{a: {type: int, defualt: 1}}", "a"), []string{"error wrong-key defualt"}},
		{"unused", readAll("{a: int}"), []string{"warning unused-value a"}},
		{"used in a statement only", "input: {a: bool}\n" + steps("  - bash: 'echo {% if a %}x{% endif %}'\n"), nil},
		{"used in a condition only", "input: {a: bool}\n" + steps("  - {bash: ls, if: '{{ not a }}'}\n"), nil},
		{"named item", "input: {item: word}\n" + steps("  - bash: 'echo {{ item }}'\n"), nil},
		{"a hyphen", "input: {a-b: word}\n" + steps("  - bash: ls\n"), []string{"warning unreadable-name a-b", "warning unused-value a-b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, list := compile(t, project(nil), test.yaml)
			if got := findings(list); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q\n%s\n%s", got, test.want, messages(list), test.yaml)
			}
		})
	}
}
