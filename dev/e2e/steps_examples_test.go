//go:build unix

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// stepExamples are the examples of inputs, kinds of steps and outputs.
var stepExamples = []example{
	{section: "Top-Level Structure", text: "name: my_workflow # Workflow identifier (optional, defaults to filename)\ninput: # Input parameter definitions (optional)\n  who: word\nsteps: # Ordered list of steps (required)\n  - name: greet\n    bash: echo \"hello={{ who }}\"\n",
		test: func(t *testing.T, p *site) {
			p.gives(p.run(0, "Ann"), "greet", `{"hello": "Ann"}`)
			p.called(t, "my_workflow")
		}},
	{section: "Fields", text: "steps:\n  - name: greet\n    bash: echo hello=there\n", test: func(t *testing.T, p *site) {
		p.gives(p.run(0), "greet", `{"hello": "there"}`)
		p.called(t, "w") // the file is w.yaml
	}},

	{section: "Longform Syntax", text: `input:
  - name: diff_path
    type: path
  - name: max_retries
    type: int
    default: 3
  - name: description
    type: text
    default: ""
` + showsInputs, test: inputsAreTyped},
	{section: "Shortform Syntax", text: `input:
  diff_path: path
  max_retries: { type: int, default: 3 }
  description: { type: text, default: "" }
` + showsInputs, test: inputsAreTyped},
	{section: "Shortform Syntax", text: `input: { diff_path: path, split_desc: { type: line, default: "multiple CLs" } }
steps:
  - name: show
    bash: echo 'split={{ split_desc }} of {{ diff_path }}'
`, test: func(_ *testing.T, p *site) {
		p.file("a.diff", "")
		p.gives(p.run(0, "a.diff"), "show", `{"split": "multiple CLs of a.diff"}`)
	}},
	{section: "Supported Types", text: `input: { w: word, l: line, t: text, p: path, i: int, b: bool, f: float }
steps:
  - name: show
    python: |
      import json
      print(json.dumps([{{ w }}, {{ l }}, {{ t }}, {{ p }}, {{ i }}, {{ b }}, {{ f }}]))
`, test: sevenTypes},
	{section: "Default Values", text: "input:\n  must: word\n  absent: { type: word, default: null }\n  empty: { type: word, default: \"\" }\nsteps:\n  - name: show\n    bash: echo \"got={{ must }}|{{ absent is none }}|{{ empty }}\"\n",
		test: func(_ *testing.T, p *site) {
			p.gives(p.run(0, "x"), "show", `{"got": "x|True|"}`)
			p.call(2, "run")
			p.says("`must`")
		}},

	{section: "Prompt Steps", files: testkit.Memory{"/project/xprompts/plan_generator.md": "---\ninput: {context: text, requirements: text}\n---\nPlan for {{ context }}, {{ requirements }}"}, text: `input: { requirements: text }
steps:
  - name: previous_step
    bash: echo output=here
    output: { output: line }
  - name: generate_plan
    prompt: |
      #plan_generator(
        context="{{ previous_step.output }}",
        requirements="{{ requirements }}"
      )
    output: { plan: text, files: text }
`, replies: echoes(), test: func(_ *testing.T, p *site) {
		r := p.run(0, "be quick, \"now\" #plan_generator {{ x }}")
		p.gives(r, "generate_plan", `{"_raw": "ECHO[Plan for here, be quick, \"now\" #plan_generator {{ x }}]"}`)
	}},
	{section: "Bash Steps", text: "  - name: get_status\n    bash: git status --porcelain\n    output: { files: text }\n", test: func(_ *testing.T, p *site) {
		p.tool("git", "echo '?? a.go'")
		p.gives(p.run(0), "get_status", `{"_output": "?? a.go"}`)
	}},
	{section: "Bash Steps", text: `  - name: complex_script
    bash: |
      counter_file="/tmp/counter"
      if [ ! -f "$counter_file" ]; then echo "0" > "$counter_file"; fi
      count=$(cat "$counter_file")
      echo "count=$count"
    output: { count: int }
`}, // it leaves a file behind that all users of a machine share: see counts
	{section: "Bash Steps", text: strings.ReplaceAll(counts, "FILE", "counter"), test: step("complex_script", `{"count": 0}`)},
	{section: "Python Steps", text: `input: { input_json: text }
steps:
  - name: process_data
    python: |
      import json
      data = json.loads('{{ input_json }}')
      result = [item.upper() for item in data]
      print("result=" + json.dumps(result))
    output: { result: text }
`, test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, `["it's", "\"b\\u0041\""]`), "process_data", `{"result": "[\"IT'S\", \"\\\"B\\\\U0041\\\"\"]"}`)
	}},
	{section: "Parallel Steps", text: `  - name: fetch_all
    parallel:
      - name: fetch_users
        bash: curl -s https://api.example.com/users
        output: { users: text }
      - name: fetch_posts
        bash: curl -s https://api.example.com/posts
        output: { posts: text }
`, test: func(_ *testing.T, p *site) {
		p.tool("curl", `echo "${2##*/}=of $2"`)
		p.gives(p.run(0), "fetch_all", `{"fetch_users": {"users": "of https://api.example.com/users"}, "fetch_posts": {"posts": "of https://api.example.com/posts"}}`)
	}},

	{section: "Simple Object Format", text: "  - name: any\n    bash: echo field_name=1\n    output: { field_name: type, another_field: type }\n", refused: true, says: "`type`"},
	{section: "Simple Object Format", text: "  - name: parse_config\n    bash: echo \"name=myapp\\nversion=1.0\"\n    output: { name: word, version: word }\n",
		test: step("parse_config", `{"name": "myapp", "version": "1.0"}`)},
	{section: "Array Format", text: "  - name: list\n    bash: echo '[{\"name\":\"a\",\"description\":\"b c\",\"more\":1}]'\n    output: [{ name: word, description: text }]\n",
		test: step("list", `[{"name": "a", "description": "b c", "more": 1}]`)},
	{section: "Array Format", text: `  - name: generate_items
    prompt: Generate a list of items
    output: [{ name: word, description: text, priority: { type: int, default: 0 } }]
  - name: use
    bash: echo "{{ item.name }}={{ item.priority }}"
    for: { item: "{{ generate_items }}" }
`, replies: map[string]any{"generate_items": []string{`[{"name": "a", "description": "x"}, {"name": "b", "description": "y", "priority": "2"}]`}},
		test: func(_ *testing.T, p *site) {
			r := p.run(0)
			p.gives(r, "generate_items", `[{"name": "a", "description": "x", "priority": 0}, {"name": "b", "description": "y", "priority": 2}]`)
			p.gives(r, "use", `[{"a": "0"}, {"b": "2"}]`)
		}},
	{section: "Nested Defaults", text: "  - name: defaults\n    bash: echo name=x\n    output:\n      name: word\n      parent: { type: word, default: \"\" }\n      priority: { type: int, default: 0 }\n",
		test: step("defaults", `{"name": "x", "parent": "", "priority": 0}`)},
	{section: "Output Parsing", text: `  - name: lines
    bash: |
      echo "success=true"
      echo "count=42"
      echo "message=Operation completed"
    output: { success: bool, count: int, message: line }
  - name: json
    bash: echo '{"count":42}'
    output: { count: int }
  - name: script
    bash: echo Operation completed
    output: { count: int }
  - name: reply
    prompt: Say it.
    output: { count: int }
`, replies: map[string]any{"reply": []string{"Operation completed"}}, test: func(_ *testing.T, p *site) {
		r := p.run(0)
		p.gives(r, "lines", `{"success": true, "count": 42, "message": "Operation completed"}`)
		p.gives(r, "json", `{"count": 42}`)
		p.gives(r, "script", `{"_output": "Operation completed"}`)
		p.gives(r, "reply", `{"_raw": "Operation completed"}`)
	}},
	{section: "Output Parsing", text: "  - name: wrong\n    bash: echo '{\"count\":\"many\"}'\n    output: { count: int }\n", test: func(_ *testing.T, p *site) {
		p.fails(p.run(1), "wrong", "`count`", "int", "many")
	}},
}

