package vet_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// findings runs wfcgen over the package in a folder of the current module.
func findings(t *testing.T, folder string) []string {
	t.Helper()
	dir, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") {
			f, err := parser.ParseFile(fset, filepath.Join(dir, entry.Name()), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	var list []string
	a := analyzer(t, "wfcgen")
	pass := &analysis.Pass{
		Analyzer: a, Fset: fset, Files: files, Pkg: types.NewPackage("example.com/outside/"+folder, files[0].Name.Name),
		Report: func(d analysis.Diagnostic) {
			at := fset.Position(d.Pos)
			list = append(list, fmt.Sprintf("%s:%d: %s", filepath.Base(at.Filename), at.Line, d.Message))
		},
	}
	if _, err := a.Run(pass); err != nil {
		t.Fatal(err)
	}
	return list
}

const otherFlow = `name: other
description: Another workflow
nodes:
  - id: a
    bash: echo a
`

// caller runs the workflow callee.
const caller = `name: caller
description: Run another workflow
nodes:
  - id: child
    workflow: callee
`

func TestGenerated(t *testing.T) {
	for _, test := range []struct {
		name string
		// change changes the module after the code of flows/greet.yaml was generated.
		change func(t *testing.T)
		// folder is that of the package; "" is greet.
		folder string
		// want is each finding, as FILE:LINE: and a part of its message.
		want [][2]string
	}{
		{name: "in step", change: func(t *testing.T) {}},
		{name: "another comment in the workflow", change: func(t *testing.T) {
			edit(t, "flows/greet.yaml", "nodes:", "# Only one node.\nnodes:")
		}},
		{name: "another prompt", change: func(t *testing.T) {
			edit(t, "flows/greet.yaml", `echo "$INPUTS_who"`, `echo "hello, $INPUTS_who"`)
		}, want: [][2]string{{"engine.go:", "the generated code is stale: flows/greet.yaml has changed; run `go generate .`"}}},
		{name: "an edited line", change: func(t *testing.T) {
			edit(t, "greet/greet.go", `"bash"`, `"script"`)
		}, want: [][2]string{{"greet.go:", "this line is not what wfc generates from flows/greet.yaml"}}},
		{name: "a missing file", change: func(t *testing.T) {
			remove(t, "greet/engine.go")
		}, want: [][2]string{{"greet.go:", "engine.go is missing: run `go generate .`"}}},
		{name: "a file too many", change: func(t *testing.T) {
			edit(t, "gen.go", " --engine", "")
		}, want: [][2]string{{"engine.go:", "wfc no longer generates engine.go from flows/greet.yaml: remove the file"}}},
		{name: "a workflow with an error", change: func(t *testing.T) {
			edit(t, "flows/greet.yaml", "bash: echo", "bsh: echo")
		}, want: [][2]string{{"engine.go:", "flows/greet.yaml does not compile any more: run `wfc check flows/greet.yaml`"}}},
		{name: "no workflow file", change: func(t *testing.T) {
			remove(t, "flows/greet.yaml")
		}, want: [][2]string{{"engine.go:", "the workflow file greet.yaml of this package was not found: write the command"}}},
		{name: "no line go:generate", change: func(t *testing.T) {
			remove(t, "gen.go")
		}},
		{name: "no line go:generate, and another prompt", change: func(t *testing.T) {
			remove(t, "gen.go")
			edit(t, "flows/greet.yaml", `echo "$INPUTS_who"`, `echo "hello, $INPUTS_who"`)
		}, want: [][2]string{{"engine.go:", "run `wfc gen flows/greet.yaml -o greet --engine`"}}},
		{name: "no line go:generate, and two files of the name", change: func(t *testing.T) {
			remove(t, "gen.go")
			write(t, "more/greet.yaml", otherFlow)
		}, want: [][2]string{{"engine.go:", "2 workflow files are named greet.yaml"}}},
		{name: "another name of the package", folder: "hello", change: func(t *testing.T) {
			remove(t, "gen.go")
			command(t, "gen", "flows/greet.yaml", "-o", "hello", "--package", "hello")
			edit(t, "flows/greet.yaml", "id: hello", "id: hi")
		}, want: [][2]string{{"hello.go:", "run `wfc gen flows/greet.yaml -o hello --package hello`"}}},
		{name: "a folder of workflows", folder: "all/other", change: func(t *testing.T) {
			write(t, "flows/other.yaml", otherFlow)
			command(t, "gen", "flows", "-o", "all")
			write(t, "all/doc.go", "// Package all has workflows.\npackage all\n\n//go:generate go run github.com/wfc-lang/wfc/cmd/wfc gen ../flows -o=.\n")
			edit(t, "flows/other.yaml", "echo a", "echo b")
		}, want: [][2]string{{"other.go:", "the generated code is stale: flows/other.yaml has changed; run `go generate ./all`"}}},
		{name: "a program", folder: "program", change: func(t *testing.T) {
			write(t, "flows/other.yaml", otherFlow)
			command(t, "gen", "flows/other.yaml", "-o", "program", "--main", "--store", "memory")
		}},
		{name: "a changed program", folder: "program", change: func(t *testing.T) {
			write(t, "flows/other.yaml", otherFlow)
			command(t, "gen", "flows/other.yaml", "-o", "program", "--main", "--store", "memory")
			edit(t, "flows/other.yaml", "echo a", "echo b")
		}, want: [][2]string{{"main.go:", "the generated code is stale: flows/other.yaml has changed; run `wfc gen flows/other.yaml -o program --main --store memory`"}}},
		{name: "a workflow that another one runs", folder: "caller/callee", change: callee},
		{name: "a change of a workflow that another one runs", folder: "caller/callee", change: func(t *testing.T) {
			callee(t)
			edit(t, ".archon/workflows/callee.yaml", "echo a", "echo b")
		}, want: [][2]string{{"callee.go:", "the generated code is stale: .archon/workflows/caller.yaml has changed; run `wfc gen .archon/workflows/caller.yaml -o caller`"}}},
		{name: "a workflow that another one runs through a third", folder: "caller/deep", change: deep},
		{name: "a change of a workflow that another one runs through a third", folder: "caller/deep", change: func(t *testing.T) {
			deep(t)
			edit(t, ".archon/workflows/deep.yaml", "echo a", "echo b")
		}, want: [][2]string{{"deep.go:", "run `wfc gen .archon/workflows/caller.yaml -o caller`"}}},
		{name: "a workflow that the other one no longer runs", folder: "caller/callee", change: func(t *testing.T) {
			callee(t)
			edit(t, ".archon/workflows/caller.yaml", "workflow: callee", "bash: echo a")
		}, want: [][2]string{{"callee.go:", ".archon/workflows/caller.yaml no longer runs the workflow of this package: run `wfc gen .archon/workflows/caller.yaml -o caller`, which removes callee.go"}}},
		{name: "a workflow that another one runs, with an engine", folder: "caller/callee", change: func(t *testing.T) {
			callee(t)
			command(t, "gen", ".archon/workflows/callee.yaml", "-o", "caller/callee", "--engine")
			edit(t, ".archon/workflows/caller.yaml", "workflow: callee", "bash: echo a")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			module(t)
			test.change(t)
			folder := test.folder
			if folder == "" {
				folder = "greet"
			}
			got := findings(t, folder)
			for i, f := range got {
				if i >= len(test.want) || !strings.HasPrefix(f, test.want[i][0]) || !strings.Contains(f, test.want[i][1]) {
					t.Errorf("finding %s", f)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("%d findings, want %q", len(got), test.want)
			}
		})
	}
}

// callee makes a workflow that runs another one, with its code.
func callee(t *testing.T) {
	write(t, ".archon/workflows/caller.yaml", caller)
	write(t, ".archon/workflows/callee.yaml", strings.Replace(otherFlow, "name: other", "name: callee", 1))
	command(t, "gen", ".archon/workflows/caller.yaml", "-o", "caller")
}

// deep makes a workflow that runs another one, which runs a third, with their code.
func deep(t *testing.T) {
	write(t, ".archon/workflows/caller.yaml", caller)
	write(t, ".archon/workflows/callee.yaml", strings.NewReplacer("name: caller", "name: callee", "workflow: callee", "workflow: deep").Replace(caller))
	write(t, ".archon/workflows/deep.yaml", strings.Replace(otherFlow, "name: other", "name: deep", 1))
	command(t, "gen", ".archon/workflows/caller.yaml", "-o", "caller")
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
