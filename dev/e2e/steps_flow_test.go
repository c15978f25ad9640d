//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flowExamples are the examples of conditions, loops, parallels, joins, templates
// and people, and the whole workflows at the end of the text.
var flowExamples = []example{
	{section: "Conditional Execution (`if`)", text: "input: { run_optional: bool }\nsteps:\n  - name: optional_step\n    bash: echo \"This runs conditionally\"\n    if: \"{{ run_optional }}\"\n",
		test: func(_ *testing.T, p *site) {
			p.gives(p.run(0, "--run-optional"), "optional_step", `{"_output": "This runs conditionally"}`)
			p.skips(p.run(0, "--run-optional=no"), "optional_step")
		}},
	{section: "Conditional Execution (`if`)", text: `input: { worked: word }
steps:
  - name: previous_step
    bash: echo "success={{ worked }}"
    output: { success: bool }
  - name: skip_on_failure
    bash: echo "Only runs if previous succeeded"
    if: "{{ previous_step.success }}"
`, test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, "yes"), "skip_on_failure", `{"_output": "Only runs if previous succeeded"}`)
		p.skips(p.run(0, "off"), "skip_on_failure")
	}},
	{section: "For Loops (`for`)", text: `input: { items: text, names: text, ids: text }
steps:
  - name: process_items
    bash: echo "Processing {{ item }}"
    for: { item: "{{ items }}" }
    output: { result: text }
  - name: process_pairs
    bash: echo "{{ name }} has id {{ id }}"
    for:
      name: "{{ names }}"
      id: "{{ ids }}"
    output: { name: word, id: int }
`, test: func(_ *testing.T, p *site) {
		r := p.run(0, `["a", "b c"]`, `["x", "y"]`, `[1, 2]`)
		p.gives(r, "process_items", `[{"_output": "Processing a"}, {"_output": "Processing b c"}]`)
		p.gives(r, "process_pairs", `[{"_output": "x has id 1"}, {"_output": "y has id 2"}]`)
		p.fails(p.run(1, `[]`, `["x"]`, `[1, 2]`), "process_pairs", "lengths", "`name` has 1 item", "`id` has 2 items")
	}},
	{section: "While Loops (`while`)", text: `  - name: poll_status
    bash: |
      status=$(check_status)
      echo "pending=$status"
    while: "{{ poll_status.pending }}"
    output: { pending: bool }
`, test: func(_ *testing.T, p *site) {
		p.tool("check_status", "echo >>checks; [ $(wc -l <checks) -lt 3 ] && echo true || echo false")
		p.gives(p.run(0), "poll_status", `{"pending": false}`)
		if got := strings.Count(p.content("checks"), "\n"); got != 3 {
			p.t.Errorf("it was checked %d times", got)
		}
		p.tool("check_status", "echo true; echo >>tries")
		p.fails(p.run(1), "poll_status", "100")
		if got := strings.Count(p.content("tries"), "\n"); got != 100 {
			p.t.Errorf("it was tried %d times", got)
		}
	}},
	{section: "While Loops (`while`)", text: `input: { check_active: bool }
steps:
  - name: poll_with_limit
    bash: echo "active={{ check_active }}"
    while:
      condition: "{{ poll_with_limit.active }}"
      max: 10
    output: { active: bool }
`, test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, "--check-active=false"), "poll_with_limit", `{"active": false}`) // at least once
		p.fails(p.run(1, "--check-active"), "poll_with_limit", "10")
	}},
	{section: "Repeat/Until Loops (`repeat`)", text: `  - name: retry_operation
    bash: |
      result=$(attempt_operation)
      echo "success=$result"
    repeat:
      until: "{{ retry_operation.success }}"
      max: 5
    output: { success: bool }
`, test: func(_ *testing.T, p *site) {
		p.tool("attempt_operation", "echo >>tries; [ $(wc -l <tries) -ge 5 ] && echo true || echo false")
		p.gives(p.run(0), "retry_operation", `{"success": true}`)
		p.tool("attempt_operation", "echo false")
		p.fails(p.run(1), "retry_operation", "5")
	}},
	{section: "Combined Control Flow", text: `input: { should_process: bool, items: { type: text, default: '["a"]' } }
steps:
  - name: conditional_loop
    bash: echo "Processing {{ item }}"
    if: "{{ should_process }}"
    for: { item: "{{ items }}" }
`, test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, "true"), "conditional_loop", `[{"_output": "Processing a"}]`)
		p.skips(p.run(0, "false"), "conditional_loop")
	}},
	{section: "Combined Control Flow", text: `  - name: parallel_per_item
    for: { item: "[1, 2, 3]" }
    parallel:
      - name: task_a
        bash: echo "A processing {{ item }}"
      - name: task_b
        bash: echo "B processing {{ item }}"
`, test: step("parallel_per_item", `[{"task_a": {"_output": "A processing 1"}, "task_b": {"_output": "B processing 1"}},
		{"task_a": {"_output": "A processing 2"}, "task_b": {"_output": "B processing 2"}}, {"task_a": {"_output": "A processing 3"}, "task_b": {"_output": "B processing 3"}}]`)},

	{section: "Basic Usage", text: twoTasks, test: step("parallel_tasks", `{"task_a": {"result": "done_a"}, "task_b": {"result": "done_b"}}`)},
	{section: "Accessing Results", text: twoTasks + `  - name: use
    prompt: |
      {{ parallel_tasks.task_a.result }}
      {{ parallel_tasks.task_b.result }}
`, replies: echoes(), test: step("use", `{"_raw": "ECHO[done_a\ndone_b]"}`)},
	{section: "Nested Step Restrictions", text: inParallel("for: { i: [1] }"), refused: true, says: "`for`"},
	{section: "Nested Step Restrictions", text: inParallel("repeat: { until: \"{{ true }}\" }"), refused: true, says: "`repeat`"},
	{section: "Nested Step Restrictions", text: inParallel("while: \"{{ false }}\""), refused: true, says: "`while`"},
	{section: "Nested Step Restrictions", text: inParallel("hitl: true"), refused: true, says: "`hitl` cannot be on a step of a parallel"},
	{section: "Nested Step Restrictions", text: "  - name: p\n    parallel:\n      - name: a\n        bash: echo a\n      - name: b\n        parallel:\n          - {name: c, bash: echo c}\n          - {name: d, bash: echo d}\n", refused: true, says: "`parallel`"},
	{section: "Fail-Fast Behavior", text: failsFast(""), test: func(_ *testing.T, p *site) {
		p.fails(p.run(1), "both", "bad")
		if p.content("slow") != "began\n" {
			p.t.Errorf("the other one left %q, want it to be cancelled", p.content("slow"))
		}
	}},
	{section: "Fail-Fast Behavior", text: failsFast("    fail_fast: false\n"), test: func(_ *testing.T, p *site) {
		p.file("go", "")
		p.fails(p.run(1), "both", "bad")
		if p.content("slow") != "began\nended\n" {
			p.t.Errorf("the other one left %q, want it to go on", p.content("slow"))
		}
	}},

	{section: "Examples", text: `  - name: collect_results
    bash: echo "value={{ item }}"
    for: { item: "[1, 2, 3]" }
    output: { value: int }
  - name: concatenate
    bash: echo "line={{ item }}"
    for: { item: "['a', 'b', 'c']" }
    join: text
    output: { line: word }
  - name: keep_last
    bash: echo "final={{ item }}"
    for: { item: "['first', 'middle', 'last']" }
    join: lastOf
    output: { final: word }
  - name: merge_parallel
    parallel:
      - name: a
        bash: echo "key_a=value_a"
      - name: b
        bash: echo "key_b=value_b"
`, test: func(_ *testing.T, p *site) {
		r := p.run(0)
		p.gives(r, "collect_results", `[{"value": 1}, {"value": 2}, {"value": 3}]`)
		p.gives(r, "concatenate", "line=a\nline=b\nline=c")
		p.gives(r, "keep_last", `{"final": "last"}`)
		p.gives(r, "merge_parallel", `{"a": {"key_a": "value_a"}, "b": {"key_b": "value_b"}}`)
	}},

	{section: "Variable Access", text: `input: { parameter_name: word }
steps:
  - name: step_name
    bash: echo '{"field":1,"nested":{"field":[2]}}'
  - name: show
    prompt: |
      {{ parameter_name }}
      {{ step_name.field }}
      {{ step_name.nested.field }}
      {{ item }}
      {{ name }}
    for: { item: [3], name: [x] }
`, replies: echoes(), test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, "in"), "show", `[{"_raw": "ECHO[in\n1\n[2]\n3\nx]"}]`)
	}},
	{section: "Filters", text: `  - name: data
    bash: echo '{"a":[1,null,true]}'
  - name: show
    prompt: |
      {{ data | tojson }}
      {{ items | length }}
    for: { items: [[1, 2]] }
`, replies: echoes(), test: step("show", `[{"_raw": "ECHO[{\"a\": [1, null, true]}\n2]"}]`)},
	{section: "Boolean Logic", text: `input: { value: text, other_value: text, fallback: text, variable: { type: int, default: null } }
steps:
  - name: show
    prompt: |
      {{ value and other_value }}
      {{ value or fallback }}
      {{ not value }}
      {{ variable is defined }}
`, replies: echoes(), test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, "", "b", "c"), "show", `{"_raw": "ECHO[\nc\nTrue\nTrue]"}`)
		p.gives(p.run(0, "a", "b", "c"), "show", `{"_raw": "ECHO[b\na\nFalse\nTrue]"}`)
	}},
	{section: "Conditionals in Templates", text: `input: { condition: bool, flag: bool }
steps:
  - name: show
    prompt: |
      {% if condition %}
      Include this text
      {% endif %}

      {{ "yes" if flag else "no" }}
`, replies: echoes(), test: func(_ *testing.T, p *site) {
		p.gives(p.run(0, "true", "false"), "show", `{"_raw": "ECHO[\nInclude this text\n\n\nno]"}`)
		p.gives(p.run(0, "false", "true"), "show", `{"_raw": "ECHO[\n\nyes]"}`)
	}},

	{section: "Basic Usage", text: "  - name: generate_plan\n    prompt: Generate a migration plan\n    output: { plan: text }\n    hitl: true\n",
		replies: map[string]any{"generate_plan": []string{"{\"plan\": \"go\"}"}}, test: func(_ *testing.T, p *site) {
			p.run(3)
			p.gives(p.answered(0, "approve"), "generate_plan", `{"plan": "go", "approved": true}`)
		}},
	{section: "Approval Flow", text: "  - name: ask\n    prompt: Say it.\n    output: { word: word }\n    hitl: true\n  - name: make\n    bash: |\n      echo >>made\n      echo times=$(wc -l <made)\n    hitl: true\n    output: { times: int }\n",
		replies: map[string]any{"ask": []string{`{"word": "one"}`, `{"word": "two"}`}}, test: allAnswers},
	{section: "Accessing Approval Status", text: `  - name: prompt_user
    bash: echo "message=Continue with operation?"
    output: { message: text }
    hitl: true

  - name: execute_if_approved
    if: "{{ prompt_user.approved }}"
    bash: perform_operation
`, test: func(_ *testing.T, p *site) {
		p.tool("perform_operation", "echo performed=yes")
		p.run(3)
		p.gives(p.answered(0, "approve"), "execute_if_approved", `{"performed": "yes"}`)
	}},
	{section: "Restrictions", text: inParallel("hitl: true"), refused: true, says: "`hitl` cannot be on a step of a parallel"},
	{section: "Restrictions", text: "  - name: a\n    prompt: a\n    hitl: true\n  - name: b\n    bash: echo b=1\n    hitl: true\n  - name: c\n    python: print('c=1')\n    hitl: true\n",
		replies: echoes(), test: func(_ *testing.T, p *site) {
			p.run(3)
			p.answered(3, "approve")
			p.answered(3, "approve")
			p.gives(p.answered(0, "approve"), "c", `{"c": "1", "approved": true}`)
		}},

	{section: "Minimal Example", text: `name: simple_workflow
input: { name: word }
steps:
  - name: greet
    bash: echo "message=Hello, {{ name }}!"
    output: { message: line }
`, test: func(_ *testing.T, p *site) { p.gives(p.run(0, "World"), "greet", `{"message": "Hello, World!"}`) }},
	{section: "Multi-Step with Conditionals", text: `name: conditional_workflow
input:
  run_optional: { type: bool, default: true }
  items: { type: text, default: '["a", "b", "c"]' }

steps:
  - name: setup
    bash: echo "ready=true"
    output: { ready: bool }

  - name: process_items
    bash: echo "processed={{ item }}"
    if: "{{ setup.ready }}"
    for: { item: "{{ items }}" }
    output: { processed: word }

  - name: optional_step
    bash: echo "ran=true"
    if: "{{ run_optional }}"
    output: { ran: bool }

  - name: summary
    bash: echo "items_count={{ process_items | length }}"
    output: { items_count: int }
`, says: "[WFC360]: `process_items` may have no output here", test: func(_ *testing.T, p *site) {
		r := p.run(0)
		p.gives(r, "process_items", `[{"processed": "a"}, {"processed": "b"}, {"processed": "c"}]`)
		p.gives(r, "optional_step", `{"ran": true}`)
		p.gives(r, "summary", `{"items_count": 3}`)
		r = p.run(0, "no", "[]")
		p.gives(r, "process_items", `[]`)
		p.skips(r, "optional_step")
		p.gives(r, "summary", `{"items_count": 0}`)
	}},
	{section: "Parallel with Dependencies", text: `name: parallel_workflow
steps:
  - name: fetch_data
    parallel:
      - name: users
        bash: echo "count=100"
        output: { count: int }
      - name: orders
        bash: echo "count=500"
        output: { count: int }

  - name: combine
    bash: |
      total={{ fetch_data.users.count + fetch_data.orders.count }}
      echo "total=$total"
    output: { total: int }
`, test: step("combine", `{"total": 600}`)},
	{section: "Retry with HITL", text: `name: retry_workflow
steps:
  - name: attempt_operation
    bash: |
      # Simulated operation that may fail
      success=$((RANDOM % 2))
      echo "success=$success"
    repeat:
      until: "{{ attempt_operation.success }}"
      max: 3
    output: { success: bool }
    hitl: true

  - name: finalize
    if: "{{ attempt_operation.approved }}"
    bash: echo "finalized=true"
    output: { finalized: bool }
`, test: retriesWithPeople},
}

