package jinjatest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// condition draws a condition about two outputs: one of any form, and one with a schema.
func (w *writer) condition(depth int) string {
	constants := []string{"'a'", "''", "'1'", "'false'", "1", "0", "1.0", "0.0", "true", "none"}
	if depth > 0 {
		x, y := w.condition(depth-1), w.condition(depth-1)
		return w.pick("("+x+" and "+y+")", "("+x+" or "+y+")", "("+x+" or "+y+")", "(not "+x+")", "("+x+" if "+y+")")
	}
	x, c := w.pick("any.x", "any.x", "any.x", "set.b", "set.v", "set.k"), w.pick(constants...)
	return w.pick(x, x+" == "+c, x+" != "+c, c+" == "+x, x+" in ["+c+", "+w.pick(constants...)+"]", x+" is none", x+" is not defined", c+" == "+x+" != "+w.pick(constants...),
		x+" == any.y", "(any.x | string) == "+c, c)
}

// every is a template with one line for each of many values of both outputs: the texts
// that conditions have with them.
func every(conditions []string) string {
	var list []string
	values := []string{"'a'", "'b'", "''", "'1'", "'false'", "' '", "1", "0", "2", "1.0", "0.0", "true", "false", "none", "[]", "{}", "()"}
	for i, x := range values {
		for j, y := range []string{"'a'", "0", "1.0", values[(i*5+3)%len(values)], x} {
			list = append(list, fmt.Sprintf("({'x': %s, 'y': %s}, {'b': %t, 'v': %s, 'k': '%c'})", x, y, (i+j)%2 == 0, values[(i+j)%6], "ab"[(i/2+j)%2]))
		}
	}
	return "{% for any, set in [" + strings.Join(list, ", ") + "] %}{{ " + strings.Join(conditions, " }}|{{ ") + " }}\n{% endfor %}"
}

// TestConstantConditions draws conditions. If the compiler says that one has the same
// result in every run, Jinja2 gives that result for all values.
func TestConstantConditions(t *testing.T) {
	interpreter := python(t)
	var conditions []string
	rapid.Check(t, func(t *rapid.T) {
		for range 3 * rounds {
			w := &writer{t: t}
			conditions = append(conditions, w.condition((w.number(4)+2)/3))
		}
	})
	claims := constantOnes(conditions)
	texts := slices.Sorted(maps.Keys(claims))
	answer := render(t, interpreter, []string{every(texts)})[0]
	if answer[0] != "" {
		t.Fatal(answer[0], answer[1])
	}
	for line := range strings.Lines(answer[1]) {
		for i, text := range strings.Split(line, "|") {
			if always := claims[texts[i]]; expr.IsFalseText(text) == always {
				t.Errorf("%s is said to be always %t, but gives %q", texts[i], always, text)
			}
		}
	}
	t.Logf("%d conditions, %d of them constant", len(conditions), len(texts))
	if len(texts) < len(conditions)/40 {
		t.Error("too few conditions are constant")
	}
}

// constantOnes returns the conditions that the compiler reports as constant, with their
// results.
func constantOnes(conditions []string) map[string]bool {
	var b strings.Builder
	b.WriteString("name: w\nsteps:\n  - name: any\n    bash: ls\n  - name: set\n    bash: ls\n    output: {type: json_schema, schema: {type: object, " +
		"required: [b, v, k], properties: {b: {type: boolean}, v: {type: string}, k: {type: string, enum: [a, b]}}}}\n")
	first := strings.Count(b.String(), "\n")
	for i, text := range conditions {
		fmt.Fprintf(&b, "  - {name: s%d, bash: ls, if: \"{{ %s }}\"}\n", i, text)
	}
	r := compiler.Compile(source.NewFile("w.yml", []byte(b.String())), compiler.Options{Path: "/p/w.yml", Files: testkit.Memory{}, Root: "/p"})
	found := map[string]bool{}
	for _, d := range r.Diagnostics {
		whole := strings.HasPrefix(d.Span.Text(), `"`) // not a condition within one
		if whole && d.Code == codes.ConstantCondition {
			found[conditions[d.Span.Position().Line-1-first]] = strings.Contains(d.Message, "always true")
		}
	}
	return found
}
