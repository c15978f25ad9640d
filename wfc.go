// Package wfc is the root of wfc, a compiler for agent workflows: YAML files whose steps
// send prompts to AI agents and run scripts. wfc checks a workflow as strictly as a good
// type checker, generates typed Go for it, and builds this code into one program. The
// program records each step in a journal. So its runs survive crashes, wait for
// approvals, and resume where they stopped.
//
// Most users need only the command wfc, in cmd/wfc, which also builds programs. A Go program
// can check a workflow and generate its code:
//
//	content, err := os.ReadFile("triage.yaml")
//	if err != nil {
//		return err
//	}
//	result := compiler.Compile(source.NewFile("triage.yaml", content), compiler.Options{})
//	if result.Workflow == nil || result.HasErrors() {
//		return fmt.Errorf("triage.yaml has %d findings", len(result.Diagnostics))
//	}
//	_, err = gen.Write("triage", gen.Generate(result.Workflow, gen.Options{Package: "triage"}))
//	return err
//
// Where to start reading depends on what you want to do:
//
//   - Check workflows: package compiler. Package compiler/config reads wfc.yaml, the
//     settings of a project.
//   - Run workflows inside a Go program: package runtime/embedding. The command `wfc gen
//     --engine` generates a package for each workflow, with a function that opens an
//     engine: the part of a program that performs runs.
//   - Test workflows in Go: package runtime/wfctest.
//   - Write a workflow in Go, without YAML: package runtime/flow.
//   - Add a kind of agent: package runtime/agent. Add a store: packages runtime/store and
//     runtime/store/storetest.
//
// This package itself exports only Module, the source code of the runtime. The command wfc
// compiles generated code against it, so that it can build programs on any machine, without
// a checkout.
package wfc

import "embed"

// Module is the part of this module that built workflows need: go.mod, go.sum, the runtime, and
// what it shares with the compiler. It contains the tests, too, which package cmd/wfc/build does
// not extract.
//
//go:embed go.mod go.sum runtime internal/shared
var Module embed.FS
