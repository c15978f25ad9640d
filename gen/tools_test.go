package gen_test

import (
	"strings"
	"testing"
)

// TestTools compares the programs that workflows start, with a star at those that every run
// needs.
func TestTools(t *testing.T) {
	for _, test := range []struct{ name, nodes, want string }{
		{"prompts", "nodes:\n  - {id: a, prompt: hi}\n", ""},
		{"runtimes", `nodes:
  - {id: a, bash: echo}
  - {id: b, depends_on: [a], runtime: bun, script: console.log(1)}
  - {id: c, when: "$a.output == 'x'", runtime: uv, script: console.log(1)}
`, "bash* of a, bun* of b, uv of c"},
		{"what a skipped node leaves out", `nodes:
  - {id: a, bash: echo}
  - {id: b, depends_on: [a], when: "$a.output == 'x'", prompt: hi}
  - {id: c, depends_on: [b], runtime: uv, script: console.log(1)}
  - {id: d, depends_on: [a, b], trigger_rule: all_done, runtime: bun, script: console.log(1)}
`, "bash* of a, uv of c, bun of d"},
		{"the surest use", `nodes:
  - {id: a, prompt: hi}
  - {id: b, when: "$a.output == 'x'", depends_on: [a], bash: jqx .}
  - {id: c, depends_on: [a], bash: jqx .}
`, "bash* of c, jqx of b"},
		{"loops", `nodes:
  - {id: a, loop: {prompt: "Say DONE", until: DONE, max_iterations: 2, until_bash: "ghx pr"}}
`, "bash* of a, ghx of a"},
		{"worktree", "worktree: {enabled: true}\nnodes:\n  - {id: a, prompt: hi}\n", "git* of "},
	} {
		var list []string
		for _, tool := range workflow("flow", test.nodes).Workflow.Tools() {
			list = append(list, tool.Name+map[bool]string{true: "*"}[tool.Needed]+" of "+tool.Step)
		}
		if got := strings.Join(list, ", "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	for script, want := range map[string]string{
		"ghx pr list": "ghx",
		"cat x | grep y; cd /tmp && rm -f z; test":             "",
		"command -v ghx && ghx pr":                             "",
		"if type ghx; then ghx pr; fi; jqx .":                  "jqx",
		"ghx() { echo; }; ghx":                                 "",
		"sudo -u me ghx; timeout 5 jqx; command ytx; exec atx": "atx ghx jqx sudo ytx",
		"x=$(ghx a); echo \"$(jqx .)\"":                        "ghx jqx",
		"PATH=/opt/bin:$PATH; ghx":                             "",
		"export PATH=/opt/bin; ghx":                            "",
		". ./env.sh; ghx":                                      "",
		"./ghx; /usr/bin/ghx; \"$tool\" x":                     "",
		"echo ghx; git status":                                 "git",
	} {
		p := workflow("flow", "nodes:\n  - {id: a, prompt: hi}\n  - id: b\n    depends_on: [a]\n    bash: |\n      "+script+"\n")
		want = strings.TrimSpace("bash " + want)
		var names []string
		for _, tool := range p.Workflow.Tools() {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}
