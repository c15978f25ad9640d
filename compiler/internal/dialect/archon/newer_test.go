package archon_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// rulesExamples are the nodes that show the rows of the table of rules, by topic.
var rulesExamples = map[string]string{
	"unknown node in a string":               "  - {id: a, bash: echo $none.output}\n",
	"unknown node in a command file":         "  - {id: a, command: unknown}\n",
	"unknown node in a code span or fence":   "  - {id: a, prompt: 'See `$none.output`.'}\n",
	"comparison of a whole reply":            "  - {id: a, prompt: x}\n  - {id: b, depends_on: [a], when: $a.output == 'x', bash: x}\n",
	"`until` with only whitespace":           "  - {id: a, loop: {prompt: x, until: ' ', max_iterations: 2}}\n",
	"`until_bash` with only whitespace":      "  - {id: a, loop: {prompt: Say D., until: D, until_bash: ' ', max_iterations: 2}}\n",
	"node id `INPUTS`":                       "  - {id: INPUTS, bash: x}\n",
	"`thinking`":                             "  - {id: a, prompt: x, thinking: adaptive}\n",
	"`thinking`, `modelReasoningEffort`":     "  - {id: a, prompt: x, thinking: adaptive}\n",
	"`on_reject` of an approval":             "  - {id: a, approval: {message: m, on_reject: {prompt: x}}}\n",
	"`effort` for codex":                     "  - {id: a, prompt: x, provider: codex, effort: high}\n",
	"`output_format` on `bash` and `script`": "  - {id: a, bash: x, output_format: {type: object, properties: {b: {type: string}}, required: [b]}}\n",
	"`$STATE_DIR`":                           "  - {id: a, prompt: 'Read $STATE_DIR.'}\n",
	"`$TYPED_ARTIFACTS_FILE`":                "  - {id: a, prompt: 'Read $TYPED_ARTIFACTS_FILE.'}\n",
	"`model` and `provider` on a loop":       "  - {id: a, loop: {prompt: Say D., until: D, max_iterations: 2}, model: m, provider: codex}\n",
	"`model: '@implementer'`, `'@reviewer'`, `'@adjudicator'` and `'@architect'`, which no configuration defines": "  - {id: a, prompt: x, model: '@architect'}\n",
	"`$LOOP_PREV.node.output`":                     "",
	"an output with `type: archon_artifact`":       "",
	"a loop with `until_bash` and without `until`": "  - {id: a, loop: {prompt: x, until_bash: make, max_iterations: 2}}\n",
	"`output_format` on a loop":                    "  - {id: a, loop: {prompt: Say D., until: D, max_iterations: 2}, output_format: {type: object, properties: {b: {type: string}}, required: [b]}}\n",
	"approval without a comment of an interactive loop, if its first reply has the signal": "  - {id: a, loop: {prompt: Say D., until: D, max_iterations: 2, interactive: true, gate_message: m}}\n",
	"unknown node in `returns`":                        "",
	"`$node.output.a.b`":                               "  - {id: a, prompt: x}\n  - {id: b, depends_on: [a], bash: echo $a.output.c.d}\n",
	"condition on a field that is an object or a list": "  - {id: a, prompt: x, output_format: {type: object, properties: {b: {type: array}}, required: [b]}}\n  - {id: b, depends_on: [a], when: $a.output.b == 'x', bash: x}\n",
	"`trigger_rule: none_failed_min_one_success`, a dependency skipped because of a failure before it": "  - {id: a, bash: x}\n  - {id: b, depends_on: [a], trigger_rule: none_failed_min_one_success, bash: x}\n",
	"`context: shared` on nodes that can run at the same time":                                         "  - {id: a, prompt: x, context: shared}\n  - {id: b, prompt: x}\n",
	"malformed schema in `output_format`":                                                              "  - {id: a, prompt: x, output_format: {type: odd}}\n",
	"`sandbox` for an agent without one":                                                               "  - {id: a, prompt: x, provider: codex, sandbox: {enabled: true}}\n",
	"`betas` for an agent without them":                                                                "  - {id: a, prompt: x, provider: codex, betas: [b]}\n",
	"references in the prompts of helper agents (`agents`)":                                            "  - {id: a, bash: x}\n  - {id: b, depends_on: [a], prompt: x, agents: {h: {description: d $a.output, prompt: x $a.output}}}\n",
	"a `timeout` of 0 or less on a loop or a group":                                                    "  - {id: a, loop: {prompt: Say D., until: D, max_iterations: 2}, timeout: 0}\n",
	"`$ADOPTED_RUN_DIR`":                                                                               "  - {id: a, prompt: Read $ADOPTED_RUN_DIR.}\n",
	"`$ARCHON_NODE_EXECUTION`, `$node.execution.name`":                                                 "  - {id: a, prompt: Read $ARCHON_NODE_EXECUTION.}\n",
}

// The table of rules says which findings a file has before and since the version of each,
// and where a rule comes from.
func TestRulesTable(t *testing.T) {
	// By the older rules, checks of the whole program report these, which come later.
	later := strings.NewReplacer("WFC323", "", "WFC321", "")
	seen := map[string]bool{}
	for _, c := range formats.Archon.Changes {
		seen[c.Topic] = true
		yaml, known := rulesExamples[c.Topic]
		if !known {
			t.Errorf("no example shows `%s`", c.Topic)
			continue
		}
		if formats.Archon.SourceOf(c) == "" {
			t.Errorf("%s: nothing says where the rule comes from", c.Topic)
		}
		if yaml == "" {
			continue
		}
		at := slices.IndexFunc(formats.Archon.Versions, func(v formats.Version) bool { return v.Name == c.Since })
		for i, text := range []string{later.Replace(c.Before), c.After} {
			env := project(testkit.Memory{".archon/commands/unknown.md": "[$none.output.f]"})
			env.Settings.Archon.Version = formats.Archon.Versions[at-1+i].Name
			_, list := lint(t, env, nodes(yaml))
			var got []string
			for _, d := range list {
				got = append(got, d.Code.ID)
			}
			want := regexp.MustCompile("WFC[0-9]+").FindAllString(text, -1)
			if !slices.Equal(got, want) {
				t.Errorf("%s, version %q: findings %v, want %v", c.Topic, env.Settings.Archon.Version, got, want)
			}
		}
	}
	for topic := range rulesExamples {
		if !seen[topic] {
			t.Errorf("the table has no row `%s`", topic)
		}
	}
}

