// Package large makes long workflows and full stores, by which tests and benchmarks measure.
package large

import (
	"fmt"
	"strings"
)

// Prompts returns an archon workflow of at least so many lines: prompts with typed replies,
// and conditions and scripts that read them. Each prompt has the line "Be short.".
func Prompts(lines int) string {
	var b strings.Builder
	b.WriteString("name: large\ndescription: Many nodes.\nnodes:\n  - id: n0\n    bash: echo\n")
	for i := 1; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, `  - id: n%d
    depends_on: [n%d]
    prompt: |
      Continue with $n%d.output and $ARGUMENTS.
      Be short.
    output_format:
      type: object
      properties: {kind: {type: string, enum: [bug, feature]}}
      required: [kind]
  - id: b%d
    depends_on: [n%d]
    when: $n%d.output.kind == 'bug'
    bash: |
      set -e
      echo "$n%d.output.kind"
`, i, i-1, i-1, i, i, i, i)
	}
	return b.String()
}

// Python returns an xprompt workflow of at least so many lines: the prompt "Be short.", and
// scripts whose syntax Python checks, each with the comment "# the only line".
func Python(lines int) string {
	var b strings.Builder
	b.WriteString("steps:\n  - name: first\n    prompt: Be short.\n")
	for i := 1; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, `  - name: n%d
    python: |
      import json  # the only line
      print(json.dumps({"total": %d}))
    output: {total: integer}
`, i, i)
	}
	return b.String()
}
