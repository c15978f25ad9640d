package compare_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/compare"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
)

const archonFlow = `name: review
description: Review a change.
model: opus
inputs:
  base: {default: main}
  strict: {default: true}
returns: verdict
outcome_field: good
evidence_policy: {required: true}
nodes:
  - id: diff
    bash: git diff "$INPUTS.base"
    timeout: 60000
    retry: {max_attempts: 2}
  - id: classify
    prompt: Which kind of change is this? $diff.output
    depends_on: [diff]
    allowed_tools: [Read, Grep]
    denied_tools: [Bash, Write]
    maxBudgetUsd: 2
    sandbox: {enabled: true}
    output_format: {type: object, properties: {kind: {type: string, enum: [docs, code]}, size: {type: integer}}, required: [kind, size]}
  - id: deep
    command: deep
    depends_on: [classify]
    when: $classify.output.kind == 'code' && $classify.output.size > 10
    idle_timeout: 90000
  - id: fix
    depends_on: [deep]
    trigger_rule: all_done
    loop: {prompt: Fix one finding., until: DONE, max_iterations: 5, until_bash: make test, interactive: true, gate_message: Go on?}
  - id: gate
    depends_on: [fix]
    approval: {message: Merge it?, on_reject: {prompt: Mend what $REJECTION_REASON says., max_attempts: 3}}
  - id: verdict
    depends_on: [gate, classify]
    runtime: bun
    script: console.log(JSON.stringify({good:true}))
    deps: [zod]
    output_format: {type: object, properties: {good: {type: boolean}}, required: [good]}
`

const graphFlow = `workflow: ticket
description: Handle a ticket.
version: "1.0"
state:
  variables: {draft: "", tries: 0}
completion: [send.done]
limits: {max_iterations: 20, max_time_minutes: 30, max_cost_dollars: 5}
interrupts:
  - {before: send, prompt: Send it?}
nodes:
  write:
    type: task
    agent: self
    prompt: Write a reply.
    outputs: [done]
    on_output: {done: {set: {draft: output}}}
  check:
    type: human
    prompt: Is it good?
    outputs: [yes_send, again]
    timeout_minutes: 60
    default_output: again
  send:
    type: task
    agent: bash
    command: echo sent
    outputs: [done]
edges:
  - {from: START, to: write}
  - {from: write, to: check}
  - {from: check, to: send, condition: "yes_send"}
  - {from: check, to: write, condition: "again"}
  - {from: send, to: END}
`

const stepFlow = `name: extract
input:
  folder: path
  currency: {type: word, default: EUR}
steps:
  - name: letters
    bash: ls "{{ folder }}"
    output: {_output: text}
  - name: items
    for: {letter: "{{ letters._output.split() }}"}
    prompt: "Read {{ letter }}."
    output: {vendor: line, total: float}
    hitl: true
  - name: sum
    if: "{{ items | length > 0 }}"
    bash: echo "total={{ items | length }}"
    output: {total: int}
  - name: wait
    bash: test -f ready
    repeat: {until: "{{ wait._output == 'yes' }}", max: 3}
`

const agentFlow = `name: digest
description: The week.
schedule: "0 9 * * MON"
deliver_to: ["webhook:team"]
steps:
  - id: changes
    agent: researcher
    prompt: List the changes.
    timeout: 5m
  - id: digest
    agent: writer
    prompt: "Write about {{changes.result}}."
    depends_on: [changes]
    deliver_to: ["webhook:ops"]
`

// mapFiles are files in memory.
type mapFiles map[string]string

