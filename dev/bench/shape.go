//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/dev/growth"
)

// A shape is a graph of nodes that all run `bash -c true`. Dependencies come before the
// nodes that need them.
type shape struct {
	name  string
	needs [][]int // the dependencies of each node, by number
}

func single() shape { return shape{"one", [][]int{nil}} }

func chain(n int) shape {
	s := shape{name: fmt.Sprintf("chain%d", n), needs: make([][]int, n)}
	for i := 1; i < n; i++ {
		s.needs[i] = []int{i - 1}
	}
	return s
}

// sideBySide is n nodes between a start and an end.
func sideBySide(n int) shape {
	s := shape{name: fmt.Sprintf("wide%d", n), needs: make([][]int, n+2)}
	for i := 1; i <= n; i++ {
		s.needs[i] = []int{0}
		s.needs[n+1] = append(s.needs[n+1], i)
	}
	return s
}

// layers is n nodes in layers of a width; each needs three of the layer before.
func layers(n, width int) shape {
	s := shape{name: fmt.Sprintf("layers%d", n), needs: make([][]int, n)}
	for i := range n {
		s.needs[i] = growth.Layers(i, width)
	}
	return s
}

// workflow writes the shape as a workflow.
func (s shape) workflow() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\ndescription: %d nodes that do nothing.\nmutates_checkout: false\nnodes:\n", s.name, len(s.needs))
	for i, needs := range s.needs {
		fmt.Fprintf(&b, "  - id: n%d\n", i)
		if needs != nil {
			fmt.Fprintf(&b, "    depends_on: [%s]\n", join(needs, ", "))
		}
		b.WriteString("    bash: \"true\"\n")
	}
	return b.String()
}

// makefile writes the shape for make.
func (s shape) makefile() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".PHONY: all %s\nall: %s\n", join(s.all(), " "), join(s.all(), " "))
	for i, needs := range s.needs {
		fmt.Fprintf(&b, "n%d: %s\n\t@bash -c true\n", i, join(needs, " "))
	}
	return b.String()
}

// script writes the shape as a script that runs one node after the other.
func (s shape) script() string { return strings.Repeat("bash -c true\n", len(s.needs)) }

func (s shape) all() []int {
	list := make([]int, len(s.needs))
	for i := range list {
		list[i] = i
	}
	return list
}

func join(nodes []int, separator string) string {
	var list []string
	for _, n := range nodes {
		list = append(list, fmt.Sprintf("n%d", n))
	}
	return strings.Join(list, separator)
}

// sampleWorkflow writes a workflow of about a hundred lines with common features: prompts
// with output formats, conditions, trigger rules, scripts with values, retries. Different
// numbers give different workflows of about the same length.
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
