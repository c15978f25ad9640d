package devkit

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// ExitIfShort ends a program of tests with -short. It is for the TestMain of a package whose tests
// build programs, or read the source tree: the race detector would see nothing of wfc there.
func ExitIfShort() {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped: these tests run nothing of wfc in their process")
		os.Exit(0)
	}
}
