// Command cross checks the types of all of wfc and its runtime for macOS and Windows, and those of
// the playground's page for browsers, with the code that the go command selects for these systems.
// It runs in the folder dev.
//
// It makes no machine code: that takes ten times as long, and `make dist` does it for all systems.
package main

import (
	"fmt"
	"os"
)

var targets = []target{
	{"darwin", "arm64", "..", "./..."},
	{"windows", "amd64", "..", "./..."},
	{"js", "wasm", ".", "./playground/page"},
}

func main() {
	failed := false
	for _, t := range targets {
		found, err := t.faults()
		if err != nil {
			found = append(found, err)
		}
		for _, fault := range found {
			fmt.Fprintf(os.Stderr, "%s/%s: %v\n", t.os, t.arch, fault)
		}
		failed = failed || len(found) > 0
	}
	if failed {
		os.Exit(1)
	}
}
