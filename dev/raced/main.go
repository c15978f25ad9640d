// Command raced prints the packages whose tests the race detector can say something about: those
// that may have several goroutines. It runs in the folder dev, and prints paths from the folder
// above, those of the module there first.
//
// A race needs a goroutine beside that of the test. So a package is left out if no code that
// its tests link starts one: neither of these modules nor of the libraries. See source for what
// counts. A package whose tests run nothing with -short is left out, too.
package main

import (
	"fmt"
	"os"
)

func main() {
	for _, module := range []struct{ dir, prefix string }{{"..", "./"}, {".", "./dev/"}} {
		found, err := packages(module.dir, module.prefix)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, path := range found {
			fmt.Println(path)
		}
	}
}
