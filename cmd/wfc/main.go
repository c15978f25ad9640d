// Command wfc compiles agent workflows to Go programs. It also checks, runs and tests them:
//
//	wfc check [FILE…]       report mistakes in workflow files
//	wfc run FILE [ARGS…]    compile a workflow and run it
//	wfc build FILE          compile a workflow to a binary
//	wfc gen FILE            write the Go package of a workflow
//	wfc test [FILE…]        run the tests of workflows
//
// `wfc --help` lists all commands, and `wfc COMMAND --help` explains one.
package main

import (
	"os"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
