//go:build unix

package main

import (
	"fmt"
	"strings"
)

// sampleWorkflow writes a workflow of about a hundred lines that uses what
// people use: prompts with output formats, conditions, trigger rules, scripts
// with values, retries. Two numbers give two texts, of about the same length.
func sampleWorkflow(number int) string {
	r := strings.NewReplacer("NUMBER", fmt.Sprint(number), "SUBJECT", subjects[number%len(subjects)], "LIMIT", fmt.Sprint(number%7+2))
	return r.Replace(sampleText)
}

var subjects = []string{"the parser", "the store", "the command line", "documentation", "performance", "error messages", "tests"}

const sampleText = `# Works on SUBJECT, number NUMBER.
name: sample-NUMBER
description: |
  Reads an issue about SUBJECT, decides what it is, does the work
  and reports it.
provider: claude
model: sonnet

nodes:
  - id: fetch
    bash: |
      set -euo pipefail
      printf '%s\n' "$ARGUMENTS" > "$ARTIFACTS_DIR/issue-NUMBER.txt"
      head -n LIMIT "$ARTIFACTS_DIR/issue-NUMBER.txt"
    timeout: 30000

  - id: classify
    depends_on: [fetch]
    prompt: |
      Classify this issue about SUBJECT as a bug, a feature or a question.

      $fetch.output
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature, question]}
        title: {type: string}
        severity: {type: integer}
        files:
          type: array
          items: {type: string}
      required: [kind, title, severity, files]
    retry:
      max_attempts: 2

  - id: inspect
    depends_on: [classify]
    when: $classify.output.kind == 'bug' && $classify.output.severity > 'LIMIT'
    bash: |
      for file in LICENSE README.md; do
        if [[ -f $file ]]; then
          wc -l "$file"
        fi
      done
      cat <<EOF
      severe: $classify.output.title
      in: $classify.output.files
      EOF

  - id: investigate
    depends_on: [classify, fetch]
    when: $classify.output.kind == 'bug'
    prompt: |
      Find the cause of "$classify.output.title" in SUBJECT:

      $fetch.output

  - id: plan
    depends_on: [classify, fetch]
    when: $classify.output.kind == 'feature'
    prompt: |
      Plan the feature "$classify.output.title" for SUBJECT in LIMIT steps:

      $fetch.output

  - id: answer
    depends_on: [classify, fetch]
    when: $classify.output.kind == 'question'
    prompt: |
      Answer the question:

      $fetch.output

  - id: work
    depends_on: [investigate, plan, answer]
    trigger_rule: none_failed_min_one_success
    bash: |
      result=$(printf '%s' "$investigate.output$plan.output$answer.output" | tr -d '\r')
      case "$result" in
        *NUMBER*) echo "it names NUMBER" ;;
        "") echo "there is nothing" >&2; exit 1 ;;
        *) printf '%s\n' "${result:0:200}" ;;
      esac

  - id: verify
    depends_on: [work]
    bash: |
      printf '%s' $work.output | grep -c . || true

  - id: report
    depends_on: [classify, work, verify]
    prompt: |
      Write a report on "$classify.output.title" for people who know SUBJECT.
      It has $verify.output lines:

      $work.output
`
