package mutate_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A node that runs a workflow for each item of a constant list always completes if its output
// takes failed runs: no trigger rule behind it decides differently.
func TestRulesBehindRunsForItems(t *testing.T) {
	files := testkit.Memory{"/project/.archon/workflows/child.yaml": "name: child\ndescription: d\nmutates_checkout: false\nnodes:\n  - {id: a, bash: ./a}\n"}
	for _, tt := range []struct {
		name, more string
		mutants    bool
	}{
		{"a constant list", `fan_out: {items: '["a", "b"]', join: all_done}`, false},
		{"all runs must succeed", `fan_out: {items: '["a", "b"]', join: all_success}`, true},
		{"a list of another node", `fan_out: {items: $list.output, join: all_done}`, true},
		{"one run", ``, true},
	} {
		text := "name: w\ndescription: d\nnodes:\n  - {id: list, bash: ./list}\n  - id: spread\n    depends_on: [list]\n    trigger_rule: all_done\n    workflow: child\n    " +
			tt.more + "\n  - {id: last, depends_on: [spread], bash: 'echo $spread.output'}\n"
		p, set := mutantsOf("/project/w.yaml", []byte(text), compiler.Options{Path: "/project/w.yaml", Root: "/project", Files: files})
		if p == nil {
			t.Fatalf("%s: the workflow has errors", tt.name)
		}
		var got []string
		for _, m := range set.Mutants {
			if m.Node == "last" && m.Class != "binding" {
				got = append(got, m.Text)
			}
		}
		if (len(got) > 0) != tt.mutants {
			t.Errorf("%s: %s", tt.name, strings.Join(got, "; "))
		}
	}
}
