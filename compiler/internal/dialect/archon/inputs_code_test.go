package archon_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// The environment variables of inputs are as little code as the inputs themselves, unless
// the author or the type decides their values.
func TestVariablesOfInputsAsCode(t *testing.T) {
	const declared = "inputs: {topic: {required: true}, text: {default: a}, list: {default: []}, n: {default: 3}, on: {default: false}}\n"
	block := func(with string) string {
		return "  - {id: o, bash: echo}\n  - {id: i, include: kid, depends_on: [o], with: {" + with + "}}\n"
	}
	for _, test := range []struct {
		name, nodes string
		// kid is the body of the node in an included file, or "".
		kid  string
		want string
	}{
		{"bash", `  - {id: a, bash: 'eval "$INPUTS_TOPIC"'}` + "\n", "", "shell-value-as-code"},
		{"bash, with a default", `  - {id: a, bash: 'bash -c "$INPUTS_TEXT"'}` + "\n", "", "shell-value-as-code"},
		{"bash, a list", `  - {id: a, bash: 'eval "$INPUTS_LIST"'}` + "\n", "", "shell-value-as-code"},
		{"bash, a number", `  - {id: a, bash: 'eval "$INPUTS_N"'}` + "\n", "", ""},
		{"bash, a bool", `  - {id: a, bash: 'eval "$INPUTS_ON"'}` + "\n", "", ""},
		{"bash, quoted", `  - {id: a, bash: 'cat "$INPUTS_TOPIC"'}` + "\n", "", ""},
		{"bash, split", `  - {id: a, bash: 'cat $INPUTS_TOPIC'}` + "\n", "", "shell-unquoted-variable"},
		{"bash, a split number", `  - {id: a, bash: 'head -n $INPUTS_N x'}` + "\n", "", ""},
		{"until_bash", `  - {id: a, loop: {prompt: p, until_bash: 'eval "$INPUTS_TOPIC"', max_iterations: 2}}` + "\n", "", "shell-value-as-code"},
		{"JavaScript", "  - {id: a, script: 'eval(process.env.INPUTS_TOPIC)', runtime: bun}\n", "", "script-program-variable"},
		{"Python", "  - {id: a, script: 'import os; exec(os.environ[\"INPUTS_TOPIC\"])', runtime: uv}\n", "", "script-program-variable"},
		{"a file", "  - {id: a, script: named, runtime: bun}\n", "", "script-program-variable"},
		{"a value of with", "  - {id: o, bash: echo}\n  - {id: a, depends_on: [o], script: 'eval(process.env.INPUTS_MINE)', runtime: bun, with: {mine: $o.output}}\n", "", "script-program-variable"},
		{"a constant of with", "  - {id: a, script: 'eval(process.env.INPUTS_TOPIC)', runtime: bun, with: {topic: 1+1}}\n", "", ""},
		{"a value of a block", block("x: $o.output"), `bash: 'eval "$INPUTS_X"'`, "shell-value-as-code"},
		{"a constant of a block", block("x: make test"), `bash: 'eval "$INPUTS_X"'`, ""},
		{"a default of a block", block(""), `bash: 'eval "$INPUTS_X"'`, ""},
		{"an input of the run in a block", block(""), `bash: 'eval "$INPUTS_TOPIC"'`, "shell-value-as-code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := testkit.Memory{".archon/scripts/named.js": "eval(process.env.INPUTS_TOPIC)"}
			if test.kid != "" {
				files[".archon/workflows/kid.yaml"] = "name: kid\ndescription: Kid\ninputs: {x: {default: make}}\nnodes:\n  - {id: k, " + test.kid + "}\n"
			}
			_, list := lint(t, project(files), declared+nodes(test.nodes))
			var got []string
			for _, f := range findings(list) {
				if strings.Contains(f, "shell-") || strings.Contains(f, "script-") {
					got = append(got, f)
				}
			}
			if all := strings.Join(got, "; "); (all != "") != (test.want != "") || !strings.Contains(all, test.want) {
				t.Errorf("findings %q, want one of %s", findings(list), test.want)
			}
		})
	}
}

// In files with the older rules, nothing sets such variables.
func TestVariablesOfInputsInOlderFiles(t *testing.T) {
	if _, list := lint(t, project(nil), nodes("  - {id: a, bash: 'eval \"$INPUTS_TOPIC\"'}\n")); len(list) != 0 {
		t.Errorf("findings %q", findings(list))
	}
}
