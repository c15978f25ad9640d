//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// A scenario is one of the requirements that wfc was asked to meet, under the
// name that it has there.
type scenario struct {
	name string
	// text is the workflow, or what follows `nodes:` in it.
	text string
	// refused is what `wfc check` says of a workflow that it refuses, warned
	// what it says of one that it takes, or "".
	refused, warned string
	files           testkit.Memory
	replies         map[string]any
	// test runs the workflow; it is nil when it is refused.
	test func(t *testing.T, p *site)
}

// whole returns the workflow's text.
func (s *scenario) whole() string {
	if strings.HasPrefix(s.text, "  - ") {
		return workflow(s.text)
	}
	return s.text
}

// TestScenarios holds a subtest for each scenario of the requirements.
func TestScenarios(t *testing.T) {
	s := newSuite(t)
	for _, c := range scenarios {
		if c.test != nil {
			s.add(t, c.whole(), c.files)
		}
	}
	s.build(t)
	var names []string
	for _, c := range scenarios {
		names = append(names, c.name)
		t.Run(c.name, func(t *testing.T) {
			switch {
			case c.refused != "":
				finds(t, c.whole(), 1, "error[", c.refused)
			case c.warned != "":
				finds(t, c.whole(), 0, "warning[", c.warned)
			case c.files == nil:
				finds(t, c.whole(), 0)
			}
			if c.test != nil {
				c.test(t, s.site(t, c.whole(), c.replies))
			}
		})
	}
	t.Run("complete", func(t *testing.T) { everyScenario(t, names) })
}

// everyScenario compares the names with those in the texts of the requirements,
// where these are at hand.
func everyScenario(t *testing.T, names []string) {
	texts, err := filepath.Glob("../../../shared/requirements/00[01]_*.txt")
	if err != nil || len(texts) == 0 {
		t.Skip("the texts of the requirements are not here")
	}
	heading := regexp.MustCompile(`#### Scenario: (.*?) - \*\*WHEN\*\*`)
	var want []string
	for _, file := range texts {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range heading.FindAllSubmatch(text, -1) {
			want = append(want, string(m[1]))
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("there are %d tests of scenarios:\n%q\nthe texts have %d:\n%q", len(names), names, len(want), want)
	}
}

// output wants a completed run in which a node has this output.
func output(id, want string) func(*testing.T, *site) {
	return func(_ *testing.T, p *site) { p.want(p.run(0), id, want) }
}

// failure wants a failed run in which a node failed so.
func failure(id string, parts ...string) func(*testing.T, *site) {
	return func(_ *testing.T, p *site) { p.fails(p.run(1), id, parts...) }
}

// fakeBun is a program in the place of bun: it installs packages by making a
// folder for each, and tells what it was to run, and whether lodash is there.
const fakeBun = `#!/bin/bash
case " $* " in
*" add "*) mkdir -p node_modules/lodash ;;
*" run "*) for path; do :; done; cat "$path" ;;
*) test -d "${NODE_PATH%%:*}/lodash" && echo "with lodash: ${!#}" ;;
esac
`

// bun puts a program in bun's place.
func (p *site) bun(text string) {
	p.t.Helper()
	bin := p.t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "bun"), []byte(text), 0o700); err != nil {
		p.t.Fatal(err)
	}
	p.Environ = append(p.Environ, "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+p.t.TempDir(), "WFC_CACHE=")
}

// withBun runs a workflow with the program in bun's place.
func withBun(id, want string) func(*testing.T, *site) {
	return func(t *testing.T, p *site) {
		p.bun(fakeBun)
		p.want(p.run(0), id, want)
	}
}

