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

// A program that builds a binary of the workflow hello.yaml.
func ExampleBuilder_Build() {
	content, err := os.ReadFile("hello.yaml")
	if err != nil {
		panic(err)
	}
	result := compiler.Compile(source.NewFile("hello.yaml", content), compiler.Options{})
	if result.Program == nil || result.HasErrors() {
		panic("hello.yaml is not a correct workflow")
	}
	files := gen.Generate(result.Program, gen.Options{Main: true, LineDirectives: true})
	cache, err := build.DefaultCache()
	if err != nil {
		panic(err)
	}
	b := &build.Builder{Module: wfc.Module, Cache: cache, Environ: os.Environ()}
	if err := b.Build(context.Background(), files, "hello"); err != nil {
		panic(err)
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
