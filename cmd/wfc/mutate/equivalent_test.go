package mutate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
)

// A mutant with a proof is not made; one that differs in what makes the proof wrong is.
func TestEquivalentMutants(t *testing.T) {
	const graph = "workflow: w\nnodes:\n  a: {type: task, agent: self, prompt: p, outputs: [\"x\", \"y\"]}\nedges:\n  - {from: START, to: a}\n"
	for _, tt := range []struct{ name, dialect, text, proof, class string }{
		{"a condition on an accepted output", "xprompt", "steps:\n  - {name: plan, prompt: p, hitl: true}\n  - {name: go, if: \"{{ plan.approved }}\", bash: print}\n",
			"only an accepted output of `plan` lets the run continue", "guard"},
		{"a condition of finally on an accepted output", "xprompt", "steps:\n  - {name: plan, prompt: p, hitl: true}\n  - {name: go, finally: true, if: \"{{ plan.approved }}\", bash: print}\n",
			"", "guard"},
		{"a limit that no run reaches", "graphloop", graph + "  - {from: a, to: END}\nlimits: {max_iterations: 9}\n", "no run ends more than one node", "limit"},
		{"a limit of a loop", "graphloop", graph + "  - {from: a, to: a, condition: \"x\"}\n  - {from: a, to: END, condition: \"y\"}\nlimits: {max_iterations: 9}\n", "", "limit"},
		{"a dependency whose output the node reads", "archon", "name: w\ndescription: d\nnodes:\n  - {id: a, bash: ./a}\n  - {id: b, depends_on: [a], trigger_rule: all_done, bash: 'echo $a.output'}\n",
			"the node reads the output, so it still waits; the trigger rule decides the same", "dependency"},
		{"a dependency that only orders", "archon", "name: w\ndescription: d\nnodes:\n  - {id: a, bash: ./a}\n  - {id: b, depends_on: [a], trigger_rule: all_done, bash: ./b}\n", "", "dependency"},
		{"a dependency that may fail", "archon", "name: w\ndescription: d\nnodes:\n  - {id: a, bash: ./a}\n  - {id: b, depends_on: [a], bash: 'echo $a.output'}\n", "", "dependency"},
	} {
		p, set := mutantsOf("w.yaml", []byte(tt.text), compiler.Options{Dialect: tt.dialect})
		if p == nil {
			t.Fatalf("%s: the workflow has errors", tt.name)
		}
		var proofs, made []string
		for _, n := range set.NotMade {
			if n.Class == tt.class && n.Text != "" && !slices.Contains(proofs, n.Text) {
				proofs = append(proofs, n.Text)
			}
		}
		for _, m := range set.Mutants {
			if m.Class == tt.class {
				made = append(made, m.Text)
			}
		}
		if got := strings.Join(proofs, "; "); got != tt.proof || (len(made) == 0) != (tt.proof != "") {
			t.Errorf("%s: %q, want %q; made %q", tt.name, got, tt.proof, made)
		}
	}
}
