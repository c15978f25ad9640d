package dialect_test

import (
	"strings"
	"testing"
)

const contract = `name: w
description: d
inputs:
  topic: {required: true}
  style: {default: strict}
  note: {}
returns: verify
outcome_field: green
evidence_policy: {required: true}
deprecated: {message: use v}
nodes:
  - id: fetch
    bash: echo "$INPUTS.topic"
    mutates_checkout: false
    timeout: 5000
    on_timeout: skip
  - id: review
    command: review
    depends_on: [fetch]
    with: {diff: {from: $fetch.output, if_skipped: none}, max: 5}
    systemPrompt: You read $INPUTS.topic.
  - id: count
    script: console.log(process.env.INPUTS_TEXT)
    runtime: bun
    depends_on: [fetch]
    with: {text: {from: $fetch.output}}
  - id: verify
    depends_on: [review, count]
    bash: cat verdict.json
    output_format: {type: object, properties: {green: {type: boolean}, red: {type: boolean}}, required: [green, red]}
`

// What a newer version of the dialect adds counts where it changes what runs.
func TestFingerprintSeesContracts(t *testing.T) {
	commands := files{"commands/review.md": "Review $INPUTS.diff at most $INPUTS.max times"}
	first := program(t, "w.yaml", contract, commands).Fingerprint()
	seen := map[string]string{first: "nothing"}
	for _, edit := range [][2]string{
		{"  topic: {required: true}", "  topic: {default: t}"},
		{"default: strict", "default: kind"},
		{"  note: {}", "  notes: {}"},
		{"returns: verify", "returns: fetch"},
		{"outcome_field: green\n", ""},
		{"outcome_field: green", "outcome_field: red"},
		{"evidence_policy: {required: true}\n", ""},
		{"echo \"$INPUTS.topic", "echo \"$INPUTS.style"},
		{"    mutates_checkout: false\n", ""},
		{"    on_timeout: skip\n", ""},
		{"if_skipped: none", "if_skipped: some"},
		{"{from: $fetch.output, if_skipped: none}", "$fetch.output"},
		{"max: 5", "max: 6"},
		{"read $INPUTS.topic", "read $INPUTS.style"},
		{"with: {text: {from: $fetch.output}}", "with: {text: $fetch.output}"},
		{"with: {text: {from: $fetch.output}}", "with: {text: hello}"},
	} {
		yaml := strings.Replace(contract, edit[0], edit[1], 1)
		if edit[1] == "returns: fetch" {
			yaml = strings.Replace(yaml, "outcome_field: green\n", "", 1)
		}
		if yaml == contract {
			t.Fatalf("%s is not there", edit[0])
		}
		got := program(t, "w.yaml", yaml, commands).Fingerprint()
		if other, known := seen[got]; known {
			t.Errorf("%s -> %s has the fingerprint of %s", edit[0], edit[1], other)
		}
		seen[got] = edit[0]
	}
	for _, edit := range [][2]string{
		{"    mutates_checkout: false\n", "    # again\n    mutates_checkout: false\n"},
		{"max: 5", "max: 0x5"},
	} {
		if program(t, "w.yaml", strings.Replace(contract, edit[0], edit[1], 1), commands).Fingerprint() != first {
			t.Errorf("%s -> %s changes the fingerprint", edit[0], edit[1])
		}
	}
}
