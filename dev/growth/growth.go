// Package growth has files whose check must be linear in their size: each grows
// with a number, and for each a quadratic check existed or is likely.
//
// The tests of this package count the cost of checking them; dev/bench times
// the largest of them.
package growth

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// A Shape is a kind of file that grows.
type Shape struct {
	Name string
	// Largest is the number of the largest file that is checked, and Refused says
	// that wfc refuses it for its size.
	Largest int
	Refused bool
	// Make returns the file of a number.
	Make func(n int) string
}

const head = "name: w\ndescription: d\nnodes:\n"

// when returns a workflow with a condition.
func when(condition string) string {
	return head + "  - {id: a, bash: echo}\n  - id: b\n    bash: echo\n    depends_on: [a]\n    when: \"" + condition + "\"\n"
}

// prompts returns a workflow with a prompt of the format with templates.
func prompts(prompt string) string {
	return "name: w\nsteps:\n  - name: a\n    prompt: |\n      " + prompt + "\n"
}

// repeated joins the results of a function for each number below n.
func repeated(n int, each func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(each(i))
	}
	return b.String()
}

func numbered(format string) func(i int) string {
	return func(i int) string { return strings.ReplaceAll(format, "%d", fmt.Sprint(i)) }
}

// Shapes are all shapes.
var Shapes = []Shape{
	{"negations in a condition", 200_000, false, func(n int) string { return when(strings.Repeat("!", n) + "$a.output == 'x'") }},
	{"parentheses in a condition", 200_000, false, func(n int) string { return when(strings.Repeat("(", n) + "$a.output == 'x'") }},
	{"quotes in a condition", 200_000, false, func(n int) string { return when("$a.output == " + strings.Repeat("'", n)) }},
	{"comparisons in a condition", 20_000, false, func(n int) string { return when(strings.Repeat("$a.output == 'x' && ", n) + "$a.output == 'x'") }},
	{"unclosed {{if}}", 20_000, false, func(n int) string {
		return "name: w\nsteps:\n  - id: a\n    agent: x\n    prompt: |\n      " + strings.Repeat("{{if}} ", n) + "\n"
	}},
	{"nested {{if 1}}", 20_000, false, func(n int) string {
		return "name: w\nsteps:\n  - id: a\n    agent: x\n    prompt: |\n      " + strings.Repeat("{{if 1}} ", n) + strings.Repeat("{{end}} ", n) + "\n"
	}},
	{"values in a script", 20_000, false, func(n int) string {
		return head + "  - {id: a, bash: echo}\n  - id: b\n    depends_on: [a]\n    runtime: uv\n    script: |\n      " + strings.Repeat("'$a.output' ", n) + "\n"
	}},
	{"items of items on one line", 20_000, false, func(n int) string { return head + strings.Repeat("  - - ", n) + "\t" }},
	{"unclosed {% if %}", 20_000, false, func(n int) string { return prompts(strings.Repeat("{% if x %} ", n)) }},
	{"nested {% for %}", 5_000, false, func(n int) string {
		return prompts(strings.Repeat("{% for x in y %} ", n) + strings.Repeat("{% endfor %}", n))
	}},
	{"unclosed {{", 50_000, false, func(n int) string { return prompts(strings.Repeat("{{ ", n)) }},
	{"ignore comments", 40_000, false, func(n int) string {
		return head + "  - id: a\n    bash: echo\n" + strings.Repeat("# wfc:ignore[WFC804] x\n", n)
	}},
	{"values of an enum", 100_000, false, func(n int) string {
		return head + "  - id: a\n    prompt: x\n    output_format: {type: object, properties: {k: {enum: [" + repeated(n, numbered("v%d, ")) + "z]}}, required: [k]}\n" +
			"  - id: b\n    depends_on: [a]\n    when: $a.output.k == 'v7'\n    bash: echo\n"
	}},
	{"unknown dependencies of a node", 100_000, false, func(n int) string {
		return head + "  - id: a\n    bash: echo\n    depends_on: [" + repeated(n, numbered("x%d, ")) + "z]\n"
	}},
	{"nodes with unknown dependencies", 20_000, false, func(n int) string {
		return head + repeated(n, numbered("  - id: n%d\n    bash: echo\n    depends_on: [x%d]\n"))
	}},
	{"findings on one line", 20_000, false, func(n int) string {
		return head + "  - {id: a, bash: echo, depends_on: [" + repeated(n, numbered("q%d, ")) + "z]}\n"
	}},
	{"unknown keys", 1_000_000, true, func(n int) string {
		return head + "  - id: a\n    bash: echo\n" + repeated(n, numbered("    k%d: x\n"))
	}},
	{"repeated keys", 50_000, false, func(n int) string {
		return head + "  - id: a\n    bash: echo\n" + strings.Repeat("    timeout: 5\n", n)
	}},
	{"nodes of one id", 20_000, false, func(n int) string { return head + strings.Repeat("  - id: a\n    bash: echo\n", n) }},
	{"unknown references in a prompt", 40_000, false, func(n int) string {
		return head + "  - id: a\n    bash: echo\n  - id: b\n    prompt: |\n      " + repeated(n, numbered("$x%d.output ")) + "\n"
	}},
	{"references of another format in a prompt", 20_000, false, func(n int) string {
		return head + "  - {id: a, bash: echo}\n  - id: b\n    depends_on: [a]\n    prompt: |\n      " + strings.Repeat("{{ a.output }} $a.output `x` ", n) + "\n"
	}},
	{"backticks in a prompt", 100_000, false, func(n int) string {
		return head + "  - {id: a, bash: echo}\n  - id: b\n    depends_on: [a]\n    prompt: \"" + strings.Repeat("` ", n) + "$a.output\"\n"
	}},
	{"edges with unknown outputs", 10_000, false, func(n int) string {
		return "name: w\nstart: a\nnodes:\n  a: {type: task, agent: self, prompt: x, outputs: [done]}\nedges:\n" + repeated(n, numbered("  - {from: a, to: END, when: \"zz%d == 1\"}\n"))
	}},
	{"here-documents", 10_000, false, func(n int) string {
		return head + "  - id: a\n    bash: |\n" + repeated(n, numbered("      cat <<E%d\n      x\n      E%d\n"))
	}},
	{"variables with values", 10_000, false, func(n int) string {
		return head + "  - {id: a, bash: echo}\n  - id: b\n    depends_on: [a]\n    bash: |\n" + repeated(n, numbered("      x%d=$a.output; echo \"$x%d\"\n"))
	}},
}

// KeepAllocated writes the bytes that this process has allocated so far to the file that the
// environment variable ALLOCATED names, if there is one.
func KeepAllocated() error {
	path := os.Getenv("ALLOCATED")
	if path == "" {
		return nil
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return os.WriteFile(path, []byte(strconv.FormatUint(memory.TotalAlloc, 10)), 0o600)
}