var scenarios = []scenario{
	// Requirement 000.
	{name: "Minimal valid workflow", text: "name: w\ndescription: The least.\nnodes:\n  - id: a\n    bash: echo done\n", test: output("a", "done")},
	{name: "Missing name", text: "description: It has none.\nnodes:\n  - id: a\n    bash: echo done\n", refused: "`name`"},
	{name: "Node with exactly one mode field", text: "  - id: a\n    prompt: Say it.\n", replies: echoes(),
		test: func(t *testing.T, p *site) {
			r := p.run(0)
			p.want(r, "a", "ECHO[Say it.]")
			if !strings.Contains(p.stdout, `"kind": "prompt"`) {
				t.Errorf("the run is %s", p.stdout)
			}
		}},
	{name: "Node with multiple mode fields", text: "  - id: a\n    prompt: Say it.\n    bash: echo done\n", refused: "`prompt`"},
	{name: "Node with no mode field", text: "  - id: a\n    depends_on: []\n", refused: "node `a`"},
	{name: "Node id must be unique", text: "  - id: a\n    bash: echo 1\n  - id: a\n    bash: echo 2\n", refused: "`a`"},
	{name: "Empty prompt rejected", text: "  - id: a\n    prompt: \"\"\n", refused: "`prompt`"},
	{name: "Bash node with timeout", text: "  - id: a\n    bash: echo began; sleep 60\n    timeout: 300\n", test: failure("a", "timed out after 300ms")},
	{name: "Script with deps", text: "  - id: a\n    script: import _ from 'lodash'\n    runtime: bun\n    deps: [\"lodash\"]\n",
		test: withBun("a", "with lodash: import _ from 'lodash'")},
	{name: "Named script from disk", text: "  - id: a\n    script: analyze\n    runtime: bun\n",
		files: testkit.Memory{"/project/scripts/analyze.ts": "console.log('analyzed')\n"}, test: withBun("a", "console.log('analyzed')")},
	{name: "Loop with completion signal", text: "  - id: a\n    loop: {prompt: Mend. Say DONE., until: DONE, max_iterations: 5}\n",
		replies: map[string]any{"a": []string{"one fault left", "all mended <promise>DONE</promise>", "too much"}}, test: output("a", "all mended")},
	{name: "Loop exceeds max_iterations", text: "  - id: a\n    loop: {prompt: Mend. Say DONE., until: DONE, max_iterations: 2}\n",
		replies: map[string]any{"a": []string{"one fault left"}}, test: failure("a", "ran 2 iterations without reaching")},
	{name: "Cancel terminates workflow", text: "  - id: a\n    cancel: nothing to do\n  - id: b\n    depends_on: [a]\n    bash: touch b\n",
		warned: "[WFC400]: `b` never runs",
		test: func(t *testing.T, p *site) {
			r := p.run(4)
			if status, _, _ := r.node("b"); r.Status != "cancelled" || status != "skipped" || !strings.Contains(p.stdout, "nothing to do") {
				t.Errorf("the run is %s, `b` is %s: %s", r.Status, status, p.stdout)
			}
			harmless(t, p.Place)
		}},

	// Requirement 001.
	{name: "Output reference substitution", text: "  - id: analysis\n    bash: printf 'it works\\nwell\\n'\n  - id: b\n    depends_on: [analysis]\n    prompt: Sum up [$analysis.output].\n",
		replies: echoes(), test: output("b", "ECHO[Sum up [it works\nwell].]")},
	{name: "Field reference with structured output",
		text: `  - id: analysis
    prompt: Analyse it.
    output_format: {type: "object", properties: {summary: {type: string}}, required: [summary]}
  - id: b
    depends_on: [analysis]
    prompt: Judge [$analysis.output.summary].
`,
		replies: map[string]any{"analysis": []any{map[string]any{"structured": map[string]any{"summary": "fine"}}}}, test: output("b", "ECHO[Judge [fine].]")},
	{name: "Missing node reference", text: "  - id: a\n    prompt: \"[$nonexistent.output]\"\n", warned: "unknown node `nonexistent`: the reference becomes an empty string",
		replies: echoes(), test: output("a", "ECHO[[]]")},
	{name: "Missing field on schemaless node", text: "  - id: node\n    bash: echo plain text\n  - id: b\n    depends_on: [node]\n    prompt: Read $node.output.field.\n",
		replies: echoes(), test: failure("b", "`$node.output.field` cannot be read")},
	{name: "Strict field access for declared schemas",
		text: `  - id: node
    prompt: Answer.
    output_format: {type: object, properties: {known: {type: string}}, required: [known]}
  - id: b
    depends_on: [node]
    prompt: Read $node.output.field.
`,
		warned: "`field`", replies: map[string]any{"node": []any{map[string]any{"structured": map[string]any{"known": "x"}}}}, test: failure("b", "`field`")},
	{name: "$ARGUMENTS substitution", text: "  - id: a\n    prompt: Do [$ARGUMENTS].\n", replies: echoes(),
		test: func(_ *testing.T, p *site) {
			p.want(p.run(0, "mend", "the  tests"), "a", "ECHO[Do [mend the  tests].]")
		}},
	{name: "$ARTIFACTS_DIR substitution", text: "  - id: a\n    prompt: $ARTIFACTS_DIR\n", replies: echoes(),
		test: func(t *testing.T, p *site) {
			r := p.run(0)
			_, text, _ := r.node("a")
			dir := strings.TrimSuffix(strings.TrimPrefix(text, "ECHO["), "]")
			if info, err := os.Stat(dir); err != nil || !info.IsDir() || !strings.HasPrefix(dir, p.State) {
				t.Errorf("the folder is %q: %v", dir, err)
			}
		}},
	{name: "$WORKFLOW_ID substitution", text: "  - id: a\n    prompt: Run $WORKFLOW_ID\n", replies: echoes(),
		test: func(t *testing.T, p *site) {
			r := p.run(0)
			p.want(r, "a", "ECHO[Run "+r.RunID+"]")
			if r.RunID == "" {
				t.Error("the run has no id")
			}
		}},
	{name: "$LOOP_PREV_OUTPUT on first iteration", text: "  - id: a\n    loop: {prompt: 'Say DONE after [$LOOP_PREV_OUTPUT].', until: DONE, max_iterations: 1}\n",
		replies: echoes(), test: output("a", "ECHO[Say DONE after [].]")},
	{name: "$LOOP_PREV_OUTPUT on subsequent iterations", text: "  - id: a\n    loop: {prompt: 'Say STOP after [$LOOP_PREV_OUTPUT].', until: STOP, max_iterations: 3}\n",
		replies: map[string]any{"a#1": []string{"first <promise>NOT YET</promise>"}}, test: output("a", "ECHO[Say STOP after [first].]")},
	{name: "$REJECTION_REASON in on_reject prompt",
		text:    "  - id: a\n    approval:\n      message: Good?\n      on_reject: {prompt: 'Mend [$REJECTION_REASON].', max_attempts: 2}\n",
		replies: echoes(), test: func(_ *testing.T, p *site) {
			p.run(3)
			p.json(3, "reject", "-m", "too $long")
			p.want(p.json(0, "status"), "a/rework#1", "ECHO[Mend [too $long].]")
			p.want(p.json(0, "approve"), "a", "")
		}},
}