func (m mapFiles) Read(path string) ([]byte, error) {
	for name, text := range m {
		if strings.HasSuffix(strings.ReplaceAll(path, `\`, "/"), "/"+name) {
			return []byte(text), nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

func (m mapFiles) List(dir string) []string {
	var list []string
	for name := range m {
		if folder, file, ok := strings.Cut(name, "/"); ok && strings.HasSuffix(dir, folder) {
			list = append(list, file)
		}
	}
	slices.Sort(list)
	return list
}

func compiled(t *testing.T, yaml string, files mapFiles) *compiler.Result {
	t.Helper()
	r := compiler.Compile(source.NewFile("w.yaml", []byte(yaml)), compiler.Options{Path: "/p/w.yaml", Root: "/p", Files: files})
	if r.Workflow == nil || r.HasErrors() {
		for _, d := range r.Diagnostics {
			t.Logf("%s %s: %s", d.Code.ID, d.Span.Text(), d.Message)
		}
		t.Fatalf("the workflow has errors:\n%s", yaml)
	}
	return r
}

// Each change of meaning is named, with its class and whether it removes a safeguard.
func TestChangesAreNamed(t *testing.T) {
	command := mapFiles{"commands/deep.md": "Look deeply."}
	other := mapFiles{"commands/deep.md": "Look very deeply."}
	for _, c := range []struct {
		flow, old, new string
		// want are the changes, "!" before those that remove a safeguard.
		want []string
	}{
		{archonFlow, "description: Review a change", "description: Review every change", []string{"info: description changed"}},
		{archonFlow, "name: review", "name: reviews", []string{"info: name changed: review → reviews"}},
		{archonFlow, "model: opus", "model: haiku", []string{"prompts: setting `model` changed: \"opus\" → \"haiku\"", "prompts: node `classify`: model changed: opus → haiku", "prompts: node `deep`: model changed: opus → haiku", "prompts: node `fix`: model changed: opus → haiku", "prompts: node `gate`: model of the prompt after a rejection changed: opus → haiku"}},
		{archonFlow, "{default: main}", "{default: dev}", []string{"schemas: input `base`: value changed: default `main` → default `dev`"}},
		{archonFlow, "{default: main}", "{required: true}", []string{"schemas: input `base`: value changed: default `main` → required"}},
		{archonFlow, "strict: {default: true}", "strict: {default: 3}", []string{"schemas: input `strict`: type changed: bool → int", "schemas: input `strict`: value changed: default true → default 3"}},
		{archonFlow, "  strict: {default: true}\n", "", []string{"schemas: input `strict` removed: bool", "scripts: environment `INPUTS_STRICT` removed: a value of the run"}},
		{archonFlow, "returns: verdict\noutcome_field: good", "returns: classify", []string{"flow: node with the result changed: verdict → classify", "flow: field with the verdict removed: good"}},
		{archonFlow, "outcome_field: good\n", "", []string{"flow: field with the verdict removed: good"}},
		{archonFlow, "evidence_policy: {required: true}\n", "", []string{"!gates: evidence before a run completes removed: required"}},
		{archonFlow, "git diff", "git diff --stat", []string{"scripts: node `diff`: script changed"}},
		{archonFlow, "timeout: 60000", "timeout: 90000", []string{"!limits: node `diff`: timeout raised: 1m0s → 1m30s"}},
		{archonFlow, "timeout: 60000", "timeout: 30000", []string{"limits: node `diff`: timeout lowered: 1m0s → 30s"}},
		{archonFlow, "    timeout: 60000\n", "", []string{"!limits: node `diff`: timeout removed: 1m0s"}},
		{archonFlow, "max_attempts: 2}", "max_attempts: 4}", []string{"!limits: node `diff`: retries raised: 2 → 4"}},
		{archonFlow, "Which kind of change is this?", "What is this?", []string{"prompts: node `classify`: prompt changed"}},
		{archonFlow, "[Read, Grep]", "[Read, Grep, Edit]", []string{"!tools: node `classify`: option `allowed_tools` added: Edit"}},
		{archonFlow, "[Read, Grep]", "[Grep, Read]", nil},
		{archonFlow, "[Read, Grep]", "[Read]", []string{"tools: node `classify`: option `allowed_tools` removed: Grep"}},
		{archonFlow, "    allowed_tools: [Read, Grep]\n", "", []string{"!tools: node `classify`: option `allowed_tools` removed: Grep Read"}},
		{archonFlow, "[Bash, Write]", "[Bash]", []string{"!tools: node `classify`: option `denied_tools` removed: Write"}},
		{archonFlow, "[Bash, Write]", "[Bash, Write, Edit]", []string{"tools: node `classify`: option `denied_tools` added: Edit"}},
		{archonFlow, "    denied_tools: [Bash, Write]\n", "", []string{"!tools: node `classify`: option `denied_tools` removed: Bash Write"}},
		{archonFlow, "maxBudgetUsd: 2", "maxBudgetUsd: 9", []string{"!limits: node `classify`: option `maxBudgetUsd` raised: 2 → 9"}},
		{archonFlow, "    sandbox: {enabled: true}\n", "", []string{"!tools: node `classify`: option `sandbox` removed: {\"enabled\":true}"}},
		{archonFlow, "enum: [docs, code]", "enum: [docs, code, tests]", []string{"schemas: node `classify`: output type changed: {kind: one of docs, code, size: int} → {kind: one of docs, code, tests, size: int}", "schemas: node `classify`: output schema changed"}},
		{archonFlow, "size > 10", "size > 20", []string{"flow: node `deep`: condition changed"}},
		{archonFlow, "size > 10", "size   >   10", nil},
		{archonFlow, " && $classify.output.size > 10", "", []string{"flow: node `deep`: condition changed"}},
		{archonFlow, "idle_timeout: 90000", "idle_timeout: 95000", []string{"!limits: node `deep`: idle timeout raised: 1m30s → 1m35s"}},
		{archonFlow, "depends_on: [gate, classify]", "depends_on: [gate]", []string{"flow: node `verdict`: dependency removed: classify"}},
		{archonFlow, "depends_on: [gate, classify]", "depends_on: [classify, gate]", nil},
		{archonFlow, "trigger_rule: all_done\n", "trigger_rule: one_success\n", []string{"flow: node `fix`: trigger rule changed: all_done → one_success"}},
		{archonFlow, "    trigger_rule: all_done\n", "", []string{"flow: node `fix`: trigger rule removed: all_done"}},
		{archonFlow, "until: DONE", "until: READY", []string{"flow: node `fix`: signal changed: DONE → READY"}},
		{archonFlow, "max_iterations: 5", "max_iterations: 6", []string{"!limits: node `fix`: iterations raised: 5 → 6"}},
		{archonFlow, "until_bash: make test, ", "", []string{"scripts: node `fix`: test removed: make test"}},
		{archonFlow, ", interactive: true, gate_message: Go on?", "", []string{"!gates: node `fix`: question after an iteration removed: Go on?", "gates: node `fix`: questions after a complete loop"}},
		{archonFlow, "Merge it?", "Shall I merge it?", []string{"gates: node `gate`: question changed"}},
		{archonFlow, "max_attempts: 3", "max_attempts: 2", []string{"limits: node `gate`: rejections before the run is cancelled lowered: 3 → 2"}},
		{archonFlow, "approval: {message: Merge it?, on_reject: {prompt: Mend what $REJECTION_REASON says., max_attempts: 3}}", "bash: echo merged", []string{"!gates: node `gate` removed: approval", "flow: node `gate` added: bash"}},
		{archonFlow, "deps: [zod]", "deps: [zod, ajv]", []string{"scripts: node `verdict`: package added: ajv"}},
		{archonFlow, "console.log(", "console.info(", []string{"scripts: node `verdict`: script changed"}},
		{graphFlow, "{draft: \"\", tries: 0}", "{draft: \"none\", tries: 0}", []string{"flow: variable `draft`: initial value changed"}},
		{graphFlow, "max_iterations: 20", "max_iterations: 50", []string{"!limits: visits of nodes raised: 20 → 50"}},
		{graphFlow, "max_time_minutes: 30, ", "", []string{"!limits: time of a run removed: 30m0s"}},
		{graphFlow, "max_cost_dollars: 5", "max_cost_dollars: 4", []string{"limits: cost of a run lowered: $5.00 → $4.00"}},
		{graphFlow, "interrupts:\n  - {before: send, prompt: Send it?}\n", "", []string{"!gates: question before node `send` removed: question"}},
		{graphFlow, "Send it?", "Really send it?", []string{"gates: question before node `send`: message changed"}},
		{graphFlow, "prompt: Write a reply.", "prompt: Write a kind reply.", []string{"prompts: node `write`: prompt changed"}},
		{graphFlow, "set: {draft: output}", "set: {draft: output, tries: 1}", []string{"flow: node `write`: assignments on `done` changed: draft = output → draft = output; tries = 1"}},
		{graphFlow, "default_output: again", "default_output: yes_send", []string{"gates: node `check`: answer without a person changed: again → yes_send"}},
		{graphFlow, "timeout_minutes: 60", "timeout_minutes: 90", []string{"!limits: node `check`: timeout raised: 1h0m0s → 1h30m0s"}},
		{graphFlow, "  - {from: send, to: END}", "  - {from: send, to: END}\n  - {from: START, to: send, condition: \"state.tries > 0\"}", []string{"flow: edges of the start changed"}},
		{graphFlow, "  - {from: check, to: send, condition: \"yes_send\"}\n  - {from: check, to: write, condition: \"again\"}", "  - {from: check, to: write, condition: \"again\"}\n  - {from: check, to: send, condition: \"yes_send\"}", []string{"flow: node `check`: edges changed"}},
		{graphFlow, "completion: [send.done]", "completion: [send.done, check.again]", []string{"flow: goal 2 added: check.again"}},
		{stepFlow, "default: EUR", "default: USD", []string{"schemas: input `currency`: value changed: default `EUR` → default `USD`"}},
		{stepFlow, "  folder: path\n  currency: {type: word, default: EUR}", "  currency: {type: word, default: EUR}\n  folder: path", []string{"schemas: input `currency`: position among the arguments changed: 2 → 1", "schemas: input `folder`: position among the arguments changed: 1 → 2"}},
		{stepFlow, "Read {{ letter }}.", "Read all of {{ letter }}.", []string{"prompts: node `items` in `items`: prompt changed"}},
		{stepFlow, "    hitl: true\n", "", []string{"!gates: node `items`: review by a person removed: yes"}},
		{stepFlow, "items | length > 0", "items | length > 1", []string{"flow: node `sum`: condition changed"}},
		{stepFlow, "{total: int}", "{total: float}", []string{"schemas: node `sum`: output type changed"}},
		{stepFlow, "max: 3", "max: 4", []string{"!limits: node `wait`: iterations raised: 3 → 4"}},
		{stepFlow, "_output == 'yes'", "_output == 'no'", []string{"flow: node `wait`: repeats until changed"}},
		{agentFlow, "0 9 * * MON", "0 9 * * TUE", []string{"flow: schedule changed: 0 9 * * MON → 0 9 * * TUE"}},
		{agentFlow, "deliver_to: [\"webhook:team\"]\n", "", []string{"flow: targets of the result removed: webhook:team"}},
		{agentFlow, "agent: writer", "agent: editor", []string{"prompts: node `digest`: agent changed: writer → editor"}},
		{agentFlow, "timeout: 5m", "timeout: 9m", []string{"!limits: node `changes`: timeout raised: 5m0s → 9m0s"}},
		{agentFlow, "[\"webhook:ops\"]", "[\"webhook:ops\", \"webhook:all\"]", []string{"flow: node `digest`: target added: webhook:all"}},
		{agentFlow, "  - id: digest\n", "  - id: more\n    agent: researcher\n    prompt: Look.\n  - id: digest\n", []string{"flow: node `more` added: prompt"}},
	} {
		t.Run(c.new, func(t *testing.T) {
			yaml := strings.Replace(c.flow, c.old, c.new, 1)
			if yaml == c.flow {
				t.Fatalf("%q is not there", c.old)
			}
			got := changes(compare.Programs(compiled(t, c.flow, command).Workflow, compiled(t, yaml, command).Workflow))
			for _, want := range c.want {
				if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
					t.Errorf("no change %q in %q", want, got)
				}
			}
			if c.want != nil && len(got) > len(c.want)+2 { // bounds of graphs follow
				t.Errorf("more changes than %q: %q", c.want, got)
			}
			t.Logf("%q", got)
		})
	}
	if got := changes(compare.Programs(compiled(t, archonFlow, command).Workflow, compiled(t, archonFlow, other).Workflow)); !slices.Equal(got, []string{"prompts: node `deep`: prompt changed"}) {
		t.Errorf("another command file: %q", got)
	}
}

func changes(list []compare.Change) []string {
	var lines []string
	for _, c := range list {
		line := string(c.Class) + ": "
		if c.Risky {
			line = "!" + line
		}
		if c.Where != "" {
			line += c.Where
			if c.What != "" {
				line += ": "
			}
		}
		line += c.What + " " + string(c.Verb)
		switch {
		case c.Text && c.Verb == compare.Changed:
		case c.Old != "" && c.New != "":
			line += ": " + c.Old + " → " + c.New
		case c.Old+c.New != "":
			line += ": " + strings.ReplaceAll(c.Old+c.New, "\n", " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// A change of a schema is said once, at the node that has it: conditions and scripts that
// read its output are as before.
func TestSchemaChangesAreNamedOnce(t *testing.T) {
	command := mapFiles{"commands/deep.md": "Look deeply."}
	old := compiled(t, archonFlow, command).Workflow
	new := compiled(t, strings.Replace(archonFlow, "enum: [docs, code]", "enum: [docs, code, tests]", 1), command).Workflow
	for _, c := range compare.Programs(old, new) {
		if c.Class != compare.Schemas || c.Where != "node `classify`" {
			t.Errorf("%s %s %s", c.Where, c.What, c.Verb)
		}
	}
}
