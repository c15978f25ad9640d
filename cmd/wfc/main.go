// Command wfc compiles agent workflows to Go programs.
package main

import (
	"os"

	"github.com/wfc-lang/wfc/internal/cli"
	"github.com/wfc-lang/wfc/internal/vettool"
)

func main() {
	args := os.Args[1:]
	if vettool.IsCall(args) { // by the go command, as the tool of go vet
		vettool.Main(args)
	}
	os.Exit(cli.Main(args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
