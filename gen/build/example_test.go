package build_test

import (
	"context"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/gen/build"
)

// A program that builds the binary ./hello of the workflow hello.yaml. Build finds an
// installed Go command or downloads one.
func ExampleBuilder_Build() {
	const workflow = `name: hello
description: Greet somebody.
nodes:
  - id: greet
    bash: echo "Hello, $ARGUMENTS!"
`
	result := compiler.Compile(source.NewFile("hello.yaml", []byte(workflow)), compiler.Options{})
	if result.Workflow == nil || result.HasErrors() {
		fmt.Println("hello.yaml is not a correct workflow")
		return
	}
	files := gen.Generate(result.Workflow, gen.Options{Main: true, LineDirectives: true})
	cache, err := build.DefaultCache()
	if err != nil {
		fmt.Println(err)
		return
	}
	b := &build.Builder{Module: wfc.Module, Cache: cache, Environ: os.Environ()}
	if err := b.Build(context.Background(), files, "hello"); err != nil {
		fmt.Println("cannot build hello:", err)
	}
}

// Programs for other systems have the names that these expect.
func ExampleBuilder_ExeSuffix() {
	for _, system := range []string{"linux", "windows"} {
		b := &build.Builder{GOOS: system}
		fmt.Println("triage" + b.ExeSuffix())
	}
	// Output:
	// triage
	// triage.exe
}
