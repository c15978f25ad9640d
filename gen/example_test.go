package gen_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
)

func ExampleGenerate() {
	const workflow = `name: hello
description: Greet somebody.
nodes:
  - id: greet
    bash: echo "Hello, $ARGUMENTS!"
`
	result := compiler.Compile(source.NewFile("hello.yaml", []byte(workflow)), compiler.Options{})
	if result.Workflow == nil || result.HasErrors() {
		fmt.Println(result.Diagnostics)
		return
	}
	for _, file := range gen.Generate(result.Workflow, gen.Options{Package: "hello"}) {
		fmt.Println(file.Name)
		_, body, _ := strings.Cut(string(file.Content), "// runGreet ")
		code, _, _ := strings.Cut(body, "\n}")
		fmt.Println("// runGreet " + code + "\n}")
	}
	// Output:
	// hello.go
	// // runGreet runs the bash script of node `greet` (hello.yaml:4).
	// func runGreet(c *flow.Context, in Inputs) (string, error) {
	// 	return flow.TextOf(c.Do(flow.Bash{
	// 		Script: `echo "Hello, $ARGUMENTS!"`,
	// 		Env:    c.ScriptEnv(in.Arguments, in.Context),
	// 	}))
	// }
}

func ExamplePackageName() {
	fmt.Println(gen.PackageName("Nightly Report"), gen.PackageName("3d-model"), gen.PackageName("main"))
	// Output: nightlyreport wf3dmodel wfmain
}