// The table of keys names keys that the front end reads, each once.
func TestVersionsOfKeys(t *testing.T) {
	since := map[[2]string]string{}
	for _, k := range formats.Archon.Keys {
		for _, name := range k.Names {
			if at := [2]string{k.Where, name}; since[at] != "" {
				t.Errorf("`%s` %s has two versions", name, k.Where)
			} else {
				since[at] = k.Since
			}
		}
	}
	for _, table := range (archon.Frontend{}).Tables() {
		for _, k := range table.Keys {
			delete(since, [2]string{table.Level.Where, k.Name})
		}
	}
	for at := range since {
		t.Errorf("the front end has no key `%s` %s", at[1], at[0])
	}
}

// What chooses the newer rules.
func TestNewerRules(t *testing.T) {
	const plain = "  - {id: a, prompt: x}\n"
	for _, c := range []struct {
		version, yaml string
		newer         bool
	}{
		{"", nodes(plain), false},
		{"0.5", nodes(plain), false}, {"0.7.1", nodes(plain), false}, {"0.8", nodes(plain), false},
		{"0.9", nodes(plain), true}, {"0.9.1", nodes(plain), true}, {"0.10", nodes(plain), true}, {"1.0", nodes(plain), true},
		{"0.5", "inputs: {}\n" + nodes(plain), true},
		{"", "returns: a\n" + nodes(plain), true}, {"", "evidence_policy: {required: false}\n" + nodes(plain), true},
		{"", "deprecated: {message: m}\n" + nodes(plain), true},
		{"", "container: {enabled: true}\n" + nodes(plain), false}, {"", "tags: [inputs]\n" + nodes(plain), false},
		{"", nodes("  - {id: a, command: c, with: {}}\n"), true}, {"", nodes("  - {id: a, workflow: c}\n"), true},
		{"", nodes("  - {id: a, loop: {prompt: p, until: D, max_iterations: 2, signal_completes: false}}\n"), true},
		{"", nodes("  - {id: a, approval: {message: m, decisions: []}}\n"), true},
		{"", nodes("  - {id: a, prompt: x, context: {resume: b}}\n"), true}, {"", nodes("  - {id: a, prompt: x, context: fresh}\n"), false},
		{"", nodes("  - {id: a, prompt: Read $INPUTS.x.}\n"), true}, {"", nodes("  - {id: a, prompt: Read INPUTS.x.}\n"), false},
		{"", nodes("  - {id: a, loop: {prompt: '$LOOP_PREV.b.output', until: D, max_iterations: 2}}\n"), true},
	} {
		env := project(nil)
		env.Settings.Archon.Version = c.version
		p, _ := compile(t, env, c.yaml)
		if p == nil {
			t.Fatalf("%s: no program", c.yaml)
		}
		got := slices.ContainsFunc(p.Workflow.MoreEnv, func(v ir.EnvVar) bool { return v.Name == "STATE_DIR" })
		if got != c.newer {
			t.Errorf("version %q: newer rules %v, want %v\n%s", c.version, got, c.newer, c.yaml)
		}
	}
}

// By the newer rules a command file may name an unknown node, but no field of one.
func TestUnknownNodesOfCommandFiles(t *testing.T) {
	for text, want := range map[string]string{
		"$none.output":                "warning unknown-node-reference $none.output",
		"$none.output.f":              "error unknown-node-reference $none.output.f",
		"`$none.output.f`":            "",
		"a $none.output $zz.output.f": "warning unknown-node-reference $none.output, error unknown-node-reference $zz.output.f",
	} {
		env := project(testkit.Memory{".archon/commands/c.md": text})
		env.Settings.Archon.Version = "0.9"
		_, list := lint(t, env, nodes("  - {id: a, command: c}\n"))
		if got := strings.Join(findings(list), ", "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The nodes whose outputs may refer to artifacts, by their schemas, have the references checked.
func TestArtifactPointers(t *testing.T) {
	for schema, want := range map[string]bool{
		"{type: object, properties: {report: {type: object}}}":                                       true,
		"{type: object, properties: {all: {type: array, items: {properties: {run_id: {}}}}}}":        true,
		"{type: object, properties: {report: {properties: {type: {const: archon_artifact}}}}}":       true,
		"{anyOf: [{type: string}, {type: object}]}":                                                  true,
		"{type: object, properties: {type: {type: string}, path: {type: string}}, required: [type]}": false,
		"{type: array, items: {type: string}}":                                                       false,
	} {
		for version, holds := range map[string]bool{"0.9": false, "0.11": true} {
			for _, action := range []string{"prompt: x", "bash: x", "loop: {prompt: Say D., until: D, max_iterations: 2}"} {
				env := project(nil)
				env.Settings.Archon.Version = version
				p, _ := compile(t, env, nodes("  - {id: a, "+action+", output_format: "+schema+"}\n"))
				if got := p.Workflow.Body.All()[0].CheckArtifactRefs; got != (want && holds) {
					t.Errorf("version %s, %s, %s: checks %v", version, action, schema, got)
				}
			}
		}
	}
}
