package compiler_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
)

const triage = `name: triage
description: Sorts issues.
nodes:
  - id: read
    bash: gh issue view $ARGUMENTS
  - id: sort
    depends_on: [read]
    prompt: "Is this a bug? $raed.output"
`

func ExampleCompile() {
	result := compiler.Compile(source.NewFile("triage.yaml", []byte(triage)), compiler.Options{})
	fmt.Println(result.Dialect, result.Agents())
	for _, d := range result.Diagnostics {
		at := d.Span.Position()
		fmt.Printf("%s:%d:%d: %s: %s\n", d.Span.File.Name, at.Line, at.Column, d.Severity, d.Code.Slug)
	}
	// Output:
	// archon [claude]
	// triage.yaml:5:25: warning: shell-unquoted-variable
	// triage.yaml:8:29: warning: unknown-node-reference
}

// Findings can have fixes. Fix applies those that are sure.
func ExampleFix() {
	compile := func(content []byte) *compiler.Result {
		return compiler.Compile(source.NewFile("triage.yaml", content), compiler.Options{})
	}
	fixing := compiler.Fix(compile([]byte("name: w\ndescription: d\nnodes:\n  - {id: a, bash: ls}\n  - {id: b, bash: ls, depends_on: [a], when: $a.output = 'yes'}\n")), compile)
	fmt.Println(fixing.Applied)
	fmt.Print(string(fixing.Result.File.Content))
	// Output:
	// 1
	// name: w
	// description: d
	// nodes:
	//   - {id: a, bash: ls}
	//   - {id: b, bash: ls, depends_on: [a], when: $a.output == 'yes'}
}
