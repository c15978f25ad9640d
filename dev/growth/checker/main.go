// Command checker is wfc, for tests that build it with statement counters. When it ends, it
// writes the bytes that it has allocated to the file that the environment variable ALLOCATED
// names.
package main

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/dev/growth"
)

func main() {
	code := cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	if err := growth.KeepAllocated(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(code)
}
