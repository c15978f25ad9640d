// Command raced prints the packages whose tests the race detector can say something about: those
// that may have several goroutines. It runs at the root, in the workspace of both modules.
//
// A race needs a goroutine beside that of the test. So a package is left out if no code that
// its tests link starts one: neither of these modules nor of the libraries. See source for what
// counts. A package whose tests run nothing with -short is left out, too.
//
// With -rest, it prints the packages with tests that must also run without the detector: those
// that it leaves out, and those of whose tests -short leaves out some.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	rest := flag.Bool("rest", false, "print the packages whose tests must also run without the detector")
	flag.Parse()
	raced, others, err := packages(".", "./cmd/...", "./dev/...", "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if *rest {
		raced = others
	}
	for _, path := range raced {
		fmt.Println(path)
	}
}