const twoTasks = `  - name: parallel_tasks
    parallel:
      - name: task_a
        bash: echo "result=done_a"
        output: { result: word }
      - name: task_b
        bash: echo "result=done_b"
        output: { result: word }
`

// inParallel is a parallel with a step that has the key.
func inParallel(key string) string {
	return "  - name: p\n    parallel:\n      - name: a\n        bash: echo a\n      - name: b\n        bash: echo b\n        " + key + "\n"
}

// failsFast is a parallel whose one step fails once the other one has begun, which
// ends by itself only when there is a file go.
func failsFast(key string) string {
	return `  - name: both
` + key + `    parallel:
      - name: slow
        bash: |
          mkfifo began
          echo began >slow
          echo >began
          until [ -e go ]; do sleep 0.02; done
          echo ended >>slow
      - name: fails
        bash: |
          until [ -e began ]; do sleep 0.02; done
          read -r _ <began
          echo bad >&2
          exit 3
`
}

// allAnswers gives every answer that there is, each from another process.
func allAnswers(t *testing.T, p *site) {
	p.run(3)
	r := p.answered(3, "answer", "--choice", "feedback", "-m", "longer")
	if len(r.Questions) != 1 || !strings.Contains(p.stdout, `"id": "ask/review#2"`) || strings.Contains(p.stdout, `"rerun"`) {
		t.Errorf("it asks %v", r.Questions)
	}
	p.call(0, "logs", "latest")
	p.says("longer")
	edited := filepath.Join(p.Work, "edited.yaml")
	if err := os.WriteFile(edited, []byte("word: two words"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.answered(3, "answer", "--edit", edited) // it is no word
	p.says("`word` must be a string without spaces")
	if err := os.WriteFile(edited, []byte("word: three"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = p.answered(3, "answer", "--edit", edited)
	p.gives(r, "ask", `{"word": "three", "approved": true}`)
	p.answered(3, "answer", "--choice", "rerun")
	p.says(`"rerun"`)
	r = p.answered(0, "approve")
	p.gives(r, "make", `{"times": 2, "approved": true}`)
	p.run(3)
	if r = p.answered(4, "reject"); r.Status != "cancelled" {
		t.Errorf("a rejected run is %s", r.Status)
	}
}

// retriesWithPeople: an operation that works half of the time is tried three
// times, and whoever sees that it has worked is asked once.
func retriesWithPeople(t *testing.T, p *site) {
	for range 50 {
		out, errs, code, err := p.Run(t.Context(), nil, "run", "--json")
		switch {
		case err != nil || code != 1 && code != 3:
			t.Fatalf("%d %v %s%s", code, err, errs, out)
		case code == 1 && !strings.Contains(string(out), "3"):
			t.Fatalf("it fails otherwise than for its limit: %s", out)
		case code == 1:
			continue
		}
		r := p.answered(0, "approve")
		p.gives(r, "attempt_operation", `{"success": true, "approved": true}`)
		p.gives(r, "finalize", `{"finalized": true}`)
		return
	}
	t.Error("it never works")
}