const showsInputs = `steps:
  - name: show
    bash: |
      echo '{{ {"path": diff_path, "more": max_retries + 1, "empty": description == ""} | tojson }}'
`

// counts is the script that keeps a counter, with its file in the working folder.
const counts = `  - name: complex_script
    bash: |
      counter_file="FILE"
      if [ ! -f "$counter_file" ]; then echo "0" > "$counter_file"; fi
      count=$(cat "$counter_file")
      echo "count=$count"
    output: { count: int }
`

// called wants the workflow to have this name.
func (p *site) called(t *testing.T, name string) {
	t.Helper()
	p.call(0, "status", "latest", "--json")
	var d struct{ Workflow string }
	if err := json.Unmarshal([]byte(p.stdout), &d); err != nil || d.Workflow != name {
		t.Errorf("the workflow is called %q, want %q (%v)", d.Workflow, name, err)
	}
}

// Inputs are given by their places and by their names, in any mixture, and are of
// their types; one that is not is refused before anything starts.
func inputsAreTyped(_ *testing.T, p *site) {
	p.file("a.diff", "")
	p.gives(p.run(0, "a.diff"), "show", `{"path": "a.diff", "more": 4, "empty": true}`)
	p.gives(p.run(0, "a.diff", "5"), "show", `{"path": "a.diff", "more": 6, "empty": true}`)
	p.gives(p.run(0, "--description", "d", "--input", "max_retries=1_0", "--diff-path", "a.diff"), "show", `{"path": "a.diff", "more": 11, "empty": false}`)
	for _, c := range []struct{ arg, says string }{{"b.diff", "`diff_path`"}, {"a b", "`diff_path`"}} {
		p.call(2, "run", c.arg)
		p.says(c.says)
	}
	p.call(2, "run", "a.diff", "many")
	p.says("`max_retries`")
	p.call(2, "run", "a.diff", "1", "d", "more")
}

func sevenTypes(_ *testing.T, p *site) {
	p.file("file", "")
	good := []string{"--w", "x", "--l", "a b", "--t", "a\nb", "--p", "file", "--i", "-7", "--b=yes", "--f", "1.50"}
	p.gives(p.run(0, good...), "show", `["x", "a b", "a\nb", "file", -7, true, 1.5]`)
	for i, bad := range []string{"two words", "two\nlines", "", "absent", "1.5", "maybe", "x"} {
		if bad == "" {
			continue // any text is one
		}
		args := slices.Clone(good)
		switch {
		case i == 5:
			args[10] = "--b=" + bad
		case i == 6:
			args[12] = bad
		default:
			args[2*i+1] = bad
		}
		p.call(2, append([]string{"run"}, args...)...)
		p.says("`" + []string{"w", "l", "t", "p", "i", "b", "f"}[i] + "`")
	}
}
