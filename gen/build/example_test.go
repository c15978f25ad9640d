package build_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/gen/build"
)

// A program that builds a binary of the workflow hello.yaml. With os.Environ() in Environ,
// and without GoDirs and InstalledOnly, Build finds an installed Go command or downloads
// one. Here it finds none and must not download any.
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
	cache, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(cache)
	b := &build.Builder{Module: wfc.Module, Cache: cache, Environ: nil, GoDirs: []string{}, InstalledOnly: true}
	if err := b.Build(context.Background(), files, "hello"); err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		_, reason, _ := strings.Cut(line, ": ")
		fmt.Println("cannot build hello:", reason)
	}
	// Output: cannot build hello: no `go` on PATH
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
