// Command wfc compiles agent workflows to Go programs.
package main

import (
	"os"

	"github.com/wfc-lang/wfc/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
