package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// Nodes and variables may have the names that the code of graphs uses itself.
func TestGraphNames(t *testing.T) {
	ids := strings.Fields("type in run walk node visit step edge info nodes inputs r o state labels start func main init error string time flow graph reply work value completion at interrupt Walk State Keep append")
	var b strings.Builder
	b.WriteString("workflow: names\nversion: \"1.0\"\nstate:\n  variables:\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "    %s: \"\"\n", id)
	}
	b.WriteString("nodes:\n")
	for _, id := range ids {
		fmt.Fprintf(&b, "  %s:\n    type: task\n    agent: self\n    prompt: \"Do (reference state.%[1]s)\"\n    outputs: [done, again]\n    on_output:\n      done:\n        set:\n          %[1]s: output\n", id)
	}
	fmt.Fprintf(&b, "edges:\n  - {from: START, to: %s}\n", ids[0])
	for i, id := range ids {
		next := append(ids, "END")[i+1]
		fmt.Fprintf(&b, "  - {from: %s, to: %s, condition: \"done\"}\n  - {from: %[1]s, to: %[1]s, condition: \"again\"}\n", id, next)
	}
	b.WriteString("interrupts:\n  - before: state\n    prompt: \"go (reference state.in)?\"\nlimits:\n  max_iterations: 99\n")
	check := testkit.TypeChecker(t)
	for _, directives := range []bool{false, true} {
		check("names", gen.Generate(compile("names.yaml", b.String(), nil), gen.Options{LineDirectives: directives})[0])
	}
}
