package cli

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/gen/build"
)

// stockWorkflow has a node of every kind that links a part of the runtime of
// its own, so that a program of it needs all that any program needs.
const stockWorkflow = `name: stock
description: Everything that a workflow can use.
nodes:
  - id: shell
    bash: echo "$ARGUMENTS"
  - id: program
    script: print("ready")
    runtime: uv
    depends_on: [shell]
  - id: agent
    prompt: "Is this ready? $shell.output"
    depends_on: [shell]
    output_format:
      type: object
      properties:
        ready: {type: boolean}
      required: [ready]
`

// stockFiles returns the program of the stock workflow.
func stockFiles() []build.File {
	r := compiler.Compile(source.NewFile("stock.yaml", []byte(stockWorkflow)), compiler.Options{Path: "stock.yaml", Root: "."})
	if r.Program == nil || r.HasErrors() {
		panic(fmt.Sprintf("the stock workflow does not compile: %v", r.Diagnostics))
	}
	return buildFiles(gen.Generate(r.Program, gen.Options{Main: true, Lines: gen.Directives, Store: gen.SQLite}))
}
